// The charts that a lookup knows, and which of them may answer a question. The registry has the whole table; a test
// compares the two.

import { own } from '../shape.ts'
import type { Basis, Setting } from './row.ts'
import { HOSPITAL_CHARGES, SCHEDULES, type ScheduleFacts } from './schedules.ts'

export interface ChartFacts extends Pick<ScheduleFacts, 'speaks' | 'settings' | 'standIn'> {
  bases: readonly Basis[]
}

export const PLACE_CHART = 'zip-locality'
export const HOSPITAL = 'hospital-mrf:'

/** The facts of each chart. A verifier uses its own; a registry with further schedules tells its clients theirs. */
export interface ChartTable {
  readonly [chart: string]: ChartFacts
}
export const CHARTS: ChartTable = Object.fromEntries(
  (Object.entries(SCHEDULES) as [Basis, ScheduleFacts][]).map(([basis, facts]) => [
    basis.replace('medicare_', 'cms-').replaceAll('_', '-'),
    { bases: [basis], ...facts },
  ]),
)

/** The facts of a hospital's file. Its prices are national in form: the hospital is where it is. */
export const HOSPITAL_FACTS: ChartFacts = {
  bases: Object.keys(HOSPITAL_CHARGES) as Basis[],
  speaks: 'national',
  settings: ['outpatient', null, 'inpatient'],
}

export const factsOf = (chart: string, table: ChartTable = CHARTS): ChartFacts | undefined =>
  chart.startsWith(HOSPITAL) ? HOSPITAL_FACTS : own(table, chart)

export const codeIn = (facts: ChartFacts | undefined, cpt: string): string =>
  facts?.standIn?.for.test(cpt) ? facts.standIn.as : cpt

export const basesOf = (chart: string, table: ChartTable = CHARTS): readonly Basis[] =>
  factsOf(chart, table)?.bases ?? []

const PROFESSIONAL = ['cms-pfs', 'cms-clfs', 'cms-asp', 'cms-dmepos']
const BY_SETTING: { readonly [setting in Setting]?: readonly string[] } = {
  non_facility: PROFESSIONAL,
  facility: PROFESSIONAL,
  outpatient: ['cms-opps', 'cms-clfs'],
  asc: ['cms-asc', 'cms-clfs'],
  rural: ['cms-dmepos'],
  non_rural: ['cms-dmepos'],
}

/** In order. They follow from the question alone, never from the charts that are loaded. */
export function chartsFor(
  basis: Basis | undefined,
  setting: Setting | undefined,
  table: ChartTable = CHARTS,
): readonly string[] {
  if (basis !== undefined) return Object.keys(table).filter((chart) => basesOf(chart, table).includes(basis))
  return setting === undefined ? PROFESSIONAL : (BY_SETTING[setting] ?? [])
}
