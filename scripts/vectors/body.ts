// How a vector of a whole answer is written.

import type { Fault } from '../../src/proof/fault.ts'
import type { Question } from '../../src/proof/lookup/question.ts'
import type { ProvedPage } from '../../src/proof/verify-lists.ts'
import { PLAIN } from './keys.ts'
import { JULY } from './registry.ts'
import type { VectorInquiry, VectorOf } from './vector.ts'

export type Body = VectorOf<'body'>
type Given = { policy?: string; asked?: VectorInquiry; not_before?: string; not_after?: string }

const textOf = (body: unknown): string => (typeof body === 'string' ? body : JSON.stringify(body))
const bodyOf = (name: string, body: unknown, { policy = PLAIN, ...given }: Given, expect: Body['expect']): Body => ({
  name,
  kind: 'body',
  policy,
  body: textOf(body),
  ...given,
  expect,
})

export const good = (
  name: string,
  body: unknown,
  found: { rows?: number; entries?: number; refused?: number; page?: ProvedPage },
  given: Given = {},
): Body => bodyOf(name, body, given, { ok: true, rows: 0, entries: 0, refused: 0, ...found })
export const bad = (name: string, body: unknown, reason: Fault, given: Given = {}): Body =>
  bodyOf(name, body, given, { ok: false, reason })

/** A question, of a day in July unless said otherwise. */
export const ask = (question: Partial<Question>): { question: Question } => ({
  question: { cpt: '99213', as_of: JULY, ...question },
})

/** The members of a refusal that prove nothing. */
export const problem = (code: string, members: object = {}) => ({
  type: `https://vectors.example/problems/${code}`,
  title: 'A title',
  status: 404,
  code,
  detail: 'A detail',
  request_id: 'x',
  agent_hint: 'A hint',
  ...members,
})

/** What a service says of a source that cannot be got any more: no part of any proof. */
export const LOST = {
  release_id: 'cms-pfs:RVU26C:1',
  sha256: 'ab'.repeat(32),
  state: 'gone',
  since: '2026-07-02T00:00:00.000Z',
}
