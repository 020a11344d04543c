import { DamageFault, type Db } from '../db/db.ts'
import { HASH_SIZE } from '../proof/tree/merkle.ts'
import { TILE_WIDTH, type Tile } from '../proof/tree/tiles.ts'
import type { Log } from './log.ts'
import type { StoredCheckpoint } from './store.ts'
import * as store from './store.ts'
import type { FailedParts } from './verification/failed-parts.ts'
import { covers, type Span, touches } from './verification/verdict.ts'

/**
 * Reads the entries and tiles of a log that its public checkpoint covers. `known` is the head in memory, if any. Entries
 * that failed their verification, listed in `parts`, are not served, and neither are tiles that hold no others.
 */
export function tileSource(
  db: Db,
  log: Log,
  known: () => StoredCheckpoint | undefined = () => undefined,
  parts?: FailedParts,
) {
  const head = async (): Promise<StoredCheckpoint> => known() ?? log.head(db)
  const failed = (): readonly Span[] => parts?.of(`${log.name} log`) ?? []
  const refuse = (): never => {
    throw new DamageFault(`a part of the ${log.name} log failed its verification: run \`atr fsck\``)
  }
  return {
    name: log.name,

    checkpoint: async (): Promise<string> => (await head()).note,

    async findTile(tile: Tile): Promise<Uint8Array | undefined> {
      const { size } = await head()
      const width = TILE_WIDTH ** (tile.level + 1)
      if (covers(failed(), tile.n * width, (tile.n + 1) * width)) refuse()
      return cutTile(size, tile, () => store.findTile(db, log.name, tile.level, tile.n))
    },

    async findEntries({ n, width }: Omit<Tile, 'level'>): Promise<Uint8Array[] | undefined> {
      const { size } = await head()
      const from = n * TILE_WIDTH
      if (from + width > size) return undefined
      if (touches(failed(), from, from + width)) refuse()
      const entries = await store.leafBodies(db, log.name, from, from + width)
      if (entries.length !== width)
        throw new DamageFault(`entries of the ${log.name} log are missing: restore the store from a backup`)
      return entries
    },

    async findProof(index: number): Promise<string | undefined> {
      const under = await head()
      if (index >= under.size) return undefined
      const { inclusion, checkpoint } = await log.prove(db, index, under)
      return ['c2sp.org/tlog-proof@v1', `index ${index}`, ...inclusion, '', checkpoint].join('\n')
    },
  }
}

/**
 * The hashes of a tile, if a tree of `size` leaves has that many. The stored tile may be wider, because it has grown or
 * the reader has an older checkpoint and asks for the width of that one.
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
    throw new DamageFault('a tile is missing or too narrow: restore the store from a backup')
  return hashes
}
