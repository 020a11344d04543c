import type { Db } from '../../db/db.ts'
import { fromUtf8 } from '../../proof/bytes.ts'
import { inPublicLog, past, readable } from '../store.ts'

// What there is: editions, releases, and the codes, regions and providers they hold. What lookups ask too is in registry/store.ts.

export async function regionsOf(db: Db, release_no: number): Promise<string[]> {
  const rows = await db.query<{ region: string }>(
    'SELECT region FROM release_region WHERE release_no = $1 ORDER BY region',
    [release_no],
  )
  return rows.map(({ region }) => region)
}

export async function providersOf(db: Db, release_no: number): Promise<string[]> {
  const rows = await db.query<{ npi: string }>('SELECT npi FROM release_provider WHERE release_no = $1 ORDER BY npi', [
    release_no,
  ])
  return rows.map(({ npi }) => npi)
}

/** How many codes of a release begin with each character. */
export function codePrefixes(db: Db, release_no: number): Promise<{ prefix: string; codes: number }[]> {
  return db.query(
    `SELECT SUBSTR(cpt, 1, 1) AS prefix, COUNT(*) AS codes FROM release_code
      WHERE release_no = $1 GROUP BY SUBSTR(cpt, 1, 1) ORDER BY prefix`,
    [release_no],
  )
}

/** The keys of a release's rows for one code, and whether each is a price. A row's text is ours, so its kind is plain in it. */
export async function keysOfCode(db: Db, release_no: number, cpt: string): Promise<{ key: string; priced: boolean }[]> {
  const rows = await db.query<{ row_key: string; priced: number }>(
    `SELECT row_key, CASE WHEN body LIKE '%"kind":"price"%' THEN 1 ELSE 0 END AS priced FROM price_row
      WHERE release_no = $1 AND row_key >= $2 AND row_key < $3 ORDER BY row_key`,
    [release_no, `${cpt}|`, past(`${cpt}|`)],
  )
  return rows.map(({ row_key, priced }) => ({ key: row_key, priced: priced === 1 }))
}

/** From which day on the same editions are in force as on this one. Days between two editions have the same answers. */
export async function sameSince(db: Db, day: string): Promise<string> {
  const [row] = await db.query<{ since: string | null }>(
    `SELECT MAX(r.effective_from) AS since FROM release r WHERE ${readable('r')} AND r.effective_from <= $1`,
    [day],
  )
  return row?.since ?? ''
}

export interface HeldCode {
  cpt: string
  charts: number
  rows: number
}

/** The codes of these releases that begin so, and how many of them have each. */
export function codesOf(db: Db, releaseNos: readonly number[], prefix: string): Promise<HeldCode[]> {
  const names = releaseNos.map((_, i) => `$${i + 3}`).join(', ')
  return db.query(
    `SELECT cpt, COUNT(*) AS charts, SUM(row_count) AS rows FROM release_code
      WHERE release_no IN (${names}) AND cpt >= $1 AND cpt < $2 GROUP BY cpt`,
    [prefix, past(prefix), ...releaseNos],
  )
}

export interface ListedRelease {
  release_id: string
  chart: string
  effective_from: string
  log_index: number
  /** The texts of its log entries. The second is there once the public checkpoint covers it. */
  manifest: string
  withdrawal: string | null
  withdrawn_index: number | null
}

const WITHDRAWN = `(r.withdrawn_index < (SELECT size FROM log_head WHERE log = 'registry'))`

/** In the public log; an empty text fits everything. */
const LISTED = `release r WHERE ${inPublicLog('r')} AND ($1 = '' OR r.chart = $1)
    AND ($2 = '' OR $2 = CASE WHEN ${WITHDRAWN} THEN 'withdrawn' ELSE 'published' END)`

const LISTED_COLUMNS = `r.release_id, r.chart, r.effective_from, r.log_index, r.manifest,
    CASE WHEN ${WITHDRAWN} THEN r.withdrawal END AS withdrawal,
    CASE WHEN ${WITHDRAWN} THEN r.withdrawn_index END AS withdrawn_index`

export async function countListed(db: Db, chart: string, state: string): Promise<number> {
  const [row] = await db.query<{ releases: number }>(`SELECT COUNT(*) AS releases FROM ${LISTED}`, [chart, state])
  return row?.releases ?? 0
}

/** The releases anyone may know of, the one published last first. */
export function pageOfListed(
  db: Db,
  chart: string,
  state: string,
  page: { limit: number; offset: number },
): Promise<ListedRelease[]> {
  return db.query<ListedRelease>(
    `SELECT ${LISTED_COLUMNS} FROM ${LISTED} ORDER BY r.log_index DESC LIMIT $3 OFFSET $4`,
    [chart, state, page.limit, page.offset],
  )
}

/** The last manifests and withdrawals of the public registry log, newest first. The states between them are no news. */
export async function lastEntries(db: Db, most: number): Promise<{ index: number; text: string }[]> {
  const rows = await db.query<{ leaf_index: number; body: Uint8Array }>(
    `SELECT leaf_index, body FROM log_leaf
      WHERE log = 'registry' AND leaf_index < (SELECT size FROM log_head WHERE log = 'registry')
        AND leaf_index IN (SELECT log_index FROM release WHERE log_index IS NOT NULL
                           UNION ALL SELECT withdrawn_index FROM release WHERE withdrawn_index IS NOT NULL)
      ORDER BY leaf_index DESC LIMIT $1`,
    [most],
  )
  return rows.map(({ leaf_index, body }) => ({ index: leaf_index, text: fromUtf8(body) }))
}
