import type { Db } from '../../db/db.ts'
import { fromUtf8 } from '../../proof/bytes.ts'
import { past, readable } from '../store.ts'

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

/** The releases that have rows of a code, and that name a provider, whichever of the two is asked for. */
export async function releasesWith(
  db: Db,
  { cpt = '', npi = '' }: { cpt?: string | undefined; npi?: string | undefined },
): Promise<Set<number>> {
  const rows = await db.query<{ release_no: number }>(
    `SELECT release_no FROM release r
      WHERE ($1 = '' OR EXISTS (SELECT 1 FROM release_code c WHERE c.cpt = $1 AND c.release_no = r.release_no))
        AND ($2 = '' OR EXISTS (SELECT 1 FROM release_provider p WHERE p.npi = $2 AND p.release_no = r.release_no))`,
    [cpt, npi],
  )
  return new Set(rows.map(({ release_no }) => release_no))
}
