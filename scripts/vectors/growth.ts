// Whether a newer checkpoint is of the log of an older one, by tiles of the newer tree or by a consistency path.

import { concat, toBase64, utf8 } from '../../src/proof/bytes.ts'
import { MemoryLog } from '../../src/proof/fixture.ts'
import { formatPolicy } from '../../src/proof/note/policy.ts'
import { signNote } from '../../src/proof/note/signed-note.ts'
import { consistencyPath } from '../../src/proof/tree/merkle.ts'
import { subtreesFromTiles, tilePath } from '../../src/proof/tree/tiles.ts'
import { figures, registry, SECONDS, stranger, w1 } from '../../test/support/vector-keys.ts'
import { flipped, replaced } from './operators.ts'
import { named, tableOf, vectorsOf } from './table.ts'

const ENTRIES = Array.from({ length: 300 }, (_, i) => utf8(`entry ${i}`))
const SEVEN = ENTRIES.slice(0, 7)
const main = new MemoryLog(registry).append(...ENTRIES)
const LOGS: Record<string, MemoryLog> = {
  main,
  other: new MemoryLog(figures).append(...SEVEN),
  fork: new MemoryLog(registry).append(...SEVEN.with(4, utf8('another entry'))),
  seen: new MemoryLog(registry, [w1], SECONDS).append(...SEVEN),
  strange: new MemoryLog(stranger).append(...SEVEN),
}
const POLICIES: Record<string, string> = {
  PINNED: formatPolicy([registry]),
  BOTH: formatPolicy([registry, figures]),
  SEEN: formatPolicy([registry], [w1]),
}
/** A checkpoint by its word: the size in `main`, or a log and a size. */
async function noteOf(word: string): Promise<string> {
  const [log = '', size = ''] = word.includes(':') ? word.split(':') : ['main', word]
  // Signed by the registry, with the root of another tree.
  if (log === 'lie') return signNote(`${registry.name}\n${size}\n${toBase64(await main.root(1))}\n`, [registry])
  if (log === 'unsigned') return replaced(await main.checkpoint(7), '\n7\n', `\n${size}\n`)
  return named(LOGS, log).checkpoint(Number(size))
}

const tile = (width: number, n = 0, level = 0): Uint8Array => main.tile(level, n, width)
const [FIRST, SECOND, REST] = [tile(7).slice(0, 32), tile(7).slice(32, 64), tile(7).slice(64)]
const only = (hashes: Uint8Array): object => ({ tiles: { [tilePath(0, 0, 7)]: toBase64(hashes) } })
const PAST_256 = { [tilePath(0, 1, 44)]: toBase64(tile(44, 1)) }
const ABOVE_256 = { [tilePath(1, 0, 1)]: toBase64(tile(1, 0, 1)) }
const TILES: Record<string, object> = {
  none: { tiles: {} },
  seven: only(tile(7)),
  nine: only(tile(9)),
  'seven-and-others': only(concat(tile(7), new Uint8Array(64))),
  'past-256': { tiles: { ...PAST_256, ...ABOVE_256 } },
  'of-five': { tiles: { [tilePath(0, 0, 5)]: toBase64(tile(5)) } },
  full: { tiles: { [tilePath(0, 0, 256)]: toBase64(tile(9)) } },
  'past-256-below': { tiles: PAST_256 },
  'past-256-above': { tiles: ABOVE_256 },
  empty: only(new Uint8Array(0)),
  six: only(tile(6)),
  'seven-and-31-bytes': only(concat(tile(7), new Uint8Array(31))),
  '257': only(concat(tile(7), new Uint8Array(32 * 250))),
  'of-fork': only(named(LOGS, 'fork').tile(0, 0, 7)),
  'bit-of-the-second': { tiles: { [tilePath(0, 0, 7)]: flipped(toBase64(tile(7)), 40) } },
  'bit-of-the-last': { tiles: { [tilePath(0, 0, 7)]: flipped(toBase64(tile(7)), 6 * 32) } },
  swapped: only(concat(SECOND, FIRST, REST)),
}
const read = subtreesFromTiles(async (level, n) => tile(level === 0 && n < 1 ? 256 : 44, n, level))
async function pathOf(from: number, to = 7): Promise<string[]> {
  return (await consistencyPath(from, to, read)).map(toBase64)
}
const PATH = await pathOf(3)
const [A = '', B = '', ...MORE] = PATH
const PATHS: Record<string, string[]> = {
  'path-of-3': PATH,
  'path-of-4': await pathOf(4),
  'path-of-5': await pathOf(5),
  'path-of-nothing': [],
  'path-with-a-bit': [flipped(A), B, ...MORE],
  'path-swapped': [B, A, ...MORE],
  'path-and-one-more': [...PATH, A],
  'path-but-one': PATH.slice(0, -1),
}

const TABLE = `
= {}
from three to seven | 3 | 7 | seven
from six to seven | 6 | 7 | seven
from nothing | 0 | 7 | none
the same checkpoint, for which no tile is needed | 7 | 7 | none
nothing to nothing | 0 | 0 | none
from a full tile to a second level | 256 | 300 | past-256
a tile wider than the newer tree needs | 3 | 7 | nine
a wider tile, of whose other hashes none is looked at | 3 | 7 | seven-and-others
cosigned where it is asked for | seen:3 | seen:7 | seven | SEEN
a consistency path | 3 | 7 | path-of-3
a consistency path from a power of two | 4 | 7 | path-of-4
an empty consistency path from nothing | 0 | 7 | path-of-nothing
an empty consistency path between equal trees | 7 | 7 | path-of-nothing
= log_rolled_back
a log that shrank | 7 | 3 | seven
a consistency path to a smaller tree | 7 | 3 | path-of-3
= log_forked
another root at the same size | fork:7 | 7 | none
a fork before the older size | fork:5 | 7 | seven
another root of the older tree | lie:3 | 7 | seven
a consistency path from the other side of a fork | fork:5 | 7 | path-of-5
a consistency path that is not it: | 3 | 7 | $1 | for path-with-a-bit path-swapped path-and-one-more path-but-one path-of-nothing
a consistency path from nothing | 0 | 7 | path-of-3
a consistency path between equal trees | 7 | 7 | path-of-3
= log_not_the_same
another log | other:3 | 7 | seven | BOTH
another log that is larger | other:7 | 3 | seven | BOTH
a consistency path between two logs | other:3 | 7 | path-of-3 | BOTH
= tile_unavailable
no tile | 3 | 7 | none
the tile of an older tree only | 3 | 7 | of-five
the full tile in place of the partial one | 3 | 7 | full
one of two tiles: | 256 | 300 | $1 | for past-256-below past-256-above
= tile_malformed
a tile of another length: | 3 | 7 | $1 | for empty six seven-and-31-bytes 257
= tiles_not_of_checkpoint
the tiles of the other side of a fork | 5 | 7 | of-fork
a tile that is not it: | 3 | 7 | $1 | for bit-of-the-second bit-of-the-last swapped
another root of the newer tree | 3 | lie:7 | seven
= note_unsigned
an older checkpoint by a key that is not pinned | strange:3 | 7 | seven
both checkpoints of a log that is not pinned | strange:3 | strange:7 | seven
= note_signature_invalid
a newer checkpoint that is forged | 3 | unsigned:8 | seven
= quorum_not_met
a newer checkpoint without its quorum | seen:3 | 7 | seven | SEEN
an older checkpoint without its quorum | 3 | seen:7 | seven | SEEN
`
const lines = tableOf(TABLE).map(async ([name, [older = '', newer = '', proof = '', policy = 'PINNED'], expected]) => {
  const notes = { policy: named(POLICIES, policy), older: await noteOf(older), newer: await noteOf(newer) }
  const shown = proof in PATHS ? { path: named(PATHS, proof) } : named(TILES, proof)
  return [name, { ...notes, ...shown }, expected] as const
})
export const growths = vectorsOf('growth', await Promise.all(lines), (given) => given)
