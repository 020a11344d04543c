import type { Db } from '../../db/db.ts'
import type { SealedFile } from '../../db/file-folder.ts'
import type { Citation, PeriodSource } from '../../proof/price/release.ts'
import { type Predecessors, predecessorsIn } from '../../proof/price/timeline.ts'

// The life of a release, from loading to withdrawn. What lookups ask is in store.ts.

/** A release being made: rows are written under it long before anyone can read them. */
export interface NewRelease {
  chart: string
  edition: string
  effective_from: string
  /** The last day of the edition, and how it is known. */
  effective_to: string
  period_by: PeriodSource
  /** The publisher's own last day, where the operator put it off; else null. */
  publisher_until: string | null
  data_class: 'published' | 'sample'
  source_digest: string
  citations: Citation[]
  /** The NPIs that a hospital's file names, in order; null in other charts. */
  providers: readonly string[] | null
}

/** Lists are kept as JSON. */
export interface ReleaseState extends Omit<NewRelease, 'citations' | 'providers'> {
  release_no: number
  release_id: string
  revision: number
  state: 'loading' | 'staged' | 'published' | 'withdrawn'
  row_count: number
  rejected_count: number
  unreadable_lines: number
  /** The pairs of the source that ended too long ago; null in charts of another kind. */
  edits_left_out: number | null
  rows_root: string | null
  citations: string
  providers: string | null
  log_index: number | null
  loaded_at: number
  published_at: number | null
  /** The text of the log entry by which it was withdrawn, and its place. */
  withdrawal: string | null
  withdrawn_index: number | null
  /** The digest that its file is named by, from the moment it is on disk. */
  file: string | null
  /** As `ReleaseContents`, in JSON; null if it was staged before this was kept. */
  contents: string | null
}

const STATE = `release_no, release_id, chart, edition, revision, effective_from, effective_to, period_by, publisher_until, data_class, state,
  source_digest, citations, providers, row_count, rejected_count, unreadable_lines, edits_left_out, rows_root, log_index, loaded_at, published_at, withdrawal, withdrawn_index, file, contents`

/**
 * Begins a release. Its number has never been another's, so whatever is written under it is this one's; its name may
 * be that of a load that was cut short, which must be gone by now.
 */
export async function insertRelease(tx: Db, release: NewRelease, now: number): Promise<ReleaseState> {
  const [next] = await tx.query<{ last_no: number }>(
    'UPDATE release_number SET last_no = last_no + 1 RETURNING last_no',
  )
  const [row] = await tx.query<ReleaseState>(
    `INSERT INTO release (release_no, release_id, chart, edition, revision, effective_from, data_class, state,
                          source_digest, citations, row_count, rejected_count, loaded_at, effective_to, period_by,
                          providers, unreadable_lines, publisher_until)
     SELECT $8, $1 || ':' || $2 || ':' || (COALESCE(MAX(last_revision), 0) + 1),
            $1, $2, COALESCE(MAX(last_revision), 0) + 1, $3, $4, 'loading', $5, $6, 0, 0, $7, $9, $10, $11, 0, $12
       FROM edition_revision WHERE chart = $1 AND edition = $2
     RETURNING ${STATE}`,
    [
      release.chart,
      release.edition,
      release.effective_from,
      release.data_class,
      release.source_digest,
      JSON.stringify(release.citations),
      now,
      next?.last_no,
      release.effective_to,
      release.period_by,
      release.providers && JSON.stringify(release.providers),
      release.publisher_until,
    ],
  )
  if (!row) throw new Error('a new release was not stored')
  return row
}

/** Releases left behind by loads of an edition that did not come to their end. */
export function findUnfinished(db: Db, chart: string, edition: string): Promise<ReleaseState[]> {
  return db.query<ReleaseState>(
    `SELECT ${STATE} FROM release WHERE chart = $1 AND edition = $2 AND state = 'loading' ORDER BY release_no`,
    [chart, edition],
  )
}

/** The editions of which a load is under way, or was cut short. */
export function findLoading(db: Db): Promise<Pick<ReleaseState, 'chart' | 'edition'>[]> {
  return db.query("SELECT DISTINCT chart, edition FROM release WHERE state = 'loading' ORDER BY chart, edition")
}

/** Takes a release back that was never published, as if its load had been cut short. Nothing comes back of any other. */
export async function unstage(db: Db, release_no: number): Promise<ReleaseState | undefined> {
  const [row] = await db.query<ReleaseState>(
    `UPDATE release SET state = 'loading' WHERE release_no = $1 AND state IN ('loading', 'staged') RETURNING ${STATE}`,
    [release_no],
  )
  return row
}

/** Notes the name that the file of a release is about to get, so that a crash leaves no file that nothing names. */
export async function nameFile(db: Db, release_no: number, file: string): Promise<boolean> {
  const rows = await db.query(
    "UPDATE release SET file = $2 WHERE release_no = $1 AND state = 'loading' RETURNING release_no",
    [release_no, file],
  )
  return rows.length > 0
}

/**
 * Removes a release that is not loaded to its end, and its file unless another release has the same rows. The file goes
 * first, in the same transaction: meanwhile no one can name it, and after a crash the release still says what to remove.
 */
export function deleteUnfinished(db: Db, { release_no, file, ...loading }: ReleaseState): Promise<void> {
  return db.transaction(async (tx) => {
    db.files.removeTemporary(temporaryName({ release_no, ...loading }))
    const others = await tx.query('SELECT release_no FROM release WHERE file = $1 AND release_no <> $2', [
      file,
      release_no,
    ])
    if (file !== null && others.length === 0) await db.files.remove(file)
    await tx.query('DELETE FROM release_check WHERE release_no = $1', [release_no])
    await tx.query("DELETE FROM release WHERE release_no = $1 AND state = 'loading'", [release_no])
  })
}

/** The name of the file of a release until it is whole. No other load has it, of this store or of another one. */
export const temporaryName = ({ release_no, loaded_at }: Pick<ReleaseState, 'release_no' | 'loaded_at'>): string =>
  `loading-${release_no}-${loaded_at}`

export async function findSameSource(db: Db, chart: string, edition: string, digest: string) {
  const [row] = await db.query<ReleaseState>(
    `SELECT ${STATE} FROM release
      WHERE chart = $1 AND edition = $2 AND source_digest = $3 AND state IN ('staged', 'published')`,
    [chart, edition, digest],
  )
  return row
}

/** Nothing comes back if it is no longer being loaded. */
export async function markStaged(
  tx: Db,
  release_no: number,
  found: {
    row_count: number
    rejected_count: number
    unreadable_lines: number
    edits_left_out: number | null
    rows_root: string
    contents: string
  },
): Promise<ReleaseState | undefined> {
  const [row] = await tx.query<ReleaseState>(
    `UPDATE release
        SET state = 'staged', row_count = $2, rejected_count = $3, rows_root = $4, unreadable_lines = $5, contents = $6,
            edits_left_out = $7
      WHERE release_no = $1 AND state = 'loading' RETURNING ${STATE}`,
    [
      release_no,
      found.row_count,
      found.rejected_count,
      found.rows_root,
      found.unreadable_lines,
      found.contents,
      found.edits_left_out,
    ],
  )
  await tx.query(
    `INSERT INTO edition_revision (chart, edition, last_revision)
     SELECT chart, edition, revision FROM release WHERE release_no = $1 AND state = 'staged'
     ON CONFLICT (chart, edition) DO UPDATE SET last_revision = excluded.last_revision`,
    [release_no],
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

/** The files that a store names: those of all releases that are loaded to their end. */
export function filesNamed(db: Db): Promise<NamedFile[]> {
  return db.query<NamedFile>(FILES_NAMED)
}

/** As above, in a copy of a store. */
export const filesNamedIn = (copy: SealedFile): NamedFile[] => copy.all<NamedFile>(FILES_NAMED)

const FILES_NAMED =
  "SELECT release_id, file FROM release WHERE state <> 'loading' AND file IS NOT NULL ORDER BY release_no"
export interface NamedFile {
  release_id: string
  file: string
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

/** The releases before this one in its chart: the revision that it replaces, and the edition before it. */
export async function findPredecessors(db: Db, release: Successor): Promise<Predecessors<ReleaseState>> {
  const { chart, edition, effective_from, release_no, log_index } = release
  const published = await db.query<ReleaseState>(
    `SELECT ${STATE} FROM release
      WHERE chart = $1 AND state = 'published' AND release_no <> $2
        AND (log_index < $3 OR (effective_from < $4 AND edition <> $5))
      ORDER BY log_index`,
    [chart, release_no, log_index ?? Number.MAX_SAFE_INTEGER, effective_from, edition],
  )
  return predecessorsIn(published, release)
}
type Successor = Pick<ReleaseState, 'chart' | 'edition' | 'effective_from' | 'release_no' | 'log_index'>

/** The release whose place this one takes, or took. */
export async function findPredecessor(db: Db, release: Successor): Promise<ReleaseState | undefined> {
  const { revision, edition } = await findPredecessors(db, release)
  return revision ?? edition
}

/** Whether a release of the chart that was published and not withdrawn names the provider. */
export async function isNamedBy(db: Db, npi: string, chart: string): Promise<boolean> {
  const rows = await db.query<{ providers: string }>(
    "SELECT providers FROM release WHERE chart = $1 AND state = 'published' AND providers IS NOT NULL",
    [chart],
  )
  return rows.some(({ providers }) => (JSON.parse(providers) as string[]).includes(npi))
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
  return row
}

/** The load that began last. One that is not at its end is under way, or was cut short. */
export async function findLastLoad(db: Db): Promise<{ at: number; ended: boolean } | undefined> {
  const [row] = await db.query<{ loaded_at: number; state: string }>(
    'SELECT loaded_at, state FROM release ORDER BY loaded_at DESC, release_no DESC LIMIT 1',
  )
  return row && { at: row.loaded_at, ended: row.state !== 'loading' }
}
