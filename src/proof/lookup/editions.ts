// What the rule of the lookup may ask. The service looks in its store; the verifier looks only at what an answer has proved.

import type { AnyRow } from '../price/row.ts'

/** The editions that are in force on one day. Rows are asked only of a chart that is held. */
export interface Editions {
  readonly day: string
  /** The chart that speaks for a provider. */
  chartOf(npi: string): string | undefined
  /** Whether an edition of the chart is in force on the day. */
  isHeld(chart: string): boolean
  row(chart: string, key: string): AnyRow | null | undefined
  /** The last row whose key is not after this one. */
  notAfter(chart: string, key: string): AnyRow | null | undefined
  /** All rows whose keys begin so. */
  rows(chart: string, prefix: string): readonly AnyRow[]
  /** The regions of the rows whose keys begin so: none, the only one, or two of several. */
  regions(chart: string, prefix: string): readonly string[]
}

/** The row with this key, if it holds on the day: one that begins later in the edition is not there yet. */
export const findRow = (editions: Editions, chart: string, key: string): AnyRow | undefined =>
  inForce(editions, editions.row(chart, key))

export const inForce = <T extends AnyRow>({ day }: Editions, row: T | null | undefined): T | undefined =>
  row && row.effective_from <= day ? row : undefined
