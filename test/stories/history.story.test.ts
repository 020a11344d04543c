import { expect, test } from 'bun:test'
import { type BillLine, extended, summaryOf } from '../../src/proof/price/bill.ts'
import { CHARTS } from '../../src/proof/price/charts.ts'
import type { PricedRow, Row } from '../../src/proof/price/row.ts'
import { verifyBody } from '../../src/proof/verify.ts'
import { withdraw } from '../../src/registry/release/withdrawal.ts'
import { anAbsence, aPrice, aRelease } from '../support/builders.ts'
import { type TestApp, testApp } from '../support/harness.ts'
import { ask, mustBeProved } from '../support/lookup.ts'

interface Edition {
  release_id: string
  chart: string
  effective_from: string
  effective_to: string
  answer: { status: number; row?: PricedRow; problem?: { code: string; row?: Row } }
}
interface History {
  data: Edition[]
  page: { total: number; next_offset: number | null }
  links: { next: string | null }
  releases: object[]
  state: object
  log: object
}

const history = (app: TestApp, query: string): Promise<History> =>
  app.getJson(`/reference/history?${query}`) as Promise<History>

const saidBy = ({ answer: { row, problem } }: Edition): unknown => problem?.code ?? (row as PricedRow).price
const periodOf = ({ release_id, effective_from, effective_to }: Edition) => [release_id, effective_from, effective_to]

/** The answers of a history as the lines of a batch, which is how each of them is proved. */
function asBatch({ data, releases, state, log }: History): string {
  const results = data.map(({ answer }) => ({
    ...answer,
    ...(answer.row ? { extended: extended(answer.row, undefined, 1) } : {}),
  }))
  const bill = data.map(
    ({ answer: { row } }): BillLine | undefined =>
      row && { basis: row.basis, extended: extended(row, undefined, 1), billed: null },
  )
  return JSON.stringify({ results, summary: summaryOf(bill), releases, state, log })
}

/** Each edition is asked alone, on its first day. */
const questionsOf = ({ data }: History, cpt: string, npi?: string) =>
  data.map(({ chart, effective_from: as_of }) => ({
    cpt,
    as_of,
    npi,
    basis: npi === undefined ? CHARTS[chart]?.bases[0] : undefined,
  }))

const usd = (amount: string) => ({ price: { amount, currency: 'USD' as const } })

/** Four editions: a price, another, a stated absence, and none. */
async function fourEditions(app: TestApp): Promise<void> {
  const other = aPrice({ cpt: '99999' })
  await app.publish(aRelease({ edition: 'A', effective_from: '2026-01-01', rows: [aPrice(usd('10.00')), other] }))
  await app.publish(aRelease({ edition: 'B', effective_from: '2026-04-01', rows: [aPrice(usd('20.00')), other] }))
  await app.publish(aRelease({ edition: 'C', effective_from: '2026-07-01', rows: [anAbsence(), other] }))
  await app.publish(aRelease({ edition: 'D', effective_from: '2026-10-01', rows: [other] }))
}

test('the history of a code says what each edition says, newest first, and each answer proves itself', async () => {
  await using app = await testApp()
  await fourEditions(app)
  const body = await history(app, 'cpt=g0101')
  const { data, page } = body
  expect(page.total).toBe(4)
  expect(data.map(periodOf)).toEqual([
    ['cms-pfs:D:1', '2026-10-01', '2099-12-31'],
    ['cms-pfs:C:1', '2026-07-01', '2026-09-30'],
    ['cms-pfs:B:1', '2026-04-01', '2026-06-30'],
    ['cms-pfs:A:1', '2026-01-01', '2026-03-31'],
  ])
  expect(data.map(saidBy)).toEqual([
    'not_on_schedule',
    'absent_bundled',
    { ...usd('20.00').price, per: null },
    { ...usd('10.00').price, per: null },
  ])
  const { decisions } = await mustBeProved(app, asBatch(body), { questions: questionsOf(body, 'G0101') })
  expect(decisions.map(({ outcome }) => outcome)).toEqual(['not_on_schedule', 'absent', 'price', 'price'])
  expect(JSON.stringify(body).match(/"checkpoint":"[^"]+"/g)?.length).toBe(1)
  // What the history says of an edition is what a lookup on one of its days says.
  const { proof: _, ...row } = { proof: null, ...data[2]?.answer.row }
  expect(await ask(app, { cpt: 'G0101', as_of: '2026-05-05' })).toMatchObject(row)
})

test('the answers of a history are verified as the lines of a batch are, and one that fails is named by its place', async () => {
  await using app = await testApp()
  await fourEditions(app)
  const body = await history(app, 'cpt=G0101')
  const questions = questionsOf(body, 'G0101')
  await mustBeProved(app, asBatch(body), { questions })
  const other = questions.with(2, { ...(questions[2] as (typeof questions)[number]), as_of: '2026-01-02' })
  expect(await verifyBody(asBatch(body), app.policy, { questions: other })).toEqual({
    ok: false,
    reason: 'answers_another_question',
    at: 3,
  })
  expect(await verifyBody(asBatch(body), app.policy, { questions: questionsOf(body, 'G0102') })).toMatchObject({
    ok: false,
    at: 2,
  })
  const swapped = structuredClone(body)
  Object.assign(swapped.data[2]?.answer ?? {}, { row: swapped.data[3]?.answer.row })
  // The rows of an edition are proved all at once: that one is missing shows, not whose it was.
  expect(await verifyBody(asBatch(swapped), app.policy, { questions })).toEqual({
    ok: false,
    reason: 'row_not_in_release',
  })
})

test('a history comes in pages', async () => {
  await using app = await testApp()
  await fourEditions(app)
  const first = await history(app, 'cpt=G0101&limit=3')
  expect([first.data.length, first.page.next_offset]).toEqual([3, 3])
  const second = (await app.getJson(first.links.next ?? '')) as History
  expect(second.data.map(({ release_id }) => release_id)).toEqual(['cms-pfs:A:1'])
})

test('an edition that was withdrawn is no part of history, and the one before it lasts longer', async () => {
  await using app = await testApp()
  await fourEditions(app)
  const { db, registryLog, cosign } = app.installation
  await withdraw({ db, log: registryLog, cosign }, 'cms-pfs:B:1', 'wrong_source', app.clock.now)
  const { data } = await history(app, 'cpt=G0101')
  expect(data.map(({ release_id, effective_to }) => [release_id, effective_to])).toEqual([
    ['cms-pfs:D:1', '2099-12-31'],
    ['cms-pfs:C:1', '2026-09-30'],
    ['cms-pfs:A:1', '2026-06-30'],
  ])
})

test('a revision for the same day leaves the older one no day to be in force', async () => {
  await using app = await testApp()
  await app.publish(aRelease({ rows: [aPrice(usd('1.00'))] }))
  await app.publish(aRelease({ rows: [aPrice(usd('2.00'))] }))
  const { data } = await history(app, 'cpt=G0101')
  expect(data.map(periodOf)).toEqual([['cms-pfs:TEST1:2', '2026-01-01', '2099-12-31']])
})

test('a provider has a history of its own, and schedules that never had the code prove that they have not', async () => {
  await using app = await testApp()
  const npi = '1234567893'
  const cash = { npi, basis: 'hospital_cash', setting: 'outpatient' } as const
  await app.publish(aRelease({ rows: [aPrice({ cpt: '10000' })] }))
  await app.publish(aRelease({ chart: 'cms-clfs', rows: [aPrice({ basis: 'medicare_clfs', setting: null })] }))
  await app.publish(aRelease({ chart: `hospital-mrf:${npi}`, rows: [aPrice(cash)] }))
  const body = await history(app, 'cpt=G0101')
  expect(body.data.map((edition) => [edition.release_id, edition.answer.status])).toEqual([
    ['cms-clfs:TEST1:1', 200],
    ['cms-pfs:TEST1:1', 404],
  ])
  await mustBeProved(app, asBatch(body), { questions: questionsOf(body, 'G0101') })
  const own = await history(app, `cpt=G0101&npi=${npi}`)
  expect(own.data.map(({ answer: { row } }) => row?.basis)).toEqual(['hospital_cash'])
  await mustBeProved(app, asBatch(own), { questions: questionsOf(own, 'G0101', npi) })
})

test('a history of nothing is empty or proves that there is nothing, and what has no meaning is refused', async () => {
  await using app = await testApp()
  expect(await history(app, 'cpt=G0101')).toMatchObject({ data: [], page: { total: 0 } })
  await fourEditions(app)
  const body = await history(app, 'cpt=55555')
  expect(body.data.map(saidBy)).toEqual(Array(4).fill('not_on_schedule'))
  await mustBeProved(app, asBatch(body), { questions: questionsOf(body, '55555') })
  const cases: [string, number, string][] = [
    ['', 400, 'missing_parameter'],
    ['cpt=1', 400, 'invalid_cpt'],
    ['cpt=G0101&as_of=2026-01-01', 400, 'unknown_parameter'],
    ['cpt=G0101&limit=201', 400, 'invalid_parameter'],
    ['cpt=G0101&region=US-ZZ', 400, 'invalid_region'],
    ['cpt=G0101&basis=hospital_cash', 400, 'invalid_parameter'],
    ['cpt=G0101&npi=1234567893&basis=medicare_pfs', 400, 'invalid_parameter'],
    ['cpt=G0101&npi=1234567893', 404, 'unknown_provider'],
  ]
  for (const [query, status, code] of cases)
    expect([query, await app.problem(`/reference/history?${query}`)]).toMatchObject([query, { status, code }])
})
