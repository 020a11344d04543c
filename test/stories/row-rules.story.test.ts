import { expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { load } from '../../src/ingest/load.ts'
import { publish } from '../../src/registry/release/publish.ts'
import { aPrice, aRelease } from '../support/builders.ts'
import { testApp } from '../support/harness.ts'
import { ask } from '../support/lookup.ts'

const NPI = '1234567893'
const COLUMNS = [
  'description,code|1,code|1|type,setting,standard_charge|gross,standard_charge|discounted_cash',
  'payer_name,plan_name,standard_charge|negotiated_dollar,standard_charge|methodology',
  'standard_charge|min,standard_charge|max',
].join(',')
const line = (cpt: string, gross: string, cash: string, min: string, max: string): string =>
  `x,${cpt},HCPCS,outpatient,${gross},${cash},,,,,${min},${max}`

test('a hospital\u2019s implausible price is flagged on loading and served, and one that contradicts itself is withheld', async () => {
  await using app = await testApp()
  const { db, registryLog, cosign } = app.installation
  const price = { amount: '100.00', currency: 'USD' } as const
  await app.publish(aRelease({ rows: ['G0101', 'G0102', 'G0103'].map((cpt) => aPrice({ code: cpt, price })) }))
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
  const { release } = await load(db, 'hospital-mrf', [file], { url: 'https://hospital.example/file' }, app.clock.now)
  // In a file of three lines, one that contradicts itself is more than the breaker lets pass.
  const overrides = [{ rule: 'rejected_share', reason: 'verified_by_operator' }] as const
  await publish({ db, log: registryLog, cosign }, release.release_id, app.clock.now, overrides)

  const asks = (cpt: string, basis: string) => ask(app, { cpt, npi: NPI, basis })
  expect(await asks('G0101', 'hospital_cash')).toMatchObject({ price: { amount: '150.00' }, flags: [] })
  for (const [basis, amount] of [
    ['hospital_cash', '4.00'],
    ['hospital_gross', '9000.00'],
  ] as const)
    expect(await asks('G0102', basis)).toMatchObject({
      price: { amount },
      flags: ['far_from_medicare'],
      indicators: { compared_release: 'cms-pfs:TEST1:1', compared_amount: '100.00' },
    })
  for (const basis of ['hospital_negotiated_low', 'hospital_negotiated_high'])
    expect(await asks('G0103', basis)).toMatchObject({
      code: 'absent_withheld_conflict',
      row: { locator: [{ line: 6 }], derivation: { inputs: { rule: 'R08_min_max' } } },
    })
  expect(await asks('G0103', 'hospital_cash')).toMatchObject({ price: { amount: '400.00' } })

  const report = await app.getJson('/api/data-integrity', await app.railsHeaders(['integrity:read']))
  expect(report).toMatchObject({ summary: { rows_withheld: 2, rows_served: 3 + 12 - 2 } })
  const { checks } = report as { checks: { check_id: string; failed: number }[] }
  const failed = checks.filter((check) => check.failed > 0).map((check) => [check.check_id, check.failed])
  expect(Object.fromEntries(failed)).toEqual({ R05: 2, R08: 1, R08_min_max: 2 })
})
