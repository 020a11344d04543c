// Adding a schedule: an entry in the table and a reader. The rest of the service follows.

import { expect, test } from 'bun:test'
import { cpSync, existsSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { dayOf } from '../../src/calendar.ts'
import { checkOptions, loadOptions, optionTexts, parseOptions } from '../../src/cli/load-options.ts'
import { load } from '../../src/ingest/load.ts'
import { READERS } from '../../src/ingest/readers.ts'
import { quarterly } from '../../src/ingest/schedules/quarter.ts'
import { nationalRow, scheduleReader, statedPrice } from '../../src/ingest/schedules/schedule.ts'
import { readSource } from '../../src/ingest/source.ts'
import { sourceCheck } from '../../src/ingest/source-check.ts'
import type { IntegrityReport } from '../../src/integrity/report/report-shape.ts'
import { verifyDerivation } from '../../src/proof/price/derivation.ts'
import type { Manifest } from '../../src/proof/price/release.ts'
import type { PricedRow, Row } from '../../src/proof/price/row.ts'
import { verifyBody } from '../../src/proof/verify-lists.ts'
import { CHARTS, type ChartEntry, chartTable } from '../../src/registry/charts.ts'
import { type Override, overrideAll } from '../../src/registry/release/breaker.ts'
import { checksOf } from '../../src/registry/release/check-store.ts'
import { publish } from '../../src/registry/release/publish.ts'
import { temporaryFolder } from '../support/folder.ts'
import { type TestApp, testApp } from '../support/harness.ts'

const ROOT = join(import.meta.dir, '../..')

/** The entry. `proof/` has its own list of bases, so it takes over one that is there; the table then lacks its chart. */
const ENTRY: ChartEntry = {
  chart: 'cms-invented',
  reader: 'schedules/invented',
  perProvider: false,
  kind: 'cms_invented',
  publisher: 'An invented publisher',
  title: 'Invented schedule',
  bases: ['medicare_clfs'],
  settings: [null],
  speaks: 'national',
  calendar: { next: 'quarter', due_before_days: 30, stale_after_days: 15, expired_after_days: 45 },
  judgedOnReading: ['R02', 'R09', 'R10'],
  rowRules: 'alone',
  breaker: { farMovePct: 25, holdsConflicts: true, lossUnit: 'lines' },
  comparable: { preference: 0, settings: [null] },
  leastLines: 4,
}
const charts = [ENTRY, ...CHARTS.filter(({ chart }) => chart !== 'cms-clfs')]

/** The reader. */
const invented = scheduleReader({
  what: 'an invented schedule',
  parts: [{ columns: { cpt: { titles: ['Code'] }, rate: { titles: ['Limit', 'Payment Limit'] } } }],
  dated: quarterly('INV'),
  empty: 'the invented schedule has no line that can be read',
  row: (line, effective_from) =>
    statedPrice(nationalRow(line, 'medicare_clfs', effective_from), line.number('rate')) ?? 'R02',
})
const [regions] = READERS['cms-pfs']?.options ?? []
if (!regions) throw new Error('the physician schedule has no option to borrow')
const readers = { ...READERS, 'cms-invented': { ...invented, options: [regions] } }

function fileOf(app: TestApp, name: string, lines: readonly string[]): string {
  const path = join(app.folder.path, name)
  writeFileSync(path, ['An invented schedule', '', 'Code,Name,Limit', ...lines].join('\n'))
  return path
}

async function loadAndPublish(app: TestApp, path: string, overrides: readonly Override[] = []) {
  const { db, registryLog: log, cosign } = app.installation
  const url = 'https://example.org/invented.csv'
  const loaded = await load(db, 'cms-invented', [path], { url }, app.clock.now, undefined, { charts, readers })
  await publish({ db, log, cosign, charts }, loaded.release.release_id, app.clock.now, overrides)
  return loaded
}

const FIRST = ['G0101,x,10.00', 'G0102,x,20.00', 'G0103,x,30.00', 'G0104,x,40.00', 'G0105,x,50.00', 'G0106,x,60.00']
const SECOND = ['G0101,x,10.00', 'G0102,x,29.00', ...FIRST.slice(2, 5), 'G0107,x,70.00']

/** A verifier of a registry that has further schedules is told of them. */
const told = { charts: chartTable(charts) }

/** An answer, proved to be one to what was asked: the schedule is found by its basis. */
async function proved<Body>(app: TestApp, cpt: string): Promise<Body> {
  const question = { cpt, basis: 'medicare_clfs', as_of: dayOf(app.clock.now) }
  const body = await (await app.request(`/reference?${new URLSearchParams(question)}`)).text()
  expect([cpt, await verifyBody(body, app.policy, { question }, told)]).toMatchObject([cpt, { ok: true }])
  // A verifier that was not told of the schedule does not take it for one.
  expect(await verifyBody(body, app.policy, { question })).toMatchObject({ ok: false })
  return JSON.parse(body) as Body
}

test('a new schedule is one entry and one reader: it is loaded, published, listed, looked up, browsed and proved', async () => {
  await using app = await testApp({ today: '2026-02-01', charts })
  const path = fileOf(app, 'invented_2026_January.csv', FIRST)
  const { release } = await loadAndPublish(app, path)
  expect(release).toMatchObject({ release_id: 'cms-invented:INV26Q1:1', effective_from: '2026-01-01', row_count: 6 })

  const named = { chart: 'cms-invented', release_id: release.release_id }
  expect(await app.getJson('/api/releases?chart=cms-invented')).toMatchObject({ data: [named] })
  expect(await app.getJson('/api/coverage?chart=cms-invented')).toMatchObject({
    data: [{ ...named, publisher: ENTRY.publisher, about: { title: ENTRY.title, codes: 6 } }],
  })
  expect(await (await app.request('/', { headers: { accept: 'text/html' } })).text()).toContain(ENTRY.title)
  const feed = app.app.resources.map(({ path: at }) => at).find((at) => at.includes('feed')) ?? ''
  expect(await (await app.request(feed)).text()).toContain(ENTRY.title)

  expect(await proved(app, 'G0102')).toMatchObject({ price: { amount: '20.00' }, basis: 'medicare_clfs' })
  expect(await proved(app, 'G0199')).toMatchObject({ code: 'not_on_schedule', proof: { releases: [{}] } })
  const headers = await app.railsHeaders(['registry:read'])
  const body = await (await app.request('/api/registry?chart=cms-invented', { headers })).text()
  const asked = { as_of: '2026-02-01', chart: 'cms-invented' }
  expect(await verifyBody(body, app.policy, { page: asked }, told)).toMatchObject({ ok: true })
  const page = JSON.parse(body) as { data: (Row & { proof: object })[]; proof: { releases: { release: Manifest }[] } }
  expect(page.data.length).toBe(6)

  const check = sourceCheck([await readSource(path)], { charts, readers })
  const citations = page.proof.releases[0]?.release.citations ?? []
  for (const { proof: _, ...row } of page.data as (PricedRow & { proof: object })[]) {
    expect(verifyDerivation(row)).toEqual({ ok: true })
    expect(check(row, citations)).toEqual({ ok: true })
    const other = { ...row, locator: [{ citation: 0, line: row.locator[0]?.line === 4 ? 5 : 4 }] }
    expect(check(other, citations)).toMatchObject({ ok: false, reason: 'inputs_not_at_line' })
  }
})

test('a second edition of a new schedule is compared with the first, and found fresh, then due and then expired', async () => {
  await using app = await testApp({ today: '2026-02-01', charts })
  const report = async (day: string) => {
    app.clock.now = Date.parse(`${day}T12:00:00Z`)
    const headers = await app.railsHeaders(['integrity:read'])
    return (await app.getJson('/api/data-integrity', headers)) as IntegrityReport
  }
  const first = await loadAndPublish(app, fileOf(app, 'invented_2026_January.csv', FIRST))
  const second = await loadAndPublish(app, fileOf(app, 'invented_2026_April.csv', SECOND))
  const [from, to] = [first.release.release_id, second.release.release_id]
  expect(await app.getJson(`/api/releases/diff?from=${from}&to=${to}`)).toMatchObject({
    added: 1,
    removed: 1,
    changed: 1,
  })
  const history = (await app.getJson('/reference/history?cpt=G0102&basis=medicare_clfs')) as {
    data: { release_id: string }[]
  }
  expect(history.data.map(({ release_id }) => release_id)).toEqual([to, from])

  const fresh = await report('2026-05-01')
  expect(fresh.charts).toMatchObject([
    { kind: 'cms_invented', release_id: to, status: 'fresh', effective_to: '2026-06-30', delta: { changed: 1 } },
  ])
  const failed = (id: string) => fresh.checks.find(({ check_id }) => check_id === id)
  expect(failed('R12')).toMatchObject({ status: 'warn', failed: 1 })
  expect([failed('R09')?.status, failed('R14')?.status]).toEqual(['pass', 'not_evaluated'])
  expect((await report('2026-06-15')).charts).toMatchObject([{ status: 'due' }])
  expect((await report('2026-07-01')).charts).toMatchObject([{ status: 'expired', status_reason: 'period_has_ended' }])
})

test('a new schedule has its least size, its breaker and its place beside the hospitals', async () => {
  await using app = await testApp({ today: '2026-02-01', charts })
  const { db } = app.installation
  const parts = { charts, readers }
  const sample = join(import.meta.dir, '../../sample/1234567893_sample-hospital_standardcharges.csv')
  const hospital = () => load(db, 'hospital-mrf', [sample], {}, app.clock.now, undefined, parts)
  expect((await hospital()).judged_without).toContain('cms-invented')

  const short = fileOf(app, 'invented_2026_January.csv', FIRST.slice(0, 3))
  await expect(loadAndPublish(app, short)).rejects.toMatchObject({ detail: expect.stringContaining('w03_short') })
  const { release } = await loadAndPublish(app, short, overrideAll('sample_data'))
  expect((await checksOf(db, release.release_no)).find(({ rule }) => rule === 'W03')?.failed).toBe(1)
  expect((await hospital()).judged_without).not.toContain('cms-invented')

  const twice = fileOf(app, 'invented_2026_April.csv', [...FIRST, 'G0106,x,61.00'])
  await expect(loadAndPublish(app, twice)).rejects.toMatchObject({ code: 'release_held' })
})

test('the command line offers the options of a new schedule, and to no other kind', () => {
  expect(optionTexts(readers)).toContainEqual([
    '--regions R,R',
    expect.stringMatching(/^cms-pfs, cms-pfs-qpp, cms-invented: /),
  ])
  expect(parseOptions(readers)).toMatchObject({ regions: { type: 'string' } })
  const said = { sample: false, regions: 'us-ca-18' }
  checkOptions('cms-invented', said, readers)
  expect(() => checkOptions('cms-opps', said, readers)).toThrow('--regions is not an option of load cms-opps')
  expect(loadOptions(said, readers)).toMatchObject({ regions: ['US-CA-18'] })
})

test('a chart that is not in the table is not one to ask for', async () => {
  await using app = await testApp()
  expect(await app.problemCode('/api/coverage?chart=cms-invented')).toBe('invalid_parameter')
  const { db } = app.installation
  await expect(load(db, 'cms-invented', [], {}, app.clock.now)).rejects.toMatchObject({
    detail: `the kind must be one of ${CHARTS.map(({ chart }) => chart).join(', ')}`,
  })
})

/** The files of the product that a new schedule needs, and their change. */
const CHANGES: Record<string, (text: string) => string> = {
  'src/ingest/schedules/invented.ts': () => `
    import { quarterly } from './quarter.ts'
    import { nationalRow, refused, scheduleReader, statedPrice } from './schedule.ts'

    export const reader = scheduleReader({
      what: 'an invented schedule',
      parts: [{ columns: { cpt: { titles: ['Code'] }, rate: { titles: ['Limit'] } } }],
      dated: quarterly('INV'),
      empty: 'the invented schedule has no line that can be read',
      row(line, effective_from) {
        const base = nationalRow(line, 'medicare_invented', effective_from)
        return statedPrice(base, line.number('rate')) ?? refused(base, 'R02')
      },
    })`,
  'docs/spec/tables/charts.json': (text) =>
    [
      before(
        '    "medicare_anesthesia": {',
        '    "medicare_invented": { "indicators": [], "methods": ["verbatim/1", "row-rule/1"] },\n',
      ),
      before(
        '    "hospital-mrf": {',
        '    "cms-invented": { "bases": ["medicare_invented"], "speaks": "national", "settings": [null], "source": "42 CFR 400.200" },\n',
      ),
    ].reduce((changed, change) => change(changed), text),
  'docs/spec/tables/editions.json': before(
    '    "hospital-mrf": {',
    `    "cms-invented": {
      "reader": "schedules/invented",
      "kind": "cms_invented",
      "publisher": "An invented publisher",
      "title": "Invented schedule",
      "calendar": { "next": "quarter", "due_before_days": 30, "stale_after_days": 15, "expired_after_days": 45 },
      "judged_on_reading": ["R02", "R03", "R03_field", "R09", "R10"],
      "row_rules": "alone",
      "breaker": { "far_move_pct": 25, "holds_conflicts": true, "loss_unit": "lines" },
      "comparable": null,
      "least_lines": 10
    },\n`,
  ),
  'src/surfaces/words/schedules.ts': (text) =>
    [
      before(
        'const HOSPITAL = {',
        "const INVENTED = { ...MEDICARE, bases: { medicare_invented: { whose: 'Inventor', short: 'Invented', is: 'the invented amount' } } } satisfies ScheduleWords\n",
      ),
      before('  HOSPITAL,\n', '  INVENTED,\n'),
      before('  ...HOSPITAL.bases,', '  ...INVENTED.bases,\n'),
    ].reduce((changed, change) => change(changed), text),
  'docs/spec/tables/publishers.json': before(
    '    "hospital-mrf": {',
    `    "cms-invented": {
      "page": "https://www.cms.gov/medicare/invented",
      "files": [{ "path": "^/files/zip/invented(?<year>[0-9]{2})q(?<quarter>[1-4])\\\\.zip$" }],
      "most_mib": 8,
      "most_rows": 1000,
      "canaries": [{ "code": "G0101", "least": "1.00", "most": "100.00" }],
      "headings": [],
      "source": "invented"
    },\n`,
  ),
  'docs/operate/load.md': before(
    '| `atr load cms-anesthesia`',
    '| `atr load cms-invented` | invented schedule: CSV | none |\n',
  ),
}

function before(anchor: string, added: string): (text: string) => string {
  return (text) => {
    expect([anchor, text.includes(anchor)]).toEqual([anchor, true])
    return text.replace(anchor, () => added + anchor)
  }
}

test('a schedule is added by five files of the product and a line of the manual, and everything knows it', async () => {
  expect(Object.keys(CHANGES).filter((path) => path !== 'docs/operate/load.md').length).toBeLessThanOrEqual(5)
  using copy = temporaryFolder()
  const at = (path: string): string => join(copy.path, path)
  for (const path of [
    'src',
    'tools',
    'sample',
    'docs/spec',
    'docs/operate/load.md',
    'test/support',
    'test/stories/new-schedule-walk.ts',
    'package.json',
  ])
    cpSync(join(ROOT, path), at(path), { recursive: true })
  symlinkSync(join(ROOT, 'node_modules'), at('node_modules'))
  const compiler = JSON.parse(readFileSync(join(ROOT, 'tsconfig.json'), 'utf8')) as object
  writeFileSync(
    at('tsconfig.json'),
    JSON.stringify({ ...compiler, include: ['src'], exclude: ['src/**/*.test.ts', 'src/**/*fixture.ts'] }),
  )
  for (const [path, change] of Object.entries(CHANGES))
    writeFileSync(at(path), change(existsSync(at(path)) ? readFileSync(at(path), 'utf8') : ''))

  const run = async (...command: string[]): Promise<string> => {
    const child = Bun.spawn(command, { cwd: copy.path, stdout: 'pipe', stderr: 'pipe' })
    const [said, complained] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()])
    const code = await child.exited
    expect([code, complained, code === 0 ? '' : said]).toEqual([0, '', ''])
    return said
  }
  expect(await run(at('node_modules/.bin/tsc'), '--noEmit')).toBe('')
  expect(JSON.parse(await run(process.execPath, at('test/stories/new-schedule-walk.ts')))).toEqual({
    openApi: ['cms-invented', 'medicare_invented', 'cms_invented'],
    commandLine: true,
    short: expect.stringContaining('w03_short'),
    release: 'cms-invented:INV26Q1:2',
    price: { amount: '3.00', currency: 'USD', per: null },
    source: { ok: true },
    coverage: ['Invented schedule, 20 codes'],
    status: ['cms_invented fresh', 'cms_invented expired'],
    page: true,
  })
})
