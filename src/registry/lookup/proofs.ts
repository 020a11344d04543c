import { type Db, StoreFault } from '../../db/db.ts'
import type { Log } from '../../integrity/log.ts'
import { cutTile } from '../../integrity/tile-source.ts'
import { toBase64, utf8 } from '../../proof/bytes.ts'
import type { ChartTable } from '../../proof/price/charts.ts'
import {
  ABSENCE_PROOF,
  type AbsenceProof,
  type CitedRow,
  type Neighbour,
  PROOF_REF,
  type ProofRef,
  ROW_PROOF,
  type RowProof,
} from '../../proof/price/proofs.ts'
import { inclusionPath, leafHash, rootFromInclusion, type SubtreeReader } from '../../proof/tree/merkle.ts'
import { subtreesFromTiles, TILE_WIDTH, type Tile } from '../../proof/tree/tiles.ts'
import { openRelease, past, type ReleaseFile, type StoredRow } from '../file/release-file-store.ts'
import { Memo } from '../memo.ts'
import type { Release } from '../store.ts'
import * as store from '../store.ts'
import { rowOf } from '../store.ts'
import { View } from './view.ts'

const MAX_TILES = 1_000

/** Proofs for one answer: everything in it is proved under the same view of the registry. */
export class Proofs {
  /** Tiles that this answer has read: a path asks for the same one many times, and neighbouring rows share them. */
  readonly #tiles = new Memo<Uint8Array>(MAX_TILES)

  private constructor(
    readonly db: Db,
    readonly log: Log,
    readonly view: View,
    /** The schedules that the rule of the lookup knows. */
    readonly charts: ChartTable,
    private readonly hasPaths = true,
  ) {}

  static async at(db: Db, log: Log, charts: ChartTable): Promise<Proofs> {
    return new Proofs(db, log, await View.at(db, log), charts)
  }

  /** The same for a list, which proves its rows at once: none has a path of its own. */
  forList(): Proofs {
    return new Proofs(this.db, this.log, this.view, this.charts, false)
  }

  /** A row with its whole proof. Of a release that is in force on no day, that it was published is all that is proved. */
  async cite(release: Release, stored: StoredRow): Promise<CitedRow> {
    const { row, index, path } = await this.neighbour(release, stored)
    const { view } = this
    const place = { index, leaf_hash: leafText(stored.body), path }
    const proof: RowProof = view.periodOf(release)
      ? {
          type: ROW_PROOF,
          row: place,
          release: release.manifest,
          in_force: { ...view.share(release).in_force, state: view.state },
          log: view.log,
        }
      : {
          type: ROW_PROOF,
          row: place,
          release: release.manifest,
          in_force: null,
          log: await this.log.prove(this.db, release.log_index, view.head),
        }
    return { ...row, proof }
  }

  /** A pointer to the whole proof, and what binds the row to it. */
  refer({ release_id }: Release, { row_index: index, body }: StoredRow): ProofRef {
    return { type: PROOF_REF, release_id, index, leaf_hash: leafText(body), href: permalink(release_id, index) }
  }

  /** That no row of a release has a key with this prefix: its neighbours on both sides are adjacent. */
  async ofAbsence(release: Release, key_prefix: string): Promise<AbsenceProof> {
    const { left, right } = this.aroundPrefix(release, key_prefix)
    return {
      type: ABSENCE_PROOF,
      key_prefix,
      left: left ? await this.neighbour(release, left) : null,
      right: right ? await this.neighbour(release, right) : null,
      release: release.manifest,
      in_force: { ...this.view.share(release).in_force, state: this.view.state },
      log: this.view.log,
    }
  }

  /** A row with its place in the tree. */
  async neighbour(release: Release, { row_index: index, body }: StoredRow): Promise<Neighbour> {
    if (!this.hasPaths) return { row: rowOf({ body }), index, path: [] }
    const path = await inclusionPath(index, release.row_count, this.subtrees(release))
    // A row whose stored bytes no longer hash to the published root is a fault here, not a wrong price there.
    const root = rootFromInclusion(index, release.row_count, leafHash(utf8(body)), path)
    if (!root || toBase64(root) !== release.manifest.rows_root)
      throw new StoreFault(`a row of ${release.release_id} fails its own proof: run \`atr fsck\``)
    return { row: rowOf({ body }), index, path: path.map(toBase64) }
  }

  /** The last row before a key that is not there, and the first one after it. */
  around(release: Release, key: string): ReturnType<ReleaseFile['rowsAround']> {
    return openRelease(this.db, release).rowsAround(key, key)
  }

  aroundPrefix(release: Release, prefix: string): ReturnType<ReleaseFile['rowsAround']> {
    return openRelease(this.db, release).rowsAround(prefix, past(prefix))
  }

  subtrees(release: Release): SubtreeReader {
    const file = openRelease(this.db, release)
    return subtreesFromTiles((level, n) =>
      this.#tiles.get(`${release.release_no}/${level}/${n}`, async () => file.tile(level, n)),
    )
  }
}

const leafText = (body: string): string => toBase64(leafHash(utf8(body)))

/** Where a row is, with its whole proof, for ever. */
const permalink = (release_id: string, index: number): string => `/rows/${release_id}/${index}`

/** A tile of the row hashes of a release, even of one that was withdrawn. */
export async function findRowTile(db: Db, release_id: string, tile: Tile): Promise<Uint8Array | undefined> {
  const release = await store.findLogged(db, release_id)
  if (!release) return undefined
  return cutTile(release.row_count, tile, async () => openRelease(db, release).findTile(tile.level, tile.n))
}

/** Rows of a release as they were hashed, even of one that was withdrawn. Undefined unless it has that many. */
export async function findRowBodies(
  db: Db,
  release_id: string,
  { n, width }: Omit<Tile, 'level'>,
): Promise<Uint8Array[] | undefined> {
  const release = await store.findLogged(db, release_id)
  const from = n * TILE_WIDTH
  if (!release || from + width > release.row_count) return undefined
  return openRelease(db, release)
    .rowsAt(from, from + width)
    .map(({ body }) => utf8(body))
}
