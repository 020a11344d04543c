import type { Db } from '../db/db.ts'
import type { Manifest } from '../proof/price/row.ts'

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

export const RELEASE = 'r.release_no, r.release_id, r.chart, r.effective_from, r.row_count, r.log_index, r.manifest'

const PUBLIC_SIZE = `(SELECT size FROM log_head WHERE log = 'registry')`

/** Covered by the public checkpoint of the registry log, withdrawn since or not. */
export const inPublicLog = (alias: string): string =>
  `${alias}.state IN ('published', 'withdrawn') AND ${alias}.log_index < ${PUBLIC_SIZE}`

/** Published and not withdrawn, as far as the public checkpoint of the registry log says. */
export const readable = (alias: string): string =>
  `${inPublicLog(alias)} AND (${alias}.withdrawn_index IS NULL OR ${alias}.withdrawn_index >= ${PUBLIC_SIZE})`

/** In force on day $1: readable, in effect, and no later edition of the chart is. */
export const IN_FORCE = `${readable('r')} AND r.effective_from <= $1 AND NOT EXISTS (
    SELECT 1 FROM release later
     WHERE later.chart = r.chart AND ${readable('later')} AND later.effective_from <= $1
       AND (later.effective_from > r.effective_from
            OR (later.effective_from = r.effective_from AND later.log_index > r.log_index)))`

export const toRelease = (row: ReleaseRow): Release => ({
  ...row,
  manifest: JSON.parse(row.manifest) as Manifest,
})

export async function findReleaseInForce(db: Db, chart: string, day: string): Promise<Release | undefined> {
  const [row] = await db.query<ReleaseRow>(`SELECT ${RELEASE} FROM release r WHERE ${IN_FORCE} AND r.chart = $2`, [
    day,
    chart,
  ])
  return row && toRelease(row)
}

export async function releasesInForce(db: Db, day: string): Promise<Release[]> {
  const rows = await db.query<ReleaseRow>(`SELECT ${RELEASE} FROM release r WHERE ${IN_FORCE} ORDER BY r.chart`, [day])
  return rows.map(toRelease)
}

/** The schedules that have ever had a row for this code. */
export async function chartsWithCode(db: Db, cpt: string, charts: readonly string[]): Promise<string[]> {
  const names = charts.map((_, i) => `$${i + 2}`).join(', ')
  const rows = await db.query<{ chart: string }>(
    `SELECT DISTINCT r.chart FROM release r JOIN release_code c ON c.release_no = r.release_no
      WHERE c.cpt = $1 AND r.chart IN (${names}) AND ${readable('r')}`,
    [cpt, ...charts],
  )
  return rows.map(({ chart }) => chart)
}

/** The hospital files that have ever named this provider. */
export async function chartsOfProvider(db: Db, npi: string): Promise<string[]> {
  const rows = await db.query<{ chart: string }>(
    `SELECT DISTINCT r.chart FROM release_provider p JOIN release r ON r.release_no = p.release_no
      WHERE p.npi = $1 AND ${readable('r')}`,
    [npi],
  )
  return rows.map(({ chart }) => chart)
}

/** Every edition of these charts that can be read, the newest first. */
export async function editionsOf(db: Db, charts: readonly string[]): Promise<Release[]> {
  const names = charts.map((_, i) => `$${i + 1}`).join(', ')
  const rows = await db.query<ReleaseRow>(
    `SELECT ${RELEASE} FROM release r WHERE r.chart IN (${names}) AND ${readable('r')}
      ORDER BY r.effective_from DESC, r.log_index DESC`,
    charts,
  )
  return rows.map(toRelease)
}

export interface ChartFilter {
  chart?: string
  npi?: string
  cpt?: string
  region?: string
}

/** In force on day $1 and fitting: an empty text fits everything. */
const FITTING = `release r WHERE ${IN_FORCE} AND ($2 = '' OR r.chart = $2)
    AND ($3 = '' OR EXISTS (SELECT 1 FROM release_provider p WHERE p.npi = $3 AND p.release_no = r.release_no))
    AND ($4 = '' OR EXISTS (SELECT 1 FROM release_code c WHERE c.cpt = $4 AND c.release_no = r.release_no))
    AND ($5 = '' OR EXISTS (SELECT 1 FROM release_region g WHERE g.region = $5 AND g.release_no = r.release_no))`
const fittingParams = (day: string, { chart = '', npi = '', cpt = '', region = '' }: ChartFilter): string[] => [
  day,
  chart,
  npi,
  cpt,
  region,
]

export async function countCharts(
  db: Db,
  day: string,
  filter: ChartFilter = {},
): Promise<{ charts: number; samples: number }> {
  const [row] = await db.query<{ charts: number; samples: number }>(
    `SELECT COUNT(*) AS charts, COUNT(CASE WHEN r.data_class = 'sample' THEN 1 END) AS samples FROM ${FITTING}`,
    fittingParams(day, filter),
  )
  return { charts: row?.charts ?? 0, samples: row?.samples ?? 0 }
}

/** The editions in force that fit, by chart: all of them, or one page. */
export async function chartsInForce(
  db: Db,
  day: string,
  filter: ChartFilter = {},
  page?: { limit: number; offset: number },
): Promise<Release[]> {
  const rows = await db.query<ReleaseRow>(
    `SELECT ${RELEASE} FROM ${FITTING} ORDER BY r.chart${page ? ' LIMIT $6 OFFSET $7' : ''}`,
    [...fittingParams(day, filter), ...(page ? [page.limit, page.offset] : [])],
  )
  return rows.map(toRelease)
}

/** The hospital's release in force that states prices for this provider. */
export async function findProviderRelease(db: Db, npi: string, day: string): Promise<Release | undefined> {
  const [row] = await db.query<ReleaseRow>(
    `SELECT ${RELEASE} FROM release r JOIN release_provider p ON p.release_no = r.release_no
      WHERE ${IN_FORCE} AND p.npi = $2
      ORDER BY r.effective_from DESC, r.log_index DESC
      LIMIT 1`,
    [day, npi],
  )
  return row && toRelease(row)
}

export async function hasProvider(db: Db, npi: string): Promise<boolean> {
  const found = await db.query(
    `SELECT 1 AS found FROM release_provider p JOIN release r ON r.release_no = p.release_no
      WHERE p.npi = $1 AND ${readable('r')} LIMIT 1`,
    [npi],
  )
  return found.length > 0
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

export async function hasRowsUnder(db: Db, release_no: number, prefix: string): Promise<boolean> {
  const found = await db.query(
    'SELECT 1 AS found FROM price_row WHERE release_no = $1 AND row_key >= $2 AND row_key < $3 LIMIT 1',
    [release_no, prefix, past(prefix)],
  )
  return found.length > 0
}

/** The last row before, and the first row after, every key with this prefix. */
export async function rowsAround(
  db: Db,
  release_no: number,
  prefix: string,
): Promise<{ left: StoredRow | undefined; right: StoredRow | undefined }> {
  const [left] = await db.query<StoredRow>(
    `SELECT row_key, row_index, body FROM price_row
      WHERE release_no = $1 AND row_key < $2 ORDER BY row_key DESC LIMIT 1`,
    [release_no, prefix],
  )
  const [right] = await db.query<StoredRow>(
    `SELECT row_key, row_index, body FROM price_row
      WHERE release_no = $1 AND row_key >= $2 ORDER BY row_key LIMIT 1`,
    [release_no, past(prefix)],
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

/** The regions that a release has rows for, of those that begin with this: one, those of an area, or none. */
export async function regionsUnder(db: Db, release_no: number, prefix: string): Promise<string[]> {
  const rows = await db.query<{ region: string }>(
    'SELECT region FROM release_region WHERE release_no = $1 AND region >= $2 AND region < $3 ORDER BY region',
    [release_no, prefix, past(prefix)],
  )
  return rows.map(({ region }) => region)
}

export async function localityOfZip(db: Db, zip: string): Promise<{ region: string; plus_four: number } | undefined> {
  const [row] = await db.query<{ region: string; plus_four: number }>(
    'SELECT region, plus_four FROM zip_locality WHERE zip = $1',
    [zip],
  )
  return row
}

/** The localities of the ZIP codes around this one: the choices where its +4 digits decide. */
export async function localitiesNear(db: Db, zip: string): Promise<string[]> {
  const area = zip.slice(0, 3)
  const rows = await db.query<{ region: string }>(
    'SELECT DISTINCT region FROM zip_locality WHERE zip >= $1 AND zip < $2 ORDER BY region',
    [area, past(area)],
  )
  return rows.map(({ region }) => region)
}

/** A stretch of a release's rows in key order: the way to read all of them without holding them. */
export function rowsAfter(db: Db, release_no: number, after: string, limit: number): Promise<StoredRow[]> {
  return db.query<StoredRow>(
    `SELECT row_key, row_index, body FROM price_row
      WHERE release_no = $1 AND row_key > $2 ORDER BY row_key LIMIT $3`,
    [release_no, after, limit],
  )
}

/** A release by its name, even if it was withdrawn: what was proved of it can be checked for ever. */
export async function findLogged(db: Db, release_id: string): Promise<Release | undefined> {
  const [row] = await db.query<ReleaseRow>(
    `SELECT ${RELEASE} FROM release r WHERE r.release_id = $1 AND ${inPublicLog('r')}`,
    [release_id],
  )
  return row && toRelease(row)
}
