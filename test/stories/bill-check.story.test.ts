import { expect, test } from 'bun:test'
import { memoryPins } from '../../src/client/checks.ts'
import { RegistryClient } from '../../src/client/client.ts'
import { aLimit, anAddOn, aService, aTest, somePairs } from '../../src/proof/check/check-fixture.ts'
import { verifyBody } from '../../src/proof/verify-lists.ts'
import { BILL_RULES } from '../../src/tables/bill-rules.ts'
import { aRelease } from '../support/builders.ts'
import { BASE_URL, type TestApp, testApp } from '../support/harness.ts'
import { connect } from '../support/mcp.ts'

const DAY = '2026-07-15'
const CANARY = 'Jane-Doe-1970-01-01'

const post = (app: TestApp, body: unknown): Promise<Response> =>
  app.request('/bill/check', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })

/** Invented schedules and tables of edits for an emergency visit. */
async function stocked(app: TestApp): Promise<void> {
  const edits = {
    'ncci-ptp-outpatient': [somePairs('80053', ['82947', 1])],
    'ncci-mue-outpatient': [aLimit('80053', 1, 3)],
  }
  const charts = {
    'cms-opps': [
      aService('99284', 'V', '400.00'),
      aService('80053', 'A'),
      aService('82947', 'A'),
      aService('J1885', 'N'),
    ],
    'cms-clfs': [aTest('80053', '10.56'), aTest('82947', '3.93')],
    'ncci-add-on': [anAddOn('99292', ['99291', 1])],
    ...edits,
  }
  for (const [chart, rows] of Object.entries(charts))
    await app.publish(aRelease({ chart, rows, ...(chart.startsWith('ncci-ptp') && { edits_left_out: 0 }) } as never))
}

const bill = {
  kind: 'hospital',
  day: DAY,
  lines: [
    { code: '99284', modifiers: ['25'], revenue_code: '0450', billed: '2187.00' },
    { code: '80053', billed: '310.00' },
    { code: '82947', billed: '62.00' },
    { code: 'J1885', units: '2', billed: '32.90' },
    { revenue_code: '0250', billed: '98.10' },
  ],
}

test('a bill is checked line by line, and a stranger can check the check', async () => {
  await using app = await testApp()
  await stocked(app)
  const response = await post(app, bill)
  const text = await response.text()
  expect([response.status, response.headers.get('cache-control')]).toEqual([200, 'no-store'])
  const body = JSON.parse(text)
  expect(body).toMatchObject({
    side: { kind: 'hospital', why: 'kind' },
    claim: "one day's lines",
    lines: [
      {
        line: 1,
        code: '99284',
        medicare: { basis: 'medicare_opps', amount: '400.00' },
        by_rules: { amount: '400.00' },
      },
      { line: 2, medicare: { basis: 'medicare_clfs', amount: '10.56' } },
      { line: 3, by_rules: { amount: '0.00', steps: [{ rule: 'pair_not_paid_together', with: 2, amount: '0.00' }] } },
      { line: 4, medicare: { absent: 'bundled' }, by_rules: { amount: '0.00' } },
      { line: 5, units: '1', billed: '98.10' },
    ],
    findings: [
      { rule: 'pair_not_paid_together', certainty: 'unless', lines: [2, 3], amount_at_issue: '62.00' },
      { rule: 'packaged', certainty: 'rule', lines: [4], amount_at_issue: '32.90' },
    ],
    sums: {
      billed: '2690.00',
      medicare: { listed: '414.49', at_most: '414.49', by_rules: '410.56' },
      at_issue: '94.90',
    },
  })
  expect(await verifyBody(text, app.policy, { bill } as never)).toMatchObject({ ok: true })
  const other = { ...bill, lines: bill.lines.slice(1) }
  expect(await verifyBody(text, app.policy, { bill: other } as never)).toMatchObject({
    ok: false,
    reason: 'answers_another_question',
  })
})

test('what could not be checked is named, with the command that brings it', async () => {
  await using app = await testApp()
  await app.publish(aRelease({ chart: 'cms-clfs', rows: [aTest('80053', '10.56')] }))
  const body = await (await post(app, bill)).json()
  expect(body.skipped).toContainEqual({
    rule: 'pair_not_paid_together',
    chart: 'ncci-ptp-outpatient',
    day: DAY,
    lines: [1, 2, 3, 4],
  })
  expect(body.about.missing).toContainEqual({
    chart: 'ncci-ptp-outpatient',
    day: DAY,
    command: 'atr fetch ncci-ptp-outpatient',
  })
  expect(body.about.not_checked).toContain('Medical necessity')
  // A price that was not looked for is no price.
  expect(body.lines[0].medicare).toEqual({ none: 'no_edition_for_day' })
})

test('a bill without a day is about today, and says so', async () => {
  await using app = await testApp({ today: DAY })
  await stocked(app)
  const { day: _, ...without } = bill
  const text = await (await post(app, without)).text()
  expect(JSON.parse(text).about.day).toBe(DAY)
  expect(await verifyBody(text, app.policy, { bill } as never)).toMatchObject({ ok: true })
})

test('the short answer has the same findings, with permalinks in place of the proof', async () => {
  await using app = await testApp()
  await stocked(app)
  const [whole, short] = await Promise.all(
    [post(app, bill), post(app, { ...bill, proof: 'ref' })].map(async (each) => (await each).json()),
  )
  expect(short.proof).toBeUndefined()
  expect(short.sums).toEqual(whole.sums)
  expect(short.findings.map(({ says }: { says: string }) => says)).toEqual(
    whole.findings.map(({ says }: { says: string }) => says),
  )
  const [href] = short.findings[0].evidence
  expect(await app.getJson(href)).toMatchObject({ kind: 'edits', code: '80053' })
})

test('the client of the package sends a bill, and gives only what it has verified', async () => {
  await using app = await testApp({ today: DAY })
  await stocked(app)
  const fetch = async (url: string, init: RequestInit): Promise<Response> =>
    app.app.fetch(new Request(url, init), '192.0.2.1')
  const client = new RegistryClient({ baseUrl: BASE_URL, fetch, now: () => app.clock.now, pins: memoryPins() })
  const { day: _, ...undated } = bill
  const { body, proved } = await client.checkBill(undated as never)
  expect(body.sums.medicare).toEqual({ listed: '414.49', at_most: '414.49', by_rules: '410.56' })
  expect(proved?.rows.length).toBeGreaterThan(5)
  const lying = async (url: string, init: RequestInit): Promise<Response> => {
    const response = await fetch(url, init)
    return url.endsWith('/bill/check')
      ? new Response((await response.text()).replace('"410.56"', '"1.00"'), response)
      : response
  }
  const another = new RegistryClient({ baseUrl: BASE_URL, fetch: lying, now: () => app.clock.now, pins: memoryPins() })
  await expect(another.checkBill(bill as never)).rejects.toThrow()
})

test('an agent checks a bill by MCP as it has it, and its sentence says what was not checked', async () => {
  await using app = await testApp({ today: DAY })
  await stocked(app)
  const client = await connect(app, 'modern')
  const lines = [{ cpt: '80053', billed: 310 }, '82947', { cpt: '99284-25', units: 1, billed: '$2,187.00' }]
  const result = await client.callTool({ name: 'check_bill', arguments: { kind: 'ER', lines } })
  expect(result.structuredContent).toMatchObject({ sums: { billed: '2497.00', medicare: { by_rules: '410.56' } } })
  expect(result.content[0]?.text).toMatch(
    /^Checked as the bill of a hospital: 3 lines.*82947 is part of 80053 .*Not checked, which is no pass: /,
  )
  const refused = await client.callTool({
    name: 'check_bill',
    arguments: { lines: [{ code: '80053', units: 'many' }] },
  })
  expect(refused.content[0]?.text).toContain('line 1: units takes a whole number')
})

test('an agent of A2A sends the same bill as a data part, and needs to name no skill', async () => {
  await using app = await testApp({ today: DAY })
  await stocked(app)
  const message = { messageId: 'm1', role: 'ROLE_USER', parts: [{ data: bill }] }
  const response = await app.app.fetch(
    new Request(`${BASE_URL}/a2a`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'a2a-version': '1.0' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'SendMessage', params: { message } }),
    }),
    '192.0.2.1',
  )
  const { result } = await response.json()
  const [{ data }] = result.task.artifacts[0].parts
  expect(result.task.status.message.parts[0].text).toStartWith('Checked as the bill of a hospital: 5 lines')
  expect(await verifyBody(JSON.stringify(data), app.policy, { bill } as never)).toMatchObject({ ok: true })
})

test('each line counts as one request, and a bill with more lines than are left is refused whole', async () => {
  await using app = await testApp({ limits: { enabled: true, reference_rpm: 8 } })
  await stocked(app)
  expect((await post(app, bill)).headers.get('ratelimit')).toContain('r=3')
  expect((await post(app, bill)).status).toBe(429)
})

test('what is wrong is named by line and member, and nothing of it is repeated', async () => {
  await using app = await testApp()
  await stocked(app)
  const line = { code: '80053' }
  const withLine = (member: object) => ({ ...bill, lines: [line, { ...line, ...member }] })
  const shapes: [string, unknown][] = [
    ['lines', { ...bill, lines: [] }],
    ['lines', { ...bill, lines: CANARY }],
    ['lines', { ...bill, lines: Array.from({ length: 201 }, () => line) }],
    ['lines', { kind: 'hospital', day: DAY }],
    ['kind', { ...bill, kind: CANARY }],
    ['region', { ...bill, region: CANARY }],
    ['npi', { ...bill, npi: '1234567890' }],
    ['payer', { ...bill, payer: CANARY }],
    ['type_of_bill', { ...bill, type_of_bill: 'Jane' }],
    ['day', { ...bill, day: '2026-02-31' }],
    ['totals', { ...bill, totals: CANARY }],
    ['totals.billed', { ...bill, totals: { billed: CANARY } }],
    ['totals', { ...bill, totals: { [CANARY]: '1.00' } }],
    ['lines.2.code', withLine({ code: CANARY })],
    ['lines.2.code', withLine({ code: 80053 })],
    ['lines.2.modifiers', withLine({ modifiers: '25' })],
    ['lines.2.modifiers', withLine({ modifiers: [CANARY] })],
    ['lines.2.modifiers', withLine({ modifiers: ['25', '59', '76', '77', '91'] })],
    ['lines.2.revenue_code', withLine({ revenue_code: CANARY })],
    ['lines.2.place_of_service', withLine({ place_of_service: '00' })],
    ['lines.2.day', withLine({ day: CANARY })],
    ['lines.2.units', withLine({ units: '0' })],
    ['lines.2.units', withLine({ units: 2 })],
    ['lines.2.units', withLine({ units: '1000000' })],
    ['lines.2.billed', withLine({ billed: '-1.00' })],
    ['lines.2.billed', withLine({ billed: '1' })],
    ['lines.2.allowed', withLine({ allowed: null })],
    ['lines.2.patient', withLine({ patient: CANARY })],
    ['lines.2.unknown', withLine({ [CANARY]: 'x' })],
    ['lines.2.unknown', { ...bill, lines: [line, CANARY] }],
    ['lines.2.unknown', { ...bill, lines: [line, null] }],
    ['lines.2.code', { ...bill, lines: [line, { units: '1' }] }],
    ['', { ...bill, [CANARY]: 'x' }],
    ['', `{"lines": ["${CANARY}`],
    ['', '[]'],
  ]
  for (const [name, shape] of shapes) {
    const response = await post(app, shape)
    const text = await response.text()
    const problem = JSON.parse(text)
    expect([name, response.status, problem.errors?.[0]?.name ?? '']).toEqual([name, 400, name])
    expect(text).not.toContain('Jane')
    if (name.startsWith('lines.2')) expect(problem.detail).toStartWith('line 2: ')
  }
  expect((await post(app, `"${'x'.repeat(70_000)}"`)).status).toBe(413)
})

test('each rule has a page that a patient understands, with what to ask', async () => {
  await using app = await testApp()
  for (const rule of BILL_RULES) {
    const page = await (await app.request(`/rules/${rule}`, { headers: { accept: 'text/html' } })).text()
    expect(page).toContain('What to ask')
    expect(await app.getJson(`/rules/${rule}`, { accept: 'application/json' })).toMatchObject({
      rule,
      says: expect.arrayContaining([expect.stringMatching(/^[A-Z].{60,}/)]),
    })
  }
  expect((await app.request('/rules/none')).status).toBe(404)
})
