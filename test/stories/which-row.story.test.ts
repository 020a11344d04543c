import { expect, test } from 'bun:test'
import type { CitedRow } from '../../src/proof/price/row.ts'
import { answersTo, type Question } from '../../src/proof/question.ts'
import { verifyBody } from '../../src/proof/verify.ts'
import { anAbsence, aPrice, aRelease } from '../support/builders.ts'
import { type TestApp, testApp } from '../support/harness.ts'

const NPI = '1234567893'
const usd = (amount: string) => ({ price: { amount, currency: 'USD' as const } })
const charge = (row: Parameters<typeof aPrice>[0]) => aPrice({ npi: NPI, basis: 'hospital_cash', ...row })

const hospital = (app: TestApp, ...rows: ReturnType<typeof aPrice>[]): Promise<string> =>
  app.publish(aRelease({ chart: `hospital-mrf:${NPI}`, rows }))

const pathOf = (asked: Question): string =>
  `/reference?${new URLSearchParams(Object.entries(asked) as [string, string][])}`

/** The row that answers, after its proof has been checked beside the question. */
async function answerTo(app: TestApp, asked: Question): Promise<CitedRow> {
  const row = await app.getJson(pathOf(asked))
  expect(await verifyBody(JSON.stringify(row), app.policy, answersTo(asked))).toMatchObject({ ok: true, rows: 1 })
  return row as CitedRow
}

/** The prefixes that are proved to be missing, after the proofs have been checked beside the question. */
async function missingFor(app: TestApp, asked: Question): Promise<string[]> {
  const problem = await app.problem(pathOf(asked))
  expect(problem.code).toBe('not_on_schedule')
  expect(await verifyBody(JSON.stringify(problem), app.policy, answersTo(asked))).toMatchObject({ ok: true })
  return (problem['absence'] as { key_prefix: string }[]).map(({ key_prefix }) => key_prefix)
}

test('a hospital\u2019s price for both settings answers for either, unless there is one for just that setting', async () => {
  await using app = await testApp()
  await hospital(
    app,
    charge({ setting: null, ...usd('10.00') }),
    charge({ setting: 'inpatient', ...usd('20.00') }),
    charge({ basis: 'hospital_gross', setting: 'outpatient', ...usd('30.00') }),
  )
  const asks = (more: Partial<Question>): Promise<CitedRow> => answerTo(app, { cpt: 'G0101', npi: NPI, ...more })
  expect(await asks({ setting: 'outpatient' })).toMatchObject({ basis: 'hospital_cash', setting: null })
  expect(await asks({ setting: 'inpatient' })).toMatchObject(usd('20.00'))
  expect(await asks({ setting: 'outpatient', basis: 'hospital_gross' })).toMatchObject(usd('30.00'))
})

test('the basis is chosen among the prices that fit the setting', async () => {
  await using app = await testApp()
  const gross = charge({ basis: 'hospital_gross', setting: 'outpatient', ...usd('30.00') })
  await hospital(app, charge({ setting: 'inpatient' }), gross)
  expect(await answerTo(app, { cpt: 'G0101', npi: NPI, setting: 'outpatient' })).toMatchObject(usd('30.00'))
})

test('that a hospital has no price in a setting is proved for every basis, and for a price for both', async () => {
  await using app = await testApp()
  await hospital(app, charge({ setting: 'inpatient' }), charge({ basis: 'hospital_gross', setting: 'inpatient' }))
  const under = `G0101|national|${NPI}||`
  expect(await missingFor(app, { cpt: 'G0101', npi: NPI, setting: 'outpatient' })).toEqual([
    `${under}hospital_cash|facility`,
    `${under}hospital_cash|outpatient`,
    `${under}hospital_gross|facility`,
    `${under}hospital_gross|outpatient`,
    `${under}hospital_negotiated_low|`,
    `${under}hospital_negotiated_high|`,
  ])
  const cash = { cpt: 'G0101', npi: NPI, basis: 'hospital_cash' }
  expect(await missingFor(app, { ...cash, setting: 'outpatient' })).toHaveLength(2)
  expect(await missingFor(app, { ...cash, setting: 'facility' })).toEqual([`${under}hospital_cash|facility`])
  expect(await missingFor(app, { cpt: 'G0102', npi: NPI, setting: 'outpatient' })).toEqual(['G0102|national|'])
})

test('a price that is withheld in one setting says nothing of the other', async () => {
  await using app = await testApp()
  const withheld = anAbsence({ ...charge({}), kind: 'absence', setting: 'inpatient', reason: 'withheld_outlier' })
  const { price: _, ...row } = withheld as typeof withheld & { price?: unknown }
  await app.publish(aRelease({ chart: `hospital-mrf:${NPI}`, rows: [row as typeof withheld] }))
  expect(await app.problemCode(`/reference?cpt=G0101&npi=${NPI}&setting=inpatient`)).toBe('absent_withheld_outlier')
  expect(await missingFor(app, { cpt: 'G0101', npi: NPI, setting: 'outpatient' })).not.toBeEmpty()
})

test('that the outpatient schedule has no row in a setting can be checked beside the question', async () => {
  await using app = await testApp()
  await app.publish(aRelease({ chart: 'cms-opps', rows: [aPrice({ basis: 'medicare_opps', setting: 'outpatient' })] }))
  const asked = { cpt: 'G0101', setting: 'inpatient' }
  expect(await missingFor(app, asked)).toEqual(['G0101|national|||medicare_opps|inpatient'])
})

test('a laboratory price has no setting, and is none for outpatients', async () => {
  await using app = await testApp()
  await app.publish(aRelease({ chart: 'cms-clfs', rows: [aPrice({ basis: 'medicare_clfs', setting: null })] }))
  expect(await missingFor(app, { cpt: 'G0101', setting: 'outpatient' })).toHaveLength(1)
})

test('modifiers may be asked for in any order', async () => {
  await using app = await testApp()
  await app.publish(aRelease({ rows: [aPrice({ modifier: 'CO-GO' })] }))
  for (const modifier of ['GO-CO', 'co-go'])
    expect(await answerTo(app, { cpt: 'G0101', modifier })).toMatchObject({ modifier: 'CO-GO' })
  expect(await missingFor(app, { cpt: 'G0101', modifier: 'TC-26' })).toEqual(['G0101|national||26-TC|'])
})

test('a schedule that only says the code is not its own yields to one that says more', async () => {
  await using app = await testApp()
  const states = (cpt: string, reason: 'not_covered' | 'not_valid' | 'carrier_priced' | 'bundled' | 'anesthesia') =>
    anAbsence({ cpt, reason })
  await app.publish(
    aRelease({
      rows: [
        states('81001', 'not_covered'),
        states('81002', 'not_covered'),
        states('81003', 'anesthesia'),
        states('81004', 'not_valid'),
      ],
    }),
  )
  const lab = { basis: 'medicare_clfs' } as const
  await app.publish(
    aRelease({
      chart: 'cms-clfs',
      rows: [
        { ...states('81001', 'carrier_priced'), ...lab },
        { ...states('81003', 'carrier_priced'), ...lab },
      ],
    }),
  )
  const outpatient = { basis: 'medicare_opps', setting: 'outpatient' } as const
  await app.publish(
    aRelease({
      chart: 'cms-opps',
      rows: [
        { ...states('81001', 'bundled'), ...outpatient },
        { ...states('81002', 'not_valid'), ...outpatient },
        { ...states('81004', 'bundled'), ...outpatient },
      ],
    }),
  )
  const told: [string, string, string][] = [
    ['81001', 'absent_carrier_priced', 'cms-clfs'],
    ['81002', 'absent_not_covered', 'cms-pfs'],
    ['81003', 'absent_anesthesia', 'cms-pfs'],
    ['81004', 'absent_bundled', 'cms-opps'],
  ]
  for (const [cpt, code, chart] of told) {
    const problem = await app.problem(`/reference?cpt=${cpt}`)
    expect(problem).toMatchObject({ code, row: { proof: { release: { chart } } } })
    expect(await verifyBody(JSON.stringify(problem), app.policy, answersTo({ cpt }))).toMatchObject({
      ok: true,
      rows: 1,
    })
  }
})
