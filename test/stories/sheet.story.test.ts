// Everything in force for a code at a place and day, on one sheet.

import { expect, test } from 'bun:test'
import type { Row } from '../../src/proof/price/row.ts'
import { aPlace } from '../../src/proof/registry-fixture.ts'
import { verifyBody } from '../../src/proof/verify.ts'
import { anAbsence, aPrice, aRelease } from '../support/builders.ts'
import { type TestApp, testApp } from '../support/harness.ts'
import { mustBeProved } from '../support/lookup.ts'

const NPI = '1234567893'
const DAY = '2026-11-15'

interface Sheet {
  data: (Row & { proof: { proof: number } })[]
  proofs: object[]
  releases: { release: { chart: string } }[]
  place?: { zip: string; region: string }
  as_of: string
}

/** A code with prices for the country, for California and for Alabama, on two schedules and at a hospital. */
async function everywhere(app: TestApp): Promise<void> {
  const visit = { cpt: '99213' }
  const regions = ['national', 'US-AL-00', 'US-CA-05', 'US-CA-18']
  const settings = ['non_facility', 'facility'] as const
  const visits = regions.flatMap((region) => settings.map((setting) => aPrice({ ...visit, region, setting })))
  const others = ['99212', '99214'].flatMap((cpt) => regions.map((region) => aPrice({ cpt, region })))
  await app.publish(aRelease({ rows: [...visits, ...others] }))
  await app.publish(aRelease({ chart: 'cms-opps', rows: [aPrice({ ...visit, basis: 'medicare_opps' })] }))
  const own = (['hospital_cash', 'hospital_gross'] as const).map((basis) => aPrice({ ...visit, npi: NPI, basis }))
  const absent = anAbsence({ ...visit, npi: NPI, basis: 'hospital_negotiated_low', reason: 'withheld_conflict' })
  await app.publish(aRelease({ chart: `hospital-mrf:${NPI}`, rows: [...own, absent] }))
  await app.publish(
    aRelease({ chart: 'zip-locality', effective_from: '2026-07-01', rows: [aPlace('90001', 'US-CA-18')] }),
  )
}

async function sheetOf(app: TestApp, query: string): Promise<{ sheet: Sheet; text: string }> {
  const text = await (await app.request(`/reference/sheet?cpt=99213&${query}`)).text()
  await mustBeProved(app, text, { page: { as_of: DAY, cpt: '99213', beside: 'national' } }, query)
  return { sheet: JSON.parse(text) as Sheet, text }
}
const namesOf = ({ data }: Sheet): string[] => data.map((row) => `${row.region} ${row.basis} ${row.setting}`)

const PFS = ['non_facility', 'facility'].map((setting) => `medicare_pfs ${setting}`).sort()
const pfsOf = (...regions: string[]): string[] => regions.flatMap((region) => PFS.map((price) => `${region} ${price}`))
const OPPS = 'national medicare_opps outpatient'

test('a sheet has everything that is in force for a code at a place, and the rows of the country beside it', async () => {
  await using app = await testApp({ today: DAY })
  await everywhere(app)
  const expected: [string, string[]][] = [
    ['region=national', [OPPS, ...pfsOf('national')]],
    ['region=US-CA-18', [OPPS, ...pfsOf('US-CA-18', 'national')]],
    // A state with several localities shows each of them.
    ['region=CA', [OPPS, ...pfsOf('US-CA-05', 'US-CA-18', 'national')]],
    ['region=US-AL', [OPPS, ...pfsOf('US-AL-00', 'national')]],
    ['region=90001', [OPPS, ...pfsOf('US-CA-18', 'national')]],
  ]
  for (const [query, names] of expected) {
    const { sheet } = await sheetOf(app, query)
    expect([query, sheet.as_of, namesOf(sheet)]).toEqual([query, DAY, names])
  }
})

test('with a provider, what the hospital states stands on the same sheet, absences included', async () => {
  await using app = await testApp({ today: DAY })
  await everywhere(app)
  const { sheet } = await sheetOf(app, `region=US-CA&npi=${NPI}`)
  expect(namesOf(sheet)).toEqual([
    OPPS,
    ...pfsOf('US-CA-05', 'US-CA-18', 'national'),
    'national hospital_cash outpatient',
    'national hospital_gross outpatient',
    'national hospital_negotiated_low null',
  ])
  expect(sheet.data.at(-1)).toMatchObject({ kind: 'absence', reason: 'withheld_conflict' })
})

test('neighbours on a sheet have one proof, and a row that is left out or put in is noticed', async () => {
  await using app = await testApp({ today: DAY })
  await everywhere(app)
  const { sheet, text } = await sheetOf(app, 'region=US-CA')
  // The rows of California and of the country are neighbours: one run on each schedule.
  expect([sheet.proofs.length, sheet.releases.length]).toEqual([2, 2])
  const asked = { page: { as_of: DAY, cpt: '99213', beside: 'national' } } as const
  for (let i = 0; i < sheet.data.length; i++) {
    const cut = { ...sheet, data: sheet.data.toSpliced(i, 1) }
    expect([i, await verifyBody(JSON.stringify(cut), app.policy, asked)]).toMatchObject([i, { ok: false }])
  }
  const other = { page: { ...asked.page, cpt: '99214' } }
  expect(await verifyBody(text, app.policy, other)).toMatchObject({ reason: 'answers_another_question' })
  const day = { page: { ...asked.page, as_of: '2026-11-14' } }
  expect(await verifyBody(text, app.policy, day)).toMatchObject({ reason: 'answers_another_question' })
})

test('the place of a ZIP code stands on the sheet with its proof', async () => {
  await using app = await testApp({ today: DAY })
  await everywhere(app)
  const { sheet } = await sheetOf(app, 'region=90001')
  expect(sheet.place).toMatchObject({ kind: 'place', zip: '90001', region: 'US-CA-18' })
  expect((await sheetOf(app, 'region=US-CA-18')).sheet).not.toHaveProperty('place')
})

test('a sheet without rows is a refusal', async () => {
  await using app = await testApp({ today: DAY })
  await everywhere(app)
  for (const [query, status, code] of [
    ['cpt=99999', 404, 'not_on_schedule'],
    ['cpt=99213&as_of=2025-12-31', 404, 'not_on_schedule'],
    ['cpt=99213&region=00000', 404, 'unknown_zip'],
    ['cpt=99213&region=ZZ', 400, 'invalid_region'],
    ['cpt=99213&basis=medicare_pfs', 400, 'unknown_parameter'],
  ] as const)
    expect([query, await app.problem(`/reference/sheet?${query}`)]).toMatchObject([query, { status, code }])
})
