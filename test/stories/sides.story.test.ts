// Whose price an answer is: a bill that says who sent it is answered by the schedules of that side, and any other answer says
// what the other side is paid.

import { expect, test } from 'bun:test'
import { type Inquiry, verifyBody } from '../../src/proof/verify-lists.ts'
import { aPrice, aRelease } from '../support/builders.ts'
import { type TestApp, testApp } from '../support/harness.ts'
import { type AskedOf, ask, holdTheRest, pathOf, questionOf } from '../support/lookup.ts'
import { call, type ToolResult } from '../support/mcp.ts'

const usd = (amount: string) => ({ price: { amount, currency: 'USD' as const } })
const NPI = '1234567893'
const VISIT = '99284'
const SCAN = '70450'
const OPERATION = '29881'

/** A visit, a scan and an operation, as each side is paid for them. */
async function everySide(): Promise<TestApp> {
  const app = await testApp()
  const parts = { indicators: { pc_tc: '1' } }
  await app.publish(
    aRelease({
      rows: [
        aPrice({ code: VISIT, setting: 'facility', ...usd('120.00') }),
        aPrice({ code: VISIT, ...usd('125.00') }),
        aPrice({ code: SCAN, ...parts, ...usd('110.00') }),
        aPrice({ code: SCAN, setting: 'facility', ...parts, ...usd('110.00') }),
        aPrice({ code: SCAN, modifier: '26', setting: 'facility', ...parts, ...usd('40.00') }),
        aPrice({ code: OPERATION, setting: 'facility', ...usd('550.00') }),
        aPrice({ code: 'G0101', ...usd('30.00') }),
      ],
    }),
  )
  const outpatient = (code: string, amount: string) =>
    aPrice({ code, basis: 'medicare_opps', setting: 'outpatient', ...usd(amount) })
  await app.publish(
    aRelease({
      chart: 'cms-opps',
      rows: [outpatient(VISIT, '410.00'), outpatient(SCAN, '106.00'), outpatient(OPERATION, '3100.00')],
    }),
  )
  await app.publish(
    aRelease({
      chart: 'cms-asc',
      rows: [aPrice({ code: OPERATION, basis: 'medicare_asc', setting: 'asc', ...usd('1500.00') })],
    }),
  )
  const charged = (inClass: 'facility' | 'professional' | null, amount: string, code = VISIT) =>
    aPrice({ code, npi: NPI, basis: 'hospital_gross', class: inClass, setting: 'outpatient', ...usd(amount) })
  await app.publish(
    aRelease({
      chart: `hospital-mrf:${NPI}`,
      rows: [
        charged('facility', '2400.00'),
        charged('professional', '900.00'),
        charged('professional', '300.00', SCAN),
      ],
    }),
  )
  await holdTheRest(app, 'cms-pfs')
  return app
}

const amountOf = async (app: TestApp, asked: AskedOf): Promise<string | undefined> => {
  const answer = await ask(app, asked)
  return 'amount' in (answer.price ?? {})
    ? (answer.price as { amount: string }).amount
    : (answer as { code: string }).code
}

const ANSWERS: [AskedOf, string][] = [
  [{ cpt: VISIT }, '125.00'],
  [{ cpt: VISIT, kind: 'hospital' }, '410.00'],
  [{ cpt: VISIT, revenue_code: '0450' }, '410.00'],
  [{ cpt: VISIT, revenue_code: '450' }, '410.00'],
  [{ cpt: VISIT, revenue_code: '0981' }, '120.00'],
  [{ cpt: VISIT, place_of_service: '23' }, '120.00'],
  [{ cpt: VISIT, place_of_service: '11' }, '125.00'],
  [{ cpt: VISIT, kind: 'professional' }, '125.00'],
  [{ cpt: VISIT, kind: 'hospital', place_of_service: '11' }, '410.00'],
  [{ cpt: OPERATION, kind: 'surgery_center' }, '1500.00'],
  [{ cpt: OPERATION, place_of_service: '24' }, '550.00'],
  [{ cpt: 'G0101', kind: 'hospital' }, 'not_on_schedule'],
  [{ cpt: VISIT, npi: NPI }, '2400.00'],
  [{ cpt: VISIT, npi: NPI, kind: 'hospital' }, '2400.00'],
  [{ cpt: VISIT, npi: NPI, kind: 'professional' }, '900.00'],
  [{ cpt: VISIT, npi: NPI, revenue_code: '0981' }, '900.00'],
  // The fee of a doctor is never shown as what the hospital charges.
  [{ cpt: SCAN, npi: NPI, kind: 'hospital' }, 'not_on_schedule'],
]

test('a bill that says whose it is gets the price of that side, and the answer proves and says which', async () => {
  await using app = await everySide()
  for (const [asked, expected] of ANSWERS) expect([asked, await amountOf(app, asked)]).toEqual([asked, expected])
  const answer = await ask(app, { cpt: VISIT, revenue_code: '0450' })
  expect(answer).toMatchObject({ basis: 'medicare_opps', side: { kind: 'hospital', why: 'revenue_code' } })
  expect(await ask(app, { cpt: VISIT })).not.toHaveProperty('side')
  const refused = await ask(app, { cpt: 'G0101', kind: 'hospital' })
  expect(refused).toMatchObject({ side: { kind: 'hospital', why: 'kind' } })
  expect(refused.agent_hint).toContain('ask the same without kind')
})

test('an answer for one side does not pass for the answer of another', async () => {
  await using app = await everySide()
  const verdictOn = async (given: AskedOf, claimed: AskedOf, change: (body: string) => string = (body) => body) => {
    const body = change(await (await app.request(pathOf(given))).text())
    const verdict = await verifyBody(body, app.policy, { question: questionOf(app, claimed) })
    return verdict.ok ? 'ok' : verdict.class
  }
  const hospital = { cpt: VISIT, kind: 'hospital' }
  expect(await verdictOn(hospital, hospital)).toBe('ok')
  expect(await verdictOn({ cpt: VISIT }, hospital)).toBe('incomplete')
  expect(await verdictOn(hospital, { cpt: VISIT })).not.toBe('ok')
  // The same row answers, but not for the reason that is stated.
  expect(await verdictOn(hospital, { cpt: VISIT, revenue_code: '0450' })).toBe('not_the_answer')
  expect(await verdictOn(hospital, hospital, (body) => body.replace('"why":"kind"', '"why":"revenue_code"'))).toBe(
    'not_the_answer',
  )
  expect(await verdictOn(hospital, hospital, (body) => body.replace('"kind":"hospital"', '"kind":"charity"'))).toBe(
    'malformed',
  )
  expect(await verdictOn(hospital, { ...hospital, place_of_service: '28' })).toBe('not_the_answer')
})

test('a setting or a basis of another side is refused, and the refusal names it', async () => {
  await using app = await everySide()
  for (const [asked, name] of [
    [{ cpt: VISIT, kind: 'hospital', setting: 'facility' }, 'setting'],
    [{ cpt: VISIT, place_of_service: '23', setting: 'non_facility' }, 'setting'],
    [{ cpt: VISIT, kind: 'hospital', basis: 'medicare_pfs' }, 'basis'],
    [{ cpt: VISIT, place_of_service: '28' }, 'place_of_service'],
    [{ cpt: VISIT, revenue_code: '45' }, 'revenue_code'],
    [{ cpt: VISIT, kind: 'clinic' }, 'kind'],
  ] as const) {
    const refused = (await (await app.request(pathOf(asked))).json()) as { status: number; errors: { name: string }[] }
    expect([asked, refused.status, refused.errors.map((error) => error.name)]).toEqual([asked, 400, [name]])
  }
})

test('an answer without a side says what the others are paid, each with the address of its proof', async () => {
  await using app = await everySide()
  const besideOf = async (asked: AskedOf): Promise<string[]> => {
    const { about } = (await ask(app, asked)) as unknown as { about: { beside?: Record<string, string>[] } }
    const found = about.beside ?? []
    for (const { href = '', amount } of found) {
      const row = (await app.getJson(href)) as { price: { amount: string } }
      expect(row.price.amount).toBe(amount as string)
    }
    return found.map(({ basis, modifier, amount }) => [basis, modifier, amount].filter(Boolean).join(' '))
  }
  expect(await besideOf({ cpt: VISIT })).toEqual(['medicare_pfs 120.00', 'medicare_opps 410.00'])
  // The hospital is paid for the technical part, so its doctor has the other one.
  expect(await besideOf({ cpt: SCAN })).toEqual(['medicare_pfs 26 40.00', 'medicare_opps 106.00'])
  expect(await besideOf({ cpt: VISIT, kind: 'hospital' })).toEqual(['medicare_pfs 120.00'])
  expect(await besideOf({ cpt: OPERATION, place_of_service: '24' })).toEqual(['medicare_asc 1500.00'])
  expect(await besideOf({ cpt: VISIT, place_of_service: '11' })).toEqual([])
  const short = (await app.getJson(`/reference?cpt=${VISIT}&proof=ref`)) as { beside: unknown[] }
  expect(short.beside).toHaveLength(2)
})

test('a sheet, a batch and a history keep to the side that was asked for', async () => {
  await using app = await everySide()
  const verified = async (path: string, inquiry: Inquiry): Promise<unknown> => {
    const text = await (await app.request(path)).text()
    expect(await verifyBody(text, app.policy, inquiry)).toMatchObject({ ok: true })
    return JSON.parse(text)
  }
  const asked = { cpt: VISIT, npi: NPI, kind: 'hospital' }
  const sheet = (await verified(pathOf(asked, '/reference/sheet'), { sheet: questionOf(app, asked) })) as {
    data: { basis: string; class: string | null }[]
  }
  expect(sheet.data.map((row) => `${row.basis} ${row.class}`)).toEqual([
    'medicare_opps null',
    'hospital_gross facility',
  ])
  const lines = [
    { cpt: VISIT, revenue_code: '0450' },
    { cpt: VISIT, place_of_service: '23' },
  ]
  const text = await (
    await app.request('/reference/batch', {
      method: 'POST',
      body: JSON.stringify({ lines }),
      headers: { 'content-type': 'application/json' },
    })
  ).text()
  const questions = lines.map((line) => questionOf(app, line))
  expect(await verifyBody(text, app.policy, { questions })).toMatchObject({ ok: true })
  const { results } = JSON.parse(text) as { results: { row: { price: unknown }; side: unknown }[] }
  expect(results.map(({ row, side }) => ({ amount: row.price, side }))).toMatchObject([
    { amount: { amount: '410.00' }, side: { kind: 'hospital' } },
    { amount: { amount: '120.00' }, side: { kind: 'professional' } },
  ])
})

test('a tool says whose price it is before anything else, and takes the words of a bill', async () => {
  await using app = await everySide()
  const said = async (args: Record<string, unknown>): Promise<string> => {
    const { result } = (await (await call(app, 'lookup_price', args)).json()) as { result: ToolResult }
    return String(result.content[0]?.text)
  }
  expect(await said({ cpt: VISIT })).toStartWith('Doctor: $125.00 is')
  expect(await said({ cpt: VISIT })).toContain('hospital $410.00 (medicare_opps, outpatient)')
  expect(await said({ cpt: VISIT, kind: 'hospital' })).toStartWith('Hospital: $410.00 is')
  expect(await said({ cpt: VISIT, kind: 'ER' })).toContain('Hospital: $410.00 is')
  expect(await said({ cpt: VISIT, place_of_service: 23 })).toContain('Doctor: $120.00 is')
  expect(await said({ cpt: VISIT, revenue_code: 'RC 0450' })).toContain('Hospital: $410.00 is')
})
