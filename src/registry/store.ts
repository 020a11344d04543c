import type { Db } from '../db/db.ts'
import type { Manifest } from '../proof/price/release.ts'
import type { AnyRow } from '../proof/price/row.ts'

/** A published release, as lookups need it. */
export interface Release {
  release_no: number
  release_id: string
  chart: string
  effective_from: string
  row_count: number
  log_index: number
  manifest: Manifest
}

export interface ReleaseRow extends Omit<Release, 'manifest'> {
  manifest: string
}

export interface StoredRow {
  row_key: string
  row_index: number
  body: string
}

/** The row that a stored text is. */
export const rowOf = ({ body }: Pick<StoredRow, 'body'>): AnyRow => JSON.parse(body) as AnyRow

export const RELEASE = 'r.release_no, r.release_id, r.chart, r.effective_from, r.row_count, r.log_index, r.manifest'

const PUBLIC_SIZE = `(SELECT size FROM log_head WHERE log = 'registry')`

/** Covered by the public checkpoint of the registry log, withdrawn since or not. */
export const inPublicLog = (alias: string): string =>
  `${alias}.state IN ('published', 'withdrawn') AND ${alias}.log_index < ${PUBLIC_SIZE}`

/** Published and not withdrawn, as far as the public checkpoint of the registry log says. */
export const readable = (alias: string): string =>
  `${inPublicLog(alias)} AND (${alias}.withdrawn_index IS NULL OR ${alias}.withdrawn_index >= ${PUBLIC_SIZE})`

/** The same, and no later revision replaces it: see `standingAfter`. */
const counting = (alias: string): string => `${readable(alias)} AND NOT EXISTS (
    SELECT 1 FROM release newer
     WHERE newer.chart = ${alias}.chart AND newer.edition = ${alias}.edition AND newer.log_index > ${alias}.log_index
       AND ${readable('newer')})`

/** The last edition of its chart that had begun by day $1, over since or not. */
const LATEST = `${counting('r')} AND r.effective_from <= $1 AND NOT EXISTS (
    SELECT 1 FROM release later
     WHERE later.chart = r.chart AND ${counting('later')} AND later.effective_from <= $1
       AND (later.effective_from > r.effective_from
            OR (later.effective_from = r.effective_from AND later.log_index > r.log_index)))`

/** In force on day $1: the last edition that had begun, if its period holds the day. */
export const IN_FORCE = `${LATEST} AND r.effective_to >= $1`

export const toRelease = (row: ReleaseRow): Release => ({
  ...row,
  manifest: JSON.parse(row.manifest) as Manifest,
})

export async function releasesInForce(db: Db, day: string): Promise<Release[]> {
  const rows = await db.query<ReleaseRow>(`SELECT ${RELEASE} FROM release r WHERE ${IN_FORCE} ORDER BY r.chart`, [day])
  return rows.map(toRelease)
}

/** The edition that was in force last in each chart: one that has run out is not answered with, and is reported. */
export async function latestEditions(db: Db, day: string): Promise<Release[]> {
  const rows = await db.query<ReleaseRow>(`SELECT ${RELEASE} FROM release r WHERE ${LATEST} ORDER BY r.chart`, [day])
  return rows.map(toRelease)
}

export async function countCharts(db: Db, day: string): Promise<{ charts: number; samples: number }> {
  const [row] = await db.query<{ charts: number; samples: number }>(
    `SELECT COUNT(*) AS charts, COUNT(CASE WHEN r.data_class = 'sample' THEN 1 END) AS samples FROM release r
      WHERE ${IN_FORCE}`,
    [day],
  )
  return { charts: row?.charts ?? 0, samples: row?.samples ?? 0 }
}

/** The first few editions in force, by chart. */
export async function chartsInForce(db: Db, day: string, most: number): Promise<Release[]> {
  const rows = await db.query<ReleaseRow>(
    `SELECT ${RELEASE} FROM release r WHERE ${IN_FORCE} ORDER BY r.chart LIMIT $2`,
    [day, most],
  )
  return rows.map(toRelease)
}

/** The first text that sorts after every key with this prefix. Keys are ASCII below `~`. */
export const past = (prefix: string): string => `${prefix}~`

export function rowsUnder(db: Db, release_no: number, prefix: string): Promise<StoredRow[]> {
  return db.query<StoredRow>(
    `SELECT row_key, row_index, body FROM price_row
      WHERE release_no = $1 AND row_key >= $2 AND row_key < $3
      ORDER BY row_key`,
    [release_no, prefix, past(prefix)],
  )
}

/** The row with this key. */
export async function findRow(db: Db, release_no: number, key: string): Promise<StoredRow | undefined> {
  const [row] = await db.query<StoredRow>(
    'SELECT row_key, row_index, body FROM price_row WHERE release_no = $1 AND row_key = $2',
    [release_no, key],
  )
  return row
}

export async function keysUnder(db: Db, release_no: number, prefix: string): Promise<string[]> {
  const rows = await db.query<{ row_key: string }>(
    'SELECT row_key FROM price_row WHERE release_no = $1 AND row_key >= $2 AND row_key < $3 ORDER BY row_key',
    [release_no, prefix, past(prefix)],
  )
  return rows.map(({ row_key }) => row_key)
}

/** The last row before a text, and the first row that is not before another. */
export async function rowsAround(
  db: Db,
  release_no: number,
  start: string,
  end: string,
): Promise<{ left: StoredRow | undefined; right: StoredRow | undefined }> {
  const [left] = await db.query<StoredRow>(
    `SELECT row_key, row_index, body FROM price_row
      WHERE release_no = $1 AND row_key < $2 ORDER BY row_key DESC LIMIT 1`,
    [release_no, start],
  )
  const [right] = await db.query<StoredRow>(
    `SELECT row_key, row_index, body FROM price_row
      WHERE release_no = $1 AND row_key >= $2 ORDER BY row_key LIMIT 1`,
    [release_no, end],
  )
  return { left, right }
}

export async function findRowTile(
  db: Db,
  release_no: number,
  level: number,
  n: number,
): Promise<Uint8Array | undefined> {
  const [tile] = await db.query<{ hashes: Uint8Array }>(
    'SELECT hashes FROM row_tile WHERE release_no = $1 AND level = $2 AND n = $3',
    [release_no, level, n],
  )
  return tile?.hashes
}

/** A stretch of a release's rows in key order: the way to read all of them without holding them. */
export function rowsAfter(db: Db, release_no: number, after: string, limit: number): Promise<StoredRow[]> {
  return db.query<StoredRow>(
    `SELECT row_key, row_index, body FROM price_row
      WHERE release_no = $1 AND row_key > $2 ORDER BY row_key LIMIT $3`,
    [release_no, after, limit],
  )
}

/** The rows at the places `from` to `to - 1` of a release. Codes are counted first, so that few rows are passed over. */
export function rowsAt(db: Db, release_no: number, from: number, to: number): Promise<StoredRow[]> {
  return db.query<StoredRow>(
    `SELECT row_key, row_index, body FROM price_row
      WHERE release_no = $1 AND row_index >= $2
        AND row_key >= (SELECT cpt FROM (SELECT cpt, SUM(row_count) OVER (ORDER BY cpt) AS upto FROM release_code WHERE release_no = $1) AS codes
                         WHERE upto > $2 ORDER BY cpt LIMIT 1)
      ORDER BY row_key LIMIT $3`,
    [release_no, from, to - from],
  )
}

/** The row at this place of a release. */
export async function findRowAt(db: Db, release_no: number, index: number): Promise<StoredRow | undefined> {
  const [row] = await rowsAt(db, release_no, index, index + 1)
  return row
}

/** A release by its name, even if it was withdrawn: what was proved of it can be checked for ever. */
export async function findLogged(db: Db, release_id: string): Promise<Release | undefined> {
  const [row] = await db.query<ReleaseRow>(
    `SELECT ${RELEASE} FROM release r WHERE r.release_id = $1 AND ${inPublicLog('r')}`,
    [release_id],
  )
  return row && toRelease(row)
}

/** Every release that the public log names, withdrawn since or not. */
export async function loggedReleases(db: Db): Promise<Release[]> {
  const rows = await db.query<ReleaseRow>(`SELECT ${RELEASE} FROM release r WHERE ${inPublicLog('r')}`)
  return rows.map(toRelease)
}
