import type { Db } from '../db/db.ts'
import { commitToLog, type Publisher } from '../integrity/publication.ts'
import { Problem } from '../problem.ts'
import { toBase64, utf8 } from '../proof/bytes.ts'
import { canonical } from '../proof/canonical-json.ts'
import { leafHash, rangeRoot } from '../proof/merkle.ts'
import { type Citation, isManifest, type Manifest, RELEASE_SCHEMA, type Row, rowKey } from '../proof/row.ts'
import { TileBuilder } from '../proof/tiles.ts'
import { chartOf } from './charts.ts'
import type { ReleaseState } from './release-store.ts'
import * as releases from './release-store.ts'
import { rowSubtrees } from './staging.ts'
import * as store from './store.ts'

const ROWS_PER_READ = 2_000

/**
 * Publishes a staged release so that it is readable if and only if it is in the log. The manifest, the log
 * entry, the signed checkpoint and the release's new state commit together; a crash before that leaves the
 * release staged, and nothing public.
 */
export async function publish(publisher: Publisher, release_id: string, now: number): Promise<ReleaseState> {
  const { db, log } = publisher
  const staged = await releases.findRelease(db, release_id)
  if (staged?.state !== 'staged') throw new Problem('release_conflict', 'only a staged release can be published')
  log.trace(1)
  await rereadRows(db, staged)
  return commitToLog(publisher, now, async (tx, append) => {
    const before = await releases.findLatestPublished(tx, staged.chart)
    const text = canonical(manifestOf(staged, before?.release_id ?? null, now))
    const log_index = await append([utf8(text)])
    const published = await releases.markPublished(tx, staged.release_no, {
      manifest: text,
      log_index,
      published_at: now,
    })
    if (!published) throw new Problem('release_conflict', 'the release was published by someone else')
    return published
  })
}

function manifestOf(release: ReleaseState, supersedes: string | null, now: number): Manifest {
  const chart = chartOf(release.chart)
  const manifest = {
    schema: RELEASE_SCHEMA,
    release_id: release.release_id,
    chart: release.chart,
    edition: release.edition,
    publisher: chart?.publisher,
    effective_from: release.effective_from,
    citations: JSON.parse(release.citations) as Citation[],
    row_count: Number(release.row_count),
    rows_root: release.rows_root,
    rejected_count: Number(release.rejected_count),
    data_class: release.data_class,
    supersedes,
    recorded_at: new Date(now).toISOString(),
  }
  if (!isManifest(manifest)) throw new Error(`the manifest of ${release.release_id} is not one`)
  return manifest
}

/** Logs have died of bits that changed after hashing: before signing, every row is hashed again as stored. */
async function rereadRows(db: Db, release: ReleaseState): Promise<void> {
  const failed = await rederive(db, release)
  if (failed) throw new Problem('proof_block_missing', failed)
}

/** Hashes a release's stored rows and compares them with its stored tree. Returns what is wrong, if anything. */
export async function rederive(
  db: Db,
  release: Pick<ReleaseState, 'release_no' | 'release_id' | 'row_count' | 'rows_root'>,
): Promise<string | undefined> {
  const tiles = new Map<string, string>()
  const tree = new TileBuilder(({ level, n }, hashes) => {
    tiles.set(`${level}/${n}`, toBase64(hashes))
  })
  let after = ''
  for (;;) {
    const rows = await store.rowsAfter(db, release.release_no, after, ROWS_PER_READ)
    for (const { row_key, row_index, body } of rows) {
      if (Number(row_index) !== tree.size) return `${release.release_id}: row ${tree.size} is missing or out of order`
      if (rowKey(JSON.parse(body) as Row) !== row_key)
        return `${release.release_id}: row ${row_index} is not stored under its own key`
      tree.append(leafHash(utf8(body)))
      after = row_key
    }
    if (rows.length < ROWS_PER_READ) break
  }
  tree.finish()
  if (tree.size !== Number(release.row_count)) return `${release.release_id}: rows are missing or too many`
  for (const [name, hashes] of tiles) {
    const [level = 0, n = 0] = name.split('/').map(Number)
    const stored = await store.findRowTile(db, release.release_no, level, n)
    if (!stored || toBase64(stored) !== hashes)
      return `${release.release_id}: tile ${name} does not match the stored rows`
  }
  const root = toBase64(await rangeRoot(0, tree.size, rowSubtrees(db, release.release_no)))
  return root === release.rows_root ? undefined : `${release.release_id}: the rows do not hash to the root`
}
