import type { Calendar } from '../integrity/report/freshness.ts'
import type { ChartFacts, ChartTable } from '../proof/price/charts.ts'
import type { Basis, Setting } from '../proof/price/row.ts'
import { ANESTHESIA_CODES } from '../proof/price/schedules.ts'
import type { RuleId } from './release/rules.ts'

/**
 * A publisher's series of price lists, and all there is to say about it. Types, schemas, freshness, the breaker, row
 * rules, coverage and the command line follow from these entries; how its files are read is in ingest/readers.ts.
 * Every word is ours: nothing is taken from a source file.
 */
export interface ChartEntry {
  /** Its id, `cms-pfs`. Where each provider publishes its own, what their ids begin with: `hospital-mrf`. */
  chart: string
  /** Each provider publishes a chart of its own, named `<chart>:<NPI>`. All others are schedules. */
  perProvider: boolean
  /** What the integrity report calls it. */
  kind: string
  publisher: string
  title: string
  /**
   * A basis belongs to one chart. Several are in the order of preference when a lookup names none. A chart that states
   * no prices has none.
   */
  bases: readonly Basis[]
  /** The settings that its rows can have; null is a row without one. */
  settings: readonly (Setting | null)[]
  /** Where it speaks: for the whole country, or also for each Medicare locality or state. */
  speaks: 'national' | 'locality' | 'state'
  /** Where one row stands for many codes: which, and under what code. */
  standIn?: ChartFacts['standIn']
  /** When its next edition is expected. */
  calendar: Calendar
  /** The rules by which its reader judges every line, whether or not it finds anything. */
  judgedOnReading: readonly RuleId[]
  /**
   * How its rows are judged before they are staged: not at all, because a formula made them, or small amounts are
   * usual; alone; or beside the schedules in force and what other providers charge.
   */
  rowRules: 'none' | 'alone' | 'beside_others'
  /** What its releases are held by beyond the number of their rows; nothing for a chart that states no prices. */
  breaker: {
    /** A price that moved by more than this many percent is counted by rule R12. */
    farMovePct: 25 | 100
    /** Whether a release with different prices under one key is held. */
    holdsConflicts: boolean
    /** What is lost of a source is counted in lines, or in combinations of code, modifier, setting and basis. */
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
const SCHEDULE_BREAKER = { farMovePct: 25, holdsConflicts: true, lossUnit: 'lines' } as const

/** The schedules come in the order in which a lookup without a provider searches them. */
const ENTRIES = [
  {
    chart: 'cms-pfs',
    perProvider: false,
    kind: 'cms_pfs',
    publisher: CMS,
    title: 'Medicare Physician Fee Schedule',
    bases: ['medicare_pfs'],
    settings: ['non_facility', 'facility', null],
    speaks: 'locality',
    // The conversion factor changes on the first of January, so an old edition is wrong then, not only late.
    calendar: { ...QUARTERLY, expired_after_days_in_new_year: 15 },
    judgedOnReading: ['R02', 'R03', 'R03_field', 'R09', 'R10', 'W01'],
    rowRules: 'none',
    breaker: SCHEDULE_BREAKER,
    comparable: { preference: 3, settings: ['non_facility'] },
    leastLines: 15_000,
  },
  {
    chart: 'cms-pfs-qpp',
    perProvider: false,
    kind: 'cms_pfs_qpp',
    publisher: CMS,
    title: 'Medicare Physician Fee Schedule for qualifying APM participants',
    bases: ['medicare_pfs_qpp'],
    settings: ['non_facility', 'facility', null],
    speaks: 'locality',
    calendar: { ...QUARTERLY, expired_after_days_in_new_year: 15 },
    judgedOnReading: ['R02', 'R03', 'R03_field', 'R09', 'R10', 'W01'],
    rowRules: 'none',
    breaker: SCHEDULE_BREAKER,
    comparable: null,
    // CMS lists only what it pays or leaves to its contractors in this file: 11,811 lines in January 2026.
    leastLines: 10_000,
  },
  {
    chart: 'cms-clfs',
    perProvider: false,
    kind: 'cms_clfs',
    publisher: CMS,
    title: 'Medicare Clinical Laboratory Fee Schedule',
    bases: ['medicare_clfs'],
    settings: [null],
    speaks: 'national',
    calendar: QUARTERLY,
    judgedOnReading: ['R02', 'R03', 'R03_field', 'R09', 'R10', 'R14'],
    rowRules: 'alone',
    breaker: SCHEDULE_BREAKER,
    comparable: { preference: 2, settings: [null] },
    leastLines: 1_000,
  },
  {
    chart: 'cms-asp',
    perProvider: false,
    kind: 'cms_asp',
    publisher: CMS,
    title: 'Medicare Part B Drug Payment Limits',
    bases: ['medicare_asp'],
    settings: [null],
    speaks: 'national',
    calendar: QUARTERLY,
    judgedOnReading: ['R02', 'R03', 'R09', 'R10'],
    rowRules: 'alone',
    breaker: SCHEDULE_BREAKER,
    comparable: null,
    leastLines: 500,
  },
  {
    chart: 'cms-opps',
    perProvider: false,
    kind: 'cms_opps',
    publisher: CMS,
    title: 'Medicare Hospital Outpatient Prospective Payment System',
    bases: ['medicare_opps'],
    // Null is for a line that cannot be read: nothing more than its code is known.
    settings: ['outpatient', null],
    speaks: 'national',
    calendar: QUARTERLY,
    judgedOnReading: ['R02', 'R03', 'R03_field', 'R09', 'R10'],
    rowRules: 'alone',
    breaker: SCHEDULE_BREAKER,
    comparable: { preference: 1, settings: ['outpatient', null] },
    leastLines: 10_000,
  },
  {
    chart: 'cms-asc',
    perProvider: false,
    kind: 'cms_asc',
    publisher: CMS,
    title: 'Medicare Ambulatory Surgical Center Payment System',
    bases: ['medicare_asc'],
    settings: ['asc'],
    speaks: 'national',
    calendar: QUARTERLY,
    judgedOnReading: ['R02', 'R03', 'R03_field', 'R09', 'R10'],
    rowRules: 'alone',
    breaker: SCHEDULE_BREAKER,
    comparable: null,
    // One of the two addenda is enough.
    leastLines: 1_500,
  },
  {
    chart: 'cms-dmepos',
    perProvider: false,
    kind: 'cms_dmepos',
    publisher: CMS,
    title: 'Medicare Durable Medical Equipment, Prosthetics, Orthotics and Supplies Fee Schedule',
    bases: ['medicare_dmepos'],
    // Null is for a line whose modifier cannot be read.
    settings: ['non_rural', 'rural', null],
    speaks: 'state',
    calendar: QUARTERLY,
    judgedOnReading: ['R02', 'R03', 'R03_field', 'R09', 'R10'],
    rowRules: 'none',
    breaker: SCHEDULE_BREAKER,
    comparable: null,
    leastLines: 2_000,
  },
  {
    chart: 'cms-anesthesia',
    perProvider: false,
    kind: 'cms_anesthesia',
    publisher: CMS,
    title: 'Medicare Anesthesia Conversion Factors',
    bases: ['medicare_anesthesia'],
    settings: [null],
    speaks: 'locality',
    standIn: ANESTHESIA_CODES,
    calendar: { ...QUARTERLY, next: 'calendar_year', expired_after_days: 15 },
    judgedOnReading: ['R02', 'R03', 'R09', 'R10'],
    rowRules: 'none',
    breaker: SCHEDULE_BREAKER,
    comparable: null,
    leastLines: 100,
  },
  {
    chart: 'hospital-mrf',
    perProvider: true,
    kind: 'hospital_mrf',
    publisher: 'Hospital',
    title: 'Hospital standard charges (45 CFR 180)',
    bases: ['hospital_cash', 'hospital_gross', 'hospital_negotiated_low', 'hospital_negotiated_high'],
    settings: ['outpatient', 'inpatient', null],
    speaks: 'national',
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
    chart: 'zip-locality',
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
] as const satisfies Charts
/** What can be loaded. */
export type ChartName = (typeof ENTRIES)[number]['chart']
export const CHARTS: Charts = ENTRIES

/** The part of the table that the rule of the lookup needs, for charts that hold prices and are not a provider's own. */
export const chartTable = (charts: Charts = CHARTS): ChartTable =>
  Object.fromEntries(
    charts
      .filter(({ perProvider, bases }) => !perProvider && bases.length > 0)
      .map(({ chart, bases, speaks, settings, standIn }) => {
        const known = settings.filter((setting) => setting !== null)
        const facts = { bases, speaks, settings: known.length > 0 ? known : [null] }
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

/** What the ids of charts look like. */
export const chartIdPattern = (charts: Charts = CHARTS): RegExp =>
  new RegExp(`^(${charts.map(({ chart, perProvider }) => (perProvider ? `${chart}:${NPI}` : chart)).join('|')})$`)

/** The schedules to search, in order; one if a basis is asked for. */
export const schedulesFor = (basis: Basis | undefined, charts: Charts = CHARTS): Charts =>
  charts.filter(({ perProvider, bases }) => !perProvider && (basis === undefined || bases.includes(basis)))

/** The bases of providers' own prices, in the order in which a lookup prefers them when it names none. */
export const providerBases = (charts: Charts = CHARTS): readonly Basis[] =>
  charts.flatMap(({ perProvider, bases }) => (perProvider ? bases : []))

/** Which of a schedule's rows a hospital price can be compared with. */
export interface Comparable {
  basis: Basis
  settings: readonly (Setting | null)[]
}

/** What a hospital price is compared with, in the order of preference. */
export const comparables = (charts: Charts = CHARTS): readonly Comparable[] =>
  charts
    .flatMap(({ bases, comparable }) => (comparable ? [{ bases, ...comparable }] : []))
    .sort((a, b) => a.preference - b.preference)
    .flatMap(({ bases, settings }) => bases.map((basis) => ({ basis, settings })))
