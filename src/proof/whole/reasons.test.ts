import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { REASONS } from './reasons.ts'

test('every reason of the specification has its sentence, and no other', () => {
  const spec = readFileSync(join(import.meta.dir, '../../../docs/spec/proof.md'), 'utf8')
  const tables = spec.slice(spec.indexOf('## Failure reasons'), spec.indexOf('## What "ok" says'))
  const named = [...tables.matchAll(/^\| `([a-z_]+)` \|/gm)].map(([, reason = '']) => reason)
  expect(Object.keys(REASONS).sort()).toEqual(named.sort())
  for (const sentence of Object.values(REASONS)) expect(sentence).toMatch(/^[A-Z].{10,200}\.$/)
})
