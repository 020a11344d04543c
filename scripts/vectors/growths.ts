// Whether a log only grew between two checkpoints.

import { toBase64, utf8 } from '../../src/proof/bytes.ts'
import type { Fault } from '../../src/proof/fault.ts'
import { MemoryLog } from '../../src/proof/fixture.ts'
import { consistencyPath } from '../../src/proof/tree/merkle.ts'
import { subtreesFromTiles, TILE_WIDTH, tilePath, tilesOf } from '../../src/proof/tree/tiles.ts'
import { flipped } from './edit.ts'
import { figures, ONE_OF_TWO, PLAIN, registry, SECONDS, stranger, w1 } from './keys.ts'
import type { VectorOf } from './vector.ts'

type Growth = VectorOf<'growth'>
type Given = { policy?: string; tiles?: Record<string, string>; path?: string[] }
const growth = (name: string, older: string, newer: string, given: Given, expect: Growth['expect']): Growth => ({
  name,
  kind: 'growth',
  policy: PLAIN,
  older,
  newer,
  ...given,
  expect,
})
const good = (name: string, older: string, newer: string, given: Given): Growth =>
  growth(name, older, newer, given, { ok: true })
const bad = (name: string, older: string, newer: string, given: Given, reason: Fault): Growth =>
  growth(name, older, newer, given, { ok: false, reason })

const leaves = (from: number, to: number, mark = 'entry'): Uint8Array[] =>
  Array.from({ length: to - from }, (_, i) => utf8(`${mark} ${from + i}`))
const log = new MemoryLog(registry).append(...leaves(0, 300))
/** The same first four entries, and others after them. */
const fork = new MemoryLog(registry).append(...leaves(0, 4), ...leaves(4, 20, 'other'))
const other = new MemoryLog(figures).append(...leaves(0, 20))

const tilesAt = (size: number, of = log): Record<string, string> =>
  Object.fromEntries(
    tilesOf(size).map(({ level, n, width }) => [tilePath(level, n, width), toBase64(of.tile(level, n, width))]),
  )
const pathOf = async (from: number, to: number, of = log): Promise<string[]> => {
  const read = subtreesFromTiles(async (level, n) => of.tile(level, n, Math.min(TILE_WIDTH, of.leaves.length)))
  return (await consistencyPath(from, to, read)).map(toBase64)
}
const at = (size: number): Promise<string> => log.checkpoint(size)
const ONLY = 'tile/0/000.p/7'
const seven = tilesAt(7)
const tileOfSeven = seven[ONLY] as string
const cosigned = new MemoryLog(registry, [w1], SECONDS).append(...leaves(0, 7))
const strangers = new MemoryLog(stranger).append(...leaves(0, 7))
const threeToSeven = await pathOf(3, 7)

export const growths: Growth[] = [
  good('from three to seven', await at(3), await at(7), { tiles: seven }),
  good('from four to seven', await at(4), await at(7), { tiles: seven }),
  good('from six to seven', await at(6), await at(7), { tiles: seven }),
  good('from nothing', await at(0), await at(7), { tiles: seven }),
  good('the same checkpoint, for which no tile is needed', await at(7), await at(7), { tiles: {} }),
  good('nothing to nothing', await at(0), await at(0), { tiles: {} }),
  good('from a full tile to a second level', await at(256), await at(300), { tiles: tilesAt(300) }),
  good('a tile wider than the newer tree needs', await at(3), await at(7), {
    tiles: { [ONLY]: toBase64(log.tile(0, 0, 9)) },
  }),
  good('cosigned where it is asked for', await cosigned.checkpoint(3), await cosigned.checkpoint(7), {
    policy: ONE_OF_TWO,
    tiles: seven,
  }),
  good('a consistency path', await at(3), await at(7), { path: threeToSeven }),
  good('a consistency path from a power of two', await at(4), await at(7), { path: await pathOf(4, 7) }),
  good('an empty consistency path from nothing', await at(0), await at(7), { path: [] }),

  bad('a log that shrank', await at(7), await at(3), { tiles: seven }, 'log_rolled_back'),
  bad('another root at the same size', await fork.checkpoint(7), await at(7), { tiles: seven }, 'log_forked'),
  bad('a fork before the older size', await fork.checkpoint(5), await at(7), { tiles: seven }, 'log_forked'),
  bad(
    'the tiles of the other side of a fork',
    await at(5),
    await at(7),
    { tiles: { [ONLY]: toBase64(fork.tile(0, 0, 7)) } },
    'tiles_not_of_checkpoint',
  ),
  bad('another log', await other.checkpoint(3), await at(7), { tiles: seven }, 'log_not_the_same'),
  bad('no tile', await at(3), await at(7), { tiles: {} }, 'tile_unavailable'),
  bad('the tile of an older tree only', await at(3), await at(7), { tiles: tilesAt(5) }, 'tile_unavailable'),
  bad(
    'no tile of the second level',
    await at(256),
    await at(300),
    { tiles: { 'tile/0/001.p/44': toBase64(log.tile(0, 1, 44)) } },
    'tile_unavailable',
  ),
  bad(
    'one bit of a tile',
    await at(3),
    await at(7),
    { tiles: { [ONLY]: flipped(tileOfSeven, 40) } },
    'tiles_not_of_checkpoint',
  ),
  bad(
    'one bit of a tile past the older size',
    await at(3),
    await at(7),
    { tiles: { [ONLY]: flipped(tileOfSeven, 6 * 32) } },
    'tiles_not_of_checkpoint',
  ),
  bad(
    'a tile that is too narrow',
    await at(3),
    await at(7),
    { tiles: { [ONLY]: toBase64(log.tile(0, 0, 6)) } },
    'tile_malformed',
  ),
  bad(
    'a tile that is not whole hashes',
    await at(3),
    await at(7),
    { tiles: { [ONLY]: toBase64(log.tile(0, 0, 8).slice(1)) } },
    'tile_malformed',
  ),
  bad(
    'a tile of 257 hashes',
    await at(3),
    await at(7),
    { tiles: { [ONLY]: toBase64(log.tile(0, 0, 257)) } },
    'tile_malformed',
  ),
  bad('an empty tile', await at(3), await at(7), { tiles: { [ONLY]: '' } }, 'tile_malformed'),
  bad(
    'an older checkpoint by a key that is not pinned',
    await strangers.checkpoint(3),
    await at(7),
    { tiles: seven },
    'note_unsigned',
  ),
  bad(
    'a newer checkpoint that is forged',
    await at(3),
    (await at(7)).replace('\n7\n', '\n8\n'),
    { tiles: seven },
    'note_signature_invalid',
  ),
  bad(
    'a newer checkpoint without its quorum',
    await cosigned.checkpoint(3),
    await at(7),
    { policy: ONE_OF_TWO, tiles: seven },
    'quorum_not_met',
  ),
  bad(
    'one bit of a consistency path',
    await at(3),
    await at(7),
    { path: [flipped(threeToSeven[0] as string), ...threeToSeven.slice(1)] },
    'log_forked',
  ),
  bad(
    'a hash too many in a consistency path',
    await at(3),
    await at(7),
    { path: [...threeToSeven, threeToSeven[0] as string] },
    'log_forked',
  ),
  bad(
    'a hash too few in a consistency path',
    await at(3),
    await at(7),
    { path: threeToSeven.slice(0, -1) },
    'log_forked',
  ),
  bad('an empty consistency path', await at(3), await at(7), { path: [] }, 'log_forked'),
  bad('a consistency path from nothing', await at(0), await at(7), { path: threeToSeven }, 'log_forked'),
  bad('a consistency path between equal trees', await at(7), await at(7), { path: threeToSeven }, 'log_forked'),
  bad('a consistency path to a smaller tree', await at(7), await at(3), { path: threeToSeven }, 'log_rolled_back'),
  bad(
    'a consistency path between two logs',
    await other.checkpoint(3),
    await at(7),
    { path: threeToSeven },
    'log_not_the_same',
  ),
]
