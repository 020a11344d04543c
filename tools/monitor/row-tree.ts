import { equalBytes } from '../../src/proof/bytes.ts'
import { HASH_SIZE, type Hash, inclusionPath, rangeRoot, type SubtreeReader } from '../../src/proof/tree/merkle.ts'
import { rootInTile, subtreesFromTiles, TILE_WIDTH, TileBuilder } from '../../src/proof/tree/tiles.ts'
import type { UpperTile } from './log.ts'

/**
 * The tree over the rows of a release, made of its leaf hashes. For millions of rows these would take hundreds of megabytes, so
 * only the root of each of their tiles is kept, and the last tile if it is not full.
 */
export class RowTree {
  readonly #upper = new Map<string, UpperTile>()
  #edge: Uint8Array = new Uint8Array()
  readonly #builder = new TileBuilder((tile, hashes) => {
    if (tile.level > 0) this.#upper.set(nameOf(tile.level, tile.n), { tile, hashes })
    else if (tile.width < TILE_WIDTH) this.#edge = hashes
  })

  /** Adds the next tile. All but the last must be full. */
  add(tile: Uint8Array): void {
    if (tile.length === TILE_WIDTH * HASH_SIZE) this.#builder.appendTile(tile, rootInTile(tile, 0, TILE_WIDTH))
    else for (let at = 0; at < tile.length; at += HASH_SIZE) this.#builder.append(tile.subarray(at, at + HASH_SIZE))
  }

  /** To be called after the last tile, before anything is read. */
  end(): void {
    this.#builder.finish()
  }

  get upper(): Iterable<UpperTile> {
    return this.#upper.values()
  }

  root(): Promise<Hash> {
    return rangeRoot(0, this.#builder.size, this.#subtrees())
  }

  /** Whether these are the leaf hashes of a tile. */
  hasTile(n: number, hashes: Uint8Array): boolean {
    if ((n + 1) * TILE_WIDTH > this.#builder.size) return equalBytes(hashes, this.#edge)
    const above = this.#tile(1, Math.floor(n / TILE_WIDTH))
    const at = (n % TILE_WIDTH) * HASH_SIZE
    return (
      hashes.length === TILE_WIDTH * HASH_SIZE &&
      equalBytes(rootInTile(hashes, 0, TILE_WIDTH), above.subarray(at, at + HASH_SIZE))
    )
  }

  /** The path from a row to the root. `tile` has the leaf hashes around the row. */
  path(index: number, tile: Uint8Array): Promise<Hash[]> {
    return inclusionPath(index, this.#builder.size, this.#subtrees({ n: Math.floor(index / TILE_WIDTH), hashes: tile }))
  }

  #subtrees(own?: { n: number; hashes: Uint8Array }): SubtreeReader {
    return subtreesFromTiles(async (level, n) => {
      if (level > 0) return this.#tile(level, n)
      return n === own?.n ? own.hashes : this.#edge
    })
  }

  #tile(level: number, n: number): Uint8Array {
    const found = this.#upper.get(nameOf(level, n))
    if (!found) throw new RangeError('the tree has no such tile')
    return found.hashes
  }
}

const nameOf = (level: number, n: number): string => `${level}/${n}`
