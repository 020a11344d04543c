import type { Db } from '../db/db.ts'
import type { Row } from '../proof/row.ts'
import { chartOf, schedulesFor } from './charts.ts'
import { applyRules, type Comparison } from './row-rules.ts'
import type { Findings } from './rules.ts'
import type { Stageable } from './staging.ts'
import type { Release } from './store.ts'
import * as store from './store.ts'

/** So many hospitals are compared with, the last published first: each costs a look for every code. */
const MOST_PEERS = 40

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
): Promise<Stageable> {
  const kind = chartOf(chart)?.kind
  if (kind === 'cms_pfs') return rows
  return applyRules(rows, kind === 'hospital_mrf' ? await inForce(db, chart, day) : NOTHING, findings)
}

const NOTHING: Comparison = { medicare: async () => [], peers: async () => [] }

async function inForce(db: Db, chart: string, day: string): Promise<Comparison> {
  const releases = await store.releasesInForce(db, day)
  const schedules = schedulesFor(undefined).map((schedule) => schedule.chart)
  const medicare = releases.filter((release) => schedules.includes(release.chart))
  const hospitals = releases
    .filter((release) => release.chart !== chart && chartOf(release.chart)?.kind === 'hospital_mrf')
    .sort((a, b) => b.log_index - a.log_index)
    .slice(0, MOST_PEERS)
  const rowsOf = async (release: Release, cpt: string): Promise<Row[]> =>
    (await store.rowsUnder(db, release.release_no, `${cpt}|national|`)).map(({ body }) => JSON.parse(body) as Row)
  const all = (list: readonly Release[], cpt: string): Promise<Row[][]> =>
    Promise.all(list.map((release) => rowsOf(release, cpt)))
  return {
    medicare: async (cpt) => (await all(medicare, cpt)).flat(),
    peers: (cpt) => all(hospitals, cpt),
  }
}
