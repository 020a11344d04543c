// The tiles above the leaves. A clone does not need them, but whoever checks one proof reads them and nothing else.

import { equalBytes } from '../../src/proof/bytes.ts'
import { HASH_SIZE, type Hash } from '../../src/proof/tree/merkle.ts'
import { TILE_WIDTH, type Tile, TileBuilder, tilePath } from '../../src/proof/tree/tiles.ts'
import type { Fetcher } from './fetcher.ts'

export interface UpperTile {
  tile: Tile
  hashes: Uint8Array
}

/** Those that these leaves make. Tiles that a tree of the size `known` had already are left out. */
export function upperTilesOf(leaves: Iterable<Hash>, known = 0): UpperTile[] {
  const upper: UpperTile[] = []
  const builder = new TileBuilder((tile, hashes) => {
    const before = Math.floor(known / TILE_WIDTH ** tile.level)
    if (tile.level > 0 && tile.n * TILE_WIDTH + tile.width > before) upper.push({ tile, hashes })
  })
  for (const leaf of leaves) builder.append(leaf)
  builder.finish()
  return upper
}

/** The path of a tile above the leaves that is not served, or is another one than this. */
export async function wrongUpperTile(
  fetcher: Fetcher,
  base: string,
  upper: Iterable<UpperTile>,
): Promise<string | undefined> {
  for (const { tile, hashes } of upper) {
    const { level, n, width } = tile
    const served = await fetcher.part(base, level, n, width)
    const isRight = served && equalBytes(served.subarray(0, width * HASH_SIZE), hashes.subarray(0, width * HASH_SIZE))
    if (!isRight) return tilePath(level, n, width)
  }
  return undefined
}
