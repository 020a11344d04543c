import { expect, test } from 'bun:test'
import type { AbsenceReason } from '../../src/proof/price/row.ts'
import { releaseOf } from '../../src/proof/shown.ts'
import { anAbsence, aPrice, aRelease } from '../support/builders.ts'
import { type TestApp, testApp } from '../support/harness.ts'
import { type Answer, type AskedOf, ask, holdTheRest, told } from '../support/lookup.ts'

const NPI = '1234567893'
const usd = (amount: string) => ({ price: { amount, currency: 'USD' as const } })
const charge = (row: Parameters<typeof aPrice>[0]) => aPrice({ npi: NPI, basis: 'hospital_cash', ...row })

const hospital = (app: TestApp, ...rows: ReturnType<typeof aPrice>[]): Promise<string> =>
  app.publish(aRelease({ chart: `hospital-mrf:${NPI}`, rows }))

test('a hospital\u2019s price for both settings answers for either, unless there is one for just that setting', async () => {
  await using app = await testApp()
  await hospital(
    app,
    charge({ setting: null, ...usd('10.00') }),
    charge({ setting: 'inpatient', ...usd('20.00') }),
    charge({ basis: 'hospital_gross', setting: 'outpatient', ...usd('30.00') }),
  )
  const asks = (more: Partial<AskedOf>) => ask(app, { cpt: 'G0101', npi: NPI, ...more })
  expect(await asks({ setting: 'outpatient' })).toMatchObject({ basis: 'hospital_cash', setting: null })
  expect(await asks({ setting: 'inpatient' })).toMatchObject(usd('20.00'))
  expect(await asks({ setting: 'outpatient', basis: 'hospital_gross' })).toMatchObject(usd('30.00'))
})

test('the basis is chosen among the prices that fit the setting', async () => {
  await using app = await testApp()
  const gross = charge({ basis: 'hospital_gross', setting: 'outpatient', ...usd('30.00') })
  await hospital(app, charge({ setting: 'inpatient' }), gross)
  expect(await ask(app, { cpt: 'G0101', npi: NPI, setting: 'outpatient' })).toMatchObject(usd('30.00'))
})

/** The indexes of the rows that the proof has of its only release. */
const indexesOf = ({ proof }: Answer): number[] | undefined =>
  proof.releases?.[0]?.rows?.leaves?.map(([index]) => index)

test('that a hospital has no price in a setting is proved for every basis, and for a price for both', async () => {
  await using app = await testApp()
  await hospital(app, charge({ setting: 'inpatient' }), charge({ basis: 'hospital_gross', setting: 'inpatient' }))
  const asked = { cpt: 'G0101', npi: NPI, setting: 'outpatient' }
  const problem = await ask(app, asked)
  expect(problem).toMatchObject({
    code: 'not_on_schedule',
    about: { available: { settings: ['inpatient'], bases: ['hospital_cash', 'hospital_gross'], modifiers: [] } },
  })
  expect(problem.detail).toContain('not for this setting')
  // All rows of the code: these two are all that there are.
  expect(indexesOf(problem)).toEqual([0, 1])
  expect(await told(app, { ...asked, basis: 'hospital_cash' })).toBe('not_on_schedule')
  expect(await told(app, { ...asked, basis: 'hospital_cash', setting: 'facility' })).toBe('not_on_schedule')
  expect(await told(app, { ...asked, basis: 'hospital_negotiated_low', setting: undefined })).toBe('not_on_schedule')
  const missing = await ask(app, { ...asked, cpt: 'G0102' })
  expect([missing.code, indexesOf(missing)]).toEqual(['not_on_schedule', [1]])
})

test('a price that is withheld in one setting says nothing of the other', async () => {
  await using app = await testApp()
  const withheld = anAbsence({
    npi: NPI,
    basis: 'hospital_cash',
    setting: 'inpatient',
    class: 'facility',
    reason: 'withheld_conflict',
  })
  await app.publish(aRelease({ chart: `hospital-mrf:${NPI}`, rows: [withheld] }))
  expect(await told(app, { cpt: 'G0101', npi: NPI, setting: 'inpatient' })).toBe('absent_withheld_conflict')
  expect(await told(app, { cpt: 'G0101', npi: NPI, setting: 'outpatient' })).toBe('not_on_schedule')
})

test('the hospital\u2019s own charge comes before a doctor\u2019s, and the doctor\u2019s is pointed to', async () => {
  await using app = await testApp()
  await hospital(
    app,
    charge({ class: 'professional', ...usd('10.00') }),
    charge({ class: 'facility', ...usd('20.00') }),
    charge({ class: 'professional', basis: 'hospital_gross', ...usd('30.00') }),
  )
  const answer = await ask(app, { cpt: 'G0101', npi: NPI })
  expect(answer).toMatchObject({ class: 'facility', ...usd('20.00') })
  expect(answer.about.related.map(({ basis, class: inClass }) => [basis, inClass])).toEqual([
    ['hospital_cash', 'professional'],
    ['hospital_gross', 'professional'],
  ])
})

test('that the outpatient schedule has no row in a setting can be checked beside the question', async () => {
  await using app = await testApp()
  await app.publish(aRelease({ chart: 'cms-opps', rows: [aPrice({ basis: 'medicare_opps', setting: 'outpatient' })] }))
  const asked = { cpt: 'G0101', basis: 'medicare_opps' }
  expect(await told(app, asked)).toBe('12.34')
  expect(await ask(app, { ...asked, setting: 'asc' })).toMatchObject({
    code: 'not_on_schedule',
    about: { available: { settings: ['outpatient'] } },
  })
  // The schedule of stays has groups, and no code of a procedure.
  expect(await app.problemCode('/reference?cpt=G0101&setting=inpatient')).toBe('not_on_schedule')
})

test('a laboratory price has no setting, and answers for outpatients too', async () => {
  await using app = await testApp()
  await app.publish(aRelease({ chart: 'cms-clfs', rows: [aPrice({ basis: 'medicare_clfs', setting: null })] }))
  await app.publish(aRelease({ chart: 'cms-opps', rows: [aPrice({ code: 'G0102', basis: 'medicare_opps' })] }))
  expect(await ask(app, { cpt: 'G0101', setting: 'outpatient' })).toMatchObject({ basis: 'medicare_clfs' })
  // What hospitals are paid never answers a question that did not name them.
  expect(await told(app, { cpt: 'G0102' })).toBe('no_edition_for_day')
  expect(await ask(app, { cpt: 'G0102', setting: 'outpatient' })).toMatchObject({ basis: 'medicare_opps' })
})

test('modifiers may be asked for in any order', async () => {
  await using app = await testApp()
  await app.publish(aRelease({ rows: [aPrice({ modifier: '26-QW' })] }))
  for (const modifier of ['QW-26', '26-qw', '26-QW'])
    expect(await ask(app, { cpt: 'G0101', modifier })).toMatchObject({ modifier: '26-QW' })
  expect(await ask(app, { cpt: 'G0101', modifier: 'TC-26' })).toMatchObject({
    code: 'modifier_not_priced',
    about: { available: { modifiers: ['26-QW'] } },
  })
})

test('a schedule that only says the code is not its own yields to one that says more', async () => {
  await using app = await testApp()
  const states = (cpt: string, reason: AbsenceReason) => anAbsence({ code: cpt, reason })
  await app.publish(
    aRelease({
      rows: [
        states('81001', 'paid_elsewhere'),
        states('81002', 'not_covered'),
        states('81003', 'anesthesia'),
        states('81004', 'not_valid'),
        states('81005', 'paid_elsewhere'),
      ],
    }),
  )
  const carrier = { basis: 'medicare_clfs', derivation: { method: 'clfs-indicator/1', inputs: { indicator: 'L' } } }
  const lab = (cpt: string) => anAbsence({ code: cpt, reason: 'carrier_priced', ...(carrier as object) })
  await app.publish(aRelease({ chart: 'cms-clfs', rows: ['81001', '81003', '81004'].map(lab) }))
  // As long as a schedule that could price it is not held, "paid elsewhere" is no answer.
  expect(await told(app, { cpt: '81005' })).toBe('no_edition_for_day')
  await holdTheRest(app, 'cms-pfs', 'cms-clfs')
  const expected: [string, string, string][] = [
    ['81001', 'absent_carrier_priced', 'cms-clfs'],
    ['81002', 'absent_not_covered', 'cms-pfs'],
    ['81003', 'absent_anesthesia', 'cms-pfs'],
    ['81004', 'absent_carrier_priced', 'cms-clfs'],
    ['81005', 'absent_paid_elsewhere', 'cms-pfs'],
  ]
  for (const [cpt, code, chart] of expected) {
    const problem = await ask(app, { cpt })
    expect([problem.code, releaseOf(problem, problem.row.proof)?.chart]).toEqual([code, chart])
  }
})
