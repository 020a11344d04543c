// The lists that the rule of the lookup reads. The service reads them from its store; the verifier from what an answer proves,
// and refuses an answer that leaves out what the rule asks for.

import type { AnyRow, Row } from '../price/row.ts'
import type { Neighbours } from '../price/timeline.ts'

/** Lists of rows of the editions in force on the day. The rule asks only for those of a chart that is held. */
export interface Lists {
  /** All rows whose keys have the prefix, in order. */
  under(chart: string, prefix: string): readonly AnyRow[]
  /** Whether there is a row whose key has the prefix. */
  has(chart: string, prefix: string): boolean
  /** The last row whose key is not after this one. */
  upTo(chart: string, key: string): AnyRow | undefined
}

/** The editions of one day. */
export interface Timeline {
  readonly day: string
  /** Whether an edition of the chart is in force on the day. */
  isHeld(chart: string): boolean
  /** The editions of a chart beside the day. */
  around(chart: string): Neighbours
}

export interface Providers {
  /** The chart that speaks for a provider. */
  chartOf(npi: string): string | undefined
}

/** Everything that the rule may look at. */
export interface Registry {
  lists: Lists
  timeline: Timeline
  providers: Providers
}

/** A row may begin later than its edition. */
export const isFrom =
  ({ day }: Timeline) =>
  ({ effective_from }: AnyRow): boolean =>
    effective_from <= day

export const pricesUnder = (lists: Lists, chart: string, prefix: string): readonly Row[] =>
  lists.under(chart, prefix) as readonly Row[]
