import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { verifyBody } from '../../src/proof/verify-lists.ts'
import { BASE_URL, type TestApp, testApp } from '../support/harness.ts'
import { isLong } from '../support/long.ts'
import { type Asked, expected, type Said } from './naive-model.ts'
import { questions } from './naive-questions.ts'
import { anotherStore, stored } from './naive-store.ts'
import { world } from './naive-world.ts'

// Random source files, read and published as they would be, and random questions about them: what the service answers
// is what a plain reading of the files comes to, and its proof holds for the question and for no other.

const RUNS = isLong ? 2_000 : 25
const SEED = Number(process.env['ATR_FUZZ_SEED'] ?? 20_261_115)

interface FoundRow {
  code: string
  modifier: string | null
  region: string
  setting: string | null
  npi: string | null
  class: string | null
  basis: string
  reason?: string
  price?: { amount?: string; low?: string; high?: string }
}
interface Pointer {
  release: number
}
interface Proof {
  releases: { release: { release_id: string } }[]
}
interface Price extends FoundRow {
  row: Pointer
  modifiers_ignored?: string[]
  left_to_bill?: string[]
  adjustment?: { modifier: string; amount: string }
  proof: Proof
}
interface Refusal {
  code: string
  row?: FoundRow & { proof: Pointer }
  charts?: { chart: string }[]
  proof: Proof
}

/** The answer of the service in the words of the model. */
function said(status: number, body: object): Said {
  if (status === 400) return { outcome: 'malformed' }
  const { proof } = body as Price | Refusal
  const found = ({ code: cpt, modifier, region, setting, npi, basis, class: billing }: FoundRow, at: Pointer) => {
    const release = proof.releases[at.release]?.release.release_id ?? ''
    return { release, basis, cpt, modifier, region, setting, npi, class: billing }
  }
  if (status === 200) {
    const answer = body as Price
    const { row, price, adjustment, modifiers_ignored: ignored = [], left_to_bill: left = [] } = answer
    const amount = price?.amount ?? `${price?.low}..${price?.high}`
    const adjusted = adjustment ? `${adjustment.modifier} ${adjustment.amount}` : null
    return { outcome: 'price', ...found(answer, row), amount, ignored, left, adjusted }
  }
  const { code, row, charts = [] } = body as Refusal
  if (code === 'modifier_not_allowed' && row) return { outcome: code, ...found(row, row.proof), reason: null }
  if (code.startsWith('absent_') && row) {
    expect(code).toBe(`absent_${row.reason}`)
    return { outcome: 'absent', ...found(row, row.proof), reason: row.reason ?? null }
  }
  if (code === 'no_edition_for_day') return { outcome: code, charts: charts.map(({ chart }) => chart) }
  return { outcome: code } as Said
}

const pathOf = (asked: Asked): string =>
  `/reference?${new URLSearchParams(Object.entries(asked) as [string, string][])}`

const answerTo = async (app: TestApp, asked: Asked): Promise<string> =>
  (await app.app.fetch(new Request(`${BASE_URL}${pathOf(asked)}`), '192.0.2.1')).text()
const withoutId = (body: string): string => body.replace(/"request_id":"[^"]*"/, '')

/** From here on the service follows its head, as it does once it is started. What it answers must stay the same. */
function following(app: TestApp): AsyncDisposable {
  const heads = app.app.followHeads(({ fault }) => {
    throw fault
  })
  return { [Symbol.asyncDispose]: () => heads.stop() }
}

test(`${RUNS} stores answer as a plain reading of their files does, and each proof is for its own question`, async () => {
  await using first = await testApp()
  const counts = new Map<string, number>()
  const property = fc.asyncProperty(world, questions, async (editions, asking) => {
    await using app = await anotherStore(first)
    const published = await stored(app, editions)
    const unfollowed = await Promise.all(asking.map((asked) => answerTo(app, asked)))
    await using _ = following(app)
    for (const [i, asked] of asking.entries()) {
      const request = new Request(`${BASE_URL}${pathOf(asked)}`)
      // Whether answers have the form that is promised takes far longer to check than they take to be made.
      const response = await (i === 0 ? app.request(pathOf(asked)) : app.app.fetch(request, '192.0.2.1'))
      const body = await response.text()
      expect(withoutId(body)).toBe(withoutId(unfollowed[i] as string))
      const model = expected(published, asked)
      expect({ asked, said: said(response.status, JSON.parse(body)) }).toEqual({ asked, said: model })
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
