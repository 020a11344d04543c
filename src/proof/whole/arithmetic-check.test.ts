import { expect, test } from 'bun:test'
import type { FailedCheck } from '../fault.ts'
import type { TrustPolicy } from '../note/policy.ts'
import { aFee, aPlace } from '../registry-fixture.ts'
import type { ProvedRow } from '../verify.ts'
import { withArithmetic } from './arithmetic-check.ts'
import { askedAt } from './asked.ts'

/** The verdict if the proofs of the body prove these rows. */
async function said(
  rows: readonly ProvedRow['row'][],
  permalink?: { release_id: string; index: number },
  failed?: FailedCheck,
) {
  const body = JSON.stringify({ proof: { release: { release_id: 'cms-pfs:A:1' }, row: { index: 7 } } })
  const proved = { ok: true as const, rows: rows.map((row) => ({ row, release: {} as ProvedRow['release'] })) }
  const check = withArithmetic(async () => failed ?? proved)
  const verdict = await check(body, {} as TrustPolicy, { anyQuestion: true, ...(permalink && { permalink }) })
  return verdict.ok ? 'ok' : verdict.reason
}

const good = aFee({ cpt: '99213' })
const wrong = { ...good, price: { ...('price' in good ? good.price : {}), amount: '0.01' } } as typeof good

test('proofs are checked first, then the permalink, then the arithmetic of every row', async () => {
  expect(await said([good, aPlace('60611', 'US-IL-16')])).toBe('ok')
  expect(await said([good, wrong])).toBe('price_mismatch')
  expect(await said([wrong], undefined, { ok: false, reason: 'root_mismatch' } as never)).toBe('root_mismatch')
  expect(await said([good], { release_id: 'cms-pfs:A:1', index: 7 })).toBe('ok')
  for (const other of [
    { release_id: 'cms-pfs:A:2', index: 7 },
    { release_id: 'cms-pfs:A:1', index: 8 },
  ])
    expect(await said([good], other)).toBe('answers_another_question')
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
