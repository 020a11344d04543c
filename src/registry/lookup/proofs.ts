import { type Db, StoreFault } from '../../db/db.ts'
import type { Log } from '../../integrity/log.ts'
import type { StoredCheckpoint } from '../../integrity/store.ts'
import { cutTile } from '../../integrity/tile-source.ts'
import { toBase64, utf8 } from '../../proof/bytes.ts'
import {
  ABSENCE_PROOF,
  type AbsenceProof,
  type CitedRow,
  type LogProof,
  type Neighbour,
  ROW_PROOF,
  type Row,
} from '../../proof/price/row.ts'
import { inclusionPath, leafHash, rootFromInclusion, type SubtreeReader } from '../../proof/tree/merkle.ts'
import { subtreesFromTiles, type Tile } from '../../proof/tree/tiles.ts'
import { Remembered } from '../memo.ts'
import type { Release, StoredRow } from '../store.ts'
import * as store from '../store.ts'

const MAX_TILES = 1_000

/** Proof blocks for one answer: everything in it is proved under the same checkpoint. */
export class Proofs {
  readonly #inLog = new Map<number, Promise<LogProof>>()
  /** Tiles that this answer has read: a path asks for the same one many times, and neighbouring rows share them. */
  readonly #tiles = new Remembered<Uint8Array>(MAX_TILES)

  private constructor(
    readonly db: Db,
    readonly log: Log,
    readonly head: StoredCheckpoint,
  ) {}

  static async at(db: Db, log: Log): Promise<Proofs> {
    return new Proofs(db, log, await log.head(db))
  }

  /** The row with its whole proof block. */
  async attach(release: Release, stored: StoredRow): Promise<CitedRow> {
    const { row, index, path } = await this.#place(release, stored)
    return {
      ...row,
      proof: {
        type: ROW_PROOF,
        row: { index, leaf_hash: toBase64(leafHash(utf8(stored.body))), path },
        release: release.manifest,
        log: await this.#releaseInLog(release),
      },
    }
  }

  /** Proves that the release has no row under the prefix: its neighbours on both sides are adjacent. */
  async ofAbsence(release: Release, key_prefix: string): Promise<AbsenceProof> {
    const { left, right } = await store.rowsAround(this.db, release.release_no, key_prefix)
    return {
      type: ABSENCE_PROOF,
      key_prefix,
      left: left ? await this.#place(release, left) : null,
      right: right ? await this.#place(release, right) : null,
      release: release.manifest,
      log: await this.#releaseInLog(release),
    }
  }

  async #place(release: Release, { row_index: index, body }: StoredRow): Promise<Neighbour> {
    const path = await inclusionPath(index, release.row_count, this.#treeOf(release.release_no))
    // A row whose stored bytes no longer hash to the published root is a fault here, not a wrong price there.
    const root = rootFromInclusion(index, release.row_count, leafHash(utf8(body)), path)
    if (!root || toBase64(root) !== release.manifest.rows_root)
      throw new StoreFault(`a row of ${release.release_id} fails its own proof: run \`atr fsck\``)
    return { row: JSON.parse(body) as Row, index, path: path.map(toBase64) }
  }

  #treeOf(release_no: number): SubtreeReader {
    return subtreesFromTiles((level, n) =>
      this.#tiles.get(`${release_no}/${level}/${n}`, () => this.#tile(release_no, level, n)),
    )
  }

  async #tile(release_no: number, level: number, n: number): Promise<Uint8Array> {
    const tile = await store.findRowTile(this.db, release_no, level, n)
    if (!tile) throw new StoreFault('a tile of a release is missing: run `atr fsck`')
    return tile
  }

  #releaseInLog({ log_index }: Release): Promise<LogProof> {
    const known = this.#inLog.get(log_index) ?? this.log.prove(this.db, log_index, this.head)
    this.#inLog.set(log_index, known)
    return known
  }
}

/** A tile of the row hashes of a release, even of one that was withdrawn. */
export async function findRowTile(db: Db, release_id: string, tile: Tile): Promise<Uint8Array | undefined> {
  const release = await store.findLogged(db, release_id)
  if (!release) return undefined
  return cutTile(release.row_count, tile, () => store.findRowTile(db, release.release_no, tile.level, tile.n))
}
