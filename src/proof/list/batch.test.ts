import { expect, test } from 'bun:test'
import { aSigner, keyOf } from '../fixture.ts'
import { aRow, MemoryRegistry } from '../registry-fixture.ts'
import { billOf } from '../set-fixture.ts'
import { type TrustPolicy, verifyBody } from '../verify-lists.ts'
import { MOST_LINES } from './batch.ts'

const signer = await aSigner('registry.example/log/registry')
const policy: TrustPolicy = { logs: [{ key: keyOf(signer) }], retired: [], witnesses: [], groups: [], quorum: 'none' }

test('every line of the longest batch may be about another edition', async () => {
  const registry = new MemoryRegistry(signer)
  const questions = Array.from({ length: MOST_LINES }, (_, i) => {
    const as_of = `${1900 + i}-01-01`
    registry.publish([aRow({ cpt: '80053', effective_from: as_of })], {
      chart: 'cms-clfs',
      edition: `E${i}`,
      effective_from: as_of,
      effective_to: `${1900 + i}-12-31`,
    })
    return { cpt: '80053', as_of, basis: 'medicare_clfs' }
  })
  const { body } = await billOf(registry, questions)
  expect(body['releases']).toHaveLength(MOST_LINES)
  expect(await verifyBody(JSON.stringify(body), policy, { questions })).toMatchObject({ ok: true, refused: 0 })
  const releases = Array.from({ length: 5 * MOST_LINES + 1 }, () => (body['releases'] as unknown[])[0])
  expect(await verifyBody(JSON.stringify({ ...body, releases }), policy, { questions })).toEqual({
    ok: false,
    reason: 'proof_malformed',
  })
})
