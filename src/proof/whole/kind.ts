// The kind of answer that a body is, by its shape alone.

import { isFiguresBody, isLookup } from '../body.ts'
import type { Members } from '../shape.ts'

/** Kinds of bodies that are proved under a state of the registry, by the name of the question that each answers. */
export type Kind =
  | 'question'
  | 'questions'
  | 'bill'
  | 'page'
  | 'sheet'
  | 'compare'
  | 'releases'
  | 'coverage'
  | 'history'
/** The figures, and changes of them. */
export type AnyKind = Kind | 'figures' | 'entries'

export function kindOf(body: Members): AnyKind {
  const { data, page, as_of, from } = body
  if (isLookup(body)) return 'question'
  if (isFiguresBody(body)) return 'figures'
  if (Array.isArray(body['findings'])) return 'bill'
  if (Array.isArray(body['hospitals'])) return 'compare'
  if (!Array.isArray(data)) return 'questions'
  if ('states' in body || data.some(isEntryLike)) return 'entries'
  if (from !== undefined) return as_of === undefined ? 'releases' : 'coverage'
  if (as_of === undefined) return 'history'
  return page === undefined ? 'sheet' : 'page'
}

/** A change of a figure states its own index in the log. */
const isEntryLike = (item: unknown): boolean => typeof item === 'object' && item !== null && 'seq' in item
