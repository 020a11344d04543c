// The common parts of the checks of lists.

import type { CheckedAnswer } from '../answer.ts'
import type { Evidence, ProvedRelease } from '../evidence.ts'
import type { Manifest, Period } from '../price/release.ts'
import { count, hasOnly, isObject, listOf, type Members } from '../shape.ts'
import type { ShownRows, StatedRow } from '../shown-rows.ts'

/** Checks the proof of the body with the rows that were taken of it. */
export type FactsOfBody = (shown: ShownRows) => Promise<Evidence>

/** A release that a list has proved, and the period in which it is in force; undefined if there is none. */
export interface ProvedEdition {
  release: Manifest
  period: Period | undefined
}
/** The place of a page in its list. */
export interface ProvedPage {
  /** True is the server's word. False is proved if the whole list was asked for. */
  has_more: boolean
  /** The stretch of the timeline that the page accounts for. Left out unless the whole list was asked for. */
  from?: number
  to?: number
}

/** The content of a list that was checked. */
export interface CheckedList {
  evidence: Evidence
  answers: CheckedAnswer[]
  /** The number of lines that refuse their question without a proof: they are the server's word. */
  refused?: number
  editions?: ProvedEdition[]
  page?: ProvedPage
}

/** A row of a list as an answer without a decision. */
export const rowAnswer = ({ releases }: Evidence, { row, pointer }: StatedRow): CheckedAnswer => ({
  row,
  release: (releases[pointer.release] as ProvedRelease).release,
  decision: undefined,
  lacking: [],
})

/** The place of a page in its list, as far as the proof must agree with it. */
export interface PagePlace {
  offset: number
  has_more: boolean
}

export const MOST_LISTED = 200
const isList = listOf(() => true, MOST_LISTED)

/** Whether a body has no other members than these, items, and the place of the page. */
export function isPageOf(body: Members, members: readonly string[]): boolean {
  const { data, page } = body
  if (!hasOnly(body, [...members, 'data', 'page', 'links', 'proof']) || !isList(data) || !isObject(page)) return false
  return count(page['offset']) && typeof page['has_more'] === 'boolean'
}
