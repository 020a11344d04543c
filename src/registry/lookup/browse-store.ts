import type { Db } from '../../db/db.ts'
import type { Release, StoredRow } from '../store.ts'
import { ourTurn } from '../turn.ts'

// Pages of the rows of a release. Counts are those that were stored with the release: no row is read to be counted.

export interface RowFilter {
  cpt?: string | undefined
  region?: string | undefined
  npi?: string | undefined
}

/** The most rows that are passed over in one piece of work. */
const STRETCH = 2_000

/**
 * The rows of a release that fit, as a FROM and WHERE. Keys start with code, region and provider, so a question about
 * a region or a provider alone walks the release's codes and seeks each one; CROSS JOIN keeps SQLite to that order.
 */
function fitting(release_no: number, { cpt = '', region = '', npi = '' }: RowFilter): RowSelection {
  const params = [release_no, cpt, region, npi]
  const codes = `c.release_no = $1 AND c.cpt >= $2 AND c.cpt < $2 || '~' AND p.release_no = c.release_no`
  if (npi === '')
    return {
      params,
      from: `release_code c CROSS JOIN price_row p
        WHERE ${codes} AND $4 = '' AND p.row_key >= c.cpt || '|' || $3
          AND p.row_key < c.cpt || '|' || $3 || CASE WHEN $3 = '' THEN '~' ELSE '|~' END`,
    }
  return {
    params,
    from: `release_code c CROSS JOIN release_region g CROSS JOIN price_row p
      WHERE ${codes} AND g.release_no = c.release_no AND ($3 = '' OR g.region = $3)
        AND p.row_key >= c.cpt || '|' || g.region || '|' || $4 || '|'
        AND p.row_key < c.cpt || '|' || g.region || '|' || $4 || '|~'`,
  }
}
interface RowSelection {
  from: string
  params: unknown[]
}

/** How many rows fit. One code's are few enough to be counted; of the rest, a release holds the numbers. */
export async function countRows(db: Db, release: Release, filter: RowFilter): Promise<number> {
  const { cpt, region, npi } = filter
  const { release_no } = release
  const stored = async (table: string, column: string, value: string): Promise<number> => {
    const sql = `SELECT row_count AS rows FROM ${table} WHERE release_no = $1 AND ${column} = $2`
    return counted(await db.query<RowCount>(sql, [release_no, value]))
  }
  if (cpt === undefined && region === undefined && npi === undefined) return release.row_count
  if (cpt !== undefined && region === undefined && npi === undefined) return stored('release_code', 'cpt', cpt)
  if (cpt === undefined && npi === undefined) return stored('release_region', 'region', region ?? '')
  if (cpt === undefined) {
    const ofProvider = await stored('release_provider', 'npi', npi ?? '')
    const ofRegion = region === undefined ? release.row_count : await stored('release_region', 'region', region)
    if (ofProvider === 0 || ofRegion === 0) return 0
    if (ofRegion === release.row_count) return ofProvider
  }
  const { from, params } = fitting(release_no, filter)
  return counted(await db.query<RowCount>(`SELECT COUNT(*) AS rows FROM ${from}`, params))
}
interface RowCount {
  rows: number
}
const counted = ([row]: readonly RowCount[]): number => row?.rows ?? 0

/** One page of a release's rows in key order, after `after` if given. */
export async function pageOfRows(
  db: Db,
  release_no: number,
  filter: RowFilter,
  { after, offset, limit }: { after: string; offset: number; limit: number },
): Promise<StoredRow[]> {
  if (Object.values(filter).every((value) => value === undefined)) {
    // The rows of whole codes are passed over by their number.
    const start = offset === 0 ? { key: after, before: 0 } : await startOf(db, release_no, offset)
    return db.query<StoredRow>(
      `SELECT row_key, row_index, body FROM price_row
        WHERE release_no = $1 AND row_key > $2 ORDER BY row_key LIMIT $3 OFFSET $4`,
      [release_no, start.key, limit, offset - start.before],
    )
  }
  const { from, params } = fitting(release_no, filter)
  const select = <Row>(columns: string, from_key: string, most: number, skipped: number): Promise<Row[]> =>
    db.query<Row>(
      // Codes before the cursor's are not looked at again; the rest of the bound is kept from the index by the
      // empty text, or it would take the place of the one above and read every code from the start.
      `SELECT ${columns} FROM ${from} AND c.cpt >= SUBSTR($5, 1, 5) AND p.row_key || '' > $5
        ORDER BY c.cpt, p.row_key LIMIT $6 OFFSET $7`,
      [...params, from_key, most, skipped],
    )
  let key = after
  let skip = offset
  for (; skip > STRETCH; skip -= STRETCH) {
    const [last] = await select<{ row_key: string }>('p.row_key', key, 1, STRETCH - 1)
    if (!last) return []
    key = last.row_key
    await ourTurn()
  }
  return select<StoredRow>('p.row_key, p.row_index, p.body', key, limit, skip)
}

/** The code that has the row at this place: a key before all of its rows, and how many rows stand before them. */
async function startOf(db: Db, release_no: number, offset: number): Promise<{ key: string; before: number }> {
  const [row] = await db.query<{ cpt: string; before: number }>(
    `SELECT cpt, before FROM (
       SELECT cpt, SUM(row_count) OVER (ORDER BY cpt) - row_count AS before FROM release_code WHERE release_no = $1
     ) AS codes WHERE before <= $2 ORDER BY before DESC LIMIT 1`,
    [release_no, offset],
  )
  return { key: row?.cpt ?? '', before: row?.before ?? 0 }
}
