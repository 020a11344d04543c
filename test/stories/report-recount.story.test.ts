import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { recheck } from '../../src/cli/fsck.ts'
import { load } from '../../src/ingest/load.ts'
import type { IntegrityReport } from '../../src/integrity/report/report-shape.ts'
import { CHARTS } from '../../src/registry/charts.ts'
import { overrideAll } from '../../src/registry/release/breaker.ts'
import { moveProvider } from '../../src/registry/release/provider-move.ts'
import { publish } from '../../src/registry/release/publish.ts'
import { withdraw } from '../../src/registry/release/withdrawal.ts'
import { anAbsence, aPrice, aRelease } from '../support/builders.ts'
import { type TestApp, testApp } from '../support/harness.ts'
import { packedRows } from '../support/packed-rows.ts'
import { editFile, replacing } from '../support/release-file.ts'

// Every count of the integrity report, counted again: from the bytes of the release files, from the entries of the log,
// and by statements of this test. Nothing that makes the report is used.

const TODAY = '2026-11-15'
const [ONE, OTHER, SHARED] = ['1777777776', '1888888884', '1999999992'] as const

interface Manifest {
  schema: string
  release_id: string
  chart: string
  edition: string
  effective_from: string
  effective_to: string
  row_count: number
  supersedes: string | null
  rejected_count: number
  providers?: string[]
  citations: { url: string; sha256: string; bytes: number }[]
}
interface FileRow {
  key: string
  kind: string
  code?: string
  zip?: string
  region: string | null
  npi?: string | null
  reason?: string
  price?: unknown
}

/** The rows of a release, from the bundles of its file. */
function rowsIn(path: string): FileRow[] {
  using file = new Database(path, { readonly: true })
  return packedRows(file).map(({ key, body }) => ({ ...(JSON.parse(body) as FileRow), key }))
}

/** Lines of a laboratory file: one price twice, one three times, two keys with two prices, and two lines that are refused. */
const LABORATORY = [
  'YEAR,HCPCS,MOD,EFF_DATE,INDICATOR,RATE,SHORTDESC,LONGDESC,EXTENDEDLONGDESC',
  ...['80048 8.61', '80048 8.61', '80053 10.73', '80053 10.73', '80053 10.73', '80061 13.58', '80061 13.59'].map(
    labLine,
  ),
  ...['81001 3.29', '81001 3.30', '82947 3.93', '83036 none', '8303X6 9.71'].map(labLine),
]
function labLine(text: string): string {
  const [code, rate] = text.split(' ')
  return `2026,${code},,20260101,N,${rate},,,`
}
const FOUND_IN_LABORATORY = { R02: 1, R03: 1, R09: 3, R10: 2 }

function hospitalFile(app: TestApp, npi: string, npis: readonly string[], lines: readonly string[]): string {
  const path = join(app.folder.path, `${npi}_hospital_standardcharges.csv`)
  const columns =
    'description,code|1,code|1|type,setting,standard_charge|gross,standard_charge|discounted_cash,payer_name,plan_name,standard_charge|negotiated_dollar,standard_charge|methodology,standard_charge|min,standard_charge|max'
  const head = 'hospital_name,last_updated_on,version,location_name,hospital_address,license_number|MD,type_2_npi'
  writeFileSync(path, `${[head, `x,2026-09-01,3.0.0,x,x,0,${npis.join('|')}`, columns, ...lines].join('\n')}\n`)
  return path
}

/** A registry with something of everything that the report counts. */
async function aWorld(app: TestApp): Promise<void> {
  const { db, registryLog, cosign } = app.installation
  const publisher = { db, log: registryLog, cosign }
  const overrides = overrideAll('verified_by_operator')
  const add = async (kind: string, path: string, options: Parameters<typeof load>[3]) => {
    const { release } = await load(db, kind, [path], { url: `https://${kind}.example/file`, ...options }, app.clock.now)
    await publish(publisher, release.release_id, app.clock.now, overrides)
  }
  const laboratory = join(app.folder.path, 'lab.csv')
  writeFileSync(laboratory, `${LABORATORY.join('\r\n')}\r\n`)
  await add('cms-clfs', laboratory, { edition: 'SAMPLE26Q4', effective_from: '2026-10-01' })
  const line = (cpt: string, min: string, max: string) => `x,${cpt},HCPCS,outpatient,300.00,150.00,,,,,${min},${max}`
  const lines = [line('G0101', '120.00', '140.00'), line('G0102', '140.00', '120.00')]
  await add('hospital-mrf', hospitalFile(app, ONE, [ONE, SHARED], lines), {})
  await add('hospital-mrf', hospitalFile(app, OTHER, [OTHER, SHARED], [line('G0103', '9.00', '14.00')]), {})
  await moveProvider(publisher, { npi: SHARED, chart: `hospital-mrf:${OTHER}` }, 'operator_decision', app.clock.now)

  const opps = (edition: string, effective_from: string, effective_to: string, prices: string[]) =>
    app.publish(
      aRelease({
        chart: 'cms-opps',
        edition,
        effective_from,
        effective_to,
        rows: [
          ...prices.map((amount, i) =>
            aPrice({
              code: `G010${i}`,
              basis: 'medicare_opps',
              setting: 'outpatient',
              price: { amount, currency: 'USD' },
              effective_from,
            }),
          ),
          anAbsence({
            code: 'G0109',
            basis: 'medicare_opps',
            setting: 'outpatient',
            reason: 'withheld_conflict',
            effective_from,
          }),
        ],
      }),
    )
  await opps('A', '2026-01-01', '2026-03-31', ['10.00', '20.00'])
  await opps('B', '2026-05-01', '2026-06-30', ['10.00', '25.00', '30.00'])
  await opps('C', '2026-06-15', '2026-06-30', ['11.00', '30.00'])
  await opps('C', '2026-06-15', '2026-06-30', ['11.00', '30.00', '31.00'])
  await opps('LATER', '2027-02-01', '2027-03-31', ['12.00'])
  const only = (chart: string, effective_from: string) =>
    app.publish(
      aRelease({ chart, effective_from, rows: [aPrice({ basis: 'medicare_asc', setting: 'asc', effective_from })] }),
    )
  await withdraw(publisher, await only('cms-asc', '2026-10-01'), 'operator_decision', app.clock.now)

  const check = (url: string, sha256: string, state: string, at: number, failures: number) =>
    db.query(
      `INSERT INTO citation_check (url, sha256, state, checked_at, failures, next_check_at) VALUES ($1, $2, $3, $4, $5, $6)`,
      [url, sha256, state, at, failures, at + 1],
    )
  const cited = await entries(app)
  const [pfs, opps_c, mrf] = ['cms-pfs:SAMPLE26D:1', 'cms-opps:C:2', `hospital-mrf:${ONE}:2026-09-01:1`].map(
    (id) => cited.find(({ release_id }) => release_id === id)?.citations[0],
  )
  const HOUR = 3_600_000
  if (!pfs || !opps_c || !mrf) throw new Error('a release has no citation')
  await check(pfs.url, pfs.sha256, 'ok', app.clock.now - HOUR, 0)
  await check(opps_c.url, opps_c.sha256, 'unreachable', app.clock.now - 30 * HOUR, 2)
  await check(mrf.url, mrf.sha256, 'gone', app.clock.now - 2 * HOUR, 4)
  await check('https://elsewhere.example/old', 'cd'.repeat(32), 'blocked', app.clock.now, 1)
}

async function entries(app: TestApp): Promise<Manifest[]> {
  const leaves = await app.installation.db.query<{ body: Uint8Array }>(
    "SELECT body FROM log_leaf WHERE log = 'registry' ORDER BY leaf_index",
  )
  return leaves.map(({ body }) => JSON.parse(new TextDecoder().decode(body)) as Manifest)
}

const distinct = (texts: readonly (string | null | undefined)[]): number => new Set(texts.filter(Boolean)).size
const daysFrom = (from: string, to: string): number => (Date.parse(to) - Date.parse(from)) / 86_400_000
const sum = (numbers: readonly number[]): number => numbers.reduce((total, each) => total + each, 0)

test('every count of the report is what the files, the log and the tables hold', async () => {
  await using app = await testApp({ sample: true, today: TODAY, engine: 'sqlite' })
  const { db } = app.installation
  await aWorld(app)
  const files = new Map(
    (await db.query<{ release_id: string; file: string }>('SELECT release_id, file FROM release')).map((each) => [
      each.release_id,
      join(app.config.DATA_DIR, 'releases', `${each.file}.atr`),
    ]),
  )
  const rows = new Map([...files].map(([id, path]) => [id, rowsIn(path)]))
  const [{ release_no } = { release_no: 0 }] = await db.query<{ release_no: number }>(
    "SELECT release_no FROM release WHERE release_id = 'cms-opps:B:1'",
  )
  await editFile(app.config, release_no, replacing('25.00', '25.01'))
  await recheck(app.installation, app.clock.now)
  const report = (await app.getJson('/api/data-integrity', await app.railsHeaders())) as IntegrityReport

  const log = await entries(app)
  const manifests = log.filter(({ schema }) => schema.startsWith('price-release/'))
  const withdrawn = log.flatMap(({ schema, release_id }) =>
    schema.startsWith('price-withdrawal/') ? [release_id] : [],
  )
  const standing = manifests.filter(({ release_id }) => !withdrawn.includes(release_id))
  const last = standing.filter(
    (each, i) => !standing.slice(i + 1).some(({ chart, edition }) => chart === each.chart && edition === each.edition),
  )
  const charts = [...new Set(standing.map(({ chart }) => chart))].sort()
  const latest = charts.flatMap((chart) => {
    const begun = last.filter((each) => each.chart === chart && each.effective_from <= TODAY)
    return begun.sort((a, b) => (a.effective_from < b.effective_from ? 1 : -1)).slice(0, 1)
  })

  // Charts.
  expect(report.charts.map(({ release_id }) => release_id)).toEqual(latest.map(({ release_id }) => release_id))
  for (const [i, chart] of report.charts.entries()) {
    const { release_id, supersedes, citations, row_count, chart: name } = latest[i] as Manifest
    const held = rows.get(release_id) ?? []
    expect(chart).toMatchObject({
      rows: held.length,
      codes: distinct(held.map(({ code, zip }) => code ?? zip)),
      regions: distinct(held.map(({ region }) => region)),
      providers: distinct(held.map(({ npi }) => npi)),
      source_bytes: citations[0]?.bytes ?? 0,
      rows_failed: 0,
      age_days: daysFrom(latest[i]?.effective_from ?? '', TODAY),
    })
    expect(row_count).toBe(held.length)
    const replaced = standing.filter((each) => each.chart === name && !last.includes(each))
    expect([name, chart.superseded_count]).toEqual([name, replaced.length])
    expect(chart.superseded.map((each) => each.release_id)).toEqual(replaced.map((each) => each.release_id))
    const before = supersedes === null ? undefined : rows.get(supersedes)
    if (!before) {
      expect(chart.delta).toBeNull()
      continue
    }
    const told = ({ kind, price, reason }: FileRow) => JSON.stringify([kind, price, reason])
    const [was, is] = [
      new Map(before.map((row) => [row.key, told(row)])),
      new Map(held.map((row) => [row.key, told(row)])),
    ]
    const both = [...is.keys()].filter((key) => was.has(key))
    const unchanged = both.filter((key) => was.get(key) === is.get(key)).length
    const counts = { added: is.size - both.length, removed: was.size - both.length, unchanged }
    expect(chart.delta).toMatchObject({ previous_release: supersedes, ...counts, changed: both.length - unchanged })
  }

  // The summary.
  const shown = latest.flatMap(({ release_id }) => rows.get(release_id) ?? [])
  const withheld = shown.filter(({ reason }) => reason === 'withheld_conflict').length
  expect(withheld).toBeGreaterThan(3)
  const ended = latest.filter(({ effective_to }) => effective_to < TODAY)
  const rowsOf = (list: readonly Manifest[]): number => sum(list.map(({ row_count }) => row_count))
  const stale = { due: 0, stale: 0 }
  expect(report.summary).toMatchObject({
    rows_served: shown.length - withheld,
    rows_withheld: withheld,
    rows_failed: 0,
    rows_rejected_last_load: sum(latest.map(({ rejected_count }) => rejected_count)),
    charts: { fresh: latest.length - ended.length, ...stale, expired: ended.length, unknown: 1 },
    rows_by_chart_status: { fresh: shown.length - rowsOf(ended), ...stale, expired: rowsOf(ended) },
  })
  expect(ended.map(({ release_id }) => release_id)).toEqual(['cms-opps:C:2'])

  // Citations.
  const checked = await db.query<{ url: string; sha256: string; state: string; checked_at: number }>(
    'SELECT url, sha256, state, checked_at FROM citation_check',
  )
  const sources = latest.flatMap(({ citations }) => citations)
  const states = sources.map((cited) => checked.find(({ url, sha256 }) => url === cited.url && sha256 === cited.sha256))
  for (const [state, count] of Object.entries(report.summary.citations))
    expect([state, count]).toEqual([state, states.filter((each) => (each?.state ?? 'unchecked') === state).length])
  expect(report.citations).toMatchObject({ total_failing: 2, checked_last_24h: 2, archived_share: null })
  expect(report.citations.failing.map(({ rows_affected }) => rows_affected).sort()).toEqual(
    ['cms-opps:C:2', `hospital-mrf:${ONE}:2026-09-01:1`].map((id) => rows.get(id)?.length ?? 0).sort(),
  )

  // Rules.
  const laboratory = await db.query<{ rule: keyof typeof FOUND_IN_LABORATORY; failed: number }>(
    "SELECT c.rule, c.failed FROM release_check c JOIN release r ON r.release_no = c.release_no WHERE r.release_id = 'cms-clfs:SAMPLE26Q4:2' AND c.failed > 0",
  )
  expect(Object.fromEntries(laboratory.map(({ rule, failed }) => [rule, failed]))).toMatchObject(FOUND_IN_LABORATORY)
  const stated = (release: Manifest): number => {
    const held = rows.get(release.release_id) ?? []
    const regions = Map.groupBy(held, ({ region }) => region ?? '')
    const national = regions.get('national')?.length ?? 0
    if (national > 0) return Math.ceil(national / Math.max(1, distinct(held.map(({ npi }) => npi))))
    regions.delete('')
    return Math.max(
      distinct(held.map(({ code, zip }) => code ?? zip)),
      ...[...regions.values()].map((each) => each.length),
    )
  }
  const found = await db.query<{ release_id: string; rule: string; evaluated: number; failed: number }>(
    'SELECT r.release_id, c.rule, c.evaluated, c.failed FROM release_check c JOIN release r ON r.release_no = c.release_no',
  )
  for (const { check_id, evaluated, failed } of report.checks) {
    if (check_id === 'R01') continue
    const perChart = latest.map((release) => {
      const own = found.find(({ release_id, rule }) => release_id === release.release_id && rule === check_id)
      const entry = CHARTS.find(({ chart }) => chart === release.chart.split(':')[0])
      const isJudged = entry?.judgedOnReading.some((rule) => rule === check_id) ?? false
      return own ?? { evaluated: isJudged ? stated(release) : 0, failed: 0 }
    })
    const right = [sum(perChart.map((each) => each.evaluated)), sum(perChart.map((each) => each.failed))]
    expect([check_id, evaluated, failed]).toEqual([check_id, ...right])
  }

  // Periods: days between two editions, and days that both claim.
  const { periods, gaps, overlaps, duplicates_merged, same_key_different_price } = report.conflicts
  expect(periods.map(({ release_id, kind, days, from, to }) => [release_id, kind, days, from, to])).toEqual([
    ['cms-opps:B:1', 'gap', daysFrom('2026-04-01', '2026-05-01'), '2026-04-01', '2026-04-30'],
    ['cms-opps:C:2', 'overlap', daysFrom('2026-06-15', '2026-07-01'), '2026-06-15', '2026-06-30'],
    ['cms-opps:LATER:1', 'gap', daysFrom('2026-07-01', '2027-02-01'), '2026-07-01', '2027-01-31'],
  ])
  expect([gaps, overlaps]).toEqual([2, 1])
  const failedBy = (rule: string) =>
    sum(
      found
        .filter((each) => each.rule === rule && latest.some(({ release_id }) => release_id === each.release_id))
        .map(({ failed }) => failed),
    )
  expect([duplicates_merged, same_key_different_price]).toEqual([failedBy('R09'), failedBy('R10')])

  // Providers.
  const naming = Map.groupBy(
    standing.flatMap(({ chart, providers = [] }) => providers.map((npi) => ({ npi, chart }))),
    ({ npi }) => npi,
  )
  const shared = [...naming].filter(([, its]) => distinct(its.map(({ chart }) => chart)) > 1).map(([npi]) => npi)
  expect(shared).toEqual([SHARED])
  expect(report.providers).toMatchObject({
    overlaps: shared.length,
    moves: log.filter(({ schema }) => schema.startsWith('provider-move/')).length,
    samples: [{ npi: SHARED, chart: `hospital-mrf:${OTHER}`, moved_from: `hospital-mrf:${ONE}` }],
  })

  // Proofs: of every release, and one row was changed after it was published.
  expect(report.proofs).toMatchObject({
    rows_verified: rowsOf(manifests),
    rows_failed: 1,
    rows_without_proof: 1,
    releases_unverified: 0,
    total_failing: 1,
    log_size: log.length,
    witnesses: 0,
  })
  const all = rowsOf(manifests)
  expect(report.summary.proof_coverage).toBe(Math.floor(((all - 1) / all) * 10_000) / 10_000)
  expect(report.checks.find(({ check_id }) => check_id === 'R01')).toMatchObject({ evaluated: all, failed: 1 })
  const { metrics } = (await app.getJson('/api/figures')) as { metrics: Record<string, { suppressed: boolean }> }
  expect(report.figures.metrics_suppressed).toBe(Object.values(metrics).filter(({ suppressed }) => suppressed).length)
  expect(report.status_reasons).toEqual([
    'chart_expired:cms-opps',
    'proofs_failed:cms-opps:B:1',
    `citation_gone:hospital-mrf:${ONE}`,
    'gap_ahead:cms-opps:LATER:1',
    'citation_unreachable:cms-opps',
  ])
})
