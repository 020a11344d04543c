// Pages and batches on a release of ten thousand rows: what they prove, and how much of an agent's memory they take.

import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { Proof, ShownRow } from '../../src/proof/envelope.ts'
import type { Question } from '../../src/proof/lookup/question.ts'
import type { PricedRow } from '../../src/proof/price/row.ts'
import { missingNodes } from '../../src/proof/tree/leaf-set.ts'
import { verifyBody } from '../../src/proof/verify-lists.ts'
import { aPrice, aRelease } from '../support/builders.ts'
import { type TestApp, testApp } from '../support/harness.ts'
import { hiding, mustBeProved } from '../support/lookup.ts'

const DAY = '2026-11-15'
const REGIONS = ['national', 'US-AL-00', 'US-CA-18', 'US-IL-16', 'US-NY-01']
const CODES = Array.from({ length: 2_000 }, (_, i) => String(20_000 + 7 * i))
const EDITION = { effective_from: '2026-10-01', effective_to: '2026-12-31' }

/** A row as long as those of the physician schedule. */
const fee = (code: string, region: string) =>
  aPrice({
    code,
    region,
    price: { amount: `${Number(code) % 997}.37`, currency: 'USD' },
    effective_from: '2026-10-01',
    indicators: {
      status: 'A',
      global_days: 'XXX',
      multiple_procedure: '0',
      bilateral: '0',
      assistant: '0',
      co_surgeon: '0',
      pc_tc: '0',
    },
    locator: [
      { citation: 0, line: 4_312 },
      { citation: 0, line: 37 },
    ],
  })

let app: TestApp
let headers: Record<string, string>

beforeAll(async () => {
  app = await testApp({ today: DAY })
  await app.publish(aRelease({ ...EDITION, rows: CODES.flatMap((cpt) => REGIONS.map((region) => fee(cpt, region))) }))
  headers = await app.railsHeaders(['registry:read'])
}, 120_000)
afterAll(() => app[Symbol.asyncDispose]())

interface Page {
  data: ShownRow<PricedRow>[]
  proof: Proof
  page: { total: number; next_after: string | null }
}
async function pageOf(query: string): Promise<{ text: string; page: Page }> {
  const text = await (await app.request(`/api/registry?${query}`, { headers })).text()
  return { text, page: JSON.parse(text) as Page }
}

/** About four bytes of JSON are a token. */
const tokensOf = (bytes: number): number => Math.ceil(bytes / 4)

/** As many rows as the physician schedule has for all localities. */
const REAL_ROWS = 1_414_265
/** A hash in base64, with its quotes and its comma. */
const HASH_BYTES = 47
/** How many hashes are beside these rows, if each run of neighbours lies as far into a release of that size. */
function hashesBeside(places: readonly number[], size: number): number {
  const sorted = [...new Set(places)].sort((a, b) => a - b)
  let start = 0
  const scattered = sorted.map((place, i) => {
    if (place !== (sorted[i - 1] ?? -2) + 1) start = place
    return Math.floor((start * size) / 10_000) + place - start
  })
  return missingNodes(scattered, size).length
}
/** All leaves of the only release that a body shows, in its rows and beside them. */
const placesIn = ({ releases }: Proof, rows: readonly ShownRow[]): number[] => [
  ...rows.map(({ proof }) => proof.index),
  ...(releases?.[0]?.rows?.leaves ?? []).map(([index]) => index),
]

test('a price by a pointer fits into 250 tokens, and a page of the usual size into twelve thousand', async () => {
  const { text, page } = await pageOf('')
  expect([page.data.length, page.page.total]).toEqual([50, 10_000])
  await mustBeProved(app, text, { page: { as_of: DAY } })
  // The two paths of the only run have ten hashes more each in a release of real size.
  expect(tokensOf(Buffer.byteLength(text) + 2 * 10 * 47)).toBeLessThanOrEqual(12_000)
  const short = await (await app.request(`/reference?cpt=${CODES[7]}&region=US-CA-18&proof=ref`)).text()
  expect(tokensOf(Buffer.byteLength(short))).toBeLessThanOrEqual(250)
})

test('neighbours on a page share their hashes, and rows that are scattered have those of each run', async () => {
  for (const [query, asked, most] of [
    ['limit=200', {}, 28],
    ['limit=37&offset=4321', {}, 28],
    [`cpt=${CODES[11]}`, { cpt: CODES[11] }, 28],
    [`cpt=${CODES[11]}&region=US-IL-16`, { cpt: CODES[11], region: 'US-IL-16' }, 28],
    ['region=US-IL-16&limit=20', { region: 'US-IL-16' }, 20 * 4],
  ] as const) {
    const { text, page } = await pageOf(query)
    const hashes = page.proof.releases?.[0]?.rows?.hashes?.length ?? 0
    expect([query, hashes]).toEqual([query, hashesBeside(placesIn(page.proof, page.data), 10_000)])
    expect([query, hashes <= most]).toEqual([query, true])
    await mustBeProved(app, text, { page: { as_of: DAY, ...asked } }, query)
  }
})

test('a row that is left out of a page, changed or moved is noticed', async () => {
  const { page } = await pageOf('limit=20&offset=1000')
  const verdictOf = (data: Page['data'], more: Partial<Page> = {}) =>
    verifyBody(JSON.stringify({ ...page, ...more, data }), app.policy, { page: { as_of: DAY } })
  const { data } = page
  for (let i = 0; i < data.length; i++) {
    expect([i, await verdictOf(data.toSpliced(i, 1))]).toMatchObject([i, { ok: false }])
    // With the places of the rows after it moved up as well.
    const moved = data.toSpliced(i, 1).map((row, j) => ({ ...row, proof: { ...row.proof, index: 1000 + j } }))
    expect([i, await verdictOf(moved)]).toMatchObject([i, { ok: false, reason: 'row_not_in_release' }])
  }
  expect(await verdictOf([...data].reverse())).toMatchObject({ reason: 'rows_left_out' })
  const dear = { ...(data[5] as Page['data'][number]), price: { amount: '0.01', currency: 'USD', per: null } as const }
  expect(await verdictOf(data.with(5, dear))).toMatchObject({ reason: 'leaf_hash_mismatch', at: 6 })
  // The row is proved, and not on the page.
  const proof = hiding(page.proof, data[3] as ShownRow)
  expect(await verdictOf(data.toSpliced(3, 1), { proof })).toMatchObject({
    class: 'incomplete',
    reason: 'rows_left_out',
  })
})

test('every row is on one page if the cursor is followed to the end', async () => {
  const seen: number[] = []
  let after: string | null = ''
  while (after !== null) {
    const { page }: { page: Page } = await pageOf(`limit=200&chart=cms-pfs${after === '' ? '' : `&after=${after}`}`)
    seen.push(...page.data.map(({ proof }) => proof.index))
    after = page.page.next_after
  }
  expect(seen).toEqual(Array.from({ length: 10_000 }, (_, i) => i))
})

interface Batch {
  proof: Proof
  results: { row: ShownRow<PricedRow> }[]
}

test('a batch of a hundred fees fits into seventy-two thousand tokens, and every line is proved', async () => {
  const lines = Array.from({ length: 100 }, (_, i) => ({
    cpt: CODES[(i * 619) % CODES.length] as string,
    region: REGIONS[i % REGIONS.length] as string,
  }))
  const response = await app.request('/reference/batch', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ lines }),
  })
  const text = await response.text()
  const questions = lines.map((line): Question => ({ ...line, as_of: DAY }))
  const { decisions } = await mustBeProved(app, text, { questions })
  expect(decisions.map(({ outcome }) => outcome)).toEqual(Array(100).fill('price'))
  const { proof, results } = JSON.parse(text) as Batch
  const places = placesIn(
    proof,
    results.map(({ row }) => row),
  )
  const hashes = proof.releases?.[0]?.rows?.hashes?.length ?? 0
  expect([proof.releases?.length, hashes]).toEqual([1, hashesBeside(places, 10_000)])
  const bytes = Buffer.byteLength(text) + (hashesBeside(places, REAL_ROWS) - hashes) * HASH_BYTES
  // Each line is answered from a complete list, so the rows before and after its own are there too: over half of it.
  expect(tokensOf(bytes)).toBeLessThanOrEqual(72_000)
})
