// What the rule of the lookup may ask. It asks one thing at a time, and is told what there is.

import type { AnyRow } from '../price/row.ts'

/** What the rule must know next. Rows are asked of the edition of a chart that is in force on the day of the question. */
export type Need =
  /** Which chart speaks for a provider: its name, or undefined. */
  | { need: 'provider'; npi: string }
  /** Whether an edition of the chart is in force on the day. */
  | { need: 'edition'; chart: string }
  /** The row with this key, or undefined. */
  | { need: 'row'; chart: string; key: string }
  /** All rows whose keys begin so. */
  | { need: 'rows'; chart: string; prefix: string }
  /** The regions of the rows whose keys begin so: none, the only one, or two of several. */
  | { need: 'regions'; chart: string; prefix: string }
export type Reply = string | boolean | AnyRow | readonly AnyRow[] | readonly string[] | undefined

export type Steps<T> = Generator<Need, T, Reply>

/** The row with this key, if it holds on the day: one that begins later in the edition is not there yet. */
export function* findRow(chart: string, key: string, day: string): Steps<AnyRow | undefined> {
  const row = (yield { need: 'row', chart, key }) as AnyRow | undefined
  return row && row.effective_from <= day ? row : undefined
}
export function* isAny(chart: string, prefix: string): Steps<boolean> {
  return ((yield { need: 'regions', chart, prefix }) as readonly string[]).length > 0
}
export function* isHeld(chart: string): Steps<boolean> {
  return (yield { need: 'edition', chart }) as boolean
}
