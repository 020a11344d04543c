// The questions that the rule of the lookup may ask. The service looks into its store; the verifier only at the facts
// that an answer has proved.

import type { AnyRow } from '../price/row.ts'

/** The editions in force on one day. The rule asks for rows only of a chart that is held. */
export interface Editions {
  readonly day: string
  /** The chart that speaks for a provider. */
  chartOf(npi: string): string | undefined
  /** Whether an edition of the chart is in force on the day. */
  isHeld(chart: string): boolean
  row(chart: string, key: string): AnyRow | undefined
  /** The last row whose key is not after this one. */
  notAfter(chart: string, key: string): AnyRow | undefined
  /** All rows whose keys have the prefix. */
  rows(chart: string, prefix: string): readonly AnyRow[]
  /** The regions of the rows whose keys have the prefix: none, the only one, or two of several. */
  regions(chart: string, prefix: string): readonly string[]
}

/** The row with this key, if it is in force on the day: a row may begin later than its edition. */
export const findRow = (editions: Editions, chart: string, key: string): AnyRow | undefined =>
  inForce(editions, editions.row(chart, key))

export const inForce = <T extends AnyRow>({ day }: Editions, row: T | undefined): T | undefined =>
  row && row.effective_from <= day ? row : undefined
