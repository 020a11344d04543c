import type { Db } from '../../db/db.ts'
import type { Row } from '../../proof/price/row.ts'
import { CHARTS, type Charts, chartOf, comparables, schedulesFor } from '../charts.ts'
import type { Release } from '../lookup/store.ts'
import * as store from '../lookup/store.ts'
import { applyRules, type Comparison, type MedicareRow } from './row-rules.ts'
import type { Findings } from './rules.ts'
import type { Stageable } from './staging.ts'

/** So many hospitals are compared with, the last published first: each costs a look for every code. */
const MOST_PEERS = 40

export interface Judged {
  rows: Stageable
  /** The schedules that the rows would be compared with and that are not in force. */
  without: string[]
}

/**
 * The rows of a source as they may be staged: judged by the rules for rows, with the prices in force on `day` beside
 * them. The physician schedule passes as it is: nothing stands beside it, and its two million rows are the formula's.
 */
export async function judged(
  db: Db,
  chart: string,
  rows: Stageable,
  findings: Findings,
  day: string,
  charts: Charts = CHARTS,
): Promise<Judged> {
  const rules = chartOf(chart, charts)?.rowRules ?? 'alone'
  if (rules === 'none') return { rows, without: [] }
  if (rules === 'alone') return { rows: applyRules(rows, NOTHING, findings), without: [] }
  const schedules = schedulesFor(undefined, charts).map((schedule) => schedule.chart)
  const releases = await store.releasesInForce(db, day)
  return {
    rows: applyRules(rows, inForce(db, chart, charts, releases), findings),
    without: schedules.filter((schedule) => !releases.some((release) => release.chart === schedule)),
  }
}

const NOTHING: Comparison = { medicare: async () => [], peers: async () => [], comparable: [] }

function inForce(db: Db, chart: string, charts: Charts, releases: readonly Release[]): Comparison {
  const isPerProvider = ({ chart: id }: Release): boolean => chartOf(id, charts)?.perProvider === true
  const medicare = releases.filter(({ chart: id }) => chartOf(id, charts)?.perProvider === false)
  const hospitals = releases
    .filter((release) => release.chart !== chart && isPerProvider(release))
    .sort((a, b) => b.log_index - a.log_index)
    .slice(0, MOST_PEERS)
  const rowsOf = async (release: Release, cpt: string): Promise<Row[]> =>
    (await store.rowsUnder(db, release.release_no, `${cpt}|national|`)).map(({ body }) => JSON.parse(body) as Row)
  const compared = async (release: Release, cpt: string): Promise<MedicareRow[]> =>
    (await rowsOf(release, cpt)).map((row) => ({ row, release_id: release.release_id }))
  return {
    medicare: async (cpt) => (await Promise.all(medicare.map((release) => compared(release, cpt)))).flat(),
    peers: (cpt) => Promise.all(hospitals.map((release) => rowsOf(release, cpt))),
    comparable: comparables(charts),
  }
}
