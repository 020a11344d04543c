// A chart is one entry of the table in registry/charts.ts. This walks every chart through every place that must know
// it, and compares the lists that stand elsewhere because proof/ and the Go verifier import nothing of ours.

import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { load as loadCommand } from '../../src/cli/load.ts'
import { optionTexts } from '../../src/cli/load-options.ts'
import { outpatient } from '../../src/ingest/cms/outpatient.ts'
import { LOAD_KINDS, READERS } from '../../src/ingest/readers.ts'
import { sourceCheck } from '../../src/ingest/source-check.ts'
import { freshness } from '../../src/integrity/freshness.ts'
import type { IntegrityReport } from '../../src/integrity/report-shape.ts'
import { utf8 } from '../../src/proof/bytes.ts'
import { BASES, type CitedRow, type Manifest, type Row, SETTINGS } from '../../src/proof/price/row.ts'
import { absenceAnswers } from '../../src/proof/question.ts'
import {
  CHARTS,
  type ChartEntry,
  chartIdPattern,
  chartOf,
  comparables,
  schedulesFor,
} from '../../src/registry/charts.ts'
import { overrideAll } from '../../src/registry/release/breaker.ts'
import { checkRelease, getRelease } from '../../src/registry/release/check.ts'
import { publish } from '../../src/registry/release/publish.ts'
import { RULES } from '../../src/registry/release/rules.ts'
import { stage } from '../../src/registry/release/staging.ts'
import { aPrice, aRelease } from '../support/builders.ts'
import { openApiOf } from '../support/contract.ts'
import { type TestApp, testApp } from '../support/harness.ts'

const ROOT = join(import.meta.dir, '../..')
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8')
const NPI = '1234567893'
const idOf = ({ chart, perProvider }: ChartEntry): string => (perProvider ? `${chart}:${NPI}` : chart)
const sorted = (words: Iterable<string>): string[] => [...new Set(words)].sort()
const quoted = (text: string): string[] => [...text.matchAll(/"([^"]*)"/g)].map(([, word = '']) => word)

const bases = CHARTS.flatMap((entry) => [...entry.bases])
const settings = CHARTS.flatMap((entry) => entry.settings.flatMap((setting) => setting ?? []))

describe('the lists that stand outside the table agree with it', () => {
  test('each basis belongs to one chart, and proof/ knows them all', () => {
    expect(bases.length).toBe(new Set(bases).size)
    expect(sorted(BASES)).toEqual(sorted(bases))
    expect(sorted(SETTINGS)).toEqual(sorted(settings))
  })

  test('proof/ knows which charts have one basis, and which are providers\u2019', () => {
    for (const entry of CHARTS)
      for (const basis of BASES) {
        const asked = { cpt: 'G0101', ...(entry.perProvider ? { npi: NPI } : {}) }
        const absent = { cpt: 'G0101', region: 'national', npi: asked.npi ?? '', modifier: '', basis }
        const release = { chart: idOf(entry), effective_from: '2026-01-01' } as Manifest
        const isItsOnly = !entry.perProvider && entry.bases.length === 1 && entry.bases[0] === basis
        expect([entry.chart, basis, absenceAnswers(asked, absent, release)]).toEqual([entry.chart, basis, isItsOnly])
        const { basis: _, ...wider } = absent
        expect([entry.chart, absenceAnswers(asked, wider, release)]).toEqual([entry.chart, true])
      }
  })

  test('so does the verifier in Go', () => {
    const [row, question] = [read('interop/go/row.go'), read('interop/go/question.go')]
    const list = (name: string): string[] => quoted(new RegExp(`${name} += oneOf\\(([^)]*)\\)`).exec(row)?.[1] ?? '')
    expect(sorted(list('isBasis'))).toEqual(sorted(BASES))
    expect(sorted(list('isSetting'))).toEqual(sorted(SETTINGS))
    const only = quoted(/onlyBasis = map\[string\]string\{([^}]*)\}/.exec(question)?.[1] ?? '')
    const schedules = CHARTS.filter(({ perProvider }) => !perProvider)
    expect(only).toEqual(schedules.flatMap(({ chart, bases: [basis] }) => [chart, basis]))
    const prefixes = [...question.matchAll(/"([a-z-]+:)"/g)].map(([, prefix = '']) => prefix)
    const providers = CHARTS.filter(({ perProvider }) => perProvider)
    expect(sorted(prefixes)).toEqual(sorted(providers.map(({ chart }) => `${chart}:`)))
    const own = quoted(/bases = \[\]string\{([^}]*)\}/.exec(question)?.[1] ?? '')
    expect(own).toEqual(providers.flatMap((entry) => [...entry.bases]))
  })

  test('and the documents', () => {
    for (const basis of bases) expect(read('docs/spec/row.md')).toContain(`\`${basis}\``)
    for (const { chart } of CHARTS) expect(read('docs/operate.md')).toContain(`| \`atr load ${chart}\` |`)
    const order = schedulesFor(undefined).map(({ chart }) => `\`${chart}\``)
    expect(read('docs/spec/lookup.md')).toContain(order.join(', '))
  })
})

/** What the OpenAPI document says of a parameter, and of the kinds of chart. */
interface OpenApiParts {
  paths: Record<string, { get?: { parameters?: { name: string; schema: { pattern?: string } }[] } }>
  components: { schemas: { ChartHealth: { properties: { kind: { enum: string[] } } } } }
}

/** A code that breaks no rule, on a row that the chart could have. */
const rowOf = (entry: ChartEntry, amount: string, cpt = 'G0101'): Row =>
  aPrice({
    cpt,
    basis: entry.bases[0],
    setting: entry.settings[0] ?? null,
    npi: entry.perProvider ? NPI : null,
    price: { amount, currency: 'USD' },
  })

describe.each(CHARTS.map((entry) => [entry.chart, entry] as const))('%s is known to', (name, entry) => {
  let app: TestApp
  let document: OpenApiParts
  let report: IntegrityReport
  const first = `${idOf(entry)}:ONE:1`
  const second = `${idOf(entry)}:TWO:1`
  const facts = { chart: idOf(entry), effective_from: '2026-01-01', edition: 'ONE' }

  beforeAll(async () => {
    app = await testApp({ today: '2026-01-02' })
    document = (await openApiOf(app.app)) as unknown as OpenApiParts
    await app.publish(aRelease({ ...facts, rows: [rowOf(entry, '10.00'), rowOf(entry, '10.00', 'G0102')] }))
    // One price rises by half, which is far for a schedule, and the other by a factor of three.
    const rows = [rowOf(entry, '15.00'), rowOf(entry, '30.00', 'G0102')]
    const { rows: given, ...release } = aRelease({ ...facts, edition: 'TWO', rows })
    await stage(app.installation.db, release, given, new Map([['R10', { count: 1, lines: [1] }]]), app.clock.now)
    const headers = await app.railsHeaders(['integrity:read'])
    report = (await app.getJson('/api/data-integrity', headers)) as IntegrityReport
  })
  afterAll(async () => app[Symbol.asyncDispose]())

  test('the chart pattern, wherever a chart may be named', () => {
    const patterns = Object.values(document.paths).flatMap(({ get }) =>
      (get?.parameters ?? []).flatMap((each) => (each.name === 'chart' ? [each.schema.pattern ?? ''] : [])),
    )
    expect(patterns.length).toBeGreaterThanOrEqual(3)
    for (const pattern of patterns) {
      expect(pattern).toBe(chartIdPattern().source)
      for (const [id, is] of [
        [idOf(entry), true],
        [`${idOf(entry)}x`, false],
        [name.replace('-', '_'), false],
      ] as const)
        expect([id, new RegExp(pattern).test(id), chartOf(id) !== undefined]).toEqual([id, is, is])
    }
  })

  test('the integrity report, by its kind, its publisher and its calendar', () => {
    expect(document.components.schemas.ChartHealth.properties.kind.enum).toContain(entry.kind)
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
    const { farMovePct, holdsConflicts } = entry.breaker
    expect(previous).toBe(first)
    expect(checks.find(({ rule }) => rule === 'R12')?.failed).toBe(farMovePct === 25 ? 2 : 1)
    expect(held.some(({ rule }) => rule === 'conflicting_keys')).toBe(holdsConflicts)
    await publish({ db, log, cosign }, second, app.clock.now, overrideAll('sample_data'))
  })

  test('lookup, coverage and the list of releases', async () => {
    const [basis] = entry.bases
    const npi = entry.perProvider ? `&npi=${NPI}` : ''
    for (const asked of ['', `&basis=${basis}`]) {
      const row = (await app.getJson(`/reference?cpt=G0101${npi}${asked}`)) as CitedRow
      expect(row.proof.release.chart).toBe(idOf(entry))
    }
    const covered = await app.getJson(`/api/coverage?chart=${idOf(entry)}`)
    expect(covered).toMatchObject({ data: [{ chart: idOf(entry), title: entry.title }] })
    expect(await app.getJson(`/api/releases?chart=${idOf(entry)}`)).toMatchObject({
      data: [{ chart: idOf(entry) }, {}],
    })
  })

  test('a reader, and the check of a row against its source', () => {
    expect(LOAD_KINDS).toContain(name)
    expect(Object.keys(READERS)).toEqual([...LOAD_KINDS])
    for (const basis of entry.bases) {
      // A row that cites nothing is wrong, but it can be judged: someone reads this basis again.
      const verdict = sourceCheck([])({ ...rowOf(entry, '10.00'), basis, locator: [] }, [])
      expect([basis, verdict]).not.toEqual([basis, { ok: false, reason: 'source_unreadable' }])
      expect(verdict.ok).toBe(false)
    }
  })

  test('the help of the command line', () => {
    expect(loadCommand.usage).toMatch(new RegExp(`[<|]${name}[|>]`))
    for (const { name: option, value } of READERS[name]?.options ?? []) {
      const text = optionTexts().find(([shown]) => shown === `--${option} ${value}`)?.[1]
      expect([option, text?.split(': ')[0]?.split(', ').includes(name)]).toEqual([option, true])
      expect(loadCommand.summary).toContain(`--${option}`)
    }
  })

  test('the least size, and what hospital prices are compared with', () => {
    expect(entry.leastLines > 0).toBe(!entry.perProvider)
    const compared = comparables().filter(({ basis }) => entry.bases.includes(basis))
    expect(compared.length > 0).toBe(entry.comparable !== null)
    expect(entry.comparable === null).toBe(entry.perProvider)
  })
})

test('rows have the bases, settings and regions that the table says', async () => {
  await using app = await testApp({ sample: true })
  const headers = await app.railsHeaders(['registry:read'])
  const rows: { chart: string; row: Row }[] = []
  for (let offset: number | null = 0; offset !== null; ) {
    const page = (await app.getJson(`/api/registry?limit=200&offset=${offset}`, headers)) as {
      data: CitedRow[]
      page: { next_offset: number | null }
    }
    rows.push(...page.data.map((row) => ({ chart: row.proof.release.chart, row })))
    offset = page.page.next_offset
  }
  const text = 'HCPCS Code,SI,Payment Rate\nG0101,J1,10.00\nG0102,N,\n'
  const addendum = { file: 'b.csv', text, bytes: utf8(text), sha256: '', kind: 'text' } as const
  const { rows: added } = outpatient.open([addendum], { effective_from: '2026-10-01' }, new Map())
  rows.push(...added.map((row) => ({ chart: 'cms-opps', row })))

  const seen = Map.groupBy(rows, ({ chart }) => chartOf(chart)?.entry)
  expect(sorted([...seen.keys()].map(String))).toEqual(sorted(LOAD_KINDS))
  for (const entry of CHARTS) {
    const found = (seen.get(entry.chart) ?? []).map(({ row }) => row)
    for (const { basis, setting, npi } of found)
      expect([entry.bases.includes(basis), entry.settings.includes(setting), npi !== null]).toEqual([
        true,
        true,
        entry.perProvider,
      ])
    const isLocal = found.some(({ region }) => /^US-[A-Z]{2}-[0-9]{2}$/.test(region))
    expect([entry.chart, isLocal]).toEqual([entry.chart, entry.speaks === 'locality'])
  }
})
