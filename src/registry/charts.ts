import type { Calendar } from '../integrity/report/freshness.ts'
import { type ChartFacts, type ChartTable, factsOf } from '../proof/price/charts.ts'
import { type Basis, CHART_ENTRIES, type ChartName, type Setting } from '../tables/charts.ts'
import { EDITION_ENTRIES } from '../tables/editions.ts'
import type { RuleId } from './release/rules.ts'

/**
 * A publisher's series of price lists, and all there is to say about it. Types, schemas, freshness, the breaker, row
 * rules, coverage, its reader and the command line follow from these entries. They stand in docs/spec/tables/: in charts.json
 * the facts that a verifier needs too, in editions.json the others. Every word is ours: nothing is taken from a source file.
 */
export interface ChartEntry extends ChartFacts {
  /** Its id, `cms-pfs`. Where each provider publishes its own, what their ids begin with: `hospital-mrf`. */
  chart: string
  /** The file in ingest/ that reads its files, and exports `reader`: `schedules/drugs`. */
  reader: string
  /** Each provider publishes a chart of its own, named `<chart>:<NPI>`. All others are schedules. */
  perProvider: boolean
  /** Its name in the integrity report. */
  kind: string
  publisher: string
  title: string
  /** When its next edition is expected. */
  calendar: Calendar
  /** The rules by which its reader judges every line, even where they find nothing. */
  judgedOnReading: readonly RuleId[]
  /**
   * How its rows are judged before they are staged: not at all, because a formula made them, or small amounts are
   * usual; alone; or beside the schedules in force and what other providers charge.
   */
  rowRules: 'none' | 'alone' | 'beside_others'
  /** The limits of its releases beyond the number of their rows; none for a chart that states no prices. */
  breaker: {
    /** A price that moved by more than this many percent is counted by rule R12. */
    farMovePct: 25 | 100
    /** Whether a release with different prices under one key is held. */
    holdsConflicts: boolean
    /** Losses of a source are counted in lines, or in combinations of code, modifier, setting and basis. */
    lossUnit: 'lines' | 'combinations'
  } | null
  /** Whether hospital prices are compared with it: the lowest preference first, and only its rows in these settings. */
  comparable: { preference: number; settings: readonly (Setting | null)[] } | null
  /** The fewest lines that an edition can have: well below what each of the last years had. 0 where it is not known. */
  leastLines: number
}

/** One chart: an entry with the provider filled in. */
export interface Chart extends ChartEntry {
  /** The entry that it is of: `hospital-mrf` for `hospital-mrf:1234567893`. */
  entry: string
}
export type Charts = readonly ChartEntry[]

/** A chart as the two tables have it: what a verifier needs too, and how its editions are taken. */
const entryOf = (chart: ChartName): ChartEntry => {
  const edition = EDITION_ENTRIES[chart]
  const { bases, speaks, settings, per_provider = false } = CHART_ENTRIES[chart]
  return {
    ...(factsOf(chart) ?? { bases, speaks, settings }),
    chart,
    reader: edition.reader,
    perProvider: per_provider,
    kind: edition.kind,
    publisher: edition.publisher,
    title: edition.title,
    calendar: edition.calendar,
    judgedOnReading: edition.judged_on_reading as readonly RuleId[],
    rowRules: edition.row_rules,
    breaker: edition.breaker && {
      farMovePct: edition.breaker.far_move_pct,
      holdsConflicts: edition.breaker.holds_conflicts,
      lossUnit: edition.breaker.loss_unit,
    },
    comparable: edition.comparable,
    leastLines: edition.least_lines,
  }
}

/** The charts in the order of the table: schedules first. */
export const CHARTS: Charts = (Object.keys(CHART_ENTRIES) as ChartName[]).map(entryOf)

/** The part of the table that the rule of the lookup needs, for charts that hold prices and are not a provider's own. */
export const chartTable = (charts: Charts = CHARTS): ChartTable =>
  Object.fromEntries(
    charts
      .filter(({ perProvider, bases }) => !perProvider && bases.length > 0)
      .map(({ chart, bases, speaks, settings, codes, standIn }) => {
        const facts = { bases, speaks, settings }
        return [chart, { ...facts, ...(codes && { codes }), ...(standIn && { standIn }) }]
      }),
  )

const NPI = '[12][0-9]{9}'

export const providerChart = (entry: string, npi: string): string => `${entry}:${npi}`

export function chartOf(id: string, charts: Charts = CHARTS): Chart | undefined {
  const [name, npi, ...more] = id.split(':')
  const entry = charts.find(({ chart }) => chart === name)
  if (!entry || more.length > 0) return undefined
  if (!entry.perProvider) return npi === undefined ? { ...entry, entry: entry.chart } : undefined
  if (npi === undefined || !new RegExp(`^${NPI}$`).test(npi)) return undefined
  return { ...entry, chart: id, entry: entry.chart, publisher: `${entry.publisher} with NPI ${npi}` }
}

/** The form of the ids of charts. */
export const chartIdPattern = (charts: Charts = CHARTS): RegExp =>
  new RegExp(`^(${charts.map(({ chart, perProvider }) => (perProvider ? `${chart}:${NPI}` : chart)).join('|')})$`)

/** The schedules to search, in order; one if a basis is asked for. */
export const schedulesFor = (basis: Basis | undefined, charts: Charts = CHARTS): Charts =>
  charts.filter(({ perProvider, bases }) => !perProvider && (basis === undefined || bases.includes(basis)))

/** The bases of providers' own prices, in the order in which a lookup prefers them when it names none. */
export const providerBases = (charts: Charts = CHARTS): readonly Basis[] =>
  charts.flatMap(({ perProvider, bases }) => (perProvider ? bases : []))

/** Rows of a schedule that a hospital price can be compared with. */
export interface Comparable {
  basis: Basis
  settings: readonly (Setting | null)[]
}

/** Rows that a hospital price is compared with, in the order of preference. */
export const comparables = (charts: Charts = CHARTS): readonly Comparable[] =>
  charts
    .flatMap(({ bases, comparable }) => (comparable ? [{ bases, ...comparable }] : []))
    .sort((a, b) => a.preference - b.preference)
    .flatMap(({ bases, settings }) => bases.map((basis) => ({ basis, settings })))
