// The table of edits that answers for a day: that of an edition in force, or the next one by the dates of its own entries.

import type { AnyRow } from '../price/row.ts'
import type { RegistryOn } from './claim.ts'
import { answersByHistory } from './edit-tables.ts'

export interface EditTable {
  /** A day of the edition. */
  day: string
  /** All rows of a code: one, or none. */
  rowsOf(code: string): readonly AnyRow[]
}

/** Undefined where no edition answers for the day. */
export function tableOn(on: RegistryOn, chart: string, day: string): EditTable | undefined {
  const { timeline } = on(day)
  const next = timeline.isHeld(chart) ? day : timeline.around(chart).after
  if (next === undefined || (next !== day && !answersByHistory(chart, next, day))) return undefined
  const { lists } = on(next)
  return { day: next, rowsOf: (code) => lists.under(chart, code) }
}
