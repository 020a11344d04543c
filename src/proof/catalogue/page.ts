// The common parts of the lists of the catalogue.

import { canonical } from '../canonical-json.ts'
import type { Manifest, Period } from '../price/release.ts'
import { count, hasOnly, listOf, type Members } from '../shape.ts'

/** A release that a list has proved, and the period in which it is in force; undefined if there is none. */
export interface ProvedEdition {
  release: Manifest
  period: Period | undefined
}
/** The place of a page in its list. */
export interface ProvedPage {
  /** True is the server's word. False is proved if the whole list was asked for. */
  has_more: boolean
  /** The last period of the list before this page; null if there is none. Left out unless the whole list was asked for. */
  before?: Period | null
}
export interface CheckedCatalogue {
  editions: ProvedEdition[]
  page: ProvedPage
}

type ListPage = { checkpoint: string; editions: readonly ProvedEdition[]; page?: ProvedPage }

/** Whether a page continues another one: under one checkpoint, without a release in force between them. */
export function isNextPage(next: ListPage, { checkpoint, editions, page }: ListPage): boolean {
  if (next.page?.before === undefined || page?.before === undefined) return false
  const last = editions.findLast(({ period }) => period !== undefined)?.period ?? page.before
  return page.has_more && next.checkpoint === checkpoint && canonical(next.page.before) === canonical(last)
}

/** The place of a page in its list, as far as the proof must agree with it. */
export interface PagePlace {
  offset: number
  has_more: boolean
}

export const MOST_LISTED = 200
const isList = listOf(() => true, MOST_LISTED)

/** Whether a body has no other members than these, entries, and the place of the page. */
export function isPageOf(body: Members, members: readonly string[]): boolean {
  const { offset, has_more } = (body['page'] ?? {}) as Members
  return hasOnly(body, members) && isList(body['data']) && count(offset) && typeof has_more === 'boolean'
}

/** Whether it is such a page with all of these members. */
export const isWholePageOf = (body: Members, members: readonly string[]): boolean =>
  isPageOf(body, members) && members.every((member) => body[member] !== undefined)
