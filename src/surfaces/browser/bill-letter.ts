// A letter about a bill, and what to say on the telephone. They state what was found and ask for an answer; they threaten with nothing.

import type { BillFinding } from './bill-check.ts'

/** A right that a letter names, with its text in the Code of Federal Regulations and the day since which it holds. */
interface Right {
  fits: (bill: LetterFacts) => boolean
  says: string
}

const RIGHTS: readonly Right[] = [
  {
    fits: ({ findings }) => findings.some(({ rule }) => rule === 'estimate_exceeded'),
    says: 'The bill is at least $400 above the good faith estimate. A person who pays without insurance may open a dispute within 120 days of the first bill (45 CFR 149.620, in force since January 1, 2022).',
  },
  {
    fits: ({ isHospital }) => isHospital,
    says: 'A hospital makes public what it charges for its items and services, with its discounted cash prices and the charges that it has agreed with insurers (45 CFR 180.50, in force since January 1, 2021).',
  },
]

export interface LetterFacts {
  findings: readonly BillFinding[]
  isHospital: boolean
  isSample: boolean
  atIssue: string
  days: string
  /** The day until which an answer is asked for. */
  answerBy: string
  /** The address at which the check can be made again. */
  origin: string
}

/** The findings that weigh most: what a published rule leaves no way around first, then by amount. */
export function strongest(findings: readonly BillFinding[], count = findings.length): BillFinding[] {
  const rank = { rule: 0, unless: 1, ask: 2 }
  const cents = ({ amount_at_issue: amount = '0.00' }: BillFinding): number => Math.round(Number(amount) * 100)
  return findings
    .toSorted((one, other) => rank[one.certainty] - rank[other.certainty] || cents(other) - cents(one))
    .slice(0, count)
}

export const dollars = (amount: string): string => `$${amount.replace(/\B(?=(?:[0-9]{3}){1,6}\.)/g, ',')}`

const linesText = (lines: readonly number[]): string =>
  lines.length === 0 ? 'the whole bill' : `line${lines.length > 1 ? 's' : ''} ${lines.join(', ')}`

/** The paragraphs of the letter; none where there is nothing to ask. */
export function letterOf(facts: LetterFacts): string[] {
  const { findings, isSample, atIssue, days, answerBy, origin } = facts
  if (findings.length === 0) return []
  const points = strongest(findings, 3).map(
    ({ lines, amount_at_issue: amount, says, ask }, i) =>
      `${i + 1}. About ${linesText(lines)}${amount === undefined ? '' : `, ${dollars(amount)} at issue`}: ${says} ${ask}`,
  )
  return [
    ...(isSample ? ['These are invented sample amounts, not published prices: this letter must not be sent.'] : []),
    'To the billing office:',
    `I ask you to review my bill for services on ${days}. I compared its lines with the published rules and prices of those days. ${dollars(atIssue)} of it is at issue.`,
    ...points,
    'Please send me an itemized bill with all codes, modifiers, units and revenue codes; the record that shows each line named above; and your answer to each point in writing.',
    `Please answer by ${answerBy}, and hold collection of the amounts at issue until then.`,
    ...RIGHTS.filter(({ fits }) => fits(facts)).map(({ says }) => says),
    `The sources of each point, with file and line, are on the sheet that goes with this letter. Anyone can check them at ${origin}/bill.`,
    'Name, address and account number: to be written by hand.',
  ]
}

/** Eight sentences for the telephone. */
export function callOf({ findings, atIssue, days, answerBy }: LetterFacts): string[] {
  const [first] = strongest(findings, 1)
  if (!first) return []
  const amount = first.amount_at_issue === undefined ? '' : `, which is ${dollars(first.amount_at_issue)}`
  return [
    `I am calling about my bill for ${days}.`,
    'Please open the itemized lines, with codes and units.',
    `I have a question about ${linesText(first.lines)}${amount}.`,
    first.says,
    first.ask,
    `In all, ${dollars(atIssue)} is at issue, and I will send the list to you.`,
    `Please hold collection of it until ${answerBy}.`,
    'May I have your name, and a number for this call?',
  ]
}
