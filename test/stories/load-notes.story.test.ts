import { expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { load } from '../../src/ingest/load.ts'
import { checkRelease } from '../../src/registry/release/check.ts'
import type { ReleaseState } from '../../src/registry/release/store.ts'
import { openRelease } from '../../src/registry/rows/release-file-store.ts'
import { aPrice, aRelease } from '../support/builders.ts'
import { type TestApp, testApp } from '../support/harness.ts'

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

  const grossOf = (release: ReleaseState): object => {
    const row = openRelease(db, release)
      .rowsUnder('')
      .find(({ row_key }) => row_key.includes('hospital_gross'))
    return JSON.parse(row?.body ?? '{}') as object
  }
  expect(grossOf(without.release)).toMatchObject({
    price: { amount: '9000.00' },
    flags: ['far_from_medicare'],
    indicators: { compared_release: 'cms-pfs:TEST1:1', compared_amount: '100.00' },
  })
  // Beside what Medicare pays hospitals it is only unusual.
  expect(grossOf(beside.release)).toMatchObject({
    price: { amount: '9000.00' },
    flags: [],
    indicators: {},
  })
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
