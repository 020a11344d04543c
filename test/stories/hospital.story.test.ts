import { expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type FixtureCharge, LAYOUTS, tallCsv } from '../../src/ingest/hospital/fixture.ts'
import { load } from '../../src/ingest/load.ts'
import type { PricedRow } from '../../src/proof/price/row.ts'
import { checksOf } from '../../src/registry/release/check-store.ts'
import { publish } from '../../src/registry/release/publish.ts'
import { type TestApp, temporaryFolder, testApp } from '../support/harness.ts'
import { ask, mustBeProved, told } from '../support/lookup.ts'
import { published, testOnPublished } from '../support/published-files.ts'
import { atr } from '../support/service.ts'

const [ONE, TWO, THREE] = ['1234567893', '1992999999', '2000000010'] as const

async function loadAndPublish(app: TestApp, path: string) {
  const { db, registryLog, cosign } = app.installation
  const { release } = await load(db, 'hospital-mrf', [path], { url: 'https://hospital.example/file' }, app.clock.now)
  await publish({ db, log: registryLog, cosign }, release.release_id, app.clock.now)
  return release
}

/** `atr verify` on an answer, back to the file, under the policy the service publishes. */
async function verifyAtSource(app: TestApp, body: string, path: string, ...asked: string[]) {
  const policy = join(app.folder.path, 'policy')
  writeFileSync(policy, await (await app.request('/log/policy')).text())
  return atr(['verify', '-', '--policy', policy, '--source', path, ...asked], {}, body)
}

test.each(Object.entries(LAYOUTS))(
  'a price in a %s file of three NPIs is asked for by any of them',
  async (kind, write) => {
    await using app = await testApp()
    const path = join(app.folder.path, kind === 'json' ? 'a.json' : 'a.csv')
    const charge = { code: 'G0101', gross: '90', cash: '80', low: '40', high: '70', rates: ['40', '70'] }
    writeFileSync(path, write([charge], { npi: `${THREE}| ${ONE} |${TWO}`, last_updated_on: '4/1/2026' }))
    const { release_id, row_count } = await loadAndPublish(app, path)
    expect([release_id, Number(row_count)]).toEqual([`hospital-mrf:${ONE}:2026-04-01:1`, 15])

    const headers = await app.railsHeaders(['registry:read', 'provider:read'])
    for (const npi of [ONE, TWO, THREE]) {
      const body = await ask(app, { cpt: 'G0101', npi })
      expect(body).toMatchObject({ npi, basis: 'hospital_cash', price: { amount: '80.00' } })
      const question = ['--cpt', 'G0101', '--npi', npi, '--as-of', '2026-11-15']
      const checked = await verifyAtSource(app, JSON.stringify(body), path, ...question)
      expect(checked).toMatchObject({ code: 0, out: expect.stringMatching(/^ok\n/) })
      const page = (await app.getJson(`/api/registry?npi=${npi}`, headers)) as { data: PricedRow[]; as_of: string }
      await mustBeProved(app, JSON.stringify(page), { page: { as_of: page.as_of, npi } })
      expect(page.data.map((row) => [row.npi, row.basis])).toEqual([
        [npi, 'hospital_cash'],
        [npi, 'hospital_gross'],
        [npi, 'hospital_negotiated_high'],
        [npi, 'hospital_negotiated_low'],
        [npi, 'hospital_payer'],
      ])
      expect(await app.getJson(`/api/coverage?npi=${npi}`)).toMatchObject({ data: [{ chart: `hospital-mrf:${ONE}` }] })
      // What is told of a provider is about disputes: a price list puts no one into that directory.
      expect(await app.problemCode(`/api/provider/${npi}`, { headers })).toBe('provider_not_found')
      const absent = await ask(app, { cpt: 'G0102', npi })
      expect([absent.code, absent.proof.releases?.length]).toEqual(['not_on_schedule', 1])
    }
    expect(await told(app, { cpt: 'G0101', npi: '1245319599' })).toBe('unknown_provider')
  },
)

test('a file is held for what is wrong in it, not for what is out of scope, and is told of either way', async () => {
  using folder = temporaryFolder()
  const env = { DATA_DIR: join(folder.path, 'data') }
  const load = (path: string, ...more: string[]) =>
    atr(['load', 'hospital-mrf', path, '--url', 'https://hospital.example/file', '--publish', ...more], env)
  const file = (name: string, charges: readonly FixtureCharge[]): string => {
    const path = join(folder.path, name)
    writeFileSync(path, tallCsv(charges, { last_updated_on: `2026-0${name.at(0)}-01` }))
    return path
  }
  const sound = Array.from({ length: 148 }, (_, i) => ({ code: `G${1000 + i}`, gross: '5', rates: ['4', '3', '2'] }))
  const outside = ['12345678', '470'].map((code) => ({ code, gross: '5', rates: ['1', '2'] }))
  const many = Array.from({ length: 200 }, () => outside).flat()
  expect((await atr(['init', '--origin', 'hospital.example'], env)).code).toBe(0)

  // Seven lines of one price: one price is lost, of 593.
  const seven = Array.from({ length: 7 }, () => ({ code: 'G0101', gross: 'x' }))
  const scoped = await load(file('1.csv', [...sound, ...seven, ...many]), '--json')
  expect(scoped).toMatchObject({ code: 0, err: '' })
  expect(JSON.parse(scoped.out)).toMatchObject({
    state: 'published',
    rejected: 7,
    checks: expect.arrayContaining([
      expect.objectContaining({ rule: 'R02', severity: 'reject', failed: 7 }),
      expect.objectContaining({ rule: 'R03_other_code', severity: 'flag', failed: 800 }),
    ]),
  })

  const seventh = seven.map((charge, i) => ({ ...charge, code: `G200${i}` }))
  const held = await load(file('2.csv', [...sound, ...seventh]))
  expect([held.code, held.err]).toEqual([1, expect.stringMatching(/rejected_share.*1\.17/)])
  expect(held.err).toContain('7 of about 599 prices in the source (1.17 %) are not in the release')
  expect(held.err).toMatch(/R02: 7 \(1\.17 %\): an amount .* is not a valid number, first on lines 448, 449, /)
  expect(held.out).toMatch(/state +staged/)
  expect(held.out).toMatch(/R02 +reject +7 +448, 449/)
  const again = await load(join(folder.path, '2.csv'), '--json')
  expect([again.code, JSON.parse(again.out)]).toEqual([1, expect.objectContaining({ state: 'staged', already: true })])
})

/** The totals by rule are facts about the files: other programs count the same. */
const REAL: [string, Record<string, number>][] = [
  ['hospital-mrf/real/1194866210_marthas-vineyard-hospital_v3_tall_COMPLETE.csv.gz', { not_cpt: 88, other_payer: 2 }],
  [
    'hospital-mrf/real-full/1649248626_wellstar-kennestone_v3_tall_ALLROWS.csv.gz',
    { R03_other_code: 224, no_amount: 27_622, not_cpt: 496, other_payer: 931 },
  ],
]
for (const [file, totals] of REAL)
  testOnPublished(`${file} is not held, and atr verify finds its rows on the lines they cite`, [file], async () => {
    await using app = await testApp()
    const { release_no } = await loadAndPublish(app, published(file))
    const checks = await checksOf(app.installation.db, release_no)
    const broken = checks.filter(({ rule, failed }) => failed > 0 && !/^R0[4-8]/.test(rule))
    expect(Object.fromEntries(broken.map(({ rule, failed }) => [rule, failed]))).toEqual(totals)

    const headers = await app.railsHeaders(['registry:read'])
    const rowAt = async (offset: number) =>
      (await app.getJson(`/api/registry?limit=1&offset=${offset}`, headers)) as {
        data: PricedRow[]
        page: { total: number }
      }
    const first = await rowAt(0)
    const reached = Math.min(first.page.total, 100_000)
    for (const third of [0, 1, 2]) {
      const at = Math.floor(((third + Math.random()) * reached) / 3)
      const page = await rowAt(at)
      const asked = ['--asked', `/api/registry?npi=${page.data[0]?.npi}&as_of=2026-11-15`]
      expect([at, await verifyAtSource(app, JSON.stringify(page), published(file), ...asked)]).toEqual([
        at,
        { code: 0, out: expect.stringMatching(/^ok\n(?:.*\n)*.*found in the files they cite: 1/), err: '' },
      ])
    }
  })
