import { expect, test } from 'bun:test'
import type { Proof, RowPointer, ShownRow } from '../../src/proof/envelope.ts'
import type { PricedRow, Row } from '../../src/proof/price/row.ts'
import { releaseOf } from '../../src/proof/shown.ts'
import { verifyBody } from '../../src/proof/verify-lists.ts'
import { anAbsence, aPrice, aRelease } from '../support/builders.ts'
import { testApp } from '../support/harness.ts'
import { type Answer, ask, holdTheRest, mustBeProved, questionOf, told } from '../support/lookup.ts'

test('a price comes with a proof that a stranger can check', async () => {
  await using app = await testApp({ today: '2026-07-02' })
  await app.publish(aRelease({ rows: ['G0100', 'G0101', 'G0102'].map((cpt) => aPrice({ code: cpt })) }))

  const answer = (await app.getJson('/reference?cpt=G0101')) as PricedRow & { row: RowPointer; proof: object }
  const question = questionOf(app, { cpt: 'G0101' })
  const verify = (body: object) => verifyBody(JSON.stringify(body), app.policy, { question })
  expect(await verify(answer)).toMatchObject({
    ok: true,
    decisions: [{ outcome: 'price', row: { code: 'G0101' } }],
  })

  const forged = { ...answer, price: { ...answer.price, amount: '0.01' } }
  expect(await verify(forged)).toEqual({ ok: false, class: 'not_in_release', reason: 'leaf_hash_mismatch' })
  const { proof, row, ...bare } = answer
  for (const lacking of [bare, { ...bare, row }, { ...bare, proof }])
    expect(await verify(lacking)).toEqual({ ok: false, class: 'nothing_proved', reason: 'proof_missing' })
  expect(Object.keys(proof)).toEqual(['type', 'log', 'state', 'timeline', 'releases'])
})

test('an edition that takes effect tomorrow is not served today', async () => {
  await using app = await testApp({ today: '2026-06-30' })
  await app.publish(aRelease({ effective_from: '2026-07-01', rows: [aPrice({ effective_from: '2026-07-01' })] }))
  const { code, charts } = await ask(app, { cpt: 'G0101' })
  expect([code, charts[0]]).toEqual([
    'no_edition_for_day',
    { chart: 'cms-pfs', held: [{ from: '2026-07-01', to: '2099-12-31' }] },
  ])
})

test('the price is the one in force on the day of service', async () => {
  await using app = await testApp({ today: '2026-11-15' })
  const priced = (amount: string) => [aPrice({ price: { amount, currency: 'USD' } }), aPrice({ code: 'G0105' })]
  await app.publish(aRelease({ edition: 'A', effective_from: '2026-01-01', rows: priced('10.00') }))
  await app.publish(aRelease({ edition: 'B', effective_from: '2026-07-01', rows: priced('20.00').slice(0, 1) }))
  await holdTheRest(app, 'cms-pfs')

  expect(await told(app, { cpt: 'G0101', as_of: '2026-06-30' })).toBe('10.00')
  expect(await told(app, { cpt: 'G0101', as_of: '2026-07-01' })).toBe('20.00')
  // A code that the newer edition dropped is absent after it, whatever the older one said.
  expect(await told(app, { cpt: 'G0105' })).toBe('not_on_schedule')
  expect(await ask(app, { cpt: 'G0105', as_of: '2026-03-01' })).toMatchObject({ kind: 'price', code: 'G0105' })
  expect(await told(app, { cpt: 'G0101', as_of: '2025-12-31' })).toBe('no_edition_for_day')
})

test('a newer file for the same day takes the place of the older one', async () => {
  await using app = await testApp()
  await app.publish(aRelease({ rows: [aPrice({ price: { amount: '1.00', currency: 'USD' } })] }))
  const second = await app.publish(aRelease({ rows: [aPrice({ price: { amount: '2.00', currency: 'USD' } })] }))
  const answer = await ask(app, { cpt: 'G0101' })
  expect(releaseOf(answer, answer.row)).toMatchObject({ release_id: second, supersedes: 'cms-pfs:TEST1:1' })
})

test('a code without a price is answered with the reason and its proof', async () => {
  await using app = await testApp()
  await app.publish(aRelease({ rows: [anAbsence({ code: 'G0104', reason: 'carrier_priced' }), aPrice()] }))
  const problem = await ask(app, { cpt: 'g0104' })
  expect(problem).toMatchObject({ status: 404, code: 'absent_carrier_priced', row: { reason: 'carrier_priced' } })
  expect(problem.agent_hint).toBeString()
})

test('a price on a later schedule wins over a stated absence on an earlier one', async () => {
  await using app = await testApp()
  await app.publish(aRelease({ rows: [anAbsence({ code: '80053', reason: 'not_covered' })] }))
  const lab = aPrice({ code: '80053', basis: 'medicare_clfs', setting: null })
  await app.publish(aRelease({ chart: 'cms-clfs', rows: [lab] }))
  expect(await ask(app, { cpt: '80053' })).toMatchObject({ basis: 'medicare_clfs' })
  expect(await told(app, { cpt: '80053', basis: 'medicare_pfs' })).toBe('absent_not_covered')
})

test('a code priced for the whole country is answered so in every region', async () => {
  await using app = await testApp({ sample: true })
  for (const region of ['US-AL-00', 'CA', 'national', undefined])
    expect(await ask(app, { cpt: '80053', region })).toMatchObject({ region: 'national', basis: 'medicare_clfs' })
})

test('an absence at one of a hospital\u2019s providers is proved among the rows of the others', async () => {
  await using app = await testApp()
  const [one, two] = ['1234567893', '2000000010']
  const cash = { basis: 'hospital_cash', setting: 'outpatient' } as const
  const rows = [aPrice({ ...cash, npi: one }), aPrice({ ...cash, npi: two, modifier: '26' })]
  await app.publish(aRelease({ chart: `hospital-mrf:${one}`, rows }))
  expect(await told(app, { cpt: 'G0101', npi: one })).toBe('12.34')
  const problem = await ask(app, { cpt: 'G0101', npi: two })
  expect(problem).toMatchObject({ code: 'modifier_not_priced', about: { available: { modifiers: ['26'] } } })
  expect(shownOf(problem)).toEqual([[0, 1]])
  const missing = await ask(app, { cpt: 'G0102', npi: two })
  expect([missing.code, shownOf(missing)]).toEqual(['not_on_schedule', [[1]]])
})

test('a code that no schedule has is proved absent, for each schedule searched', async () => {
  await using app = await testApp()
  await app.publish(aRelease({ rows: [aPrice({ code: '10000' }), aPrice({ code: '99999' })] }))
  await app.publish(aRelease({ chart: 'cms-clfs', rows: [aPrice({ basis: 'medicare_clfs', setting: null })] }))
  // As long as a schedule that may answer is not held, no one can say that the code is on none.
  const { code, charts } = await ask(app, { cpt: '55555' })
  expect([code, charts.map(({ chart }) => chart)]).toEqual(['no_edition_for_day', ['cms-asp', 'cms-dmepos']])
  await holdTheRest(app, 'cms-pfs', 'cms-clfs')
  // Of each schedule the rows on either side are shown, where there are any.
  for (const [cpt, shown] of [
    ['0000A', [[0], [0], [0], [0]]],
    ['55555', [[0, 1], [0], [0], [0]]],
    ['Z9999', [[1], [0], [0], [0]]],
  ] as [string, number[][]][]) {
    const problem = await ask(app, { cpt })
    expect(problem.code).toBe('not_on_schedule')
    expect([cpt, shownOf(problem)]).toEqual([cpt, shown])
  }
})

test('a refusal about one code does not pass for another', async () => {
  await using app = await testApp()
  await app.publish(aRelease({ rows: ['10000', '20000', '30000'].map((cpt) => aPrice({ code: cpt })) }))
  const problem = await ask(app, { cpt: '15000', basis: 'medicare_pfs' })
  for (const cpt of ['10000', '20000', '25000', '30000', '35000']) {
    const question = questionOf(app, { cpt, basis: 'medicare_pfs' })
    expect([cpt, await verifyBody(JSON.stringify(problem), app.policy, { question })]).toMatchObject([
      cpt,
      { ok: false },
    ])
  }
})

test('modifier, setting and region are never replaced by others', async () => {
  await using app = await testApp()
  await app.publish(
    aRelease({
      rows: [
        aPrice({ code: '70450', modifier: '26' }),
        aPrice({ code: '70450', setting: 'facility' }),
        aPrice({ code: '70450', region: 'US-AL-00' }),
      ],
    }),
  )
  await holdTheRest(app, 'cms-pfs')
  const asks = (more: object) => ask(app, { cpt: '70450', ...more })
  expect(await asks({ modifier: '26' })).toMatchObject({ modifier: '26' })
  expect(await asks({})).toMatchObject({ modifier: null, setting: 'facility' })
  const { code, about } = await asks({ modifier: 'TC' })
  expect([code, about.available]).toEqual([
    'modifier_not_priced',
    {
      modifiers: ['26'],
      settings: ['facility', 'non_facility'],
      bases: ['medicare_pfs'],
      regions: ['US-AL-00', 'national'],
    },
  ])
  const noSetting = await asks({ setting: 'non_facility' })
  expect([noSetting.code, noSetting.detail]).toEqual([
    'not_on_schedule',
    expect.stringContaining('not for this setting'),
  ])
  expect((await asks({ region: 'US-CA-18' })).code).toBe('region_not_covered')
  expect((await asks({ region: 'US-AK' })).code).toBe('region_not_covered')
})

test('the facility price answers where CMS marks the other setting NA', async () => {
  await using app = await testApp()
  const rows: Row[] = [
    anAbsence({ setting: 'non_facility', reason: 'not_applicable_in_setting' }),
    aPrice({ setting: 'facility' }),
  ]
  await app.publish(aRelease({ rows }))
  const answer = await ask(app, { cpt: 'G0101' })
  expect(answer.setting).toBe('facility')
  expect(answer.proof.releases?.[0]?.rows?.leaves).toMatchObject([[1, { setting: 'non_facility' }]])
  expect(await told(app, { cpt: 'G0101', setting: 'non_facility' })).toBe('absent_not_applicable_in_setting')
})

test('a state answers where it has one locality, and lists them where it has several', async () => {
  await using app = await testApp({ sample: true })
  expect(await ask(app, { cpt: '99213', region: 'us-al' })).toMatchObject({ region: 'US-AL-00' })
  const { code, about } = await ask(app, { cpt: '99213', region: 'US-CA' })
  const { choices } = about
  expect([code, choices.map(({ region }) => region)]).toEqual(['region_ambiguous', ['US-CA-05', 'US-CA-18']])
  for (const { region, href } of choices) expect(await app.getJson(href)).toMatchObject({ code: '99213', region })
  expect(await app.problemCode('/reference?cpt=99213&region=US-ZZ')).toBe('invalid_region')
  expect(await told(app, { cpt: '99213', region: 'ZIP-00000' })).toBe('unknown_zip')
})

test('a hospital price is the provider\u2019s own, cash first', async () => {
  await using app = await testApp({ sample: true })
  const row = await ask(app, { cpt: '99213', npi: '1234567893' })
  expect(row).toMatchObject({ npi: '1234567893', basis: 'hospital_cash' })
  expect(releaseOf(row, row.row)).toMatchObject({ data_class: 'sample' })
  expect(await ask(app, { cpt: '99213', npi: '1234567893', basis: 'hospital_gross' })).toMatchObject({
    basis: 'hospital_gross',
  })
  expect(await told(app, { cpt: '99213', npi: '1245319599' })).toBe('unknown_provider')
  expect(await app.problemCode('/reference?cpt=99213&npi=1234567893&basis=medicare_pfs')).toBe('invalid_parameter')
  expect(await app.problemCode('/reference?cpt=99213&basis=hospital_cash')).toBe('invalid_parameter')
  expect(await told(app, { cpt: '99213', npi: '1234567893', as_of: '2020-01-01' })).toBe('no_edition_for_day')
})

test('the sample prices are what the formula gives', async () => {
  await using app = await testApp({ sample: true })
  const amount = async (query: string) =>
    ((await app.getJson(`/reference?cpt=99213${query}`)) as { price: { amount: string } }).price.amount
  expect(await amount('')).toBe('95.19')
  expect(await amount('&setting=facility')).toBe('57.45')
})

/** The indexes of the rows that a proof has of each release. */
const shownOf = ({ proof: { releases = [] } }: Answer): number[][] =>
  releases.map(({ rows }) => (rows?.leaves ?? []).map(([index]) => index))

interface Page {
  data: ShownRow<PricedRow>[]
  proof: Proof
  page: { total: number; next_after: string | null; has_more: boolean }
  links: { next: string | null }
  as_of: string
}

test('the registry is browsed page by page, every row with a proof under one checkpoint', async () => {
  await using app = await testApp({ sample: true })
  const headers = await app.railsHeaders(['registry:read'])
  const seen: string[] = []
  let path: string | null = '/api/registry?limit=200'
  let total = 0
  while (path !== null) {
    const page = (await app.getJson(path, headers)) as Page
    const { rows } = await mustBeProved(app, JSON.stringify(page), { page: { as_of: page.as_of } })
    expect(rows.length).toBe(page.data.length)
    seen.push(...page.data.map(({ proof }) => `${releaseOf(page, proof)?.chart} ${proof.index}`))
    total = page.page.total
    path = page.links.next
  }
  expect(new Set(seen).size).toBe(seen.length)
  expect(seen).toHaveLength(total)
})

test('pages of the registry can be followed by cursor and filtered', async () => {
  await using app = await testApp({ sample: true })
  const headers = await app.railsHeaders(['registry:read'])
  const pageOf = async (query: string) => (await app.getJson(`/api/registry?${query}`, headers)) as Page
  const first = await pageOf('limit=3')
  const second = await pageOf(`limit=3&after=${first.page.next_after}`)
  const both = await pageOf('limit=6')
  expect([...first.data, ...second.data].map(({ proof }) => proof.leaf_hash)).toEqual(
    both.data.map(({ proof }) => proof.leaf_hash),
  )

  const one = await pageOf('cpt=99213&region=US-CA-18')
  const asked = { as_of: one.as_of, cpt: '99213', region: 'US-CA-18' }
  await mustBeProved(app, JSON.stringify(one), { page: asked })
  expect(await verifyBody(JSON.stringify(one), app.policy, { page: { ...asked, region: 'US-CA-05' } })).toMatchObject({
    reason: 'answers_another_question',
  })
  expect(one.page).toMatchObject({ total: 2, has_more: false })
  expect(one.data.every((row) => row.code === '99213' && row.region === 'US-CA-18')).toBe(true)
  const hospital = await pageOf('npi=1234567893&limit=1')
  expect(hospital.data[0]).toMatchObject({ npi: '1234567893' })
  const region = await pageOf('region=US-NY-01&chart=cms-pfs&limit=200')
  expect(region.page.total).toBe(region.data.length)
  expect(region.data.every((row) => row.region === 'US-NY-01')).toBe(true)
  await mustBeProved(app, JSON.stringify(region), { page: { as_of: one.as_of, region: 'US-NY-01', chart: 'cms-pfs' } })
})

test('nothing that a source file says in words is served', async () => {
  await using app = await testApp({ sample: true })
  const headers = await app.railsHeaders()
  const body = JSON.stringify(await app.getJson('/api/registry?npi=1234567893&limit=200', headers))
  for (const text of ['PAYER-A', 'PLAN-1', 'PAYER']) expect(body).not.toContain(text)
})
