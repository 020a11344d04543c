import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { verifyBody } from '../../src/proof/verify-lists.ts'
import { BASE_URL, testApp } from '../support/harness.ts'
import { isLong } from '../support/long.ts'
import { type Asked, expected, type Said } from './naive-model.ts'
import { questions } from './naive-questions.ts'
import { anotherStore, stored } from './naive-store.ts'
import { world } from './naive-world.ts'

// Random source files, read and published as they would be, and random questions about them: what the service answers
// is what a plain reading of the files comes to, and its proof holds for the question and for no other.

const RUNS = isLong ? 2_000 : 25
const SEED = Number(process.env['ATR_FUZZ_SEED'] ?? 20_261_115)

interface Body {
  code?: string
  row?: Body
  charts?: { chart: string }[]
  cpt: string
  modifier: string | null
  region: string
  setting: string | null
  npi: string | null
  class: string | null
  basis: string
  reason?: string
  price?: { amount?: string; low?: string; high?: string }
  modifiers_ignored?: string[]
  adjustment?: { modifier: string; amount: string }
  proof: { release: { release_id: string } }
}

/** The answer of the service in the words of the model. */
function said(status: number, body: Body): Said {
  if (status === 400) return { outcome: 'malformed' }
  const found = ({ cpt, modifier, region, setting, npi, basis, proof, ...row }: Body) => ({
    ...{ release: proof.release.release_id, basis, cpt, modifier, region, setting, npi, class: row.class },
  })
  const { code, row, price, adjustment } = body
  if (status === 200)
    return {
      ...{ outcome: 'price', ...found(body), amount: price?.amount ?? `${price?.low}..${price?.high}` },
      ignored: body.modifiers_ignored ?? [],
      adjusted: adjustment ? `${adjustment.modifier} ${adjustment.amount}` : null,
    }
  if (code === 'modifier_not_allowed' && row) return { outcome: code, ...found(row), reason: null }
  if (code?.startsWith('absent_') && row) {
    expect(code).toBe(`absent_${row.reason}`)
    return { outcome: 'absent', ...found(row), reason: row.reason ?? null }
  }
  if (code === 'no_edition_for_day') return { outcome: code, charts: (body.charts ?? []).map(({ chart }) => chart) }
  return { outcome: code } as Said
}

const pathOf = (asked: Asked): string =>
  `/reference?${new URLSearchParams(Object.entries(asked) as [string, string][])}`

test(`${RUNS} stores answer as a plain reading of their files does, and each proof is for its own question`, async () => {
  await using first = await testApp()
  const counts = new Map<string, number>()
  const property = fc.asyncProperty(world, questions, async (editions, asking) => {
    await using app = await anotherStore(first)
    const published = await stored(app, editions)
    for (const [i, asked] of asking.entries()) {
      const request = new Request(`${BASE_URL}${pathOf(asked)}`)
      // Whether answers have the form that is promised takes far longer to check than they take to be made.
      const response = await (i === 0 ? app.request(pathOf(asked)) : app.app.fetch(request, '192.0.2.1'))
      const body = await response.text()
      const model = expected(published, asked)
      expect({ asked, said: said(response.status, JSON.parse(body) as Body) }).toEqual({ asked, said: model })
      counts.set(model.outcome, (counts.get(model.outcome) ?? 0) + 1)
      if (model.outcome === 'malformed') continue
      const verdict = await verifyBody(body, app.policy, { question: asked })
      expect([asked, verdict.ok ? 'ok' : verdict.reason]).toEqual([asked, 'ok'])
      const other = asking[(i + 1) % asking.length] as Asked
      const otherSaid = expected(published, other)
      if (JSON.stringify(otherSaid) === JSON.stringify(model)) continue
      const wrong = await verifyBody(body, app.policy, { question: other })
      expect([asked, other, wrong.ok]).toEqual([asked, other, false])
    }
  })
  await fc.assert(property, { numRuns: RUNS, seed: SEED, endOnFailure: true })
  const outcomes = [
    ...['absent', 'malformed', 'modifier_not_allowed', 'modifier_not_priced', 'no_edition_for_day', 'not_on_schedule'],
    ...['price', 'region_ambiguous', 'region_not_covered', 'unknown_provider', 'unknown_zip'],
  ]
  expect([...counts.keys()].sort()).toEqual(outcomes)
})
