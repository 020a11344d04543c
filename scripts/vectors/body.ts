import { MemoryLog } from '../../src/proof/fixture.ts'
import type { CitedRow, Row } from '../../src/proof/price/row.ts'
import type { Question } from '../../src/proof/question.ts'
import type { Fault } from '../../src/proof/verify.ts'
import { PLAIN, registry } from './keys.ts'
import { Published, physicians } from './published.ts'
import type { VectorOf } from './vector.ts'

export type Body = VectorOf<'body'>
const textOf = (body: unknown): string => (typeof body === 'string' ? body : JSON.stringify(body))

export const good = (
  name: string,
  body: unknown,
  found: { rows?: number; absences?: number; entries?: number },
  { policy = PLAIN, asked }: { policy?: string; asked?: Question } = {},
): Body => ({
  name,
  kind: 'body',
  policy,
  body: textOf(body),
  ...(asked ? { asked } : {}),
  expect: { ok: true, rows: 0, absences: 0, entries: 0, ...found },
})
export const bad = (
  name: string,
  body: unknown,
  reason: Fault,
  { policy = PLAIN, asked }: { policy?: string; asked?: Question } = {},
): Body => ({
  name,
  kind: 'body',
  policy,
  body: textOf(body),
  ...(asked ? { asked } : {}),
  expect: { ok: false, reason },
})

export const KEY = '99213|national|||medicare_pfs|non_facility'
export const row = await physicians.cited(KEY)

/** A row in a release and log of its own. */
export async function alone(given: Row, log = new MemoryLog(registry), manifest = {}): Promise<CitedRow> {
  return (await Published.of([given], 'cms-pfs', log, manifest)).cited(given.cpt)
}
