// National Provider Identifiers: ten digits, the last of which checks the others.

import { NPI } from '../shape.ts'

/** The prefix that makes an NPI a card number of ISO/IEC 7812: 80 for health, 840 for the United States. */
const PREFIX = '80840'
/** The sums of the digits of 0, 2, 4 and so on, up to 18. */
const DOUBLED = '0246813579'

/** Whether the text has the form of an NPI and the right Luhn check digit. Not whether it was ever issued. */
export function isNpi(text: string): boolean {
  const digits = [...(PREFIX + text)].reverse()
  const sum = digits.reduce((before, digit, i) => before + Number(i % 2 === 1 ? DOUBLED[Number(digit)] : digit), 0)
  return NPI.test(text) && sum % 10 === 0
}
