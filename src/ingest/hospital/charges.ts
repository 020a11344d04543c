import type { Findings } from '../../registry/release/rules.ts'
import type { Amounts } from './amounts.ts'
import type { PayerRates } from './payer-rates.ts'

/** Takes what lines state, before it returns. `variant` is `modifier|setting|class` (variant.ts). */
export interface ChargeSink {
  /** The hospital's own amounts of one line. With `again` a later line repeats those of the last one: a tally has no use for them. */
  charge(code: number, variant: string, line: number, amounts: Readonly<Amounts>, again: boolean): void
  /** What the line states for one payer, by its number in the book of payers. */
  rates(code: number, variant: string, line: number, payer: number, rates: Readonly<PayerRates>): void
}

/** The head of a file, as it is written. Names, addresses and the name below the attestation are never read; the names of payers become ids. */
export interface HospitalHead {
  last_updated_on: string
  npis: string[]
  /** The version of the template. */
  version: string
  /** Whether the hospital confirms that the file is true and complete; blank where the file does not say it. */
  attested: string
  /** How many columns of a CSV have names like those of amounts, and are not known. */
  unknown?: number
}

/** A reader of one format. Nothing of the head is sure before the end: JSON may say it last. */
export interface HospitalReader {
  /** How many lines, or charges of an item, have been read. */
  readonly lines: number
  push(chunk: Uint8Array): void
  end(): HospitalHead
}

/** Not errors of the file, only lines that are no hospital's price of a procedure: they are counted by themselves. */
export const NOT_CPT = 'not_cpt'
export const OTHER_CODE = 'R03_other_code'
export const NO_AMOUNT = 'no_amount'
export const MALFORMED = 'malformed'
/** The code can be read, and its modifier or setting cannot. */
export const UNREADABLE_FIELD = 'R03_field'
/** A rate of a payer that no entry of the table knows. */
export const OTHER_PAYER = 'other_payer'
/** Findings of a whole file. */
export const NOT_ATTESTED = 'W07'
export const OTHER_VERSION = 'W08'
export const OTHER_COLUMN = 'W09'
const OF_THE_FILE = [NOT_ATTESTED, OTHER_VERSION, OTHER_COLUMN]
const OUT_OF_SCOPE = [NOT_CPT, OTHER_CODE]

/** The rule that a line breaks, by the result of its amounts. */
export const RULE_FOR = { bad: 'R02', empty: NO_AMOUNT } as const

/** Notes for each rule how many lines it judged: lines out of scope count neither for the file nor against it. */
export function noteLines(rejects: Findings, lines: number, rates: number): void {
  const outside = OUT_OF_SCOPE.reduce((sum, rule) => sum + (rejects.get(rule)?.count ?? 0), 0)
  for (const [rule, finding] of rejects)
    finding.evaluated =
      rule === OTHER_PAYER
        ? rates
        : OF_THE_FILE.includes(rule)
          ? 1
          : OUT_OF_SCOPE.includes(rule)
            ? lines
            : lines - outside
}
