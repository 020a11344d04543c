// The charts and their bases and settings, as docs/spec/tables/charts.json has them. What a chart means for a lookup is in
// proof/price/charts.ts.

import { bases, charts, codes, settings, without_setting } from '../../docs/spec/tables/charts.json'
import { frozen } from './frozen.ts'

/** The system that a code is of. */
export type CodeSystem = keyof typeof codes
/** The origin of a price: a schedule of Medicare, or a kind of hospital charge. */
export type Basis = keyof typeof bases
/** Where a service is performed, as far as prices differ by it. */
export type Setting = keyof typeof settings
/** The name of a chart, or what the names of the charts of providers begin with. */
export type ChartName = keyof typeof charts

export interface BasisEntry {
  /** The closed names of the columns that a biller needs beside the price. */
  indicators: readonly string[]
  /** The methods by which its prices and absences come about. */
  methods: readonly string[]
  /** What its amounts are, if not all are prices: a rate is a factor that is multiplied. */
  kinds?: readonly ('price' | 'rate')[]
  /** Its rows are those of single payers, each by the kind of plan. */
  per_payer?: true
}

/** What the rows of a chart state that states no prices. */
export type RowKind = 'place' | 'hospital' | 'limit' | 'edits' | 'add_on'

export interface ChartInTable {
  /** None for a chart that states no prices. */
  bases: readonly Basis[]
  /** Whether a row holds for the whole country, for a Medicare locality, or for a state. */
  speaks: 'national' | 'locality' | 'state'
  /** The settings of its prices, in the order in which they are tried; null if it has none. */
  settings: readonly (Setting | null)[]
  rows?: RowKind
  /** The kinds of codes that it can hold, where these are not those of procedures alone. */
  codes?: readonly CodeSystem[]
  /** Each provider publishes a chart of its own, named `<chart>:<NPI>`. All others are schedules. */
  per_provider?: true
  /** The codes that one row stands for, as a pattern, and the code that it is under. */
  stand_in?: { for: string; as: string }
  source: string
}

const CODE_ENTRIES = Object.entries(frozen(codes))
const wholly = (form: string): RegExp => new RegExp(`^(${form})$`)
/** The form of each kind of code, for the whole code. */
export const CODE_FORMS: ReadonlyMap<string, RegExp> = new Map(
  CODE_ENTRIES.map(([system, { form }]) => [system, wholly(form)]),
)
/** The form of a code of any kind. */
export const CODE_FORM = wholly(CODE_ENTRIES.map(([, { form }]) => form).join('|'))

export const BASIS_ENTRIES: Readonly<Record<Basis, BasisEntry>> = frozen(bases as Record<Basis, BasisEntry>)
export const BASES = frozen(Object.keys(bases) as [Basis, ...Basis[]])
export const SETTINGS = frozen(Object.keys(settings) as [Setting, ...Setting[]])

/** In the order in which they are listed everywhere. */
export const CHART_ENTRIES = frozen(charts as Readonly<Record<ChartName, ChartInTable>>)

/** The schedules that may answer a question without a provider and a basis, in order: by its setting, and without one. */
export const SEARCHED: Readonly<Record<Setting, readonly string[]>> = frozen(settings)
export const SEARCHED_WITHOUT_SETTING: readonly string[] = frozen(without_setting)
