import type { Db } from '../db/db.ts'
import type { CaseBand, ProviderRecord } from './rule/provider.ts'

const COVERED = `log_size <= (SELECT size FROM log_head WHERE log = 'figures')`

interface ProviderRefresh {
  release_no: number
  released_at: number
  /** Null under rule 1. */
  window_no: number | null
}

/** The last public release at which the statistics of providers were refreshed. */
export async function currentRefresh(db: Db): Promise<ProviderRefresh | undefined> {
  const [row] = await db.query<ProviderRefresh>(
    `SELECT release_no, released_at, window_no FROM figure_release
      WHERE refreshes_providers = 1 AND ${COVERED} ORDER BY release_no DESC LIMIT 1`,
  )
  return row
}

/** When the statistics of providers were last refreshed, public or not. */
export async function lastRefreshAt(db: Db): Promise<number | undefined> {
  const [row] = await db.query<{ released_at: number }>(
    'SELECT released_at FROM figure_release WHERE refreshes_providers = 1 ORDER BY release_no DESC LIMIT 1',
  )
  return row?.released_at
}

export async function findProviderRecord(db: Db, npi: string, release_no: number): Promise<ProviderRecord | undefined> {
  const [row] = await db.query<{ standing: string }>(
    `SELECT standing FROM provider_standing WHERE npi = $1 AND release_no <= $2 ORDER BY release_no DESC LIMIT 1`,
    [npi, release_no],
  )
  return row && (JSON.parse(row.standing) as ProviderRecord)
}

const LATEST = `FROM provider_standing p
      WHERE release_no = (SELECT MAX(release_no) FROM provider_standing q WHERE q.npi = p.npi)`

/** The latest record of every provider that has one. */
export async function providerRecords(tx: Db): Promise<Map<string, ProviderRecord>> {
  const rows = await tx.query<{ npi: string; standing: string }>(`SELECT npi, standing ${LATEST}`)
  return new Map(rows.map(({ npi, standing }) => [npi, JSON.parse(standing) as ProviderRecord]))
}

export const insertProviderRecords = (
  tx: Db,
  release_no: number,
  moved: readonly (readonly [npi: string, record: ProviderRecord])[],
): Promise<void> =>
  tx.insertMany(
    'provider_standing',
    ['npi', 'release_no', 'case_band', 'standing'],
    moved.map(([npi, record]) => [npi, release_no, record.band.value, JSON.stringify(record)]),
  )

/** How many providers have each published band. */
export async function bandCounts(tx: Db): Promise<Partial<Record<CaseBand, number>>> {
  const rows = await tx.query<{ case_band: CaseBand; n: number }>(
    `SELECT case_band, COUNT(*) AS n ${LATEST} GROUP BY case_band`,
  )
  return Object.fromEntries(rows.map(({ case_band, n }) => [case_band, n]))
}

/** Records that a key asks about a provider; false if it has asked about `limit` others on that day. */
export async function insertQuery(db: Db, day: string, key_id: string, npi: string, limit: number): Promise<boolean> {
  const key = [day, key_id, npi]
  const [asked] = await db.query(
    'SELECT 1 AS asked FROM provider_asked WHERE day = $1 AND key_id = $2 AND npi = $3',
    key,
  )
  if (asked) return true
  // In a transaction, because two processes at once could each count one less than the limit.
  return db.transaction(async (tx) => {
    const noted = await tx.query(
      `INSERT INTO provider_asked (day, key_id, npi)
     SELECT $1, $2, $3 WHERE (SELECT COUNT(*) FROM provider_asked WHERE day = $1 AND key_id = $2) < $4
     ON CONFLICT (day, key_id, npi) DO UPDATE SET npi = excluded.npi
     RETURNING npi`,
      [...key, limit],
    )
    await tx.query('DELETE FROM provider_asked WHERE day < $1', [day])
    return noted.length > 0
  })
}
