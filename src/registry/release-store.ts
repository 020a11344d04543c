import type { Db } from '../db/db.ts'
import type { Citation } from '../proof/row.ts'

// The life of a release, from loading to withdrawn. What lookups ask is in store.ts.

/** A release being made: rows are written under it long before anyone can read them. */
export interface NewRelease {
  chart: string
  edition: string
  effective_from: string
  data_class: 'published' | 'sample'
  source_digest: string
  citations: Citation[]
}

export interface ReleaseState extends Omit<NewRelease, 'citations'> {
  release_no: number
  release_id: string
  state: 'loading' | 'staged' | 'published' | 'withdrawn'
  row_count: number
  rejected_count: number
  rows_root: string | null
  citations: string
  log_index: number | null
  loaded_at: number
  published_at: number | null
  /** The text of the log entry by which it was withdrawn, and its place. */
  withdrawal: string | null
  withdrawn_index: number | null
}

const STATE = `release_no, release_id, chart, edition, effective_from, data_class, state, source_digest, citations,
  row_count, rejected_count, rows_root, log_index, loaded_at, published_at, withdrawal, withdrawn_index`

export async function insertRelease(tx: Db, release: NewRelease, now: number): Promise<ReleaseState> {
  const [row] = await tx.query<ReleaseState>(
    `INSERT INTO release (release_no, release_id, chart, edition, revision, effective_from, data_class, state,
                          source_digest, citations, row_count, rejected_count, loaded_at)
     SELECT (SELECT COALESCE(MAX(release_no), 0) + 1 FROM release), $1 || ':' || $2 || ':' || (COUNT(*) + 1),
            $1, $2, COUNT(*) + 1, $3, $4, 'loading', $5, $6, 0, 0, $7
       FROM release WHERE chart = $1 AND edition = $2
     RETURNING ${STATE}`,
    [
      release.chart,
      release.edition,
      release.effective_from,
      release.data_class,
      release.source_digest,
      JSON.stringify(release.citations),
      now,
    ],
  )
  if (!row) throw new Error('a new release was not stored')
  return row
}

const RELEASE_TABLES = ['price_row', 'row_tile', 'release_code', 'release_region', 'release_provider', 'release_check']

/** What loads that were cut short left behind. No one has ever seen it. */
export async function discardUnfinished(tx: Db, chart: string, edition: string): Promise<void> {
  const unfinished = await tx.query<{ release_no: number }>(
    `SELECT release_no FROM release WHERE chart = $1 AND edition = $2 AND state = 'loading'`,
    [chart, edition],
  )
  for (const { release_no } of unfinished) await discardLoading(tx, release_no)
}

/** Removes a release of which nothing is finished; any other is left alone. */
export async function discardLoading(tx: Db, release_no: number): Promise<void> {
  const loading = `SELECT release_no FROM release WHERE release_no = $1 AND state = 'loading'`
  for (const table of RELEASE_TABLES)
    await tx.query(`DELETE FROM ${table} WHERE release_no IN (${loading})`, [release_no])
  await tx.query(`DELETE FROM release WHERE release_no = $1 AND state = 'loading'`, [release_no])
}

export async function findSameSource(db: Db, chart: string, edition: string, digest: string) {
  const [row] = await db.query<ReleaseState>(
    `SELECT ${STATE} FROM release
      WHERE chart = $1 AND edition = $2 AND source_digest = $3 AND state IN ('staged', 'published')`,
    [chart, edition, digest],
  )
  return row
}

export async function markStaged(
  tx: Db,
  release_no: number,
  found: { row_count: number; rejected_count: number; rows_root: string },
): Promise<ReleaseState | undefined> {
  const [row] = await tx.query<ReleaseState>(
    `UPDATE release SET state = 'staged', row_count = $2, rejected_count = $3, rows_root = $4
      WHERE release_no = $1 AND state = 'loading' RETURNING ${STATE}`,
    [release_no, found.row_count, found.rejected_count, found.rows_root],
  )
  return row
}

/** Nothing comes back if someone else published it first. */
export async function markPublished(
  tx: Db,
  release_no: number,
  published: { manifest: string; log_index: number; published_at: number },
): Promise<ReleaseState | undefined> {
  const [row] = await tx.query<ReleaseState>(
    `UPDATE release SET state = 'published', manifest = $2, log_index = $3, published_at = $4
      WHERE release_no = $1 AND state = 'staged' RETURNING ${STATE}`,
    [release_no, published.manifest, published.log_index, published.published_at],
  )
  return row
}

export async function findRelease(db: Db, release_id: string): Promise<ReleaseState | undefined> {
  const [row] = await db.query<ReleaseState>(`SELECT ${STATE} FROM release WHERE release_id = $1`, [release_id])
  return row
}

export function listReleases(db: Db): Promise<ReleaseState[]> {
  return db.query<ReleaseState>(`SELECT ${STATE} FROM release ORDER BY release_no`)
}

/** Nothing comes back if someone else withdrew it first. */
export async function markWithdrawn(
  tx: Db,
  release_no: number,
  withdrawn: { withdrawal: string; withdrawn_index: number },
): Promise<ReleaseState | undefined> {
  const [row] = await tx.query<ReleaseState>(
    `UPDATE release SET state = 'withdrawn', withdrawal = $2, withdrawn_index = $3
      WHERE release_no = $1 AND state = 'published' RETURNING ${STATE}`,
    [release_no, withdrawn.withdrawal, withdrawn.withdrawn_index],
  )
  return row
}

/**
 * The edition that this one takes, or took, the place of: the one in force before it on the day it takes effect.
 * A staged release stands after every published one.
 */
export async function findPredecessor(
  db: Db,
  release: Pick<ReleaseState, 'chart' | 'effective_from' | 'release_no' | 'log_index'>,
): Promise<ReleaseState | undefined> {
  const [row] = await db.query<ReleaseState>(
    `SELECT ${STATE} FROM release
      WHERE chart = $1 AND state = 'published' AND release_no <> $2
        AND (effective_from < $3 OR (effective_from = $3 AND log_index < $4))
      ORDER BY effective_from DESC, log_index DESC LIMIT 1`,
    [release.chart, release.release_no, release.effective_from, release.log_index ?? Number.MAX_SAFE_INTEGER],
  )
  return row
}

export async function countContents(
  db: Db,
  release_no: number,
): Promise<{ codes: number; regions: number; providers: number }> {
  const [row] = await db.query<{ codes: number; regions: number; providers: number }>(
    `SELECT (SELECT COUNT(*) FROM release_code WHERE release_no = $1) AS codes,
            (SELECT COUNT(*) FROM release_region WHERE release_no = $1) AS regions,
            (SELECT COUNT(*) FROM release_provider WHERE release_no = $1) AS providers`,
    [release_no],
  )
  return { codes: Number(row?.codes ?? 0), regions: Number(row?.regions ?? 0), providers: Number(row?.providers ?? 0) }
}

/** A release's manifest or withdrawal, and the log entry that should be the same bytes. */
export async function findEntry(
  db: Db,
  release_no: number,
  kind: 'manifest' | 'withdrawal',
): Promise<{ text: string; body: Uint8Array } | undefined> {
  const [text, index] = kind === 'manifest' ? ['manifest', 'log_index'] : ['withdrawal', 'withdrawn_index']
  const [row] = await db.query<{ text: string; body: Uint8Array }>(
    `SELECT r.${text} AS text, l.body FROM release r JOIN log_leaf l ON l.log = 'registry' AND l.leaf_index = r.${index}
      WHERE r.release_no = $1`,
    [release_no],
  )
  return row && { text: row.text, body: new Uint8Array(row.body) }
}

/** Entries of the registry log that are neither the manifest nor the withdrawal of a release that is there. */
export async function countEntriesWithoutRelease(db: Db): Promise<number> {
  const [row] = await db.query<{ lost: number }>(
    `SELECT COUNT(*) AS lost FROM log_leaf l
      WHERE l.log = 'registry' AND NOT EXISTS (
        SELECT 1 FROM release r WHERE r.log_index = l.leaf_index OR r.withdrawn_index = l.leaf_index)`,
  )
  return Number(row?.lost ?? 0)
}

export async function findLastLoad(db: Db): Promise<number | undefined> {
  const [row] = await db.query<{ at: number | null }>(
    "SELECT MAX(loaded_at) AS at FROM release WHERE state <> 'loading'",
  )
  return row?.at === null || row?.at === undefined ? undefined : Number(row.at)
}
