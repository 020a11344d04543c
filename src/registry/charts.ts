import type { Calendar } from '../integrity/report/freshness.ts'
import { type ChartFacts, type ChartTable, factsOf, HOSPITAL_FACTS, PLACE_CHART } from '../proof/price/charts.ts'
import type { Basis, Setting } from '../proof/price/row.ts'
import type { RuleId } from './release/rules.ts'

/**
 * A publisher's series of price lists, and all there is to say about it. Types, schemas, freshness, the breaker, row
 * rules, coverage, its reader and the command line follow from these entries. Facts that a verifier needs too, the bases
 * and settings of its rows and where they hold, are those of proof/. Every word is ours: nothing is taken from a source file.
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

const CMS = 'Centers for Medicare & Medicaid Services'
/** CMS publishes late at times, but an old quarter is soon wrong. */
const QUARTERLY: Calendar = {
  next: 'quarter',
  due_before_days: 30,
  stale_after_days: 15,
  expired_after_days: 45,
}

/** A schedule of CMS: what a verifier knows of it stands in proof/price/schedules.ts, and what most have in common here. */
const schedule = (
  own: Pick<ChartEntry, 'chart' | 'reader' | 'title' | 'leastLines'> & Partial<ChartEntry>,
): ChartEntry => ({
  ...(factsOf(own.chart) as ChartFacts),
  perProvider: false,
  kind: own.chart.replaceAll('-', '_'),
  publisher: CMS,
  calendar: QUARTERLY,
  judgedOnReading: ['R02', 'R03', 'R03_field', 'R09', 'R10'],
  rowRules: 'alone',
  breaker: { farMovePct: 25, holdsConflicts: true, lossUnit: 'lines' },
  comparable: null,
  ...own,
})

/** The schedules come in the order in which a lookup without a provider searches them. */
export const CHARTS: Charts = [
  schedule({
    chart: 'cms-pfs',
    reader: 'schedules/physician',
    title: 'Medicare Physician Fee Schedule',
    // The conversion factor changes on the first of January, so an old edition is wrong then, not only late.
    calendar: { ...QUARTERLY, expired_after_days_in_new_year: 15 },
    judgedOnReading: ['R02', 'R03', 'R03_field', 'R09', 'R10', 'W01'],
    rowRules: 'none',
    comparable: { preference: 3, settings: ['non_facility'] },
    leastLines: 15_000,
  }),
  schedule({
    chart: 'cms-pfs-qpp',
    reader: 'schedules/physician-qpp',
    title: 'Medicare Physician Fee Schedule for qualifying APM participants',
    calendar: { ...QUARTERLY, expired_after_days_in_new_year: 15 },
    judgedOnReading: ['R02', 'R03', 'R03_field', 'R09', 'R10', 'W01'],
    rowRules: 'none',
    // CMS lists only what it pays or leaves to its contractors in this file: 11,811 lines in January 2026.
    leastLines: 10_000,
  }),
  schedule({
    chart: 'cms-clfs',
    reader: 'schedules/laboratory',
    title: 'Medicare Clinical Laboratory Fee Schedule',
    judgedOnReading: ['R02', 'R03', 'R03_field', 'R09', 'R10', 'R14'],
    comparable: { preference: 2, settings: [null] },
    leastLines: 1_000,
  }),
  schedule({
    chart: 'cms-asp',
    reader: 'schedules/drugs',
    title: 'Medicare Part B Drug Payment Limits',
    judgedOnReading: ['R02', 'R03', 'R09', 'R10'],
    leastLines: 500,
  }),
  schedule({
    chart: 'cms-opps',
    reader: 'schedules/outpatient',
    title: 'Medicare Hospital Outpatient Prospective Payment System',
    comparable: { preference: 1, settings: ['outpatient', null] },
    leastLines: 10_000,
  }),
  schedule({
    chart: 'cms-asc',
    reader: 'schedules/surgery-center',
    title: 'Medicare Ambulatory Surgical Center Payment System',
    // One of the two addenda is enough.
    leastLines: 1_500,
  }),
  schedule({
    chart: 'cms-dmepos',
    reader: 'schedules/equipment',
    title: 'Medicare Durable Medical Equipment, Prosthetics, Orthotics and Supplies Fee Schedule',
    rowRules: 'none',
    leastLines: 2_000,
  }),
  schedule({
    chart: 'cms-anesthesia',
    reader: 'schedules/anesthesia',
    title: 'Medicare Anesthesia Conversion Factors',
    calendar: { ...QUARTERLY, next: 'calendar_year', expired_after_days: 15 },
    judgedOnReading: ['R02', 'R03', 'R09', 'R10'],
    rowRules: 'none',
    leastLines: 100,
  }),
  {
    ...HOSPITAL_FACTS,
    chart: 'hospital-mrf',
    reader: 'hospital/reader',
    perProvider: true,
    kind: 'hospital_mrf',
    publisher: 'Hospital',
    title: 'Hospital standard charges (45 CFR 180)',
    // 45 CFR 180.50(e): hospitals update at least once a year.
    calendar: { next: 'year_later', due_before_days: 30, stale_after_days: 1, expired_after_days: 35 },
    judgedOnReading: ['R02', 'R03', 'R03_field', 'R03_other_code', 'malformed', 'not_cpt', 'no_amount'],
    rowRules: 'beside_others',
    // A hospital's file states a price once for each payer, and changes its charges as it likes.
    breaker: { farMovePct: 100, holdsConflicts: false, lossUnit: 'combinations' },
    comparable: null,
    leastLines: 0,
  },
  {
    chart: PLACE_CHART,
    reader: 'schedules/places',
    perProvider: false,
    kind: 'zip_locality',
    publisher: CMS,
    title: 'Medicare localities of ZIP codes',
    bases: [],
    settings: [],
    speaks: 'locality',
    calendar: QUARTERLY,
    judgedOnReading: ['R09'],
    rowRules: 'none',
    breaker: null,
    comparable: null,
    leastLines: 40_000,
  },
]

/** The part of the table that the rule of the lookup needs, for charts that hold prices and are not a provider's own. */
export const chartTable = (charts: Charts = CHARTS): ChartTable =>
  Object.fromEntries(
    charts
      .filter(({ perProvider, bases }) => !perProvider && bases.length > 0)
      .map(({ chart, bases, speaks, settings, standIn }) => {
        const facts = { bases, speaks, settings }
        return [chart, standIn ? { ...facts, standIn } : facts]
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
