import { expect, test } from 'bun:test'
import type { AbsenceProof, CitedRow } from '../../src/proof/price/row.ts'
import { answersTo } from '../../src/proof/question.ts'
import { verifyBody, verifyRow } from '../../src/proof/verify.ts'
import { withdraw } from '../../src/registry/release/withdrawal.ts'
import { anAbsence, aPrice, aRelease } from '../support/builders.ts'
import { type TestApp, testApp } from '../support/harness.ts'

interface History {
  data: {
    release_id: string
    effective_from: string
    effective_to: string | null
    row: CitedRow | null
    absence: AbsenceProof[] | null
  }[]
  page: { total: number; next_offset: number | null }
  links: { next: string | null }
}

const history = (app: TestApp, query: string): Promise<History> =>
  app.getJson(`/reference/history?${query}`) as Promise<History>

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
  const { data, page } = await history(app, 'cpt=g0101')
  expect(page.total).toBe(4)
  expect(
    data.map(({ release_id, effective_from, effective_to }) => [release_id, effective_from, effective_to]),
  ).toEqual([
    ['cms-pfs:D:1', '2026-10-01', null],
    ['cms-pfs:C:1', '2026-07-01', '2026-09-30'],
    ['cms-pfs:B:1', '2026-04-01', '2026-06-30'],
    ['cms-pfs:A:1', '2026-01-01', '2026-03-31'],
  ])
  expect(data.map(({ row }) => row && (row.kind === 'price' ? row.price : row.reason))).toEqual([
    null,
    'bundled',
    usd('20.00').price,
    usd('10.00').price,
  ])
  for (const { row, absence } of data)
    if (row) expect(await verifyRow(row, app.policy)).toEqual({ ok: true })
    else
      expect(await verifyBody(JSON.stringify(absence?.[0]), app.policy, answersTo({ cpt: 'G0101' }))).toMatchObject({
        absences: 1,
      })
  expect(new Set(JSON.stringify(data).match(/"checkpoint":"[^"]+"/g)).size).toBe(1)
  // What the history says of an edition is what a lookup on one of its days says.
  expect(await app.getJson('/reference?cpt=G0101&as_of=2026-05-05')).toEqual(data[2]?.row as unknown)
})

test('the body of a history is verified whole, and an edition that fails is named by its place', async () => {
  await using app = await testApp()
  await fourEditions(app)
  const body = await history(app, 'cpt=G0101')
  const verdict = await verifyBody(JSON.stringify(body), app.policy, answersTo({ cpt: 'G0101' }))
  expect(verdict).toMatchObject({ ok: true, rows: 3, absences: 1 })
  const renamed = structuredClone(body)
  Object.assign(renamed.data[2] ?? {}, { effective_from: '2026-01-02' })
  expect(await verifyBody(JSON.stringify(renamed), app.policy)).toEqual({
    ok: false,
    reason: 'body_contradicts_proof',
    at: 3,
  })
  expect(await verifyBody(JSON.stringify(body), app.policy, answersTo({ cpt: 'G0102' }))).toMatchObject({
    ok: false,
    at: 1,
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
    ['cms-pfs:D:1', null],
    ['cms-pfs:C:1', '2026-09-30'],
    ['cms-pfs:A:1', '2026-06-30'],
  ])
})

test('a revision for the same day leaves the older one no day to be in force', async () => {
  await using app = await testApp()
  await app.publish(aRelease({ rows: [aPrice(usd('1.00'))] }))
  await app.publish(aRelease({ rows: [aPrice(usd('2.00'))] }))
  const { data } = await history(app, 'cpt=G0101')
  expect(
    data.map(({ release_id, effective_from, effective_to }) => [release_id, effective_from, effective_to]),
  ).toEqual([
    ['cms-pfs:TEST1:2', '2026-01-01', null],
    ['cms-pfs:TEST1:1', '2026-01-01', '2025-12-31'],
  ])
})

test('a provider has a history of its own, and schedules that never had the code have no part in one', async () => {
  await using app = await testApp()
  const npi = '1234567893'
  const cash = { npi, basis: 'hospital_cash', setting: 'outpatient' } as const
  await app.publish(aRelease({ rows: [aPrice({ cpt: '10000' })] }))
  await app.publish(aRelease({ chart: 'cms-clfs', rows: [aPrice({ basis: 'medicare_clfs', setting: null })] }))
  await app.publish(aRelease({ chart: `hospital-mrf:${npi}`, rows: [aPrice(cash)] }))
  expect((await history(app, 'cpt=G0101')).data.map(({ release_id }) => release_id)).toEqual(['cms-clfs:TEST1:1'])
  const { data } = await history(app, `cpt=G0101&npi=${npi}`)
  expect(data.map(({ row }) => row?.basis)).toEqual(['hospital_cash'])
})

test('a history of nothing is refused as the lookup is, with proof', async () => {
  await using app = await testApp()
  expect(await app.problemCode('/reference/history?cpt=G0101')).toBe('no_release_in_force')
  await fourEditions(app)
  const problem = await app.problem('/reference/history?cpt=55555')
  expect(problem).toMatchObject({ status: 404, code: 'not_on_schedule' })
  expect(await verifyBody(JSON.stringify(problem), app.policy, answersTo({ cpt: '55555' }))).toMatchObject({
    absences: 1,
  })
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
