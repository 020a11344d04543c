import { expect, test } from 'bun:test'
import type { Proof } from '../../src/proof/envelope.ts'
import type { PricedRow, Row } from '../../src/proof/price/row.ts'
import { type HistoryQuestion, verifyBody } from '../../src/proof/verify-lists.ts'
import { withdraw } from '../../src/registry/release/withdrawal.ts'
import { anAbsence, aPrice, aRelease } from '../support/builders.ts'
import { type TestApp, testApp } from '../support/harness.ts'
import { ask, mustBeProved, pathOf } from '../support/lookup.ts'

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
  proof: Proof
}

const saidBy = ({ answer: { row, problem } }: Edition): unknown => problem?.code ?? (row as PricedRow).price
const periodOf = ({ release_id, effective_from, effective_to }: Edition) => [release_id, effective_from, effective_to]

/** The body of a history, after it has been checked beside its question. */
async function proved(app: TestApp, asked: HistoryQuestion, more = ''): Promise<History> {
  const { offset, ...question } = asked
  const paged = offset === undefined ? '' : `&offset=${offset}`
  const text = await (await app.request(`${pathOf(question, '/reference/history')}${paged}${more}`)).text()
  const { editions } = await mustBeProved(app, text, { history: asked })
  const body = JSON.parse(text) as History
  expect(editions.map(({ release }) => release.release_id)).toEqual(body.data.map(({ release_id }) => release_id))
  return body
}

const check = (app: TestApp, body: unknown, asked: HistoryQuestion = { cpt: 'G0101' }) =>
  verifyBody(JSON.stringify(body), app.policy, { history: asked })

const usd = (amount: string) => ({ price: { amount, currency: 'USD' as const } })

/** Four editions: a price, another, a stated absence, and none. */
async function fourEditions(app: TestApp): Promise<void> {
  const other = aPrice({ code: '99999' })
  await app.publish(aRelease({ edition: 'A', effective_from: '2026-01-01', rows: [aPrice(usd('10.00')), other] }))
  await app.publish(aRelease({ edition: 'B', effective_from: '2026-04-01', rows: [aPrice(usd('20.00')), other] }))
  await app.publish(aRelease({ edition: 'C', effective_from: '2026-07-01', rows: [anAbsence(), other] }))
  await app.publish(aRelease({ edition: 'D', effective_from: '2026-10-01', rows: [other] }))
}

test('the history of a code says what each edition says, newest first, and proves itself', async () => {
  await using app = await testApp()
  await fourEditions(app)
  const body = await proved(app, { cpt: 'g0101' })
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
  const { decisions } = await mustBeProved(app, JSON.stringify(body), { history: { cpt: 'G0101' } })
  expect(decisions.map(({ outcome }) => outcome)).toEqual(['not_on_schedule', 'absent', 'price', 'price'])
  expect(JSON.stringify(body).match(/"checkpoint":"[^"]+"/g)?.length).toBe(1)
  // What the history says of an edition is what a lookup on one of its days says.
  const { proof: _, ...row } = { proof: null, ...data[2]?.answer.row }
  expect(await ask(app, { cpt: 'G0101', as_of: '2026-05-05' })).toMatchObject(row)
})

test('an edition left out, put elsewhere, said twice or given the answer of another is refused', async () => {
  await using app = await testApp()
  await fourEditions(app)
  const body = await proved(app, { cpt: 'G0101' })
  const { data } = body
  for (const i of data.keys()) {
    // Its rows are then not shown, so their proof does not hold; without it the edition is missed all the same.
    expect(await check(app, { ...body, data: data.toSpliced(i, 1) })).toMatchObject({ ok: false })
    expect(await check(app, { ...body, data: data.toSpliced(i, 0, data[i] as Edition) })).toMatchObject({
      ok: false,
      reason: 'entries_out_of_order',
      at: i + 2,
    })
  }
  expect(await check(app, { ...body, data: data.toReversed() })).toMatchObject({ reason: 'entries_out_of_order' })
  const given = (to: number, from: number): Edition => ({
    ...(data[to] as Edition),
    answer: (data[from] as Edition).answer,
  })
  expect(await check(app, { ...body, data: data.with(2, given(2, 3)) })).toMatchObject({ class: 'not_in_release' })
  const swapped = data.with(2, given(2, 3)).with(3, given(3, 2))
  expect(await check(app, { ...body, data: swapped })).toMatchObject({ reason: 'body_contradicts_proof', at: 3 })
  const absent = data.with(1, { ...(data[1] as Edition), answer: data[0]?.answer as Edition['answer'] })
  expect(await check(app, { ...body, data: absent })).toMatchObject({ ok: false })
  const longer = data.with(1, { ...(data[1] as Edition), effective_to: '2026-12-31' })
  expect(await check(app, { ...body, data: longer })).toMatchObject({ reason: 'body_contradicts_proof', at: 2 })
})

test('a history of another code, place or page, and one that is too old, is refused', async () => {
  await using app = await testApp()
  await fourEditions(app)
  const body = await proved(app, { cpt: 'G0101' })
  for (const asked of [
    { cpt: 'G0102' },
    { cpt: 'G0101', region: 'US-IL-16' },
    { cpt: 'G0101', modifier: '26' },
    { cpt: 'G0101', setting: 'facility' },
    { cpt: 'G0101', setting: 'outpatient' },
    { cpt: 'G0101', basis: 'medicare_clfs' },
    { cpt: 'G0101', npi: '1234567893' },
    { cpt: 'G0101', offset: 1 },
    { cpt: 'nothing' },
  ])
    expect([asked, await check(app, body, asked)]).toMatchObject([asked, { ok: false }])
  const text = JSON.stringify(body)
  const notBefore = '2026-11-16T00:00:00Z'
  expect(await verifyBody(text, app.policy, { history: { cpt: 'G0101' } }, { notBefore })).toEqual({
    ok: false,
    class: 'stale',
    reason: 'state_too_old',
  })
  expect(await verifyBody(text, app.policy, { anyQuestion: true })).toMatchObject({ ok: true })
  // An edition that was published since is missing in an older history, which is true of its time.
  await app.publish(aRelease({ edition: 'E', effective_from: '2026-11-01', rows: [aPrice(usd('30.00'))] }))
  expect(await check(app, body)).toMatchObject({ ok: true })
  const newer = await proved(app, { cpt: 'G0101' })
  expect(await check(app, { ...newer, data: newer.data.slice(1) })).toMatchObject({ ok: false })
  const { state, log } = newer.proof
  expect(await check(app, { ...body, proof: { ...body.proof, state, log } })).toMatchObject({ ok: false })
})

test('a history comes in pages', async () => {
  await using app = await testApp()
  await fourEditions(app)
  const first = await proved(app, { cpt: 'G0101' }, '&limit=3')
  expect([first.data.length, first.page.next_offset]).toEqual([3, 3])
  const second = (await app.getJson(first.links.next ?? '')) as History
  expect(second.data.map(({ release_id }) => release_id)).toEqual(['cms-pfs:A:1'])
  expect(await check(app, second, { cpt: 'G0101', offset: 3 })).toMatchObject({ ok: true })
  expect(await check(app, second)).toEqual({ ok: false, class: 'not_the_answer', reason: 'answers_another_question' })
  const { page } = first
  for (const wrong of [{ has_more: false }, { offset: 1 }])
    expect(await check(app, { ...first, page: { ...page, ...wrong } })).toMatchObject({ ok: false })
})

test('an edition that was withdrawn is no part of history, and the one before it lasts longer', async () => {
  await using app = await testApp()
  await fourEditions(app)
  const { db, registryLog, cosign } = app.installation
  await withdraw({ db, log: registryLog, cosign }, 'cms-pfs:B:1', 'wrong_source', app.clock.now)
  const { data } = await proved(app, { cpt: 'G0101' })
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
  const { data } = await proved(app, { cpt: 'G0101' })
  expect(data.map(periodOf)).toEqual([['cms-pfs:TEST1:2', '2026-01-01', '2099-12-31']])
})

test('a provider has a history of its own, and schedules that never had the code prove that they have not', async () => {
  await using app = await testApp()
  const npi = '1234567893'
  const cash = { npi, basis: 'hospital_cash', setting: 'outpatient' } as const
  await app.publish(aRelease({ rows: [aPrice({ code: '10000' })] }))
  await app.publish(aRelease({ chart: 'cms-clfs', rows: [aPrice({ basis: 'medicare_clfs', setting: null })] }))
  await app.publish(aRelease({ chart: `hospital-mrf:${npi}`, rows: [aPrice(cash)] }))
  const body = await proved(app, { cpt: 'G0101' })
  expect(body.data.map((edition) => [edition.release_id, edition.answer.status])).toEqual([
    ['cms-clfs:TEST1:1', 200],
    ['cms-pfs:TEST1:1', 404],
  ])
  const own = await proved(app, { cpt: 'G0101', npi })
  expect(own.data.map(({ answer: { row } }) => row?.basis)).toEqual(['hospital_cash'])
  expect(await check(app, body, { cpt: 'G0101', npi })).toMatchObject({ ok: false })
  expect(await check(app, own)).toMatchObject({ ok: false })
  for (const asked of [{ basis: 'hospital_gross' }, { setting: 'inpatient' }, { modifier: '26' }])
    await proved(app, { cpt: 'G0101', npi, ...asked })
})

test('a schedule that does not have the code is said not to have it, whatever other schedules have', async () => {
  await using app = await testApp({ sample: true })
  for (const proof of ['full', 'ref']) {
    const { data } = (await app.getJson(`/reference/history?cpt=99213&proof=${proof}`)) as {
      data: { chart: string; release_id: string; answer: { problem?: { detail: string } } }[]
    }
    const laboratory = data.find(({ chart }) => chart === 'cms-clfs')
    expect(laboratory?.answer.problem?.detail).toBe(
      `The code is not on ${laboratory?.release_id}. Bases that have it on this day: medicare_pfs.`,
    )
    expect(JSON.stringify(data)).not.toContain('is listed, but not for')
  }
  const { detail } = await app.problem('/reference?cpt=99213&basis=medicare_asp')
  expect(detail).toStartWith('The code is not on cms-asp:')
})

test('a history of nothing is empty or proves that there is nothing, and what has no meaning is refused', async () => {
  await using app = await testApp()
  expect(await proved(app, { cpt: 'G0101' })).toMatchObject({ data: [], page: { total: 0 } })
  await fourEditions(app)
  expect(await proved(app, { cpt: 'G0101', basis: 'medicare_asc' })).toMatchObject({ data: [], page: { total: 0 } })
  const body = await proved(app, { cpt: '55555' })
  expect(body.data.map(saidBy)).toEqual(Array(4).fill('not_on_schedule'))
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
  const unknown = await (await app.request('/reference/history?cpt=G0101&npi=1234567893')).text()
  await mustBeProved(app, unknown, { history: { cpt: 'G0101', npi: '1234567893' } })
})

test('each edition that a history lists counts as a request, and a page beyond the quota is refused whole', async () => {
  await using app = await testApp({ limits: { enabled: true, reference_rpm: 6 } })
  await fourEditions(app)
  const left = async (more: string) => {
    const response = await app.request(`/reference/history?cpt=G0101${more}`)
    return [response.status, Number(/r=([0-9]+)/.exec(response.headers.get('ratelimit') ?? '')?.[1])]
  }
  expect(await left('&limit=1')).toEqual([200, 5])
  expect(await left('&modifier=x')).toEqual([400, 4])
  expect(await left('&limit=200&offset=2')).toEqual([200, 2])
  expect(await left('')).toEqual([429, 1])
  expect(await left('&offset=9')).toEqual([200, 0])
})
