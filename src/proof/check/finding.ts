// What the rules of a bill say: findings, and what could not be checked.

import { type BillRule, RULE_ENTRIES, type Variant } from '../../tables/bill-rules.ts'
import type { AnyRow } from '../price/row.ts'
import { own } from '../shape.ts'

export type { BillRule }

/**
 * How sure a finding is. `rule`: the published rule leaves no other way. `unless`: unless something holds that the bill does not
 * say. `ask`: only a question to the billing office.
 */
export type Certainty = Variant['certainty']

/** A row that a check rests on, and the edition that it is of. */
export interface Evidence {
  chart: string
  /** A day of the edition. */
  day: string
  row: AnyRow
}

export interface Finding {
  rule: BillRule
  /** The sentence of the rule that fits: a name of docs/spec/tables/bill-rules.json. */
  variant: string
  /** Lines, counted from 1, in rising order. */
  lines: readonly number[]
  /** Lines that are not paid if the finding holds. */
  denies: readonly number[]
  /** What is paid of each line that is paid less, in ten-thousandths. */
  pays?: ReadonlyMap<number, bigint>
  /** The amount at issue of each line, in ten-thousandths. */
  atIssue: ReadonlyMap<number, bigint>
  /** The amount at issue of the whole bill, where it is of no line. */
  ofBill?: bigint
  /** The line beside which a line is not paid. */
  beside?: number
  /** The words of the sentence: codes, numbers of units, days and amounts. */
  words: Readonly<Record<string, string>>
  evidence: readonly Evidence[]
}

/** The sentences of a finding and how sure it is, by the table. */
export const variantOf = ({ rule, variant }: Pick<Finding, 'rule' | 'variant'>): Variant => {
  const found = own(RULE_ENTRIES[rule].variants, variant)
  if (!found) throw new RangeError(`the rule ${rule} has no variant ${variant}`)
  return found
}
export const certaintyOf = (finding: Finding): Certainty => variantOf(finding).certainty

/** Why lines were not checked by a rule. `no_edition`: the chart has no edition for the day. */
export type SkipReason =
  | 'no_edition'
  | 'no_published_limit'
  | 'by_contractor'
  | 'no_price'
  | 'other_unit'
  | 'composite'
  | 'modifier'
  | 'inpatient'

export interface Skip {
  rule: BillRule
  chart: string
  day: string
  why: SkipReason
  line: number
}

/** What one rule says of a bill. */
export interface Outcome {
  findings: readonly Finding[]
  skips: readonly Skip[]
  /** Tables that answered for a day before their edition, by the dates of their own entries. */
  byHistory?: readonly ChartDay[]
}

export interface ChartDay {
  chart: string
  day: string
}

export const NOTHING: Outcome = { findings: [], skips: [] }

/** One entry for each line of a list. */
export const skipped = (
  { rule, chart, day, why }: Omit<Skip, 'line'>,
  lines: readonly { line: number }[],
): readonly Skip[] => lines.map(({ line }) => ({ rule, chart, day, why, line }))

export const together = (outcomes: readonly Outcome[]): Outcome => ({
  findings: outcomes.flatMap(({ findings }) => findings),
  skips: outcomes.flatMap(({ skips }) => skips),
  byHistory: outcomes.flatMap(({ byHistory = [] }) => byHistory),
})
