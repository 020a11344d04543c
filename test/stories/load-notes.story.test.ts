import { expect, test } from 'bun:test'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { loadZipLocalities } from '../../src/ingest/cms/zip-localities.ts'
import { load } from '../../src/ingest/load.ts'
import { readSource } from '../../src/ingest/source.ts'
import { overrideAll } from '../../src/registry/release/breaker.ts'
import { checkRelease } from '../../src/registry/release/check.ts'
import { publish } from '../../src/registry/release/publish.ts'
import { aPrice, aRelease } from '../support/builders.ts'
import { type TestApp, testApp } from '../support/harness.ts'

const SAMPLE = join(import.meta.dir, '../../sample')
const [FIRST, SECOND, THIRD] = ['1234567893', '1000000004', '1500000009'] as const

/** A hospital's file with one price, for these providers. */
function hospitalFile(app: TestApp, npis: readonly string[], day: string): string {
  const file = join(app.folder.path, `hospital-${npis.length}-${day}.csv`)
  const lines = [
    'hospital_name,last_updated_on,version,location_name,hospital_address,license_number|MD,type_2_npi',
    `x,${day},3.0.0,x,x,0,${npis.join('|')}`,
    'description,code|1,code|1|type,setting,standard_charge|gross,standard_charge|discounted_cash,payer_name,plan_name,standard_charge|negotiated_dollar,standard_charge|methodology,standard_charge|min,standard_charge|max',
    'x,G0101,HCPCS,outpatient,9000.00,150.00,,,,,120.00,140.00',
  ]
  writeFileSync(file, `${lines.join('\n')}\n`)
  return file
}

test('a load says which schedules a hospital was judged without, and what it was judged by stands in the row', async () => {
  await using app = await testApp()
  const { db } = app.installation
  const price = { amount: '100.00', currency: 'USD' } as const
  await app.publish(aRelease({ rows: [aPrice({ price })] }))
  const without = await load(db, 'hospital-mrf', [hospitalFile(app, [FIRST], '2026-09-01')], {}, app.clock.now)
  expect(without.judged_without).toEqual(expect.arrayContaining(['cms-opps', 'cms-clfs']))
  expect(without.judged_without).not.toContain('cms-pfs')

  const opps = { basis: 'medicare_opps', setting: 'outpatient', price: { ...price, amount: '200.00' } } as const
  await app.publish(aRelease({ chart: 'cms-opps', edition: '2026-Q4', rows: [aPrice(opps)] }))
  const beside = await load(db, 'hospital-mrf', [hospitalFile(app, [FIRST], '2026-09-02')], {}, app.clock.now)
  expect(beside.judged_without).toEqual(['cms-clfs'])

  const grossOf = async (release_no: number): Promise<{ derivation: { inputs: object } }> => {
    const [row] = await db.query<{ body: string }>(
      `SELECT body FROM price_row WHERE release_no = $1 AND row_key LIKE '%hospital_gross%'`,
      [release_no],
    )
    return JSON.parse(row?.body ?? '{}') as never
  }
  const compared = { compared_chart: 'cms-pfs', compared_edition: 'TEST1', compared_revision: '1' }
  expect((await grossOf(without.release.release_no)).derivation.inputs).toEqual({
    rule: 'R05',
    ...compared,
    compared_amount: '100.00',
  })
  // Beside what Medicare pays hospitals it is only unusual.
  expect(await grossOf(beside.release.release_no)).toMatchObject({ price: { amount: '9000.00' } })
})

test('a hospital whose providers are another chart\u2019s too is pointed out, on loading and on checking', async () => {
  await using app = await testApp()
  const { db } = app.installation
  const one = await load(db, 'hospital-mrf', [hospitalFile(app, [FIRST], '2026-08-01')], {}, app.clock.now)
  expect(one.shares_npis_with).toEqual([])
  const other = await load(db, 'hospital-mrf', [hospitalFile(app, [FIRST, SECOND], '2026-09-01')], {}, app.clock.now)
  expect(other.release.chart).toBe(`hospital-mrf:${SECOND}`)
  expect(other.shares_npis_with).toEqual([`hospital-mrf:${FIRST}`])
  expect(await checkRelease(db, other.release)).toMatchObject({ shares_npis_with: [`hospital-mrf:${FIRST}`] })
  const third = await load(db, 'hospital-mrf', [hospitalFile(app, [THIRD], '2026-09-03')], {}, app.clock.now)
  expect(third.shares_npis_with).toEqual([])
})

test('ZIP codes are read by the localities of the newest edition, whatever was refused or loaded after it', async () => {
  await using app = await testApp()
  const { db, registryLog, cosign } = app.installation
  const relative = join(SAMPLE, 'PPRRVU-SAMPLE26A.csv')
  const gpci = (name: string, from: string, to: string): string => {
    const file = join(app.folder.path, name)
    writeFileSync(file, readFileSync(join(SAMPLE, 'GPCI-SAMPLE26.csv'), 'utf8').replaceAll(from, to))
    return file
  }
  const loadEdition = async (edition: string, effective_from: string, indices: string) => {
    const options = { edition, effective_from, data_class: 'sample' } as const
    return (await load(db, 'cms-pfs', [relative, indices], options, app.clock.now)).release.release_id
  }
  const zips = async () => loadZipLocalities(db, [await readSource(join(SAMPLE, 'ZIP5-SAMPLE.txt'))])
  const isKnown = async () =>
    (await zips().then(
      () => true,
      () => false,
    )) as boolean

  // An edition that has not come to its end, or was never published, or is older, says nothing of localities.
  const moved = gpci('moved.csv', '01182,CA,18', '09999,CA,18')
  const first = await loadEdition('NEW', '2026-07-01', join(SAMPLE, 'GPCI-SAMPLE26.csv'))
  await publish({ db, log: registryLog, cosign }, first, app.clock.now, overrideAll('sample_data'))
  expect(await isKnown()).toBe(true)
  const older = await loadEdition('OLD', '2026-01-01', moved)
  expect(await isKnown()).toBe(true)
  await publish({ db, log: registryLog, cosign }, older, app.clock.now, overrideAll('sample_data'))
  expect(await isKnown()).toBe(true)
  const broken = gpci('broken.csv', '01182,CA,18', '09998,CA,18')
  await expect(
    load(db, 'cms-pfs', [relative, broken], { edition: 'BAD EDITION', effective_from: '2027-01-01' }, app.clock.now),
  ).rejects.toMatchObject({ code: 'invalid_parameter' })
  expect(await isKnown()).toBe(true)
  // The next edition counts once it is published, and the pairs of the one before are gone with it.
  const next = await loadEdition('NEXT', '2026-10-01', moved)
  expect(await isKnown()).toBe(true)
  await publish({ db, log: registryLog, cosign }, next, app.clock.now, overrideAll('sample_data'))
  expect(await isKnown()).toBe(false)
})
