// The table of edits that answers for a day: that of an edition in force, or the next one by the dates of its own entries.

import type { Lists } from '../lookup/lists.ts'
import { type AnyRow, rowKey } from '../price/row.ts'
import type { RegistryOn } from './claim.ts'
import { answersByHistory } from './edit-tables.ts'
import type { ChartDay } from './finding.ts'

export interface EditTable {
  /** A day of the edition. */
  day: string
  /** The row of a code, if it has one. */
  rowOf(code: string): AnyRow | undefined
  /** The day that it answers for, if that is before the edition. */
  byHistory: readonly ChartDay[]
}

/** Undefined where no edition answers for the day. */
export function tableOn(on: RegistryOn, chart: string, day: string): EditTable | undefined {
  const { timeline } = on(day)
  const next = timeline.isHeld(chart) ? day : timeline.around(chart).after
  if (next === undefined || (next !== day && !answersByHistory(chart, next, day))) return undefined
  const { lists } = on(next)
  return { day: next, rowOf: (code) => rowOf(lists, chart, code), byHistory: next === day ? [] : [{ chart, day }] }
}

/** The row of a code in a table of edits, whose keys are the codes alone: no other row can have the code. */
export function rowOf(lists: Lists, chart: string, code: string): AnyRow | undefined {
  const row = lists.upTo(chart, code)
  return row && rowKey(row) === code ? row : undefined
}
