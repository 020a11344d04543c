// What a row of the tables of bill edits says of a day. Which edition answers for a day is here too.

import { kindOfRows } from '../price/charts.ts'
import { type AddOnRow, BY_CONTRACTOR, type EditsRow, type LimitRow, type Pair } from '../price/edit-row.ts'

/** A table of pairs also has those of so many years before it, with their own first and last days. */
const YEARS_OF_HISTORY = 2

/** The first day for which an edition can answer by the dates of its pairs. Those that ended before it are not in the release. */
export const firstDayOfHistory = (effective_from: string): string =>
  `${Number(effective_from.slice(0, 4)) - YEARS_OF_HISTORY}${effective_from.slice(4)}`

/**
 * Whether an edition answers for a day before its first one, by the dates of its own pairs: where no edition of that day is held,
 * the first one after it does. Limits have no dates, and hold for the days of their own edition alone.
 */
export const answersByHistory = (chart: string, effective_from: string, day: string): boolean =>
  (kindOfRows(chart) === 'edits' || kindOfRows(chart) === 'add_on') &&
  firstDayOfHistory(effective_from) <= day &&
  day < effective_from

const isOn = (day: string, from: string, to: string | null): boolean => from <= day && (to === null || day <= to)

/** A pair of codes that is in force: the second one is not paid, or only with a modifier that separates the two. */
export interface PairInForce {
  /** Whether a modifier separates the two. */
  separable: boolean
  from: string
  to: string | null
  rationale: number
}

/** The pair of a column-one code with another code on a day. One with indicator 9 never was in force. */
export function pairOn({ edits }: EditsRow, with_code: string, day: string): PairInForce | undefined {
  const isMeant = ([other, indicator, from, to]: Pair): boolean =>
    other === with_code && indicator !== 9 && isOn(day, from, to)
  // The newest speaks, should the table have several.
  const found = edits.findLast(isMeant)
  if (!found) return undefined
  const [, indicator, from, to, rationale] = found
  return { separable: indicator === 1, from, to, rationale }
}

/** The limit of a code, if its row holds on the day. */
export const limitOn = (row: LimitRow, day: string): LimitRow | undefined =>
  row.effective_from <= day ? row : undefined

/** The codes of which one must be paid beside an add-on code. */
export interface PrimariesInForce {
  codes: readonly string[]
  /** The contractor names primary codes: a listed one is enough, and others may be. */
  by_contractor: boolean
}

/** CMS suspended the line. */
const SUSPENDED = 5
/** Primary codes of type 1 are listed whole. The contractor may name others of types 2 and 3. */
const WHOLE = 1

/** The primary codes of an add-on code on a day; undefined if it needs none that day. */
export function primariesOn({ primaries }: AddOnRow, day: string): PrimariesInForce | undefined {
  const inForce = primaries.filter(([, , from, to, note]) => note !== SUSPENDED && isOn(day, from, to))
  if (inForce.length === 0) return undefined
  return {
    codes: inForce.flatMap(([code]) => (code === BY_CONTRACTOR ? [] : [code])),
    by_contractor: inForce.some(([code, type]) => code === BY_CONTRACTOR || type !== WHOLE),
  }
}
