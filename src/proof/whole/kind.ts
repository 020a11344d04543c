// The kind of answer that a body is, by its shape alone.

import { isFiguresBody, isLookup } from '../body.ts'
import type { Members } from '../shape.ts'

/** Kinds of bodies that are proved under a state of the registry, by the name of the question that each answers. */
export type Kind = 'question' | 'questions' | 'page' | 'sheet' | 'releases' | 'coverage' | 'history'
/** The figures, and changes of them. */
export type AnyKind = Kind | 'figures' | 'entries'

export function kindOf(body: Members): AnyKind {
  const { data, proof, timeline, as_of, not_held } = body
  if (isLookup(body)) return 'question'
  if (isFiguresBody(body)) return 'figures'
  if (!Array.isArray(data)) return 'questions'
  if ('states' in body || data.some(isEntryLike)) return 'entries'
  if (timeline !== undefined) return 'history'
  if (proof !== undefined) return as_of === undefined ? 'releases' : 'coverage'
  return not_held === undefined ? 'page' : 'sheet'
}

/** A change of a figure states its own index in the log. */
const isEntryLike = (item: unknown): boolean => typeof item === 'object' && item !== null && 'seq' in item
