import { expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { load } from '../../src/ingest/load.ts'
import { verifyBody } from '../../src/proof/verify.ts'
import { publish } from '../../src/registry/release/publish.ts'
import { aPrice, aRelease } from '../support/builders.ts'
import { testApp } from '../support/harness.ts'

const NPI = '1234567893'
const COLUMNS = [
  'description,code|1,code|1|type,setting,standard_charge|gross,standard_charge|discounted_cash',
  'payer_name,plan_name,standard_charge|negotiated_dollar,standard_charge|methodology',
  'standard_charge|min,standard_charge|max',
].join(',')
const line = (cpt: string, gross: string, cash: string, min: string, max: string): string =>
  `x,${cpt},HCPCS,outpatient,${gross},${cash},,,,,${min},${max}`

test('a hospital\u2019s implausible price is withheld on loading, and the answer proves that it is', async () => {
  await using app = await testApp()
  const { db, registryLog, cosign } = app.installation
  const price = { amount: '100.00', currency: 'USD' } as const
  await app.publish(aRelease({ rows: ['G0101', 'G0102', 'G0103'].map((cpt) => aPrice({ cpt, price })) }))
  const file = join(app.folder.path, `${NPI}_hospital_standardcharges.csv`)
  const lines = [
    'hospital_name,last_updated_on,version,location_name,hospital_address,license_number|MD,type_2_npi',
    `x,2026-09-01,3.0.0,x,x,0,${NPI}`,
    COLUMNS,
    line('G0101', '300.00', '150.00', '120.00', '140.00'),
    line('G0102', '9000.00', '4.00', '120.00', '140.00'),
    line('G0103', '300.00', '400.00', '140.00', '120.00'),
  ]
  writeFileSync(file, `${lines.join('\n')}\n`)
  const { release } = await load(db, 'hospital-mrf', [file], {}, app.clock.now)
  await publish({ db, log: registryLog, cosign }, release.release_id, app.clock.now)

  const ask = (cpt: string, basis: string) => `/reference?cpt=${cpt}&npi=${NPI}&basis=${basis}`
  expect(await app.getJson(ask('G0101', 'hospital_cash'))).toMatchObject({ price: { amount: '150.00' } })
  for (const basis of ['hospital_cash', 'hospital_gross']) {
    const problem = await app.problem(ask('G0102', basis))
    expect(problem).toMatchObject({ code: 'absent_withheld_outlier', row: { locator: [{ line: 5 }] } })
    expect(await verifyBody(JSON.stringify(problem), app.policy)).toMatchObject({ ok: true, rows: 1 })
  }
  expect(await app.problemCode(ask('G0103', 'hospital_negotiated_low'))).toBe('absent_withheld_conflict')
  expect(await app.problemCode(ask('G0103', 'hospital_negotiated_high'))).toBe('absent_withheld_conflict')
  expect(await app.getJson(ask('G0103', 'hospital_cash'))).toMatchObject({ price: { amount: '400.00' } })

  const report = await app.getJson('/api/data-integrity', await app.railsHeaders(['integrity:read']))
  expect(report).toMatchObject({ summary: { rows_withheld: 4, rows_served: 3 + 12 - 4 } })
  const { checks } = report as { checks: { check_id: string; failed: number }[] }
  const failed = checks.filter((check) => check.failed > 0).map((check) => [check.check_id, check.failed])
  expect(Object.fromEntries(failed)).toEqual({ R05: 2, R08: 1, R08_min_max: 2 })
})
