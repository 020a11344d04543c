// What the lists of the catalogue have in common.

import type { Manifest, Period } from '../price/release.ts'
import { count, hasOnly, listOf, type Members } from '../shape.ts'

/** A release that a list has proved, and the period in which it is in force; undefined where there is none. */
export interface ProvedEdition {
  release: Manifest
  period: Period | undefined
}
export interface CheckedCatalogue {
  ok: true
  editions: ProvedEdition[]
}

/** Where a page stands in its list, as far as a proof has to agree with it. */
export interface PagePlace {
  offset: number
  has_more: boolean
}

export const MOST_LISTED = 200
const isList = listOf(() => true, MOST_LISTED)

/** No members but these, entries, and the place of the page. */
export function isPageOf(body: Members, members: readonly string[]): boolean {
  const { offset, has_more } = (body['page'] ?? {}) as Members
  return hasOnly(body, members) && isList(body['data']) && count(offset) && typeof has_more === 'boolean'
}

/** The same, with none of these members left out. */
export const isWholePageOf = (body: Members, members: readonly string[]): boolean =>
  isPageOf(body, members) && members.every((member) => body[member] !== undefined)
