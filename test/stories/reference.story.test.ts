import { expect, test } from 'bun:test'
import type { CitedRow } from '../../src/proof/price/row.ts'
import { verifyBody, verifyRow } from '../../src/proof/verify.ts'
import { anAbsence, aPrice, aRelease } from '../support/builders.ts'
import { testApp } from '../support/harness.ts'

test('a price comes with a proof that a stranger can check', async () => {
  await using app = await testApp({ today: '2026-07-02' })
  await app.publish(aRelease({ rows: ['G0100', 'G0101', 'G0102'].map((cpt) => aPrice({ cpt })) }))

  const row = (await app.getJson('/reference?cpt=G0101')) as CitedRow & { kind: 'price' }
  expect(await verifyRow(row, app.policy)).toEqual({ ok: true })

  const forged = { ...row, price: { ...row.price, amount: '0.01' } }
  expect(await verifyRow(forged, app.policy)).toEqual({ ok: false, reason: 'leaf_hash_mismatch' })
  const { proof, ...bare } = row
  expect(await verifyRow(bare, app.policy)).toEqual({ ok: false, reason: 'proof_missing' })
  expect(Object.keys(proof)).toEqual(['type', 'row', 'release', 'log'])
})

test('an edition that takes effect tomorrow is not served today', async () => {
  await using app = await testApp({ today: '2026-06-30' })
  await app.publish(aRelease({ effective_from: '2026-07-01' }))
  expect(await app.problemCode('/reference?cpt=G0101')).toBe('no_release_in_force')
})

test('the price is the one in force on the day of service', async () => {
  await using app = await testApp({ today: '2026-11-15' })
  const priced = (amount: string) => [aPrice({ price: { amount, currency: 'USD' } }), aPrice({ cpt: 'G0105' })]
  await app.publish(aRelease({ edition: 'A', effective_from: '2026-01-01', rows: priced('10.00') }))
  await app.publish(aRelease({ edition: 'B', effective_from: '2026-07-01', rows: priced('20.00').slice(0, 1) }))

  const amountOn = async (day: string) =>
    ((await app.getJson(`/reference?cpt=G0101&as_of=${day}`)) as { price: { amount: string } }).price.amount
  expect(await amountOn('2026-06-30')).toBe('10.00')
  expect(await amountOn('2026-07-01')).toBe('20.00')
  // A code that the newer edition dropped is absent after it, whatever the older one said.
  expect(await app.problemCode('/reference?cpt=G0105')).toBe('not_on_schedule')
  expect(await app.getJson('/reference?cpt=G0105&as_of=2026-03-01')).toHaveProperty('cpt', 'G0105')
  expect(await app.problemCode('/reference?cpt=G0101&as_of=2025-12-31')).toBe('no_release_in_force')
})

test('a newer file for the same day takes the place of the older one', async () => {
  await using app = await testApp()
  await app.publish(aRelease({ rows: [aPrice({ price: { amount: '1.00', currency: 'USD' } })] }))
  const second = await app.publish(aRelease({ rows: [aPrice({ price: { amount: '2.00', currency: 'USD' } })] }))
  const row = (await app.getJson('/reference?cpt=G0101')) as CitedRow
  expect(row.proof.release).toMatchObject({ release_id: second, supersedes: 'cms-pfs:TEST1:1' })
})

test('a code without a price is answered with the reason and its proof', async () => {
  await using app = await testApp()
  await app.publish(aRelease({ rows: [anAbsence({ cpt: 'G0104', reason: 'carrier_priced' }), aPrice()] }))
  const problem = await app.problem('/reference?cpt=g0104')
  expect(problem).toMatchObject({ status: 404, code: 'absent_carrier_priced' })
  expect(problem['agent_hint']).toBeString()
  expect(await verifyBody(JSON.stringify(problem), app.policy)).toMatchObject({ ok: true, rows: 1 })
})

test('a price on a later schedule wins over a stated absence on an earlier one', async () => {
  await using app = await testApp()
  await app.publish(aRelease({ rows: [anAbsence({ cpt: '80053', reason: 'not_covered' })] }))
  const lab = aPrice({ cpt: '80053', basis: 'medicare_clfs', setting: null })
  await app.publish(aRelease({ chart: 'cms-clfs', rows: [lab] }))
  expect(await app.getJson('/reference?cpt=80053')).toMatchObject({ basis: 'medicare_clfs' })
  expect(await app.problemCode('/reference?cpt=80053&basis=medicare_pfs')).toBe('absent_not_covered')
})

test('a code priced for the whole country only says so when a region is asked for', async () => {
  await using app = await testApp({ sample: true })
  const problem = await app.problem('/reference?cpt=80053&region=US-AL-00')
  expect(problem).toMatchObject({ code: 'absent_not_covered', regions: ['national'] })
  expect(problem['detail']).toContain('region=national')
  expect(await app.getJson('/reference?cpt=80053')).toMatchObject({ region: 'national', basis: 'medicare_clfs' })
})

test('an absence at one of a hospital\u2019s providers is proved among the rows of the others', async () => {
  await using app = await testApp()
  const [one, two] = ['1234567893', '2000000010']
  const cash = { basis: 'hospital_cash', setting: 'outpatient' } as const
  const rows = [aPrice({ ...cash, npi: one }), aPrice({ ...cash, npi: two, modifier: '26' })]
  await app.publish(aRelease({ chart: `hospital-mrf:${one}`, rows }))
  const problem = await app.problem(`/reference?cpt=G0101&npi=${two}`)
  expect(await verifyBody(JSON.stringify(problem), app.policy)).toMatchObject({ ok: true, absences: 1 })
  expect(problem['absence']).toMatchObject([{ key_prefix: `G0101|national|${two}||` }])
})

test('a code that no schedule has is proved absent, for each schedule searched', async () => {
  await using app = await testApp()
  await app.publish(aRelease({ rows: [aPrice({ cpt: '10000' }), aPrice({ cpt: '99999' })] }))
  await app.publish(aRelease({ chart: 'cms-clfs', rows: [aPrice({ basis: 'medicare_clfs', setting: null })] }))
  for (const cpt of ['00100', '55555', 'Z9999']) {
    const problem = await app.problem(`/reference?cpt=${cpt}`)
    expect(problem.code).toBe('not_on_schedule')
    expect(problem['absence']).toHaveLength(2)
    expect(await verifyBody(JSON.stringify(problem), app.policy)).toMatchObject({ ok: true, absences: 2 })
  }
  const [absence] = (await app.problem('/reference?cpt=55555'))['absence'] as [{ key_prefix: string }]
  expect(absence.key_prefix).toBe('55555|national|')
})

test('an absence proof for one code does not pass for another', async () => {
  await using app = await testApp()
  await app.publish(aRelease({ rows: ['10000', '20000', '30000'].map((cpt) => aPrice({ cpt })) }))
  const problem = await app.problem('/reference?cpt=15000')
  const [absence] = problem['absence'] as [{ key_prefix: string }]
  for (const key_prefix of ['20000|national|', '25000|national|', '10000|national|', ''])
    expect(await verifyBody(JSON.stringify({ ...absence, key_prefix }), app.policy)).toMatchObject({ ok: false })
})

test('modifier, setting and region are never replaced by others', async () => {
  await using app = await testApp()
  await app.publish(
    aRelease({
      rows: [
        aPrice({ cpt: '70450', modifier: '26' }),
        aPrice({ cpt: '70450', setting: 'facility' }),
        aPrice({ cpt: '70450', region: 'US-AL-00' }),
      ],
    }),
  )
  const prefixOf = async (query: string) => {
    const problem = await app.problem(`/reference?cpt=70450&${query}`)
    expect(await verifyBody(JSON.stringify(problem), app.policy)).toMatchObject({ ok: true })
    return (problem['absence'] as [{ key_prefix: string }])[0].key_prefix
  }
  expect(await app.getJson('/reference?cpt=70450&modifier=26')).toMatchObject({ modifier: '26' })
  expect(await app.getJson('/reference?cpt=70450')).toMatchObject({ modifier: null, setting: 'facility' })
  expect(await prefixOf('modifier=TC')).toBe('70450|national||TC|')
  expect(await prefixOf('setting=non_facility')).toBe('70450|national|||medicare_pfs|non_facility')
  expect(await prefixOf('region=US-CA-18')).toBe('70450|US-CA-18|')
  expect(await prefixOf('region=US-AK')).toBe('70450|US-AK-')
})

test('the facility price answers where CMS marks the other setting NA', async () => {
  await using app = await testApp()
  const rows = [aPrice({ setting: 'non_facility', flags: ['na_indicator'] }), aPrice({ setting: 'facility' })]
  await app.publish(aRelease({ rows }))
  expect(await app.getJson('/reference?cpt=G0101')).toMatchObject({ setting: 'facility' })
  expect(await app.getJson('/reference?cpt=G0101&setting=non_facility')).toMatchObject({ flags: ['na_indicator'] })
})

test('a state answers where it has one locality, and lists them where it has several', async () => {
  await using app = await testApp({ sample: true })
  expect(await app.getJson('/reference?cpt=99213&region=us-al')).toMatchObject({ region: 'US-AL-00' })
  const ambiguous = await app.problem('/reference?cpt=99213&region=US-CA')
  expect(ambiguous).toMatchObject({ code: 'region_ambiguous', regions: ['US-CA-05', 'US-CA-18'] })
  expect(await app.problemCode('/reference?cpt=99213&region=US-ZZ')).toBe('invalid_region')
  expect(await app.problemCode('/reference?cpt=99213&region=ZIP-00000')).toBe('invalid_region')
})

test('a hospital price is the provider\u2019s own, cash first', async () => {
  await using app = await testApp({ sample: true })
  const row = (await app.getJson('/reference?cpt=99213&npi=1234567893')) as CitedRow
  expect(row).toMatchObject({ npi: '1234567893', basis: 'hospital_cash', proof: { release: { data_class: 'sample' } } })
  expect(await verifyRow(row, app.policy)).toEqual({ ok: true })
  expect(await app.getJson('/reference?cpt=99213&npi=1234567893&basis=hospital_gross')).toMatchObject({
    basis: 'hospital_gross',
  })
  expect(await app.problemCode('/reference?cpt=99213&npi=1245319599')).toBe('unknown_provider')
  expect(await app.problemCode('/reference?cpt=99213&npi=1234567893&basis=medicare_pfs')).toBe('invalid_parameter')
  expect(await app.problemCode('/reference?cpt=99213&basis=hospital_cash')).toBe('invalid_parameter')
  expect(await app.problemCode('/reference?cpt=99213&npi=1234567893&as_of=2020-01-01')).toBe('no_release_in_force')
})

test('the sample prices are what the formula gives', async () => {
  await using app = await testApp({ sample: true })
  const amount = async (query: string) =>
    ((await app.getJson(`/reference?cpt=99213${query}`)) as { price: { amount: string } }).price.amount
  expect(await amount('')).toBe('95.19')
  expect(await amount('&setting=facility')).toBe('57.45')
})

test('the registry is browsed page by page, every row with a proof under one checkpoint', async () => {
  await using app = await testApp({ sample: true })
  const headers = await app.railsHeaders(['registry:read'])
  const seen: string[] = []
  let path: string | null = '/api/registry?limit=200'
  let total = 0
  while (path !== null) {
    const body = await app.getJson(path, headers)
    const page = body as { data: CitedRow[]; page: { total: number }; links: { next: string | null } }
    expect(await verifyBody(JSON.stringify(page), app.policy)).toMatchObject({ ok: true, rows: page.data.length })
    seen.push(...page.data.map((row) => `${row.proof.release.chart} ${row.proof.row.index}`))
    total = page.page.total
    path = page.links.next
  }
  expect(new Set(seen).size).toBe(seen.length)
  expect(seen).toHaveLength(total)
})

test('pages of the registry can be followed by cursor and filtered', async () => {
  await using app = await testApp({ sample: true })
  const headers = await app.railsHeaders(['registry:read'])
  type Page = { data: CitedRow[]; page: { total: number; next_after: string | null; has_more: boolean } }
  const first = (await app.getJson('/api/registry?limit=3', headers)) as Page
  const second = (await app.getJson(`/api/registry?limit=3&after=${first.page.next_after}`, headers)) as Page
  const both = (await app.getJson('/api/registry?limit=6', headers)) as Page
  expect([...first.data, ...second.data].map((row) => row.proof.row)).toEqual(both.data.map((row) => row.proof.row))

  const one = (await app.getJson('/api/registry?cpt=99213&region=US-CA-18', headers)) as Page
  expect(one.page).toMatchObject({ total: 2, has_more: false })
  expect(one.data.every((row) => row.cpt === '99213' && row.region === 'US-CA-18')).toBe(true)
  const hospital = (await app.getJson('/api/registry?npi=1234567893&limit=1', headers)) as Page
  expect(hospital.data[0]).toMatchObject({ npi: '1234567893' })
  const region = (await app.getJson('/api/registry?region=US-NY-01&chart=cms-pfs&limit=200', headers)) as Page
  expect(region.page.total).toBe(region.data.length)
  expect(region.data.every((row) => row.region === 'US-NY-01')).toBe(true)
})

test('nothing that a source file says in words is served', async () => {
  await using app = await testApp({ sample: true })
  const headers = await app.railsHeaders()
  const body = JSON.stringify(await app.getJson('/api/registry?npi=1234567893&limit=200', headers))
  for (const text of ['PAYER-A', 'PLAN-1', 'PAYER']) expect(body).not.toContain(text)
})
