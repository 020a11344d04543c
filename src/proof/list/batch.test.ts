import { expect, test } from 'bun:test'
import type { Proof } from '../envelope.ts'
import { failed } from '../fault.ts'
import { aSigner, keyOf } from '../fixture.ts'
import { billOf } from '../list-fixture.ts'
import { aRow, MemoryRegistry } from '../registry-fixture.ts'
import { type TrustPolicy, verifyBody } from '../verify-lists.ts'
import { MOST_LINES } from './batch.ts'

const signer = await aSigner('registry.example/log/registry')
const policy: TrustPolicy = { logs: [{ key: keyOf(signer) }], retired: [], witnesses: [], groups: [], quorum: 'none' }

test('every line of the longest batch may be about another edition', async () => {
  const registry = new MemoryRegistry(signer)
  const questions = Array.from({ length: MOST_LINES }, (_, i) => {
    const as_of = `${1900 + i}-01-01`
    registry.publish([aRow({ code: '80053', effective_from: as_of })], {
      chart: 'cms-clfs',
      edition: `E${i}`,
      effective_from: as_of,
      effective_to: `${1900 + i}-12-31`,
    })
    return { cpt: '80053', as_of, basis: 'medicare_clfs' }
  })
  const { body } = await billOf(registry, questions)
  const { proof } = body as { proof: Proof }
  expect(proof.releases).toHaveLength(MOST_LINES)
  expect(await verifyBody(JSON.stringify(body), policy, { questions })).toMatchObject({ ok: true, refused: 0 })
  // More releases than that are not even looked at.
  const releases = Array.from({ length: 1_025 }, () => proof.releases?.[0])
  expect(await verifyBody(JSON.stringify({ ...body, proof: { ...proof, releases } }), policy, { questions })).toEqual(
    failed('proof_malformed'),
  )
})

test('a line that was refused is about a question without a meaning, and says nothing beside its problem', async () => {
  const registry = new MemoryRegistry(signer)
  registry.publish([aRow({ code: '80053' })], { chart: 'cms-clfs' })
  const priced = { cpt: '80053', as_of: '2026-07-15', basis: 'medicare_clfs' }
  const { body } = await billOf(registry, [priced])
  const check = async (line: object, question: object) => {
    const results = [...(body['results'] as unknown[]), { status: 400, problem: { code: 'invalid_cpt' }, ...line }]
    const questions = [priced, question as typeof priced]
    const summary = { ...(body['summary'] as object), lines: 2 }
    const verdict = await verifyBody(JSON.stringify({ ...body, results, summary }), policy, { questions })
    return verdict.ok ? verdict.refused : verdict.reason
  }
  const senseless = { ...priced, cpt: 'x' }
  expect(await check({}, senseless)).toBe(1)
  expect(await check({ units: 2, billed: '10.00' }, { ...senseless, units: 3, billed: '20.00' })).toBe(1)
  expect(await check({}, { ...priced, billed: 'much' })).toBe(1)
  for (const told of [{}, { billed: '10.00' }])
    expect(await check(told, { ...priced, ...told })).toBe('answers_another_question')
  expect(await check({ note: 'x' }, senseless)).toBe('not_recognised')
  expect(await check({ problem: 'x' }, senseless)).toBe('not_recognised')
})
