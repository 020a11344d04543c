import { expect, test } from 'bun:test'
import type { PricedRow } from '../../src/proof/price/row.ts'
import { verifyBody } from '../../src/proof/verify-lists.ts'
import { anAbsence, aPrice, aRelease } from '../support/builders.ts'
import { type TestApp, testApp } from '../support/harness.ts'
import { type AskedOf, holdTheRest, mustBeProved, pathOf, questionOf } from '../support/lookup.ts'

interface Line {
  status: number
  units: number
  billed: string | null
  row?: PricedRow & { proof: { release: number; index: number } }
  problem?: { code: string; [member: string]: unknown }
}
interface Batch {
  results: Line[]
}

const CANARY = 'Jane-Doe-1970-01-01'

const post = (app: TestApp, body: BodyInit): Promise<Response> =>
  app.request('/reference/batch', { method: 'POST', headers: { 'content-type': 'application/json' }, body })

async function ask(app: TestApp, lines: readonly unknown[]): Promise<Line[]> {
  const response = await post(app, JSON.stringify({ lines }))
  expect(response.status).toBe(200)
  return ((await response.json()) as { results: Line[] }).results
}

const NPI = '1234567893'

/** Two editions of a schedule with regions, a laboratory schedule and a hospital's list. */
async function threeCharts(app: TestApp): Promise<void> {
  const visit = { code: '99213' }
  const rows = [
    aPrice(visit),
    aPrice({ ...visit, region: 'US-AL-00', setting: 'facility' }),
    aPrice({ ...visit, region: 'US-CA-05' }),
    aPrice({ ...visit, region: 'US-CA-18' }),
    anAbsence({ code: '80053', reason: 'not_covered' }),
  ]
  await app.publish(aRelease({ edition: 'A', effective_from: '2026-01-01', rows }))
  const usd = { price: { amount: '13.00', currency: 'USD' as const } }
  const raised = rows.map(({ code, region, setting, kind }) =>
    kind === 'absence' ? anAbsence({ code, reason: 'not_covered' }) : aPrice({ code, region, setting, ...usd }),
  )
  await app.publish(aRelease({ edition: 'D', effective_from: '2026-10-01', rows: raised }))
  const lab = aPrice({ code: '80053', basis: 'medicare_clfs', setting: null })
  await app.publish(aRelease({ chart: 'cms-clfs', rows: [lab] }))
  const cash = aPrice({ code: '99213', npi: NPI, basis: 'hospital_cash', setting: 'outpatient' })
  await app.publish(aRelease({ chart: `hospital-mrf:${NPI}`, rows: [cash] }))
}

test('a bill of many lines is answered line by line, in order, each as if it had been asked alone', async () => {
  await using app = await testApp()
  await threeCharts(app)
  const lines = [
    { cpt: '99213' },
    { cpt: '99213', region: 'us-al', setting: 'facility' },
    { cpt: '99999' },
    { cpt: '80053' },
    { cpt: '80053', region: 'US-CA-18' },
    { cpt: '80053', basis: 'medicare_pfs' },
    { cpt: '99213', npi: NPI },
    { cpt: '99213', npi: '1245319599' },
    { cpt: '99213', region: 'US-CA' },
    { cpt: '99213', as_of: '2020-01-01' },
    { cpt: '99213', as_of: '2026-03-01' },
  ]
  const results = await ask(app, lines)
  expect(results).toHaveLength(lines.length)
  for (const [i, line] of lines.entries()) {
    const alone = await app.request(pathOf(line))
    const { status, row, problem } = results[i] as Line
    expect([line, status]).toEqual([line, alone.status])
    const body = (await alone.json()) as Record<string, unknown>
    if (row) {
      const { proof: _, ...bare } = row
      expect(body).toMatchObject(bare)
    } else
      for (const member of ['code', 'rule', 'detail', 'agent_hint', 'charts', 'about'])
        expect([line, member, problem?.[member]]).toEqual([line, member, body[member]])
  }
})

test('every price and every absence of a batch proves itself, and all under one checkpoint', async () => {
  await using app = await testApp()
  const rows = [aPrice({ code: '10000' }), anAbsence({ code: '20000' }), aPrice({ code: '30000' })]
  await app.publish(aRelease({ rows }))
  await holdTheRest(app, 'cms-pfs')
  const lines = ['10000', '20000', '25000'].map((cpt) => ({ cpt }))
  const body = await (await post(app, JSON.stringify({ lines }))).text()
  const questions = lines.map((line) => questionOf(app, line))
  const { decisions, refused } = await mustBeProved(app, body, { questions })
  expect(decisions.map(({ outcome }) => outcome)).toEqual(['price', 'absent', 'not_on_schedule'])
  expect([refused, body.match(/"checkpoint":"[^"]+"/g)?.length]).toEqual([0, 1])
})

test('a bad line is refused in its place and does not spoil the others', async () => {
  await using app = await testApp()
  await threeCharts(app)
  const bad: [unknown, string][] = [
    [{ cpt: CANARY }, 'invalid_cpt'],
    [{}, 'missing_parameter'],
    [{ cpt: '99213', [CANARY]: 1 }, 'unknown_parameter'],
    [{ cpt: '99213', __proto__: null, region: CANARY }, 'invalid_region'],
    [{ cpt: '99213', npi: '1234567890' }, 'invalid_npi'],
    [{ cpt: '99213', as_of: '2026-02-31' }, 'invalid_parameter'],
    [{ cpt: '99213', basis: 'hospital_cash' }, 'invalid_parameter'],
    [{ cpt: 99213 }, 'invalid_cpt'],
    [{ cpt: '99213', units: 0 }, 'invalid_parameter'],
    [{ cpt: '99213', units: 1.5 }, 'invalid_parameter'],
    [{ cpt: '99213', billed: '3' }, 'invalid_parameter'],
    [{ cpt: '99213', billed: 300 }, 'invalid_parameter'],
    [{ cpt: '99213', billed: '-1.00' }, 'invalid_parameter'],
    [{ cpt: '99213', proof: 'ref' }, 'unknown_parameter'],
    [CANARY, 'invalid_request'],
    [null, 'invalid_request'],
    [[{ cpt: '99213' }], 'invalid_request'],
  ]
  const results = await ask(app, [...bad.map(([line]) => line), { cpt: '99213' }])
  expect(results.map(({ status, problem }) => [status, problem?.code])).toEqual([
    ...bad.map(([, code]) => [400, code]),
    [200, undefined],
  ])
  expect(JSON.stringify(results)).not.toContain('Jane')
})

test('a line is refused only if its question has no meaning, and a verifier that knows the question sees that', async () => {
  await using app = await testApp()
  await threeCharts(app)
  type Sent = Record<string, string | number>
  const odd: Sent[] = [
    { cpt: '                    99213                    ' },
    { cpt: '99213', region: '', npi: '', modifier: '', setting: '', basis: '', billed: '' },
    { cpt: '99213', units: 999_999, billed: '1.2345' },
  ]
  const bad: Sent[] = [
    { cpt: '9921' },
    { cpt: '99213\t' },
    { cpt: '99213', region: 'ZZ' },
    { cpt: '99213', npi: '1234567890' },
    { cpt: '99213', as_of: '2026-02-31' },
    { cpt: '99213', modifier: '2' },
    { cpt: '99213', setting: 'home' },
    { cpt: '99213', setting: 'super_rural' },
    { cpt: '99213', basis: 'hospital_cash' },
    { cpt: '99213', units: 0 },
    { cpt: '99213', units: 1_000_000 },
    { cpt: '99213', billed: '3' },
  ]
  const text = await (await post(app, JSON.stringify({ lines: [...odd, ...bad] }))).text()
  const questions = [...odd, ...bad].map((line) => questionOf(app, line as AskedOf))
  const { refused } = await mustBeProved(app, text, { questions })
  expect(refused).toBe(bad.length)
  // A price that is told as a refusal; what the other lines show is still there.
  const batch = JSON.parse(text) as Batch
  const hidden = batch.results.with(1, { ...(batch.results[3] as Line), units: 1 })
  expect(await verifyBody(JSON.stringify({ ...batch, results: hidden }), app.policy, { questions })).toEqual({
    ok: false,
    class: 'not_the_answer',
    reason: 'answers_another_question',
    at: 2,
  })
  // Other units, or another amount, than were sent.
  for (const change of [{ units: 7 }, { billed: '1.00' }]) {
    const changed = batch.results.with(2, { ...(batch.results[2] as Line), ...change })
    expect(await verifyBody(JSON.stringify({ ...batch, results: changed }), app.policy, { questions })).toMatchObject({
      reason: 'answers_another_question',
      at: 3,
    })
  }
})

test('a batch has one to a hundred lines and at most 64 KiB', async () => {
  await using app = await testApp()
  await threeCharts(app)
  const lines = (count: number): unknown[] => Array.from({ length: count }, () => ({ cpt: '99213' }))
  const results = await ask(app, lines(100))
  expect(results.every(({ status }) => status === 200)).toBe(true)
  const refusals: [BodyInit, number, string][] = [
    [JSON.stringify({ lines: lines(101) }), 400, 'invalid_parameter'],
    [JSON.stringify({ lines: [] }), 400, 'invalid_parameter'],
    [JSON.stringify({ lines: 'all' }), 400, 'invalid_parameter'],
    [JSON.stringify({}), 400, 'missing_parameter'],
    [JSON.stringify({ lines: lines(1), more: 1 }), 400, 'unknown_parameter'],
    [JSON.stringify({ lines: [{ cpt: 'x'.repeat(70_000) }] }), 413, 'payload_too_large'],
  ]
  for (const [body, status, code] of refusals)
    expect(await (await post(app, body)).json()).toMatchObject({ status, code })
  // More than other routes take, and within what this one does.
  expect((await ask(app, [{ cpt: 'x'.repeat(40_000) }]))[0]).toMatchObject({ status: 400 })
})

test('each line of a batch counts, and one that is refused counts as a request', async () => {
  await using app = await testApp({ limits: { enabled: true, reference_rpm: 5 } })
  await threeCharts(app)
  const send = (count: number) => post(app, JSON.stringify({ lines: Array(count).fill({ cpt: '99213' }) }))
  const first = await send(3)
  expect([first.status, first.headers.get('ratelimit')]).toEqual([200, expect.stringContaining('"reference";r=2')])
  const refused = await send(3)
  expect([refused.status, refused.headers.get('ratelimit')]).toEqual([429, expect.stringContaining('"reference";r=1')])
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(50)
  expect(await refused.json()).toMatchObject({ code: 'rate_limited', 'violated-policies': ['reference'] })
  expect((await send(1)).headers.get('ratelimit')).toContain('"reference";r=0')
  expect((await app.request('/reference?cpt=99213')).status).toBe(429)
})

test('a batch that cannot be read counts as one, and one larger than the whole quota is told so', async () => {
  await using app = await testApp({ limits: { enabled: true, reference_rpm: 5 } })
  await threeCharts(app)
  const malformed = await post(app, '{"lines":')
  expect([malformed.status, malformed.headers.get('ratelimit')]).toEqual([400, expect.stringContaining('r=4')])
  const empty = await post(app, '{"lines":[]}')
  expect([empty.status, empty.headers.get('ratelimit')]).toEqual([400, expect.stringContaining('r=3')])
  const large = await post(app, JSON.stringify({ lines: Array(6).fill({ cpt: '99213' }) }))
  expect([large.status, await large.json()]).toMatchObject([429, { detail: expect.stringContaining('whole quota') }])
})

test('the body of a batch is verified whole, and a line that fails is named by its place', async () => {
  await using app = await testApp()
  await threeCharts(app)
  const lines: AskedOf[] = [
    { cpt: '99213' },
    { cpt: '99999' },
    { cpt: CANARY },
    { cpt: '99213', npi: NPI },
    { cpt: '99213', region: 'US-CA' },
  ]
  const body = await (await post(app, JSON.stringify({ lines }))).text()
  const questions = lines.map((line) => questionOf(app, line))
  // The third is the server's word: it is no question.
  expect(await verifyBody(body, app.policy, { anyQuestion: true })).toMatchObject({ ok: true, refused: 1 })
  const { rows, decisions } = await mustBeProved(app, body, { questions: questions.with(2, { cpt: '', as_of: '' }) })
  expect([rows.length, decisions.length]).toEqual([2, 4])
  const forge = (change: (batch: Batch) => void) => {
    const forged = JSON.parse(body) as Batch
    change(forged)
    return verifyBody(JSON.stringify(forged), app.policy, { questions })
  }
  const price = { amount: '0.01', currency: 'USD', per: null } as const
  expect(await forge(({ results }) => Object.assign(results[3]?.row ?? {}, { price }))).toEqual({
    ok: false,
    class: 'not_in_release',
    reason: 'leaf_hash_mismatch',
    at: 4,
  })
  const sentAs = (status: number) => forge(({ results }) => Object.assign(results[3] ?? {}, { status }))
  expect(await sentAs(404)).toEqual({ ok: false, class: 'malformed', reason: 'not_recognised', at: 4 })
  expect(await forge(({ results }) => results.pop())).toMatchObject({ reason: 'answers_another_question' })
  expect(await forge(({ results }) => results.reverse())).toMatchObject({ ok: false, at: 1 })
})

test('units and the amount billed are multiplied and added up exactly, for each basis', async () => {
  await using app = await testApp()
  const usd = (amount: string) => ({ price: { amount, currency: 'USD' as const } })
  await app.publish(aRelease({ rows: [aPrice({ code: '10000', ...usd('33.33') })] }))
  await app.publish(
    aRelease({ chart: 'cms-asp', rows: [aPrice({ code: 'J0585', basis: 'medicare_asp', ...usd('6.497') })] }),
  )
  const range = { price: { low: '10.00', high: '20.00', currency: 'USD' as const } }
  const cash = aPrice({ code: '10000', npi: NPI, basis: 'hospital_cash', ...range })
  await app.publish(aRelease({ chart: `hospital-mrf:${NPI}`, rows: [cash] }))
  const lines = [
    { cpt: '10000', units: 3, billed: '250.00' },
    { cpt: '10000', modifier: '50', units: 2 },
    { cpt: 'J0585', units: 155, billed: '1500.00' },
    { cpt: '10000', npi: NPI, units: 2, billed: '60.00' },
    { cpt: '10000', region: 'US-IL-16', units: 7, billed: '9.99' },
  ]
  const body = await (await post(app, JSON.stringify({ lines }))).text()
  const { results, summary } = JSON.parse(body) as { results: (Line & { extended?: object })[]; summary: object }
  expect(results.map(({ units, billed, extended }) => [units, billed, extended])).toEqual([
    [3, '250.00', { amount: '99.99' }],
    // 33.33 times 1.5 is 49.995, rounded up to 50.00, twice.
    [2, undefined, { amount: '100.00' }],
    // 6.497 times 155 is 1,007.035.
    [155, '1500.00', { amount: '1007.035' }],
    [2, '60.00', { low: '20.00', high: '40.00' }],
    [7, '9.99', undefined],
  ])
  expect(summary).toEqual({
    lines: 5,
    priced: 4,
    totals: [
      { basis: 'hospital_cash', lines: 1, low: '20.00', high: '40.00', billed: '60.00' },
      { basis: 'medicare_asp', lines: 1, low: '1007.035', high: '1007.035', billed: '1500.00' },
      { basis: 'medicare_pfs', lines: 2, low: '199.99', high: '199.99', billed: null },
    ],
  })
  const questions = lines.map(({ units: _u, billed: _b, ...line }) => questionOf(app, line))
  await mustBeProved(app, body, { questions })
  const wrong = body.replaceAll('199.99', '19.99')
  expect(await verifyBody(wrong, app.policy, { questions })).toMatchObject({ reason: 'sum_mismatch' })
})

test('a factor is shown on a bill and never multiplied or added up', async () => {
  await using app = await testApp()
  const factor = { ...aPrice({ code: '00000', basis: 'medicare_anesthesia', setting: null }), kind: 'rate' as const }
  await app.publish(aRelease({ chart: 'cms-anesthesia', rows: [factor] }))
  const line = { cpt: '00810', basis: 'medicare_anesthesia', as_of: '2026-07-02', units: 12 }
  const text = await (await post(app, JSON.stringify({ lines: [line] }))).text()
  const { results, summary } = JSON.parse(text)
  expect(results[0]).toMatchObject({ status: 200, row: { kind: 'rate' }, extended: null })
  expect(summary).toEqual({ lines: 1, priced: 0, totals: [] })
  await mustBeProved(app, text, { questions: [questionOf(app, line)] })
  const multiplied = text.replace('"extended":null', '"extended":{"amount":"120.00"}')
  expect(multiplied).not.toBe(text)
  const verdict = await verifyBody(multiplied, app.policy, { questions: [questionOf(app, line)] })
  expect(verdict).toMatchObject({ reason: 'sum_mismatch', at: 1 })
})
