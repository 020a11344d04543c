import { z } from 'zod'
import type { Db } from '../../db/db.ts'
import type { Log } from '../../integrity/log.ts'
import { Links, type ListAnswer, Page, pageInput } from '../../paging.ts'
import { Problem } from '../../problem.ts'
import { EDITION_PROOF, holds, listedEdition } from '../../proof/catalogue/coverage.ts'
import type { PlacedPeriod, TimelineProof as TimelineProofForm } from '../../proof/catalogue/timeline-proof.ts'
import { PLACE_CHART } from '../../proof/price/charts.ts'
import { BASES, SETTINGS } from '../../proof/price/row.ts'
import { type Charts, chartOf } from '../charts.ts'
import { chartId } from '../lookup/browse.ts'
import { AsOf, Code, Npi } from '../lookup/query.ts'
import { View } from '../lookup/view.ts'
import { Memo } from '../memo.ts'
import type { Release } from '../store.ts'
import { ourTurn } from '../turn.ts'
import { timelineProof } from './list-proofs.ts'
import { Days, EditionProof, TimelineProof } from './proof-schema.ts'
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
    in_force: Days,
    data_class: z.enum(['published', 'sample']),
    rows: z.int().min(0),
    codes: z.int().min(0),
    code_prefixes: z
      .array(z.strictObject({ prefix: z.string(), codes: z.int().min(1) }))
      .meta({ description: 'How many codes begin with each character' }),
    regions: Regions,
    npis: Npis,
    code: CodeCoverage.nullable().meta({ description: 'The code asked about with `cpt`; null if none was' }),
    proof: EditionProof,
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
    proof: TimelineProof.optional().meta({
      description: 'Of charts. Left out of a list of codes, and if the page is of too long a stretch of time',
    }),
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
  const contents = new Memo<Contents>(MAX_REMEMBERED)
  const codes = new Memo<HeldCode[]>(MAX_CODE_LISTS)
  return async (query, day) => {
    const { prefix, chart } = query
    const view = await View.at(db, log)
    if (prefix === undefined) return coverageOfCharts(db, view, charts, contents, query, day)
    if (query.cpt !== undefined || query.npi !== undefined)
      throw Problem.parameter('prefix', 'prefix goes with chart, not with cpt or npi')
    const first = prefix.slice(0, 1)
    const name = `${view.head.size} ${await catalogue.sameSince(db, day)} ${chart ?? ''} ${first}`
    const all = await codes.get(name, () => codesInForce(db, view, chart, first, day))
    return pageOfCodes(query, prefix, day, all)
  }
}

async function coverageOfCharts(
  db: Db,
  view: View,
  charts: Charts,
  contents: Memo<Contents>,
  query: CoverageQuery,
  day: string,
): Promise<CoverageAnswer> {
  const { limit, offset, chart, cpt, npi } = query
  const inForce = inForceOn(view, day, chart)
  const holding = cpt === undefined && npi === undefined ? undefined : await catalogue.releasesWith(db, { cpt, npi })
  const fitting = inForce.filter(
    ({ release }) => !holding || (holding.has(release.release_no) && release.chart !== PLACE_CHART),
  )
  const shown = fitting.slice(offset, offset + limit)
  const data: z.input<typeof ChartCoverage>[] = []
  for (const { release, period } of shown) {
    await ourTurn()
    const held = await contents.get(release.release_id, () => contentsOf(db, release.release_no))
    const code = cpt === undefined ? null : await coverageOfCode(db, release, cpt)
    const title = chartOf(release.chart, charts)?.title ?? release.chart
    const proof = { type: EDITION_PROOF, release: release.manifest } as const
    data.push({ ...listedEdition(release.manifest, period), title, ...held, code, proof })
  }
  const proof = holding
    ? timelineProof(view, shown[0]?.index ?? 0, (shown.at(-1)?.index ?? -1) + 1)
    : proofOf(view, fitting, query)
  return { data, total: fitting.length, as_of: day, ...(proof ? { proof } : {}) }
}

type EditionInForce = PlacedPeriod & { release: Release }

/** In the order of the timeline. */
const inForceOn = (view: View, day: string, chart: string | undefined): EditionInForce[] =>
  view.periods.flatMap((period, index) =>
    holds(period, day) && (chart ?? period.chart) === period.chart
      ? [{ index, period, release: view.releaseIn(period) }]
      : [],
  )

/** From the beginning of the list, or the last edition of the page before, to the last edition of the page, or the end. */
function proofOf(
  view: View,
  listed: readonly PlacedPeriod[],
  { limit, offset, chart }: CoverageQuery,
): TimelineProofForm | undefined {
  const [begin, end] = chart === undefined ? [0, view.periods.length] : view.stretchOf(chart)
  const hasMore = offset + limit < listed.length
  const before = listed[Math.min(offset, listed.length) - 1]?.index ?? begin
  const last = hasMore ? (listed[offset + limit - 1]?.index ?? 0) + 1 : end
  return timelineProof(view, offset === 0 ? begin : before, last)
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
async function codesInForce(
  db: Db,
  view: View,
  chart: string | undefined,
  first: string,
  day: string,
): Promise<HeldCode[]> {
  const found = new Map<string, HeldCode>()
  // ZIP codes are spelled like codes, and are none.
  const releases = inForceOn(view, day, chart).flatMap(({ release }) => (release.chart === PLACE_CHART ? [] : release))
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
