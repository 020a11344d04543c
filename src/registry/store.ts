import { DamageFault, type Db } from '../db/db.ts'
import type { Manifest } from '../proof/price/release.ts'
import type { AnyRow } from '../proof/price/row.ts'
import type { StoredRow } from './rows/release-file-store.ts'

/** A published release, as lookups need it. */
export interface Release {
  release_no: number
  release_id: string
  chart: string
  effective_from: string
  row_count: number
  log_index: number
  manifest: Manifest
  /** The digest that its file is named by. */
  file: string
}

export interface ReleaseRow extends Omit<Release, 'manifest'> {
  manifest: string
}

/** The row that a stored text is. One that is no JSON is damaged: texts are read before they are proved. */
export function rowOf({ body }: Pick<StoredRow, 'body'>): AnyRow {
  try {
    return JSON.parse(body) as AnyRow
  } catch (cause) {
    throw new DamageFault('the text of a row is damaged: restore its file from a backup, then run `atr fsck`', {
      cause,
    })
  }
}

export const RELEASE =
  'r.release_no, r.release_id, r.chart, r.effective_from, r.row_count, r.log_index, r.manifest, r.file'

const PUBLIC_SIZE = `(SELECT size FROM log_head WHERE log = 'registry')`

/** Covered by the public checkpoint of the registry log, withdrawn since or not. */
export const inPublicLog = (alias: string): string =>
  `${alias}.state IN ('published', 'withdrawn') AND ${alias}.log_index < ${PUBLIC_SIZE}`

/** Published and not withdrawn, as far as the public checkpoint of the registry log says. */
export const readable = (alias: string): string =>
  `${inPublicLog(alias)} AND (${alias}.withdrawn_index IS NULL OR ${alias}.withdrawn_index >= ${PUBLIC_SIZE})`

/** As above, where no later revision replaces it: see `standingAfter`. */
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
