import { expect, test } from 'bun:test'
import { aSigner } from '../fixture.ts'
import { formatPolicy, parsePolicy, type TrustPolicy } from '../note/policy.ts'
import { aFee, aPlace, MemoryRegistry } from '../registry-fixture.ts'
import { askedAt } from './asked.ts'
import { checkWhole } from './whole-check.ts'

const signer = await aSigner('registry.example/log/registry')
const policy = parsePolicy(formatPolicy([signer])) as TrustPolicy

const good = aFee({ code: '99213' })
const wrong = aFee({ code: '99214', price: { amount: '0.01', currency: 'USD', per: null } })

async function said(index: number, permalink?: { release_id: string; index: number }, trusted = policy) {
  const registry = new MemoryRegistry(signer)
  registry.publish([aPlace('60611', 'US-IL-16')], { chart: 'zip-locality' })
  const release = registry.publish([good, wrong], { chart: 'cms-pfs' })
  const body = JSON.stringify(await registry.cite(release, index))
  const verdict = await checkWhole(body, trusted, { anyQuestion: true, ...(permalink && { permalink }) })
  return verdict.ok ? 'ok' : verdict.reason
}

test('the proof is checked first, then the arithmetic of every row, then the permalink', async () => {
  expect(await said(0)).toBe('ok')
  expect(await said(1)).toBe('price_mismatch')
  const other = parsePolicy(formatPolicy([await aSigner('registry.example/log/registry')])) as TrustPolicy
  expect(await said(1, undefined, other)).toBe('note_unsigned')
  const here = { release_id: 'cms-pfs:2026C:1', index: 0 }
  expect(await said(0, here)).toBe('ok')
  expect(await said(1, { ...here, index: 1 })).toBe('price_mismatch')
  for (const elsewhere of [
    { ...here, release_id: 'cms-pfs:2026C:2' },
    { ...here, index: 1 },
  ])
    expect(await said(0, elsewhere)).toBe('answers_another_question')
})

test('the price of a code is no list of changes of the figures', async () => {
  const registry = new MemoryRegistry(signer)
  const body = JSON.stringify(await registry.cite(registry.publish([good], { chart: 'cms-pfs' }), 0))
  const asked = askedAt('/api/figure-changes', '2026-07-15')
  if (!asked) throw new Error('the address of the changes is not known')
  expect(await checkWhole(body, policy, asked)).toMatchObject({ ok: false, reason: 'answers_another_question' })
})

test('an address is that of an answer only with its whole path, and empty parameters ask nothing', () => {
  const asked = (path: string) => askedAt(`https://registry.example${path}`, '2026-07-15')
  expect(asked('/reference?cpt=99213&region=&proof=ref&limit=5')).toEqual({
    question: { cpt: '99213', as_of: '2026-07-15' },
  })
  expect(asked('/rows/cms-pfs%3AA%3A1/12')).toEqual({
    anyQuestion: true,
    permalink: { release_id: 'cms-pfs:A:1', index: 12 },
  })
  expect(asked('/api/releases?state=withdrawn&offset=3')).toEqual({ releases: { state: 'withdrawn', offset: 3 } })
  expect(asked('/api/releases?state=nonsense')).toEqual({ releases: { offset: 0 } })
  for (const path of [
    '/reference/more',
    '/reference/sheet/more',
    '/reference/history/more',
    '/api/registry/more',
    '/api/figures/more',
    '/api/figure-changes/more',
    '/log/registry/checkpoint/more',
    '/api/coverage/1',
    '/rows/a/1x',
    '/rows/a/1/2',
    '/api/releases/diff',
    '/price',
  ])
    expect([path, asked(path)]).toEqual([path, undefined])
})
