// The check that a log only grew between two checkpoints, for monitors, witnesses and careful clients.

import { equalBytes } from './bytes.ts'
import type { FailedCheck } from './fault.ts'
import { openCheckpoint } from './note/checkpoint.ts'
import type { TrustPolicy } from './note/policy.ts'
import type { TreeHead } from './note/tree-head.ts'
import { consistencyPath, HASH_SIZE, type Hash, isConsistent, rangeRoot } from './tree/merkle.ts'
import { subtreesFromTiles, TILE_WIDTH, tilePath } from './tree/tiles.ts'

export type GrowthFault = 'log_not_the_same' | 'log_rolled_back' | 'log_forked'
export type TileFault = 'tile_unavailable' | 'tile_malformed' | 'tiles_not_of_checkpoint'
export type Growth = { ok: true; from: TreeHead; to: TreeHead } | { ok: false; reason: GrowthFault | TileFault }

/** Reads the tile `n` of a level; `width` is the number of its hashes in the newer tree. A wider tile will do. */
export type TileReader = (level: number, n: number, width: number) => Promise<Uint8Array>

const fail = <Reason extends string>(reason: Reason): { ok: false; reason: Reason } => ({ ok: false, reason })

/** Checks an RFC 9162 consistency path between two tree heads that were verified before. */
export function verifyGrowth(
  older: TreeHead,
  newer: TreeHead,
  path: readonly Hash[],
): { ok: true } | { ok: false; reason: GrowthFault } {
  if (older.origin !== newer.origin) return fail('log_not_the_same')
  if (newer.size < older.size) return fail('log_rolled_back')
  return isConsistent(older.size, newer.size, older.root, newer.root, path) ? { ok: true } : fail('log_forked')
}

/**
 * Checks that the log of `newerNote` is the log of `olderNote` with entries added, from the newer tree's tiles.
 *
 * Tiles are hostile until they lead to the newer root. Only then a difference from the older root is called a fork: a
 * damaged tile accuses nobody.
 */
export async function checkGrowth(
  olderNote: string,
  newerNote: string,
  policy: TrustPolicy,
  readTile: TileReader,
): Promise<Growth | FailedCheck> {
  const older = await openCheckpoint(olderNote, policy)
  if (!older.ok) return older
  const newer = await openCheckpoint(newerNote, policy)
  if (!newer.ok) return newer
  const [from, to] = [older.head, newer.head]
  if (from.origin !== to.origin) return fail('log_not_the_same')
  if (to.size < from.size) return fail('log_rolled_back')
  if (to.size === from.size) return equalBytes(from.root, to.root) ? { ok: true, from, to } : fail('log_forked')
  try {
    const read = subtreesFromTiles(tilesOf(to.size, readTile))
    const root = await rangeRoot(0, from.size, read)
    const path = await consistencyPath(from.size, to.size, read)
    if (!isConsistent(from.size, to.size, root, to.root, path)) return fail('tiles_not_of_checkpoint')
    return equalBytes(root, from.root) ? { ok: true, from, to } : fail('log_forked')
  } catch (error) {
    if (error instanceof BadTile) return fail(error.reason)
    throw error
  }
}

class BadTile extends Error {
  constructor(
    readonly reason: TileFault,
    cause?: unknown,
  ) {
    super(reason, { cause })
  }
}

/** Reads each tile once, with its width in a tree of this size. */
function tilesOf(size: number, readTile: TileReader): (level: number, n: number) => Promise<Uint8Array> {
  const known = new Map<string, Promise<Uint8Array>>()
  const fetched = async (level: number, n: number): Promise<Uint8Array> => {
    const width = Math.min(TILE_WIDTH, Math.floor(size / TILE_WIDTH ** level) - n * TILE_WIDTH)
    const tile = await reading(() => readTile(level, n, width))
    const fits = tile.length % HASH_SIZE === 0 && tile.length >= width * HASH_SIZE
    if (!fits || tile.length > TILE_WIDTH * HASH_SIZE) throw new BadTile('tile_malformed')
    return tile
  }
  return (level, n) => {
    const name = `${level}/${n}`
    const tile = known.get(name) ?? fetched(level, n)
    known.set(name, tile)
    return tile
  }
}

async function reading(read: () => Promise<Uint8Array>): Promise<Uint8Array> {
  try {
    return await read()
  } catch (cause) {
    throw new BadTile('tile_unavailable', cause)
  }
}

export { tilePath }
