import { DamageFault, type Db } from '../../db/db.ts'
import type { Log } from '../../integrity/log.ts'
import { cutTile } from '../../integrity/tile-source.ts'
import { concat, equalBytes, toBase64, utf8 } from '../../proof/bytes.ts'
import { PROOF_REF, type ProofRef } from '../../proof/envelope.ts'
import type { ChartTable } from '../../proof/price/charts.ts'
import { type AnyRow, rowKey } from '../../proof/price/row.ts'
import { HASH_SIZE, type Hash, leafHash } from '../../proof/tree/merkle.ts'
import { TILE_WIDTH, type Tile } from '../../proof/tree/tiles.ts'
import { past } from '../rows/file-summary-store.ts'
import { openRelease, type ReleaseFile, type StoredRow } from '../rows/release-file-store.ts'
import type { ReleaseTree } from '../rows/release-tree.ts'
import type { Release } from '../store.ts'
import { rowOf } from '../store.ts'
import { View } from './view.ts'

/** Proofs for one answer: everything in it is proved under the same view of the registry. */
export class Proofs {
  private constructor(
    readonly db: Db,
    readonly log: Log,
    readonly view: View,
    /** The schedules that the rule of the lookup knows. */
    readonly charts: ChartTable,
  ) {}

  static async at(db: Db, log: Log, charts: ChartTable): Promise<Proofs> {
    return Proofs.under(await View.at(db, log), db, log, charts)
  }

  static under(view: View, db: Db, log: Log, charts: ChartTable): Proofs {
    return new Proofs(db, log, view, charts)
  }

  open(release: Release): ReleaseFile {
    return openPublished(this.db, release)
  }

  /** A pointer to the whole proof, and what binds the row to it. It points to nothing that cannot be proved. */
  refer(release: Release, stored: StoredRow): ProofRef {
    const leaf_hash = toBase64(this.#pathOf(release, stored).hash)
    return {
      type: PROOF_REF,
      release_id: release.release_id,
      index: stored.row_index,
      leaf_hash,
      href: permalink(release, stored),
    }
  }

  /** A fault where a row is not the one that was published. */
  check(release: Release, stored: StoredRow): void {
    this.#pathOf(release, stored)
  }

  #pathOf(release: Release, stored: StoredRow): { hash: Hash; path: string[] } {
    return pathOf(this.open(release), release, stored)
  }

  /** The last row before a key that is not there, and the first one after it. */
  around(release: Release, key: string): RowNeighbours {
    return this.#enclosing(release, key, key, 0)
  }

  /** The rows around all keys with this prefix, of which there are so many. */
  aroundPrefix(release: Release, prefix: string, rows = 0): RowNeighbours {
    return this.#enclosing(release, prefix, past(prefix), rows)
  }

  /** A fault where a row stands under a key that is not its own, or out of order: then a row could be there and not be found. */
  #enclosing(release: Release, start: string, end: string, rows: number): RowNeighbours {
    const { left, right } = this.open(release).rowsAround(start, end)
    for (const side of [left, right]) if (side) rowUnderKey(release.release_id, side)
    const [before, after] = [left?.row_index ?? -1, right?.row_index ?? release.row_count]
    const isAround = (!left || left.row_key < start) && (!right || (right.row_key >= end && right.row_key !== start))
    if (!isAround || after - before - 1 !== rows) throw unproved(release.release_id)
    return { left, right }
  }

  tree(release: Release): ReleaseTree {
    return this.open(release).tree(release.manifest.rows_root)
  }
}

type RowNeighbours = ReturnType<ReleaseFile['rowsAround']>

/** The file of a release, which must have as many rows as were published. */
export function openPublished(db: Pick<Db, 'files'>, release: Release): ReleaseFile {
  const file = openRelease(db, release)
  if (file.rowCount !== release.row_count) throw file.fault()
  return file
}

/** A row as it says itself. What is no row, or stands under a key that is not its own, would answer another question. */
export function rowUnderKey(release_id: string, stored: StoredRow): AnyRow {
  const row = attempt(() => rowOf(stored))
  if (row === undefined || attempt(() => rowKey(row)) !== stored.row_key) throw unproved(release_id)
  return row
}

/** Undefined where a text from a file is not what it should be. */
function attempt<T>(read: () => T): T | undefined {
  try {
    return read()
  } catch {
    return undefined
  }
}

/** Where a row is, with its whole proof, for ever. */
export const permalink = ({ release_id }: Release, { row_index }: StoredRow): string =>
  `/rows/${release_id}/${row_index}`

/** A row whose stored bytes no longer hash to the published root is a fault here, not a wrong price there. */
export function pathOf(
  file: ReleaseFile,
  { release_id, manifest }: Release,
  { row_index, body }: StoredRow,
): { hash: Hash; path: string[] } {
  const hash = leafHash(utf8(body))
  const path = file.tree(manifest.rows_root).path(row_index, hash)
  if (!path) throw unproved(release_id)
  return { hash, path }
}

export const unproved = (release_id: string): DamageFault =>
  new DamageFault(`a row of ${release_id} fails its own proof: run \`atr fsck\``)

/** A tile of the row hashes of a release, even of one that was withdrawn. */
export async function findRowTile(
  db: Db,
  { view, release_id }: { view: View; release_id: string },
  tile: Tile,
): Promise<Uint8Array | undefined> {
  const release = view.releaseNamed(release_id)
  if (!release) return undefined
  const file = openPublished(db, release)
  const width = TILE_WIDTH ** (tile.level + 1)
  return cutTile(release.row_count, tile, async () =>
    file.hasFailed(tile.n * width, width) ? undefined : provedTile(file, release, tile),
  )
}

/** A tile that leads to the published root: whoever asks for one may keep it for ever. */
function provedTile(
  file: ReleaseFile,
  { release_id, manifest }: Release,
  { level, n }: Omit<Tile, 'width'>,
): Uint8Array {
  const hashes = file.anyTile(level, n)
  const tree = file.tree(manifest.rows_root)
  const width = TILE_WIDTH ** level
  for (let i = 0; i * HASH_SIZE < hashes.length; i++) {
    const from = (n * TILE_WIDTH + i) * width
    const isOwn = from + width <= manifest.row_count
    if (!isOwn || !equalBytes(tree.rangeRoot(from, from + width), hashes.subarray(i * HASH_SIZE, (i + 1) * HASH_SIZE)))
      throw unproved(release_id)
  }
  return hashes
}

/** Rows of a release as they were hashed, even of one that was withdrawn. Undefined unless it has that many. */
export function findRowBodies(
  db: Db,
  { view, release_id }: { view: View; release_id: string },
  { n, width }: Omit<Tile, 'level'>,
): Uint8Array[] | undefined {
  const release = view.releaseNamed(release_id)
  const from = n * TILE_WIDTH
  if (!release || from + width > release.row_count) return undefined
  const file = openPublished(db, release)
  const bodies = file.rowsAt(from, from + width).map(({ body }) => utf8(body))
  const hashes = concat(...bodies.map(leafHash))
  if (!equalBytes(hashes, provedTile(file, release, { level: 0, n }).subarray(0, hashes.length)))
    throw unproved(release_id)
  return bodies
}
