// National Provider Identifiers: ten digits, of which the last checks the others.

import { NPI } from '../shape.ts'

/** The prefix that makes an NPI a card number of ISO/IEC 7812: 80 for health, 840 for the United States. */
const PREFIX = '80840'
/** Checks the Luhn digit. An NPI may still never have been issued. */
export function isNpi(text: string): boolean {
  if (!NPI.test(text)) return false
  let sum = 0
  for (const [i, digit] of [...(PREFIX + text)].reverse().entries()) {
    const weighted = Number(digit) * (i % 2 === 1 ? 2 : 1)
    sum += weighted > 9 ? weighted - 9 : weighted
  }
  return sum % 10 === 0
}
