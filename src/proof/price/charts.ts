// The charts that a lookup knows, and which of them may answer a question. The facts are a table, docs/spec/tables/charts.json.

import {
  type Basis,
  CHART_ENTRIES,
  type ChartInTable,
  type ChartName,
  CODE_FORMS,
  type CodeSystem,
  type RowKind,
  SEARCHED,
  SEARCHED_WITHOUT_SETTING,
  type Setting,
} from '../../tables/charts.ts'
import { type BillKind, KIND_ENTRIES } from '../../tables/sides.ts'
import { own } from '../shape.ts'

export interface ChartFacts extends Pick<ChartInTable, 'bases' | 'speaks' | 'settings' | 'codes'> {
  /** The codes that one row stands for, under the code `as`: a factor is the same for all of them. */
  standIn?: { for: RegExp; as: string }
}

export const PLACE_CHART: ChartName = 'zip-locality'
/** The list of hospitals, with their places and names. */
export const HOSPITAL_LIST: ChartName = 'hospitals'

/** The kind of the rows of a chart that states no prices; undefined of all others. */
export const kindOfRows = (chart: string): RowKind | undefined => own(CHART_ENTRIES, chart)?.rows

/** Whether the rows of a chart are about ZIP codes, and so about no code: places and hospitals. */
export const isOfPlaces = (chart: string): boolean => ['place', 'hospital'].includes(kindOfRows(chart) ?? '')

/** What the keys of all rows of a code begin with. The key of an edit is the code alone. */
export const keyPrefix = (chart: string, code: string): string =>
  kindOfRows(chart) === undefined || chart === PLACE_CHART ? `${code}|` : code

const OF_HOSPITALS: ChartName = 'hospital-mrf'
export const HOSPITAL = `${OF_HOSPITALS}:`

const factsIn = ({ bases, speaks, settings, codes, stand_in }: ChartInTable): ChartFacts => ({
  bases,
  speaks,
  settings,
  ...(codes && { codes }),
  ...(stand_in && { standIn: { for: new RegExp(stand_in.for), as: stand_in.as } }),
})

/** The facts of each chart. A verifier uses its own; a registry with further schedules tells its clients theirs. */
export interface ChartTable {
  readonly [chart: string]: ChartFacts
}
export const CHARTS: ChartTable = Object.fromEntries(
  Object.entries(CHART_ENTRIES)
    .filter(([, { per_provider, bases }]) => !per_provider && bases.length > 0)
    .map(([chart, entry]) => [chart, factsIn(entry)]),
)

/** The facts of a hospital's file. Its prices are national in form: the hospital is where it is. */
export const HOSPITAL_FACTS: ChartFacts = factsIn(CHART_ENTRIES[OF_HOSPITALS])

export const factsOf = (chart: string, table: ChartTable = CHARTS): ChartFacts | undefined =>
  chart.startsWith(HOSPITAL) ? HOSPITAL_FACTS : own(table, chart)

export const codeIn = (facts: ChartFacts | undefined, cpt: string): string =>
  facts?.standIn?.for.test(cpt) ? facts.standIn.as : cpt

export const basesOf = (chart: string, table: ChartTable = CHARTS): readonly Basis[] =>
  factsOf(chart, table)?.bases ?? []

/** The parts of a question that decide which schedules may answer it. */
export interface ChartQuestion {
  /** Left out of what is said of all codes. */
  cpt?: string
  basis: Basis | undefined
  setting: Setting | undefined
  side?: { kind: BillKind } | undefined
}

const PROCEDURES: readonly CodeSystem[] = ['procedure']

/** Whether a chart can have rows for a code: of what it cannot have, it says nothing. */
export const canHold = ({ codes = PROCEDURES }: Pick<ChartFacts, 'codes'>, code: string): boolean =>
  codes.some((system) => CODE_FORMS.get(system)?.test(code))

/** The schedules that may answer, in order. They follow from the question alone, never from the charts that are loaded. */
export function chartsFor({ cpt, basis, setting, side }: ChartQuestion, table: ChartTable = CHARTS): readonly string[] {
  const ofSide = side && [...new Set(KIND_ENTRIES[side.kind].settings.flatMap((each) => SEARCHED[each]))]
  const searched = setting === undefined ? (ofSide ?? SEARCHED_WITHOUT_SETTING) : SEARCHED[setting]
  const charts =
    basis === undefined ? searched : Object.keys(table).filter((chart) => basesOf(chart, table).includes(basis))
  if (cpt === undefined) return charts
  // A chart of one row for some codes is searched for these alone, unless it is named.
  const isSearched = ({ standIn }: Partial<ChartFacts>): boolean =>
    basis !== undefined || (standIn?.for.test(cpt) ?? true)
  return charts.filter((chart) => {
    const facts = factsOf(chart, table) ?? {}
    return canHold(facts, cpt) && isSearched(facts)
  })
}

/** Whether a side of the bill is paid by a schedule: by one that has one of its settings, or none. */
export const isOfSide = (kind: BillKind, { settings }: ChartFacts): boolean =>
  settings.some((setting) => setting === null || KIND_ENTRIES[kind].settings.includes(setting))
