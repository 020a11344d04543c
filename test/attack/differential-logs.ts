// Two checkpoints of a log, truly signed, and the tiles or the path between them: honest, forked, or with something of
// them gone.

import { toBase64, utf8 } from '../../src/proof/bytes.ts'
import { MemoryLog } from '../../src/proof/fixture.ts'
import { formatPolicy } from '../../src/proof/note/policy.ts'
import { consistencyPath } from '../../src/proof/tree/merkle.ts'
import { subtreesFromTiles, TILE_WIDTH, tilePath } from '../../src/proof/tree/tiles.ts'
import { signerOf } from '../support/vector-keys.ts'
import type { Dice } from './dice.ts'
import type { Case } from './differential-judges.ts'
import { changeHashes } from './differential-vectors.ts'
import { oneOf } from './lie-world.ts'

const signer = signerOf('a.example/log/registry', 1)
const other = signerOf('b.example/log/registry', 2)
const policy = formatPolicy([signer, other])
const MOST = 3 * TILE_WIDTH
const honest = new MemoryLog(signer).append(...Array.from({ length: MOST }, (_, i) => utf8(`entry ${i}`)))

/** Sizes at which tiles and subtrees begin and end. */
const SIZES = [0, 1, 2, 3, 5, 8, 255, 256, 257, 300, 511, 512, 513, MOST - 1, MOST]

function copyOfLog(by = signer): MemoryLog {
  const log = new MemoryLog(by)
  log.leaves.push(...honest.leaves)
  return log
}

export async function strangeGrowth(dice: Dice): Promise<Case> {
  const [from, to] = [oneOf(dice, SIZES), oneOf(dice, SIZES)].sort((a, b) => (dice.chance(0.95) ? a - b : b - a))
  const [older, newer] = [from as number, to as number]
  const log = dice.chance(0.6) ? honest : copyOfLog(dice.chance(0.2) ? other : signer)
  if (log !== honest) {
    const at = dice.below(MOST)
    log.leaves[at] = log.leaves[dice.below(MOST)] as Uint8Array
  }
  const notes = { older: await log.checkpoint(older), newer: await honest.checkpoint(newer) }
  const given: Case = { kind: 'growth', policy, ...notes }
  if (dice.chance(0.3)) {
    const path = older > 0 && older <= newer ? await consistencyPath(older, newer, readerOf(honest)) : []
    given['path'] = path.map(toBase64)
  } else given['tiles'] = tilesOf(oneOf(dice, [honest, honest, log]), newer)
  const parts = (given['path'] ?? given['tiles']) as Record<string, string>
  const what = dice.below(4)
  const name = oneOf(dice, Object.keys(parts))
  if (what === 0 && name !== undefined) {
    if (Array.isArray(parts)) parts.splice(Number(name), 1)
    else delete parts[name]
  }
  if (what === 1) changeHashes(parts, dice)
  return given
}

const readerOf = (log: MemoryLog) =>
  subtreesFromTiles(async (level, n) => log.tile(level, n, Math.min(TILE_WIDTH, widthOf(MOST, level, n))))

const widthOf = (size: number, level: number, n: number): number =>
  Math.floor(size / TILE_WIDTH ** level) - n * TILE_WIDTH

/** Every tile of the tree of a size, as wide as it is in it. */
function tilesOf(log: MemoryLog, size: number): Record<string, string> {
  const tiles: Record<string, string> = {}
  for (const level of [0, 1])
    for (let n = 0; widthOf(size, level, n) > 0; n++) {
      const width = Math.min(TILE_WIDTH, widthOf(size, level, n))
      tiles[tilePath(level, n, width)] = toBase64(log.tile(level, n, width))
    }
  return tiles
}
