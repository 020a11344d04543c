import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { effort } from '../../../test/support/effort.ts'
import { canonical } from '../canonical-json.ts'
import { aSigner, keyOf } from '../fixture.ts'
import { aRow, MemoryRegistry } from '../registry-fixture.ts'
import { billOf } from '../set-fixture.ts'
import type { Members } from '../shape.ts'
import { type TrustPolicy, verifyBody } from '../verify-lists.ts'
import { completed, partOf } from './likeness.ts'
import { MOST_SHORT_BYTES } from './set.ts'

const leaf = fc.oneof(fc.constant(null), fc.string({ maxLength: 3 }), fc.array(fc.nat(3), { maxLength: 2 }))
const name = fc.constantFrom('a', 'b', 'c', 'd', '__proto__', 'constructor')
const rows = fc.dictionary(name, fc.oneof(leaf, fc.dictionary(name, leaf, { maxKeys: 3 })), { maxKeys: 4 })

test('what differs, put into the other row, is the whole row', () => {
  fc.assert(
    fc.property(rows, rows, (other, row) => {
      const part = partOf(other as Members, row as Members)
      if (part) expect(canonical(completed(other as Members, part))).toBe(canonical(row))
    }),
  )
  const other = { kind: 'price', price: { amount: '1.00', per: null }, locator: [{ citation: 0, line: 1 }] }
  const row = { kind: 'price', price: { amount: '2.00', per: null }, locator: [{ citation: 0, line: 2 }] }
  expect(partOf(other, row)).toEqual({ price: { amount: '2.00' }, locator: [{ citation: 0, line: 2 }] })
  expect(partOf({ ...other, reason: 'bundled' }, row)).toBeUndefined()
  expect(partOf({ price: { amount: '1.00' } }, { price: ['1.00'] })).toEqual({ price: ['1.00'] })
})

const signer = await aSigner('registry.example/log/registry')
const policy: TrustPolicy = { logs: [{ key: keyOf(signer) }], retired: [], witnesses: [], groups: [], quorum: 'none' }

interface Shown {
  release: number
  index: number
  like?: number
  row: Members
}

test('a row in short is proved like a whole one, and like nothing that was not shown', async () => {
  const registry = new MemoryRegistry(signer)
  const of = (cpt: string) => aRow({ cpt, basis: 'medicare_clfs', setting: null, region: 'national' })
  registry.publish([of('80050'), of('80052'), of('80054')], { chart: 'cms-clfs', edition: 'A' })
  registry.publish([of('80050')], { chart: 'cms-asp', edition: 'A' })
  const questions = [
    { cpt: '80052', as_of: '2026-08-01', basis: 'medicare_clfs' },
    { cpt: '80053', as_of: '2026-08-01', basis: 'medicare_clfs' },
  ]
  const { body } = await billOf(registry, questions)
  const verdict = (each: unknown) => verifyBody(JSON.stringify(each), policy, { questions })
  expect(await verdict(body)).toMatchObject({ ok: true })
  const rowsOf = (each: Members) =>
    ((each['results'] as Members[])[1] as { problem: { because: { rows: Shown[] } } }).problem.because.rows
  const [, short] = rowsOf(body)
  expect(short).toEqual({ release: 0, index: 2, like: 1, row: { cpt: '80054' } })
  const changed = (change: (row: Shown) => void): Members => {
    const copy = JSON.parse(JSON.stringify(body)) as Members
    for (const row of rowsOf(copy)) if (row.like !== undefined) change(row)
    return copy
  }
  const lies: [string, (row: Shown) => void, string][] = [
    ['like a row that was not shown', (row) => Object.assign(row, { like: 7 }), 'proof_malformed'],
    ['like nothing', (row) => Reflect.deleteProperty(row, 'like'), 'proof_malformed'],
    ['like itself', (row) => Object.assign(row, { like: row.index }), 'proof_malformed'],
    ['another code', (row) => Object.assign(row.row, { cpt: '80055' }), 'row_not_in_release'],
    ['nothing that differs', (row) => Object.assign(row, { row: {} }), 'row_not_in_release'],
    ['a member that no row has', (row) => Object.assign(row.row, { note: 'x' }), 'proof_malformed'],
    ['of another release', (row) => Object.assign(row, { release: 1 }), 'proof_malformed'],
  ]
  for (const [what, change, reason] of lies)
    expect([what, await verdict(changed(change))]).toMatchObject([what, { ok: false, reason }])
})

test('a few bytes that stand for many are refused before much is written out', async () => {
  const registry = new MemoryRegistry(signer)
  const of = (cpt: string) => aRow({ cpt, basis: 'medicare_clfs', setting: null, region: 'national' })
  registry.publish([of('80050'), of('80054')], { chart: 'cms-clfs', edition: 'A' })
  const questions = [{ cpt: '80053', as_of: '2026-08-01', basis: 'medicare_clfs' }]
  const { body } = await billOf(registry, questions)
  const [result] = body['results'] as [{ problem: { because: { rows: Shown[] } } }]
  const { because } = result.problem
  const [first] = because.rows as [Shown]
  const inputs = Object.fromEntries(Array.from({ length: 150 }, (_, i) => [`input_${i}`, '1'.repeat(64)]))
  const long = { ...first.row, derivation: { method: 'verbatim/1', inputs } }
  const size = canonical(long).length
  const shorts = Array.from({ length: 1_000 }, (_, i) => ({ release: 0, index: 10 + i, like: first.index, row: {} }))
  const most = Math.floor(MOST_SHORT_BYTES / size)
  const verdict = (count: number) => {
    because.rows = [{ ...first, row: long }, ...shorts.slice(0, count)]
    return verifyBody(JSON.stringify(body), policy, { questions })
  }
  expect(await verdict(most)).toMatchObject({ ok: false, reason: 'row_not_in_release' })
  const spent = effort()
  expect(await verdict(most + 1)).toMatchObject({ ok: false, reason: 'proof_malformed' })
  expect(await verdict(1_000)).toMatchObject({ ok: false, reason: 'proof_malformed' })
  expect(spent()).toBeLessThan(500)
})
