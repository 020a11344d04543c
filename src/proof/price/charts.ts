// The charts that a lookup knows: their bases, where they speak, and which of them may answer a question.
// The registry has the whole table; a test keeps this part of it the same.

import { own } from '../shape.ts'
import { BASES, type Basis, type Setting } from './row.ts'
import { renamed, SCHEDULES, type ScheduleFacts } from './schedules.ts'

export interface ChartFacts extends Pick<ScheduleFacts, 'speaks' | 'settings' | 'standIn'> {
  bases: readonly Basis[]
}

export const PLACE_CHART = 'zip-locality'
export const HOSPITAL = 'hospital-mrf:'

/** What is known of each schedule. A verifier uses its own; a registry with further schedules tells its clients theirs. */
export interface ChartTable {
  readonly [chart: string]: ChartFacts
}
/** The schedule `cms-pfs-qpp` has the basis `medicare_pfs_qpp`, and so have all of them. */
export const CHARTS: ChartTable = renamed<ScheduleFacts, ChartFacts>(SCHEDULES, ([name, facts]) => [
  `cms-${name.replace('_', '-')}`,
  { bases: [`medicare_${name}` as Basis], ...facts },
])

/** A hospital's file: its prices are national in form, as it stands where it stands. */
export const HOSPITAL_FACTS: ChartFacts = {
  bases: BASES.filter((basis) => basis.startsWith('hospital_')),
  speaks: 'national',
  settings: ['outpatient', null, 'inpatient'],
}

export const factsOf = (chart: string, table: ChartTable = CHARTS): ChartFacts | undefined =>
  chart.startsWith(HOSPITAL) ? HOSPITAL_FACTS : own(table, chart)

/** The code under which a chart has what it says of a code. */
export const codeIn = (facts: ChartFacts | undefined, cpt: string): string =>
  facts?.standIn?.for.test(cpt) ? facts.standIn.as : cpt

/** Which bases the rows of a chart may have; none for a chart that holds no prices. */
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

/** The charts that may answer, in order. It follows from the question alone, never from what happens to be loaded. */
export function chartsFor(
  basis: Basis | undefined,
  setting: Setting | undefined,
  table: ChartTable = CHARTS,
): readonly string[] {
  if (basis) return Object.keys(table).filter((chart) => basesOf(chart, table).includes(basis))
  return setting ? (BY_SETTING[setting] ?? []) : PROFESSIONAL
}
