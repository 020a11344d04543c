// Everything in force for a code at a place and day, on one sheet.

import { expect, test } from 'bun:test'
import type { Proof, ShownRow } from '../../src/proof/envelope.ts'
import type { AnyRow, Row } from '../../src/proof/price/row.ts'
import { aPlace } from '../../src/proof/registry-fixture.ts'
import type { Members } from '../../src/proof/shape.ts'
import { verifyBody } from '../../src/proof/verify-lists.ts'
import { anAbsence, aPrice, aRelease } from '../support/builders.ts'
import { type TestApp, testApp } from '../support/harness.ts'
import { mustBeProved } from '../support/lookup.ts'

const NPI = '1234567893'
const DAY = '2026-11-15'

interface Sheet {
  data: ShownRow<Row>[]
  not_held: string[]
  proof: Proof
  place?: { zip: string; region: string }
  as_of: string
}

/** A code with prices for the country, for California and for Alabama, on two schedules and at a hospital. */
async function everywhere(app: TestApp): Promise<void> {
  const visit = { code: '99213' }
  const regions = ['national', 'US-AL-00', 'US-CA-05', 'US-CA-18']
  const settings = ['non_facility', 'facility'] as const
  const visits = regions.flatMap((region) => settings.map((setting) => aPrice({ ...visit, region, setting })))
  const others = ['99212', '99214'].flatMap((cpt) => regions.map((region) => aPrice({ code: cpt, region })))
  await app.publish(aRelease({ rows: [...visits, ...others] }))
  await app.publish(aRelease({ chart: 'cms-opps', rows: [aPrice({ ...visit, basis: 'medicare_opps' })] }))
  const own = (['hospital_cash', 'hospital_gross'] as const).map((basis) => aPrice({ ...visit, npi: NPI, basis }))
  const absent = anAbsence({ ...visit, npi: NPI, basis: 'hospital_negotiated_low', reason: 'withheld_conflict' })
  await app.publish(aRelease({ chart: `hospital-mrf:${NPI}`, rows: [...own, absent] }))
  await app.publish(
    aRelease({ chart: 'zip-locality', effective_from: '2026-07-01', rows: [aPlace('90001', 'US-CA-18')] }),
  )
}

const askedBy = (query: string) => ({
  sheet: { as_of: DAY, cpt: '99213', ...Object.fromEntries(new URLSearchParams(query)) },
})

async function sheetOf(app: TestApp, query: string): Promise<{ sheet: Sheet; text: string }> {
  const text = await (await app.request(`/reference/sheet?cpt=99213&${query}`)).text()
  await mustBeProved(app, text, askedBy(query), query)
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

test('a row that is left out of a sheet, moved, or put in is noticed', async () => {
  await using app = await testApp({ today: DAY })
  await everywhere(app)
  const query = `region=US-CA&npi=${NPI}`
  const { sheet, text } = await sheetOf(app, query)
  // One proof for all rows of a release: those of the sheet, and those on either side of them.
  expect((sheet.proof.releases ?? []).map(({ release }) => release.chart).sort()).toEqual([
    'cms-opps',
    'cms-pfs',
    `hospital-mrf:${NPI}`,
  ])
  const verdictOf = (body: unknown, asked = askedBy(query)) => verifyBody(JSON.stringify(body), app.policy, asked)
  for (let i = 0; i < sheet.data.length; i++) {
    const cut = { ...sheet, data: sheet.data.toSpliced(i, 1) }
    expect([i, await verdictOf(cut)]).toMatchObject([i, { ok: false }])
    // Told as a row that is only shown beside the others.
    const { proof: pointer, ...row } = sheet.data[i] as Sheet['data'][number]
    const releases = (sheet.proof.releases ?? []).map((each, at) => {
      if (at !== pointer.release) return each
      const { leaves = [], ...hashes } = each.rows ?? {}
      const more = [...leaves, [pointer.index, row] as [number, AnyRow]].sort(([a], [b]) => a - b)
      return { ...each, rows: { leaves: more, ...hashes } }
    })
    expect([i, await verdictOf({ ...cut, proof: { ...sheet.proof, releases } })]).toMatchObject([
      i,
      { reason: 'answers_another_question' },
    ])
  }
  expect(await verdictOf({ ...sheet, data: sheet.data.toReversed() })).toMatchObject({ ok: false })
  for (const other of ['cpt=99214', 'region=US-AL', 'as_of=2026-11-14', 'region=national', 'npi='])
    expect([other, await verifyBody(text, app.policy, askedBy(`${query}&${other}`))]).toMatchObject([
      other,
      { ok: false },
    ])
})

test('a chart that has no edition on the day is named on the sheet, and that is proved', async () => {
  await using app = await testApp({ today: DAY })
  await everywhere(app)
  await app.publish(
    aRelease({
      chart: 'cms-clfs',
      effective_from: '2026-01-01',
      effective_to: '2026-03-31',
      rows: [aPrice({ code: '99213', basis: 'medicare_clfs' })],
    }),
  )
  const { sheet } = await sheetOf(app, 'region=US-CA-18')
  // Those that were never loaded, and the one that has run out.
  expect(sheet.not_held).toEqual(['cms-anesthesia', 'cms-asc', 'cms-asp', 'cms-clfs', 'cms-dmepos', 'cms-pfs-qpp'])
  const verdictOf = (body: unknown) => verifyBody(JSON.stringify(body), app.policy, askedBy('region=US-CA-18'))
  for (const not_held of [[], sheet.not_held.slice(1), [...sheet.not_held, 'cms-opps'], sheet.not_held.toReversed()])
    expect([not_held, await verdictOf({ ...sheet, not_held })]).toMatchObject([not_held, { ok: false }])
  // A schedule that is held, hidden with all that is shown of it.
  const releases = sheet.proof.releases ?? []
  const opps = releases.findIndex(({ release }) => release.chart === 'cms-opps')
  const before = (release: number) => (release > opps ? release - 1 : release)
  const hidden = {
    ...sheet,
    data: sheet.data
      .filter(({ proof }) => proof.release !== opps)
      .map((row) => ({ ...row, proof: { ...row.proof, release: before(row.proof.release) } })),
    not_held: [...sheet.not_held, 'cms-opps'].sort(),
    proof: { ...sheet.proof, releases: releases.toSpliced(opps, 1) },
  }
  expect(await verdictOf(hidden)).toMatchObject({ ok: false, reason: 'choice_not_proved' })
})

test('the place of a ZIP code stands on the sheet with its proof', async () => {
  await using app = await testApp({ today: DAY })
  await everywhere(app)
  const { sheet, text } = await sheetOf(app, 'region=90001')
  expect(sheet.place).toMatchObject({ kind: 'place', zip: '90001', region: 'US-CA-18' })
  expect((await sheetOf(app, 'region=US-CA-18')).sheet).not.toHaveProperty('place')
  // What is true of one ZIP code is not an answer about another.
  for (const zip of ['90002', '60611'])
    expect([zip, await verifyBody(text, app.policy, askedBy(`region=${zip}`))]).toMatchObject([zip, { ok: false }])
})

test('a sheet without rows says which edition is missing', async () => {
  await using app = await testApp({ today: DAY })
  await everywhere(app)
  // A chart that was never loaded does not hide that the others do not have the code.
  expect(await app.problem('/reference/sheet?cpt=99999')).toMatchObject({ code: 'not_on_schedule' })
  const { code, charts } = (await app.problem('/reference/sheet?cpt=99213&as_of=2025-12-31')) as Members
  expect([code, charts]).toEqual([
    'no_edition_for_day',
    expect.arrayContaining([
      expect.objectContaining({ chart: 'cms-pfs', held: [expect.objectContaining({ to: expect.any(String) })] }),
    ]),
  ])
  // The only chart that may have it has run out.
  const over = { effective_from: '2026-01-01', effective_to: '2026-03-31' }
  await app.publish(aRelease({ chart: 'cms-clfs', ...over, rows: [aPrice({ code: '80053', basis: 'medicare_clfs' })] }))
  expect(await app.problem('/reference/sheet?cpt=80053')).toMatchObject({
    code: 'no_edition_for_day',
    detail: expect.stringContaining('cms-clfs'),
  })
})

test('a sheet without rows is a refusal', async () => {
  await using app = await testApp({ today: DAY })
  await everywhere(app)
  for (const [query, status, code] of [
    ['cpt=99999', 404, 'not_on_schedule'],
    ['cpt=99213&as_of=2025-12-31', 404, 'no_edition_for_day'],
    ['cpt=99213&region=00000', 404, 'unknown_zip'],
    ['cpt=99213&region=90001&as_of=2026-06-30', 404, 'no_edition_for_day'],
    ['cpt=99213&npi=1999999992', 404, 'unknown_provider'],
    ['cpt=99213&region=ZZ', 400, 'invalid_region'],
    ['cpt=99213&basis=medicare_pfs', 400, 'unknown_parameter'],
  ] as const)
    expect([query, await app.problem(`/reference/sheet?${query}`)]).toMatchObject([query, { status, code }])
})
