import { z } from 'zod'
import type { Db } from '../../db/db.ts'
import type { Log } from '../../integrity/log.ts'
import { Links, type ListAnswer, Page, pageInput } from '../../paging.ts'
import { Problem } from '../../problem.ts'
import { holds, listedEdition } from '../../proof/catalogue/coverage.ts'
import { isBiddingArea } from '../../proof/lookup/region.ts'
import { isOfPlaces, keyPrefix, kindOfRows } from '../../proof/price/charts.ts'
import type { Period } from '../../proof/price/release.ts'
import { BASES, KEY_PARTS, SETTINGS } from '../../proof/price/row.ts'
import { ourTurn } from '../../queue.ts'
import { type Charts, chartOf, chartTable } from '../charts.ts'
import { AnswerProof } from '../lookup/answer-proof.ts'
import { chartId } from '../lookup/browse.ts'
import { Proofs } from '../lookup/proofs.ts'
import { AsOf, Code, Npi } from '../lookup/query.ts'
import { Day, Proof } from '../lookup/row-schema.ts'
import type { PublishedRegistry, View } from '../lookup/view.ts'
import type { TotalBy } from '../rows/file-summary-store.ts'
import { openRelease, type ReleaseFile } from '../rows/release-file-store.ts'
import type { Release } from '../store.ts'
import { Memo } from './memo.ts'

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
      .meta({ description: 'one to four characters that the codes begin with', examples: ['992'] }),
    chart: chartId(charts).optional(),
    npi: Npi.optional(),
    as_of: AsOf.optional(),
    ...pageInput,
  })
export type CoverageQuery = z.output<ReturnType<typeof coverageQuery>>

export const Days = z
  .strictObject({ from: Day, to: Day })
  .meta({ id: 'Days', description: 'The first and the last day on which a release is in force' })

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
    publisher: z.string(),
    release_id: z.string(),
    edition: z.string(),
    effective_from: z.iso.date(),
    in_force: Days,
    data_class: z.enum(['published', 'sample']),
    rows: z.int().min(0),
    about: z
      .strictObject({
        title: z.string(),
        codes: z.int().min(0),
        code_prefixes: z
          .array(z.strictObject({ prefix: z.string(), codes: z.int().min(1) }))
          .meta({ description: 'How many codes begin with each character' }),
        regions: Regions,
        npis: Npis,
        code: CodeCoverage.optional().meta({ description: 'The code asked about with `cpt`' }),
      })
      .meta({ description: 'What it holds: the word of the service' }),
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
    from: z.int().min(0).optional().meta({
      description: 'Of charts: the place in the timeline from which the page accounts for all that is in force',
    }),
    proof: Proof.optional().meta({ description: 'Of charts. Left out of a list of codes' }),
  })
  .meta({ id: 'Coverage' })
type CoverageAnswer = ListAnswer<typeof Coverage>
type Contents = Pick<z.input<typeof ChartCoverage>['about'], 'codes' | 'code_prefixes' | 'regions' | 'npis'>

/**
 * Lists what can be asked for. The contents of a release never change, so they are counted once. The codes in force are
 * counted once for each first character, and again when another edition comes into force.
 */
export function coverage(
  db: Db,
  log: Log,
  published: PublishedRegistry,
  charts: Charts,
): (query: CoverageQuery, day: string) => Promise<CoverageAnswer> {
  const contents = new Memo<Contents>(MAX_REMEMBERED)
  const codes = new Memo<HeldCode[]>(MAX_CODE_LISTS)
  return async (query, day) => {
    const { prefix, chart } = query
    const view = await published.at()
    if (prefix === undefined)
      return coverageOfCharts(Proofs.under(view, db, log, chartTable(charts)), charts, contents, query, day)
    if (query.cpt !== undefined || query.npi !== undefined)
      throw Problem.parameter('prefix', 'prefix goes with chart, not with cpt or npi')
    const first = prefix.slice(0, 1)
    const name = `${view.head.size} ${sameSince(view, day)} ${chart ?? ''} ${first}`
    const all = await codes.get(name, () => codesInForce(db, view, chart, first, day))
    return pageOfCodes(query, prefix, day, all)
  }
}

async function coverageOfCharts(
  proofs: Proofs,
  charts: Charts,
  contents: Memo<Contents>,
  query: CoverageQuery,
  day: string,
): Promise<CoverageAnswer> {
  const { db, view } = proofs
  const { limit, offset, chart, cpt, npi } = query
  const inForce = inForceOn(view, day, chart)
  const isFiltered = cpt !== undefined || npi !== undefined
  const fitting = isFiltered ? await holding(db, inForce, { cpt, npi }) : inForce
  const shown = fitting.slice(offset, offset + limit)
  const proof = new AnswerProof(proofs)
  const data: z.input<typeof ChartCoverage>[] = []
  for (const { release, period } of shown) {
    await ourTurn()
    const held = await contents.get(release.release_id, () => contentsOf(openRelease(db, release)))
    const code = cpt === undefined ? {} : { code: coverageOfCode(release.chart, openRelease(db, release), cpt) }
    const title = chartOf(release.chart, charts)?.title ?? release.chart
    data.push({ ...listedEdition(release.manifest, period), about: { title, ...held, ...code } })
    proof.addRelease(release)
  }
  const [begin, end] = chart === undefined ? [0, view.periods.length] : view.ofChart(chart)
  const from = (fitting[Math.min(offset, fitting.length) - 1]?.index ?? begin - 1) + 1
  const to = offset + limit < fitting.length ? (shown.at(-1)?.index ?? from) + 1 : end
  if (!isFiltered) proof.addPeriods([Math.max(0, from - 1), Math.min(view.periods.length, to + 1)])
  return { data, total: fitting.length, as_of: day, from, proof: proof.member() as unknown as z.input<typeof Proof> }
}

/** Where the editions in force changed last before a day, or on it: all days since then have the same ones. */
function sameSince({ periods }: View, day: string): string {
  const changes = periods.flatMap(({ from, to }) => [from, `${to}~`])
  return changes.reduce((last, change) => (change <= day && change > last ? change : last), '')
}

interface EditionInForce {
  index: number
  period: Period
  release: Release
}

/** In the order of the timeline. */
const inForceOn = (view: View, day: string, chart: string | undefined): EditionInForce[] =>
  view.periods.flatMap((period, index) =>
    holds(period, day) && (chart ?? period.chart) === period.chart
      ? [{ index, period, release: view.releaseIn(period) }]
      : [],
  )

/** The editions that have rows of a code and of a provider, whichever of the two is asked for. */
async function holding(
  db: Db,
  editions: readonly EditionInForce[],
  { cpt, npi }: { cpt: string | undefined; npi: string | undefined },
): Promise<EditionInForce[]> {
  const found: EditionInForce[] = []
  for (const [at, edition] of editions.entries()) {
    if (at % RELEASES_AT_ONCE === 0) await ourTurn()
    if (isOfPlaces(edition.release.chart)) continue
    // A release has rows of the providers that its manifest names: the files of all others stay closed.
    if (npi !== undefined && !edition.release.manifest.providers?.includes(npi)) continue
    const file = openRelease(db, edition.release)
    const has = (by: TotalBy, name: string | undefined): boolean => name === undefined || file.totalOf(by, name) > 0
    if (has('code', cpt) && has('provider', npi)) found.push(edition)
  }
  return found
}

async function contentsOf(file: ReleaseFile): Promise<Contents> {
  const codes = [...file.totals('code').keys()]
  const prefixes = Map.groupBy(codes, (code) => code.slice(0, 1))
  return {
    codes: codes.length,
    code_prefixes: [...prefixes].map(([prefix, all]) => ({ prefix, codes: all.length })),
    regions: cut(knownFirst([...file.totals('region').keys()])),
    npis: cut([...file.totals('provider').keys()]),
  }
}

const cut = <T>(all: readonly T[]): { total: number; list: T[] } => ({
  total: all.length,
  list: all.slice(0, MAX_LISTED),
})

/** Bidding areas come last: nobody knows them by their names here. */
const knownFirst = (regions: readonly string[]): string[] =>
  regions.toSorted((a, b) => Number(isBiddingArea(a)) - Number(isBiddingArea(b)))

/** Read off the keys: empty where there is none. */
function coverageOfCode(chart: string, file: ReleaseFile, cpt: string): z.input<typeof CodeCoverage> {
  const rows = file.rowsUnder(keyPrefix(chart, cpt))
  if (kindOfRows(chart)) {
    const none = cut<string>([])
    return { cpt, rows: rows.length, prices: 0, bases: [], modifiers: [], settings: [], regions: none, npis: none }
  }
  const parts = rows.map(({ row_key }) => row_key.split('|'))
  const distinct = (at: number): string[] => [...new Set(parts.map((part) => part[at] ?? ''))].sort()
  const orNull = (at: number): (string | null)[] => distinct(at).map((text) => (text === '' ? null : text))
  return {
    cpt,
    rows: rows.length,
    // A row's text is ours, so its kind is plain in it.
    prices: rows.filter(({ body }) => body.includes('"kind":"price"')).length,
    bases: z.array(z.enum(BASES)).parse(distinct(KEY_PARTS.indexOf('basis'))),
    modifiers: orNull(KEY_PARTS.indexOf('modifier')),
    settings: z.array(z.enum(SETTINGS).nullable()).parse(orNull(KEY_PARTS.indexOf('setting'))),
    regions: cut(knownFirst(distinct(KEY_PARTS.indexOf('region')))),
    npis: cut(distinct(KEY_PARTS.indexOf('npi')).filter((text) => text !== '')),
  }
}

interface HeldCode {
  cpt: string
  charts: number
  rows: number
}

/** All codes in force that begin with a character, a few releases at a time. */
async function codesInForce(
  db: Db,
  view: View,
  chart: string | undefined,
  first: string,
  day: string,
): Promise<HeldCode[]> {
  const found = new Map<string, HeldCode>()
  // ZIP codes are spelled like codes, and are none. A code that has edits alone has no price.
  const isOfCodes = (each: string): boolean => kindOfRows(each) === undefined || (each === chart && !isOfPlaces(chart))
  const releases = inForceOn(view, day, chart).flatMap(({ release }) => (isOfCodes(release.chart) ? release : []))
  for (const [at, release] of releases.entries()) {
    if (at % RELEASES_AT_ONCE === 0) await ourTurn()
    for (const [cpt, rows] of openRelease(db, release).totals('code')) {
      if (!cpt.startsWith(first)) continue
      const known = found.get(cpt)
      if (!known) found.set(cpt, { cpt, charts: 1, rows })
      else {
        known.charts++
        known.rows += rows
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
