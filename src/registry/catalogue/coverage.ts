import { z } from 'zod'
import type { Db } from '../../db/db.ts'
import type { Log } from '../../integrity/log.ts'
import { Links, type ListAnswer, Page, pageInput } from '../../paging.ts'
import { Problem } from '../../problem.ts'
import { BASES, SETTINGS } from '../../proof/price/row.ts'
import { type Charts, chartOf } from '../charts.ts'
import { chartId } from '../lookup/browse.ts'
import { AsOf, Code, Npi } from '../lookup/query.ts'
import { Remembered } from '../memo.ts'
import type { Release } from '../store.ts'
import * as store from '../store.ts'
import { ourTurn } from '../turn.ts'
import type { HeldCode } from './store.ts'
import * as catalogue from './store.ts'

/** More than there are Medicare localities; a list that is longer is cut, and its total says so. */
const MAX_LISTED = 200
const MAX_REMEMBERED = 2_000
const MAX_CODE_LISTS = 100
const RELEASES_AT_ONCE = 20

export const coverageQuery = (charts: Charts) =>
  z.strictObject({
    cpt: Code.optional(),
    prefix: z
      .string()
      .max(16)
      .toUpperCase()
      .regex(/^([0-9]{1,4}|[A-Z][0-9]{0,3})$/)
      .optional()
      .meta({ description: 'List the codes that begin with these one to four characters', examples: ['992'] }),
    chart: chartId(charts).optional(),
    npi: Npi.optional(),
    as_of: AsOf.optional(),
    ...pageInput,
  })
export type CoverageQuery = z.output<ReturnType<typeof coverageQuery>>

const listOf = (entry: z.ZodType, description: string) =>
  z
    .strictObject({ total: z.int().min(0), list: z.array(entry).max(MAX_LISTED) })
    .meta({ description: `${description}; the list is cut at ${MAX_LISTED}` })
const Regions = listOf(z.string(), 'Regions')
const Npis = listOf(z.string(), 'Providers by NPI')

const CodeCoverage = z
  .strictObject({
    cpt: z.string(),
    rows: z.int().min(1),
    prices: z.int().min(0).meta({ description: 'Rows that are prices; the others state that there is none' }),
    bases: z.array(z.enum(BASES)),
    modifiers: z.array(z.string().nullable()).meta({ description: 'Modifiers it has rows under; null is none' }),
    settings: z.array(z.enum(SETTINGS).nullable()),
    regions: Regions,
    npis: Npis,
  })
  .meta({ id: 'CodeCoverage', description: 'Under what this release has rows for the code' })

const ChartCoverage = z
  .strictObject({
    kind: z.literal('chart'),
    chart: z.string(),
    title: z.string(),
    publisher: z.string(),
    release_id: z.string(),
    edition: z.string(),
    effective_from: z.iso.date(),
    data_class: z.enum(['published', 'sample']),
    rows: z.int().min(0),
    codes: z.int().min(0),
    code_prefixes: z
      .array(z.strictObject({ prefix: z.string(), codes: z.int().min(1) }))
      .meta({ description: 'How many codes begin with each character' }),
    regions: Regions,
    npis: Npis,
    code: CodeCoverage.nullable().meta({ description: 'The code asked about with `cpt`; null if none was' }),
  })
  .meta({ id: 'ChartCoverage', description: 'An edition in force and what it holds' })

const ListedCode = z
  .strictObject({
    kind: z.literal('code'),
    cpt: z.string(),
    charts: z.int().min(1).meta({ description: 'How many charts in force have rows for it' }),
    rows: z.int().min(1),
  })
  .meta({ id: 'ListedCode' })

export const Coverage = z
  .strictObject({
    data: z
      .array(z.discriminatedUnion('kind', [ChartCoverage, ListedCode]))
      .meta({ description: 'Charts in force; with `prefix`, codes' }),
    page: Page,
    links: Links,
    as_of: z.iso.date(),
  })
  .meta({ id: 'Coverage' })
type CoverageAnswer = ListAnswer<typeof Coverage>
type Contents = Pick<z.input<typeof ChartCoverage>, 'codes' | 'code_prefixes' | 'regions' | 'npis'>

/**
 * What is there to be asked for. What a release holds never changes, so it is counted once. The codes in force are
 * counted once for each first character, and again when another edition comes into force.
 */
export function coverage(
  db: Db,
  log: Log,
  charts: Charts,
): (query: CoverageQuery, day: string) => Promise<CoverageAnswer> {
  const contents = new Remembered<Contents>(MAX_REMEMBERED)
  const codes = new Remembered<HeldCode[]>(MAX_CODE_LISTS)
  return async (query, day) => {
    const { prefix, chart = '' } = query
    if (prefix === undefined) return coverageOfCharts(db, charts, contents, query, day)
    if (query.cpt !== undefined || query.npi !== undefined)
      throw Problem.parameter('prefix', 'prefix goes with chart, not with cpt or npi')
    const first = prefix.slice(0, 1)
    const { size } = await log.head(db)
    const name = `${size} ${await catalogue.sameSince(db, day)} ${chart} ${first}`
    const all = await codes.get(name, () => codesInForce(db, chart, first, day))
    return pageOfCodes(query, prefix, day, all)
  }
}

async function coverageOfCharts(
  db: Db,
  charts: Charts,
  contents: Remembered<Contents>,
  query: CoverageQuery,
  day: string,
): Promise<CoverageAnswer> {
  const { limit, offset } = query
  const filter = { chart: query.chart ?? '', npi: query.npi ?? '', cpt: query.cpt ?? '' }
  const { charts: total } = await store.countCharts(db, day, filter)
  const data: z.input<typeof ChartCoverage>[] = []
  for (const release of await store.chartsInForce(db, day, filter, { limit, offset })) {
    await ourTurn()
    const held = await contents.get(release.release_id, () => contentsOf(db, release.release_no))
    const code = query.cpt === undefined ? null : await coverageOfCode(db, release, query.cpt)
    data.push({ ...factsOf(release, charts), ...held, code })
  }
  return { data, total, as_of: day }
}

function factsOf({ release_id, chart, effective_from, row_count, manifest }: Release, charts: Charts) {
  const { edition, publisher, data_class } = manifest
  const title = chartOf(chart, charts)?.title ?? chart
  return {
    kind: 'chart' as const,
    chart,
    title,
    publisher,
    release_id,
    edition,
    effective_from,
    data_class,
    rows: row_count,
  }
}

async function contentsOf(db: Db, release_no: number): Promise<Contents> {
  const code_prefixes = await catalogue.codePrefixes(db, release_no)
  return {
    codes: code_prefixes.reduce((sum, { codes }) => sum + codes, 0),
    code_prefixes,
    regions: cut(await catalogue.regionsOf(db, release_no)),
    npis: cut(await catalogue.providersOf(db, release_no)),
  }
}

const cut = <T>(all: readonly T[]): { total: number; list: T[] } => ({
  total: all.length,
  list: all.slice(0, MAX_LISTED),
})

/** Read off the keys: `cpt|region|npi|modifier|basis|setting`, empty where there is none. */
async function coverageOfCode(db: Db, release: Release, cpt: string): Promise<z.input<typeof CodeCoverage>> {
  const keys = await catalogue.keysOfCode(db, release.release_no, cpt)
  const parts = keys.map(({ key }) => key.split('|'))
  const distinct = (at: number): string[] => [...new Set(parts.map((part) => part[at] ?? ''))].sort()
  const orNull = (at: number): (string | null)[] => distinct(at).map((text) => (text === '' ? null : text))
  return {
    cpt,
    rows: keys.length,
    prices: keys.filter(({ priced }) => priced).length,
    bases: z.array(z.enum(BASES)).parse(distinct(4)),
    modifiers: orNull(3),
    settings: z.array(z.enum(SETTINGS).nullable()).parse(orNull(5)),
    regions: cut(distinct(1)),
    npis: cut(distinct(2).filter((text) => text !== '')),
  }
}

/** All codes in force that begin with a character, a few releases at a time. */
async function codesInForce(db: Db, chart: string, first: string, day: string): Promise<HeldCode[]> {
  const found = new Map<string, HeldCode>()
  const releases = await store.chartsInForce(db, day, { chart })
  for (let at = 0; at < releases.length; at += RELEASES_AT_ONCE) {
    await ourTurn()
    const some = releases.slice(at, at + RELEASES_AT_ONCE).map(({ release_no }) => release_no)
    for (const code of await catalogue.codesOf(db, some, first)) {
      const known = found.get(code.cpt)
      if (!known) found.set(code.cpt, code)
      else {
        known.charts += code.charts
        known.rows += code.rows
      }
    }
  }
  return [...found.values()].sort((a, b) => (a.cpt < b.cpt ? -1 : 1))
}

function pageOfCodes(query: CoverageQuery, prefix: string, day: string, all: readonly HeldCode[]): CoverageAnswer {
  const { limit, offset } = query
  const fitting = all.filter(({ cpt: code }) => code.startsWith(prefix))
  const data = fitting.slice(offset, offset + limit).map((code) => ({ kind: 'code' as const, ...code }))
  return { data, total: fitting.length, as_of: day }
}
