import { expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { judge, type Vector } from '../../scripts/vectors/vector.ts'
import { FORMAT, VECTORS, vectorFiles } from '../../scripts/vectors.ts'
import * as changes from '../../src/proof/changes.ts'
import * as growth from '../../src/proof/growth.ts'
import * as derivation from '../../src/proof/price/derivation.ts'
import * as question from '../../src/proof/question.ts'
import * as verify from '../../src/proof/verify.ts'

const read = (name: string): string => readFileSync(join(VECTORS, name), 'utf8')
const names = readdirSync(VECTORS).filter((name) => name.endsWith('.json'))
const vectors = names.flatMap((name) => {
  const { format, vectors } = JSON.parse(read(name)) as { format: string; vectors: Vector[] }
  expect(format).toBe(FORMAT)
  return vectors
})

test('the vectors are the ones that the script makes, byte for byte', () => {
  expect(names.sort()).toEqual(Object.keys(vectorFiles).sort())
  for (const name of names) expect(read(name) === vectorFiles[name] ? name : `${name} is out of date`).toBe(name)
})

test.each(names)('the verifier says what is expected of it on all of %s', async (name) => {
  const { vectors } = JSON.parse(read(name)) as { vectors: Vector[] }
  const differing: object[] = []
  for (const vector of vectors) {
    const outcome = await judge({ ...verify, ...question, ...growth, ...changes, ...derivation }, vector)
    if (!Bun.deepEquals(outcome, vector.expect, true)) differing.push({ name: vector.name, outcome })
  }
  expect(differing).toEqual([])
})

test('no two vectors of a kind have one name, and both outcomes are well covered', () => {
  const titles = vectors.map(({ kind, name }) => `${kind}: ${name}`)
  expect(titles.filter((title, i) => titles.indexOf(title) !== i)).toEqual([])
  expect(vectors.filter(({ expect }) => expect.ok).length).toBeGreaterThanOrEqual(40)
  expect(vectors.filter(({ expect }) => !expect.ok).length).toBeGreaterThanOrEqual(80)
})

test('every reason for which anything fails has a vector', () => {
  const unions = [
    'evidence.ts',
    'note/signed-note.ts',
    'growth.ts',
    'note/checkpoint.ts',
    'price/derivation.ts',
  ].flatMap((file) => {
    const source = readFileSync(join(import.meta.dir, '../../src/proof', file), 'utf8')
    return [...source.matchAll(/export type \w*Fault =((?:\s*\|?\s*(?:\w+|'\w+'))+)/g)].map(([, union = '']) => union)
  })
  const reasons = new Set(unions.flatMap((union) => [...union.matchAll(/'(\w+)'/g)].map(([, reason = '']) => reason)))
  expect(reasons.size).toBeGreaterThan(35)
  const covered = new Set(vectors.map(({ expect }) => (expect.ok ? '' : expect.reason) as string))
  expect([...reasons].filter((reason) => !covered.has(reason))).toEqual([])
})
