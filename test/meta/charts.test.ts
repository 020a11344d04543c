// A chart is an entry of docs/spec/tables/charts.json and of editions.json. This walks every chart through every place that must know
// it, and compares the lists that stand elsewhere because proof/ imports nothing of ours.

import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { load as loadCommand } from '../../src/cli/load.ts'
import { optionTexts } from '../../src/cli/load-options.ts'
import { LOAD_KINDS, READERS } from '../../src/ingest/readers.ts'
import { reader as outpatient } from '../../src/ingest/schedules/outpatient.ts'
import { sourceCheck } from '../../src/ingest/source-check.ts'
import { freshness } from '../../src/integrity/report/freshness.ts'
import type { IntegrityReport } from '../../src/integrity/report/report-shape.ts'
import { utf8 } from '../../src/proof/bytes.ts'
import type { RowPointer } from '../../src/proof/envelope.ts'
import { chartsFor, HOSPITAL_FACTS, CHARTS as KNOWN, kindOfRows } from '../../src/proof/price/charts.ts'
import { type AnyRow, BASES, isOfPrices, methodsOf, type Row, regionOf, SETTINGS } from '../../src/proof/price/row.ts'
import { releaseOf, type ShownBody } from '../../src/proof/shown.ts'
import { CHARTS, type ChartEntry, chartIdPattern, chartOf, chartTable, comparables } from '../../src/registry/charts.ts'
import { overrideAll } from '../../src/registry/release/breaker.ts'
import { checkRelease, getRelease } from '../../src/registry/release/check.ts'
import { publish } from '../../src/registry/release/publish.ts'
import { RULES } from '../../src/registry/release/rules.ts'
import { stage } from '../../src/registry/release/staging.ts'
import type { RowKind } from '../../src/tables/charts.ts'
import { aPrice, aRelease } from '../support/builders.ts'
import { type OpenApi, openApiOf, type Parameter, resolved } from '../support/contract.ts'
import { type TestApp, testApp } from '../support/harness.ts'

const ROOT = join(import.meta.dir, '../..')
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8')
const NPI = '1234567893'
const idOf = ({ chart, perProvider }: ChartEntry): string => (perProvider ? `${chart}:${NPI}` : chart)
const sorted = (words: Iterable<string>): string[] => [...new Set(words)].sort()

const bases = CHARTS.flatMap((entry) => [...entry.bases])
const settings = CHARTS.flatMap((entry) => entry.settings.flatMap((setting) => setting ?? []))

describe('the lists that stand outside the table agree with it', () => {
  test('each basis belongs to one chart, and proof/ knows them all', () => {
    expect(bases.length).toBe(new Set(bases).size)
    expect(sorted(BASES)).toEqual(sorted(bases))
    // Publishers pay more in areas that no chart of ours tells apart yet.
    expect(sorted(SETTINGS)).toEqual(sorted([...settings, 'super_rural']))
  })

  test('a verifier knows of each chart what the table says', () => {
    expect(KNOWN).toMatchObject(chartTable())
    expect(Object.keys(KNOWN).sort()).toEqual(Object.keys(chartTable()).sort())
    const [own] = CHARTS.filter(({ perProvider }) => perProvider)
    expect({ ...own }).toMatchObject({ bases: HOSPITAL_FACTS.bases, speaks: HOSPITAL_FACTS.speaks })
    expect(sorted(HOSPITAL_FACTS.settings.map(String))).toEqual(sorted((own?.settings ?? []).map(String)))
    for (const { chart, bases } of CHARTS)
      expect([chart, bases.length > 0]).toEqual([chart, kindOfRows(chart) === undefined])
    for (const basis of BASES) expect([basis, methodsOf(basis).length > 0]).toEqual([basis, true])
  })

  test('and the documents', () => {
    const page = read('docs/operate/load.md')
    for (const { chart } of CHARTS) expect(page).toContain(`| \`atr load ${chart}\` |`)
  })
})

/** The part of the OpenAPI document about the kinds of chart. */
interface Schemas {
  ChartHealth: { properties: { kind: { enum: string[] } } }
}

/** Two codes that a chart can have, and that break no rule. */
const codesOf = ({ codes = ['procedure'] }: ChartEntry): [string, string] =>
  codes.includes('procedure') ? ['G0101', 'G0102'] : ['DRG-101', 'DRG-102']

/** A row that the chart could have. */
function priceOf(entry: ChartEntry, amount: string, cpt: string): Row {
  const [basis = 'medicare_pfs'] = entry.bases
  return aPrice({
    code: cpt,
    basis,
    kind: basis === 'medicare_anesthesia' ? 'rate' : 'price',
    region: entry.speaks === 'state' ? 'US-AL' : 'national',
    setting: entry.settings[0] ?? null,
    npi: entry.perProvider ? NPI : null,
    price: { amount, currency: 'USD' },
  })
}
const stated = { effective_from: '2026-01-01', locator: [{ citation: 0, line: 1 }] }
/** A row of a chart without prices: the same in both editions, or another in each. */
const OTHERS: Readonly<Record<RowKind, (code: string, edition: number) => AnyRow>> = {
  place: (code, edition) => {
    const region = edition === 1 ? 'US-CA-05' : 'US-CA-18'
    return { ...stated, kind: 'place', zip: `6061${code.slice(-1)}`, plus_four: null, region, state: 'CA' }
  },
  hospital: (code, edition) => {
    const name = edition === 1 ? 'First Hospital' : 'Second Hospital'
    return { ...stated, kind: 'hospital', region: 'US-CA', zip: `9410${code.slice(-1)}`, npi: NPI, name }
  },
  limit: (code, units) => ({ ...stated, kind: 'limit', code, units, adjudication: 3, rationale: 1 }),
  edits: (code, rationale) => ({
    ...stated,
    kind: 'edits',
    code,
    edits: [['G0103', 1, '2020-01-01', null, rationale]],
  }),
  add_on: (code, type) => ({
    ...stated,
    kind: 'add_on',
    code,
    primaries: [['G0103', type as 1, '2020-01-01', null, null]],
  }),
}
/** The two rows of an edition: of the first edition, and of the second one. */
function rowsOf(entry: ChartEntry, edition: 1 | 2): AnyRow[] {
  const kind = kindOfRows(entry.chart)
  if (kind) return [OTHERS[kind]('G0101', 1), OTHERS[kind]('G0102', edition)]
  return [
    priceOf(entry, edition === 1 ? '10.00' : '15.00', codesOf(entry)[0]),
    priceOf(entry, edition === 1 ? '10.00' : '30.00', codesOf(entry)[1]),
  ]
}

describe.each(CHARTS.map((entry) => [entry.chart, entry] as const))('%s is known to', (name, entry) => {
  let app: TestApp
  let document: OpenApi
  let schemas: Schemas
  let report: IntegrityReport
  const first = `${idOf(entry)}:ONE:1`
  const second = `${idOf(entry)}:TWO:1`
  const facts = { chart: idOf(entry), effective_from: '2026-01-01', edition: 'ONE' }

  beforeAll(async () => {
    app = await testApp({ today: '2026-01-02' })
    document = await openApiOf(app.app)
    const core = await openApiOf(app.app, 'get_openapi_core')
    schemas = core.components['schemas'] as unknown as Schemas
    await app.publish(aRelease({ ...facts, rows: rowsOf(entry, 1) }))
    // One price rises by half, which is far for a schedule, and the other by a factor of three.
    const { rows: given, ...release } = aRelease({ ...facts, edition: 'TWO', rows: rowsOf(entry, 2) })
    await stage(app.installation.db, release, given, new Map([['R10', { count: 1, lines: [1] }]]), app.clock.now)
    const headers = await app.railsHeaders(['integrity:read'])
    report = (await app.getJson('/api/data-integrity', headers)) as IntegrityReport
  })
  afterAll(async () => app[Symbol.asyncDispose]())

  test('the chart pattern, wherever a chart may be named', () => {
    const patterns = Object.values(document.paths).flatMap(({ get }) =>
      (get?.parameters ?? []).flatMap((each) => {
        const { name, schema } = resolved<Parameter>(document, each)
        return name === 'chart' ? [resolved<Parameter['schema']>(document, schema).pattern ?? ''] : []
      }),
    )
    expect(patterns.length).toBeGreaterThanOrEqual(3)
    for (const pattern of patterns) {
      expect(pattern).toBe(chartIdPattern().source)
      for (const [id, is] of [
        [idOf(entry), true],
        [`${idOf(entry)}x`, false],
        [`${name}-`.replace('-', '_'), false],
      ] as const)
        expect([id, new RegExp(pattern).test(id), chartOf(id) !== undefined]).toEqual([id, is, is])
    }
  })

  test('the integrity report, by its kind, its publisher and its calendar', () => {
    expect(schemas.ChartHealth.properties.kind.enum).toContain(entry.kind)
    expect(report.charts).toMatchObject([
      { kind: entry.kind, publisher: chartOf(idOf(entry))?.publisher, status: 'fresh' },
    ])
    const later = ['2026-01-01', '2029-01-01'].map((day) => freshness(entry.calendar, '2026-01-01', day).status)
    expect(later).toEqual(['fresh', 'expired'])
    const { due_before_days, stale_after_days, expired_after_days } = entry.calendar
    expect([due_before_days > 0, stale_after_days > 0, expired_after_days >= stale_after_days]).toEqual([
      true,
      true,
      true,
    ])
  })

  test('the rules: those that its reader judges by count as judged, and no other', () => {
    expect(entry.judgedOnReading.length).toBeGreaterThan(0)
    const judged = report.checks.filter(({ evaluated }) => evaluated > 0).map(({ check_id }) => check_id)
    expect(sorted(judged)).toEqual(sorted(entry.judgedOnReading))
    expect(Object.keys(RULES)).toEqual(expect.arrayContaining([...entry.judgedOnReading]))
  })

  test('the breaker', async () => {
    const { db, registryLog: log, cosign } = app.installation
    const { held, checks, previous } = await checkRelease(db, await getRelease(db, second))
    const moved = checks.find(({ rule }) => rule === 'R12')?.failed ?? 0
    expect(previous).toBe(first)
    expect(moved).toBe(entry.breaker === null ? 0 : entry.breaker.farMovePct === 25 ? 2 : 1)
    expect(held.some(({ rule }) => rule === 'conflicting_keys')).toBe(entry.breaker?.holdsConflicts ?? false)
    await publish({ db, log, cosign }, second, app.clock.now, overrideAll('sample_data'))
  })

  test('lookup, coverage and the list of releases', async () => {
    const [basis] = entry.bases
    const place = entry.perProvider ? `&npi=${NPI}` : entry.speaks === 'state' ? '&region=AL' : ''
    // Some schedules answer only who names them.
    const isUsual =
      entry.perProvider || chartsFor({ cpt: 'G0101', basis: undefined, setting: undefined }).includes(entry.chart)
    for (const asked of [...(isUsual ? [''] : []), ...(basis ? [`&basis=${basis}`] : [])]) {
      const row = (await app.getJson(`/reference?cpt=${codesOf(entry)[0]}${place}${asked}`)) as ShownBody & {
        row: RowPointer
      }
      expect(releaseOf(row, row.row)?.chart).toBe(idOf(entry))
    }
    const covered = await app.getJson(`/api/coverage?chart=${idOf(entry)}`)
    expect(covered).toMatchObject({ data: [{ chart: idOf(entry), about: { title: entry.title } }] })
    expect(await app.getJson(`/api/releases?chart=${idOf(entry)}`)).toMatchObject({
      data: [{ chart: idOf(entry) }, {}],
    })
  })

  test('a reader, and the check of a row against its source', () => {
    expect(LOAD_KINDS).toContain(name)
    expect(Object.keys(READERS)).toEqual([...LOAD_KINDS])
    for (const basis of entry.bases) {
      // A row that cites nothing is wrong, but it can be judged: someone reads this basis again.
      const verdict = sourceCheck([])({ ...priceOf(entry, '10.00', 'G0101'), basis, locator: [] }, [])
      expect([basis, verdict]).not.toEqual([basis, { ok: false, reason: 'source_unreadable' }])
      expect(verdict.ok).toBe(false)
    }
  })

  test('the help of the command line', () => {
    const [, kinds = ''] = loadCommand.options?.find(([shown]) => shown === 'KIND') ?? []
    expect(kinds.split(/[ ,:]+/)).toContain(name)
    for (const { name: option, value } of READERS[name]?.options ?? []) {
      const text = optionTexts().find(([shown]) => shown === `--${option} ${value}`)?.[1]
      expect([option, text?.split(': ')[0]?.split(', ').includes(name)]).toEqual([option, true])
    }
  })

  test('the least size, and what hospital prices are compared with', () => {
    expect(entry.leastLines > 0).toBe(!entry.perProvider)
    const compared = comparables().filter(({ basis }) => entry.bases.includes(basis))
    expect(compared.length > 0).toBe(entry.comparable !== null)
    // A hospital's outpatient price is compared with what Medicare pays for the same service, and with nothing else.
    const isCompared = ['cms-pfs', 'cms-clfs', 'cms-opps'].includes(name)
    expect(entry.comparable !== null).toBe(isCompared)
  })
})

test('rows have the bases, settings and regions that the table says', async () => {
  await using app = await testApp({ sample: true })
  const headers = await app.railsHeaders(['registry:read'])
  const rows: { chart: string; row: AnyRow }[] = []
  for (let offset: number | null = 0; offset !== null; ) {
    const page = (await app.getJson(`/api/registry?limit=200&offset=${offset}`, headers)) as Page
    for (const { proof, ...row } of page.data) {
      const chart = releaseOf(page, proof)?.chart ?? ''
      rows.push({ chart, row: row as AnyRow })
    }
    offset = page.page.next_offset
  }
  const text = 'HCPCS Code,SI,Payment Rate\nG0101,J1,10.00\nG0102,N,\n'
  const addendum = { file: 'b.csv', text, bytes: utf8(text), sha256: '', kind: 'text' } as const
  const { rows: added } = outpatient.open([addendum], { effective_from: '2026-10-01' }, new Map())
  rows.push(...added.map((row) => ({ chart: 'cms-opps', row })))

  const seen = Map.groupBy(rows, ({ chart }) => chartOf(chart)?.entry)
  // The tests of their readers check the others.
  const elsewhere = ['cms-pfs-qpp', 'cms-asc', 'cms-anesthesia', 'cms-ipps', 'hospitals']
  expect(sorted([...seen.keys()].map(String))).toEqual(sorted(LOAD_KINDS.filter((each) => !elsewhere.includes(each))))
  for (const entry of CHARTS.filter(({ chart }) => seen.has(chart))) {
    const found = (seen.get(entry.chart) ?? []).map(({ row }) => row)
    for (const row of found) {
      if (!isOfPrices(row)) expect(row.kind).toBe(kindOfRows(entry.chart) as RowKind)
      else
        expect([
          entry.bases.includes(row.basis),
          // A line that cannot be read has no setting.
          row.setting === null || entry.settings.includes(row.setting),
          row.npi !== null,
          methodsOf(row.basis).includes(row.derivation.method),
        ]).toEqual([true, true, entry.perProvider, true])
    }
    const isIn = (form: RegExp): boolean => found.some((row) => form.test(regionOf(row) ?? ''))
    const speaks = isIn(/^US-[A-Z]{2}-[0-9]{2}$/) ? 'locality' : isIn(/^US-[A-Z]{2}$/) ? 'state' : 'national'
    expect([entry.chart, speaks]).toEqual([entry.chart, entry.speaks])
  }
})

interface Page extends ShownBody {
  data: (AnyRow & { proof: RowPointer })[]
  page: { next_offset: number | null }
}
