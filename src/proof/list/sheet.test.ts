import { expect, test } from 'bun:test'
import { aSigner } from '../fixture.ts'
import { sheetOf } from '../list-fixture.ts'
import { formatPolicy, parsePolicy, type TrustPolicy } from '../note/policy.ts'
import type { Row } from '../price/row.ts'
import { aFee, aPlace, aRow, MemoryRegistry } from '../registry-fixture.ts'
import { verifyBody } from '../verify-lists.ts'

const DAY = '2026-07-15'
const NPI = '1234567893'
const CODES = ['99212', '99213', '99214']

const signer = await aSigner('sheets.example/log/registry')
const policy = parsePolicy(formatPolicy([signer])) as TrustPolicy
const registry = new MemoryRegistry(signer)
const localities = ['national', 'US-IL-15', 'US-IL-16', 'US-IN-00', 'US-AL-00']
const fees = registry.publish(
  CODES.flatMap((cpt) =>
    localities.flatMap((region) => ['non_facility', 'facility'].map((setting) => aFee({ code: cpt, region, setting }))),
  ),
  { chart: 'cms-pfs' },
)
const supplies = registry.publish(
  CODES.flatMap((cpt) =>
    ['US-IL', 'US-IN'].flatMap((region) =>
      ['NU', 'RR'].map((modifier) => aRow({ code: cpt, region, modifier, basis: 'medicare_dmepos', setting: 'rural' })),
    ),
  ),
  { chart: 'cms-dmepos' },
)
const laboratory = registry.publish([aRow({ code: '99213' }), aRow({ code: '99214' })], { chart: 'cms-clfs' })
const hospital = registry.publish(
  CODES.map((cpt) => aRow({ code: cpt, npi: NPI, basis: 'hospital_cash', class: 'facility' })),
  { chart: `hospital-mrf:${NPI}`, providers: [NPI] },
)
registry.publish([aPlace('60611', 'US-IL-16')], { chart: 'zip-locality' })

/** Every row of a release in force that is about the code and holds at the place, found by reading all of them. */
const allOf = (cpt: string, isHere: (row: Row) => boolean, npi: string | undefined): string[] =>
  [laboratory, supplies, fees, ...(npi === undefined ? [] : [hospital])]
    .flatMap(({ rows }) => rows as Row[])
    .filter((row) => row.code === cpt && (row.region === 'national' || isHere(row)))
    .map((row) => JSON.stringify(row))

test('a sheet has every row about the code that holds at the place, by chart and key, and no other', async () => {
  const places: [string, (row: Row) => boolean][] = [
    ['national', () => false],
    ['US-IL-16', ({ region }) => ['US-IL-16', 'US-IL'].includes(region)],
    ['60611', ({ region }) => ['US-IL-16', 'US-IL'].includes(region)],
    ['IL', ({ region }) => region.startsWith('US-IL')],
    ['US-IN', ({ region }) => region.startsWith('US-IN')],
    ['US-AL-00', ({ region }) => region === 'US-AL-00'],
    ['US-TX-99', () => false],
  ]
  for (const cpt of CODES)
    for (const [region, isHere] of places)
      for (const npi of [undefined, NPI]) {
        const { data, not_held } = await sheetOf(registry, { cpt, as_of: DAY, region, npi })
        const shown = (data as { proof: unknown }[]).map(({ proof: _, ...row }) => JSON.stringify(row))
        expect([cpt, region, npi, shown]).toEqual([cpt, region, npi, allOf(cpt, isHere, npi)])
        expect(not_held).toEqual(['cms-anesthesia', 'cms-asc', 'cms-asp', 'cms-opps', 'cms-pfs-qpp'])
      }
})

test('a sheet tells once which editions lack the code, however many rows it has', async () => {
  const sheets = new MemoryRegistry(signer)
  sheets.publish(
    ['non_facility', 'facility'].map((setting) => aFee({ code: '99213', setting })),
    { chart: 'cms-pfs' },
  )
  const without = sheets.publish([aRow({ code: '80053' })], { chart: 'cms-clfs' })
  const sheet = { cpt: '99213', as_of: DAY }
  const verdict = await verifyBody(JSON.stringify(await sheetOf(sheets, sheet)), policy, { sheet })
  expect(verdict).toMatchObject({ ok: true, lacking: [{ cpt: '99213', release: without.manifest }] })
  if (verdict.ok) expect([verdict.rows.length, verdict.lacking.length]).toEqual([2, 1])
})
