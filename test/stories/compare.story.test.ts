// Hospitals near a place, side by side: in order, complete, and proved to be so.

import { expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { recheck } from '../../src/cli/fsck.ts'
import { load } from '../../src/ingest/load.ts'
import type { HospitalRow } from '../../src/proof/price/hospital-row.ts'
import { aPlace } from '../../src/proof/registry-fixture.ts'
import type { CompareQuestion } from '../../src/proof/verify-lists.ts'
import { verifyBody } from '../../src/proof/verify-lists.ts'
import { overrideAll } from '../../src/registry/release/breaker.ts'
import { publish } from '../../src/registry/release/publish.ts'
import { aHospital, aPrice, aRelease } from '../support/builders.ts'
import { type TestApp, testApp } from '../support/harness.ts'

const [LAKE, RIVER, HILL, FAR] = ['1234567893', '1992999999', '2000000010', '1679576722'] as const
const DAY = '2026-07-02'

interface Compared {
  hospitals: { hospital: HospitalRow; price: { price: { amount?: string; low?: string } } }[]
  without?: { hospital: HospitalRow; code: string }[]
}

const inIllinois = (npi: string, zip: string, name: string | null): HospitalRow =>
  aHospital({ npi, zip, name, region: 'US-IL' })
const ofHospital = (npi: string, cash: string, gross: string) => ({
  chart: `hospital-mrf:${npi}`,
  rows: [
    aPrice({ npi, basis: 'hospital_cash', class: 'facility', price: { amount: cash, currency: 'USD' } }),
    aPrice({ npi, basis: 'hospital_gross', class: 'facility', price: { amount: gross, currency: 'USD' } }),
  ],
})

/** Three hospitals near 60611, of which one has no file, and one elsewhere. */
async function nearChicago(): Promise<TestApp> {
  const app = await testApp({ today: DAY })
  await app.publish(
    aRelease({ chart: 'zip-locality', rows: [aPlace('60611', 'US-IL-16'), aPlace('61820', 'US-IL-99')] }),
  )
  const list = [
    inIllinois(LAKE, '60611', 'Lake Hospital'),
    inIllinois(LAKE, '60614', 'Lake Hospital'),
    inIllinois(RIVER, '60622', 'River Hospital'),
    inIllinois(HILL, '60601', null),
    inIllinois(FAR, '61820', 'Far Hospital'),
  ]
  await app.publish(aRelease({ chart: 'hospitals', rows: list }))
  for (const each of [
    ofHospital(LAKE, '900.00', '2000.00'),
    ofHospital(RIVER, '450.00', '3000.00'),
    ofHospital(FAR, '10.00', '20.00'),
  ])
    await app.publish(aRelease(each))
  return app
}

const asked = (more: Partial<CompareQuestion> = {}): CompareQuestion => ({
  cpt: 'G0101',
  region: '60611',
  as_of: DAY,
  ...more,
})
const bodyOf = async (app: TestApp, question: CompareQuestion): Promise<string> =>
  (await app.request(`/reference/compare?${new URLSearchParams({ ...question } as Record<string, string>)}`)).text()
const inOrder = (text: string): unknown[][] => {
  const { hospitals, without = [] } = JSON.parse(text) as Compared
  return [
    ...hospitals.map(({ hospital, price }) => [hospital.npi, hospital.name, price.price.amount]),
    ...without.map(({ hospital, code }) => [hospital.npi, hospital.name, code]),
  ]
}

const npisOf = (text: string): unknown[] => inOrder(text).map(([npi]) => npi)

test('the hospitals near a ZIP code stand side by side, the cheapest first, and those without a price are named', async () => {
  await using app = await nearChicago()
  const text = await bodyOf(app, asked())
  expect(inOrder(text)).toEqual([
    [RIVER, 'River Hospital', '450.00'],
    [LAKE, 'Lake Hospital', '900.00'],
    [HILL, null, 'unknown_provider'],
  ])
  expect(await verifyBody(text, app.policy, { compare: asked() })).toMatchObject({ ok: true, rows: [{}, {}] })
  const gross = await bodyOf(app, asked({ basis: 'hospital_gross' }))
  expect(npisOf(gross)).toEqual([LAKE, RIVER, HILL])
  const state = await bodyOf(app, asked({ region: 'IL' }))
  expect(npisOf(state)).toEqual([FAR, RIVER, LAKE, HILL])
  expect(await verifyBody(state, app.policy, { compare: asked({ region: 'IL' }) })).toMatchObject({ ok: true })
})

test('the short form points to each proof', async () => {
  await using app = await nearChicago()
  const text = await bodyOf(app, { ...asked(), proof: 'ref' } as CompareQuestion)
  expect(npisOf(text)).toEqual([RIVER, LAKE, HILL])
  expect(text.length).toBeLessThan(3_000)
})

const aside = (priced: Compared['hospitals'][0] | undefined) => ({
  hospital: priced?.hospital as HospitalRow,
  code: 'not_on_schedule',
})
const exchanged = (hospitals: Compared['hospitals']) =>
  hospitals.map((each, i, all) => ({ ...each, price: all[all.length - 1 - i]?.price }))

test('no lie about a comparison passes', async () => {
  await using app = await nearChicago()
  const honest = await bodyOf(app, asked())
  const verdict = async (body: unknown, question = asked()) =>
    (await verifyBody(typeof body === 'string' ? body : JSON.stringify(body), app.policy, { compare: question })).ok
  const changed = (change: (body: Compared & Record<string, unknown>) => void): unknown => {
    const body = JSON.parse(honest) as Compared & Record<string, unknown>
    change(body)
    return body
  }
  expect(await verifyBody(honest, app.policy, { compare: asked() })).toMatchObject({ ok: true })
  const lies: [string, unknown][] = [
    ['the cheapest is withheld', changed((body) => body.hospitals.shift())],
    ['another order', changed((body) => body.hospitals.reverse())],
    ['a hospital without a price is withheld', changed((body) => delete body.without)],
    [
      'a price is said to be missing',
      changed(({ hospitals, without }) => without?.push({ ...aside(hospitals.pop()) })),
    ],
    ['another reason', changed(({ without }) => Object.assign(without?.[0] ?? {}, { code: 'not_on_schedule' }))],
    [
      'another name',
      changed(({ hospitals }) => Object.assign(hospitals[0]?.hospital ?? {}, { name: 'Lake Hospital' })),
    ],
    ['the price of another', changed((body) => Object.assign(body, { hospitals: exchanged(body.hospitals) }))],
    ['the answer for the state', await bodyOf(app, asked({ region: 'IL' }))],
    ['the answer for another basis', await bodyOf(app, asked({ basis: 'hospital_gross' }))],
    ['the answer for another code', await bodyOf(app, asked({ cpt: 'G0102' }))],
  ]
  for (const [lie, body] of lies) expect([lie, await verdict(body)]).toEqual([lie, false])
  expect(await verdict(honest, asked({ as_of: '2026-07-01' }))).toBe(false)
  expect(await verdict(honest, asked({ region: 'US-IL' }))).toBe(false)
})

test('a hospital is found by words of its name, and by a place', async () => {
  await using app = await nearChicago()
  const find = async (query: Record<string, string>) =>
    (
      (await app.getJson(`/providers?${new URLSearchParams(query)}`)) as {
        data: { npi: string; has_prices: boolean }[]
      }
    ).data
  expect(await find({ name: 'hosp riv' })).toMatchObject([{ npi: RIVER, name: 'River Hospital', has_prices: true }])
  expect((await find({ near: '60611' })).map(({ npi, has_prices }) => [npi, has_prices])).toEqual([
    [HILL, false],
    [LAKE, true],
    [LAKE, true],
    [RIVER, true],
  ])
  expect(await find({ name: 'nowhere' })).toEqual([])
  expect(await find({ name: 'far', near: 'IL' })).toMatchObject([{ npi: FAR }])
})

test('a place that is none, and a list that is not held, are refused in words', async () => {
  await using app = await nearChicago()
  for (const [region, code] of [
    ['national', 'region_ambiguous'],
    ['99999', 'unknown_zip'],
    ['61820', undefined],
    ['WI', undefined],
  ] as const)
    expect([region, JSON.parse(await bodyOf(app, asked({ region }))).code]).toEqual([region, code])
  expect(JSON.parse(await bodyOf(app, asked({ basis: 'medicare_pfs' }))).code).toBe('invalid_parameter')
  await using empty = await testApp({ today: DAY })
  expect(JSON.parse(await bodyOf(empty, asked({ region: 'IL' }))).code).toBe('no_edition_for_day')
})

test('the list of hospitals is the operator’s: names in a closed alphabet, and every line accounted for', async () => {
  await using app = await testApp({ today: DAY })
  const path = join(app.folder.path, 'hospitals-2026-07-01.csv')
  writeFileSync(
    path,
    [
      'NPI,ZIP Code,State,Facility Name',
      `${LAKE},60611,IL,St. Mary’s Hôpital & Clinic`,
      `${RIVER},2138,ma,<script>alert(1)</script>`,
      `${HILL},60601-1234,IL,`,
      `1234567890,60601,IL,Wrong Number`,
      `${FAR},60601,ZZ,No State`,
    ].join('\n'),
  )
  const { db, registryLog: log, cosign } = app.installation
  const { release } = await load(db, 'hospitals', [path], { url: 'https://operator.example/list' }, app.clock.now)
  expect(release).toMatchObject({ release_id: 'hospitals:LIST20260701:1', row_count: 3 })
  await publish({ db, log, cosign }, release.release_id, app.clock.now, overrideAll('sample_data'))
  const headers = await app.railsHeaders(['registry:read'])
  const page = (await app.getJson('/api/registry?chart=hospitals', headers)) as { data: HospitalRow[] }
  expect(page.data.map(({ region, zip, npi, name }) => [region, zip, npi, name])).toEqual([
    ['US-IL', '60601', HILL, null],
    ['US-IL', '60611', LAKE, "St. Mary's Hopital & Clinic"],
    ['US-MA', '02138', RIVER, null],
  ])
  // It names providers and has prices of none, so that its manifest names none: that is no damage.
  expect(await recheck(app.installation, app.clock.now)).toMatchObject({ faults: [] })
})
