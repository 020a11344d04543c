import { expect, test } from 'bun:test'
import type { CitedRow } from '../../src/proof/price/row.ts'
import { answersTo } from '../../src/proof/question.ts'
import { verifyBody, verifyRow } from '../../src/proof/verify.ts'
import { anAbsence, aPrice, aRelease } from '../support/builders.ts'
import { type TestApp, testApp } from '../support/harness.ts'

interface Line {
  status: number
  row?: CitedRow
  problem?: { code: string; [member: string]: unknown }
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
  const visit = aPrice({ cpt: '99213' })
  const rows = [
    visit,
    aPrice({ ...visit, region: 'US-AL-00', setting: 'facility' }),
    aPrice({ ...visit, region: 'US-CA-05' }),
    aPrice({ ...visit, region: 'US-CA-18' }),
    anAbsence({ cpt: '80053', reason: 'not_covered' }),
  ]
  await app.publish(aRelease({ edition: 'A', effective_from: '2026-01-01', rows }))
  const raised = rows.map((row) => ('price' in row ? { ...row, price: { ...row.price, amount: '13.00' } } : row))
  await app.publish(aRelease({ edition: 'D', effective_from: '2026-10-01', rows: raised as typeof rows }))
  const lab = aPrice({ cpt: '80053', basis: 'medicare_clfs', setting: null })
  await app.publish(aRelease({ chart: 'cms-clfs', rows: [lab] }))
  const cash = aPrice({ cpt: '99213', npi: NPI, basis: 'hospital_cash', setting: 'outpatient' })
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
    const alone = await app.request(`/reference?${new URLSearchParams(line as Record<string, string>)}`)
    const { status, row, problem } = results[i] as Line
    expect(status).toBe(alone.status)
    const body = (await alone.json()) as Record<string, unknown>
    if (row) expect(row as unknown).toEqual(body)
    else {
      const { type: _, title, status: __, request_id, ...same } = body
      expect([typeof title, typeof request_id, problem as unknown]).toEqual(['string', 'string', same])
    }
  }
})

test('every price and every absence of a batch proves itself, and all under one checkpoint', async () => {
  await using app = await testApp()
  const rows = [aPrice({ cpt: '10000' }), anAbsence({ cpt: '20000' }), aPrice({ cpt: '30000' })]
  await app.publish(aRelease({ rows }))
  const [price, stated, missing] = (await ask(app, [{ cpt: '10000' }, { cpt: '20000' }, { cpt: '25000' }])) as [
    Line,
    Line,
    Line,
  ]
  expect(await verifyRow(price.row, app.policy)).toEqual({ ok: true })
  expect(await verifyBody(JSON.stringify(stated.problem), app.policy, answersTo({ cpt: '20000' }))).toMatchObject({
    rows: 1,
  })
  expect(await verifyBody(JSON.stringify(missing.problem), app.policy, answersTo({ cpt: '25000' }))).toMatchObject({
    absences: 1,
  })
  const checkpoints = JSON.stringify([price, stated, missing]).match(/"checkpoint":"[^"]+"/g) ?? []
  expect([checkpoints.length, new Set(checkpoints).size]).toEqual([3, 1])
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
  const lines = [{ cpt: '99213' }, { cpt: '99999' }, { cpt: CANARY }, { cpt: '99213', npi: NPI }, { cpt: '99213' }]
  const body = await (await post(app, JSON.stringify({ lines }))).text()
  expect(await verifyBody(body, app.policy)).toMatchObject({ ok: true, rows: 3, absences: 2 })
  const forged = JSON.parse(body) as { results: Line[] }
  const fourth = forged.results[3]?.row as CitedRow & { kind: 'price' }
  fourth.price = { amount: '0.01', currency: 'USD' }
  expect(await verifyBody(JSON.stringify(forged), app.policy)).toEqual({
    ok: false,
    reason: 'leaf_hash_mismatch',
    at: 4,
  })
})
