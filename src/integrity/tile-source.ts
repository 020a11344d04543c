import { type Db, StoreFault } from '../db/db.ts'
import { HASH_SIZE } from '../proof/tree/merkle.ts'
import { TILE_WIDTH, type Tile } from '../proof/tree/tiles.ts'
import type { Log } from './log.ts'
import * as store from './store.ts'

/** The public part of a log: what its public checkpoint covers, not what is only signed. */
export const tileSource = (db: Db, log: Log) => ({
  name: log.name,

  checkpoint: async (): Promise<string> => (await log.head(db)).note,

  async findTile(tile: Tile): Promise<Uint8Array | undefined> {
    const { size } = await log.head(db)
    return cutTile(size, tile, () => store.findTile(db, log.name, tile.level, tile.n))
  },

  async findEntries({ n, width }: Omit<Tile, 'level'>): Promise<Uint8Array[] | undefined> {
    const { size } = await log.head(db)
    const from = n * TILE_WIDTH
    if (from + width > size) return undefined
    const entries = await store.leafBodies(db, log.name, from, from + width)
    if (entries.length !== width)
      throw new StoreFault(`entries of the ${log.name} log are missing: restore the store from a backup`)
    return entries
  },

  async findProof(index: number): Promise<string | undefined> {
    const head = await log.head(db)
    if (index >= head.size) return undefined
    const { inclusion, checkpoint } = await log.prove(db, index, head)
    return ['c2sp.org/tlog-proof@v1', `index ${index}`, ...inclusion, '', checkpoint].join('\n')
  },
})

/**
 * The hashes of a tile, if a tree of `size` leaves has that many. The stored tile may be wider: it has grown since, or
 * the reader has an older checkpoint and asks for the width that belongs to it.
 */
export async function cutTile(
  size: number,
  { level, n, width }: Tile,
  read: () => Promise<Uint8Array | undefined>,
): Promise<Uint8Array | undefined> {
  const entries = Math.floor(size / TILE_WIDTH ** level)
  if (n * TILE_WIDTH + width > entries) return undefined
  const hashes = (await read())?.subarray(0, width * HASH_SIZE)
  if (hashes?.length !== width * HASH_SIZE)
    throw new StoreFault('a tile is missing or too narrow: restore the store from a backup')
  return hashes
}
