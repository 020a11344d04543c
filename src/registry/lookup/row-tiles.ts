import type { Db } from '../../db/db.ts'
import { cutTile } from '../../integrity/tile-source.ts'
import type { Tile } from '../../proof/tree/tiles.ts'
import * as store from './store.ts'

/** A tile of the row hashes of a release, even of one that was withdrawn. */
export async function findRowTile(db: Db, release_id: string, tile: Tile): Promise<Uint8Array | undefined> {
  const release = await store.findLogged(db, release_id)
  if (!release) return undefined
  return cutTile(release.row_count, tile, () => store.findRowTile(db, release.release_no, tile.level, tile.n))
}
