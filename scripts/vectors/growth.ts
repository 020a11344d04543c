// Whether a newer checkpoint is of the log of an older one, by tiles of the newer tree or by a consistency path.

import { toBase64, utf8 } from '../../src/proof/bytes.ts'
import { MemoryLog } from '../../src/proof/fixture.ts'
import { formatPolicy } from '../../src/proof/note/policy.ts'
import { signNote } from '../../src/proof/note/signed-note.ts'
import { consistencyPath } from '../../src/proof/tree/merkle.ts'
import { subtreesFromTiles, tilePath } from '../../src/proof/tree/tiles.ts'
import { figures, registry, SECONDS, stranger, w1 } from '../../test/support/vector-keys.ts'
import { flipped, replaced } from './operators.ts'
import { all, type Line, vectorsOf } from './table.ts'

const POLICY = formatPolicy([registry])
const BOTH = formatPolicy([registry, figures])
const WITNESSED = formatPolicy([registry], [w1])

const entry = (i: number): Uint8Array => utf8(`entry ${i}`)
const entries = Array.from({ length: 300 }, (_, i) => entry(i))
const log = new MemoryLog(registry).append(...entries)
const other = new MemoryLog(figures).append(...entries.slice(0, 7))
/** Another fifth entry. */
const fork = new MemoryLog(registry).append(...entries.slice(0, 7).with(4, utf8('fork')))
const cosigned = new MemoryLog(registry, [w1], SECONDS).append(...entries.slice(0, 7))

const at = (size: number): Promise<string> => log.checkpoint(size)
const tile = (width: number, n = 0, level = 0): string => toBase64(log.tile(level, n, width))
const read = subtreesFromTiles(async (level, n) => log.tile(level, n, level === 0 && n < 1 ? 256 : 44))
const path = async (from: number, to: number): Promise<string[]> =>
  (await consistencyPath(from, to, read)).map(toBase64)

/** The one tile of the tree of seven. */
const SEVEN = tilePath(0, 0, 7)
const seven = { tiles: { [SEVEN]: tile(7) } }
const PATH = await path(3, 7)
const [first = '', ...rest] = PATH
/** The tiles of the tree of 300 leaves: that of the first 256 is not needed from there on. */
const PAST_256 = { [tilePath(0, 1, 44)]: tile(44, 1), [tilePath(1, 0, 1)]: tile(1, 0, 1) }

interface Given {
  older: string
  newer: string
  policy?: string
  tiles?: Record<string, string>
  path?: string[]
}
const [THREE, NEWER] = [await at(3), await at(7)]
const grown = async (from: number, to: number, given: object): Promise<Given> => ({
  older: await at(from),
  newer: await at(to),
  ...given,
})
/** From three to seven, with what is said otherwise. */
const but = (given: Partial<Given>): Given => ({ older: THREE, newer: NEWER, ...given })
const withTile = (hashes: string): Given => but({ tiles: { [SEVEN]: hashes } })
const more = (width: number, at = 300): string => toBase64(new Uint8Array(32 * width).fill(at))
const wider = (width: number): string =>
  toBase64(Buffer.concat([log.tile(0, 0, 7), Buffer.from(more(width), 'base64')]))
const forged = (size: number, root = log.leaves[0] as Uint8Array): Promise<string> =>
  signNote(`${registry.name}\n${size}\n${toBase64(root)}\n`, [registry])

const lines: Line<Given>[] = [
  ...all(
    {},
    {
      'from three to seven': but(seven),
      'from six to seven': await grown(6, 7, seven),
      'from nothing': await grown(0, 7, { tiles: {} }),
      'the same checkpoint, for which no tile is needed': await grown(7, 7, { tiles: {} }),
      'nothing to nothing': await grown(0, 0, { tiles: {} }),
      'from a full tile to a second level': await grown(256, 300, { tiles: PAST_256 }),
      'a tile wider than the newer tree needs': withTile(tile(9)),
      'a wider tile, of whose other hashes none is looked at': withTile(wider(2)),
      'cosigned where it is asked for': but({
        ...seven,
        older: await cosigned.checkpoint(3),
        newer: await cosigned.checkpoint(7),
        policy: WITNESSED,
      }),
      'a consistency path': but({ path: PATH }),
      'a consistency path from a power of two': await grown(4, 7, { path: await path(4, 7) }),
      'an empty consistency path from nothing': await grown(0, 7, { path: [] }),
      'an empty consistency path between equal trees': await grown(7, 7, { path: [] }),
    },
  ),
  ...all('log_rolled_back', {
    'a log that shrank': await grown(7, 3, seven),
    'a consistency path to a smaller tree': await grown(7, 3, { path: PATH }),
  }),
  ...all('log_forked', {
    'another root at the same size': but({ older: await fork.checkpoint(7), tiles: {} }),
    'a fork before the older size': but({ older: await fork.checkpoint(5), ...seven }),
    'another root of the older tree': but({ older: await forged(3), ...seven }),
    'a consistency path from the other side of a fork': but({
      older: await fork.checkpoint(5),
      path: await path(5, 7),
    }),
    'one bit of a consistency path': but({ path: [flipped(first), ...rest] }),
    'two hashes of a consistency path that changed places': but({
      path: PATH.with(0, PATH[1] as string).with(1, first),
    }),
    'a hash too many in a consistency path': but({ path: [...PATH, first] }),
    'a hash too few in a consistency path': but({ path: PATH.slice(0, -1) }),
    'an empty consistency path': but({ path: [] }),
    'a consistency path from nothing': await grown(0, 7, { path: PATH }),
    'a consistency path between equal trees': await grown(7, 7, { path: PATH }),
  }),
  ...all('log_not_the_same', {
    'another log': but({ older: await other.checkpoint(3), policy: BOTH, ...seven }),
    'a consistency path between two logs': but({ older: await other.checkpoint(3), policy: BOTH, path: PATH }),
    'another log that is larger': but({ older: await other.checkpoint(7), newer: THREE, policy: BOTH, ...seven }),
  }),
  ...all('tile_unavailable', {
    'no tile': but({ tiles: {} }),
    'the tile of an older tree only': but({ tiles: { [tilePath(0, 0, 5)]: tile(5) } }),
    'the full tile in place of the partial one': but({ tiles: { [tilePath(0, 0, 256)]: tile(9) } }),
    'no tile of the second level': await grown(256, 300, { tiles: { [tilePath(0, 1, 44)]: tile(44, 1) } }),
    'no tile of the first level': await grown(256, 300, { tiles: { [tilePath(1, 0, 1)]: tile(1, 0, 1) } }),
  }),
  ...all('tile_malformed', {
    'an empty tile': withTile(''),
    'a tile that is too narrow': withTile(tile(6)),
    'a tile that is not whole hashes': withTile(toBase64(log.tile(0, 0, 8).slice(1))),
    'a tile of 257 hashes': withTile(wider(250)),
  }),
  ...all('tiles_not_of_checkpoint', {
    'the tiles of the other side of a fork': await grown(5, 7, { tiles: { [SEVEN]: toBase64(fork.tile(0, 0, 7)) } }),
    'one bit of a tile': withTile(flipped(tile(7), 40)),
    'one bit of a tile past the older size': withTile(flipped(tile(7), 6 * 32)),
    'two hashes of a tile that changed places': withTile(toBase64(swapped(log.tile(0, 0, 7)))),
    'another root of the newer tree': but({ newer: await forged(7), ...seven }),
  }),
  ...all('note_unsigned', {
    'an older checkpoint by a key that is not pinned': but({ older: await strangers(3), ...seven }),
    'both checkpoints of a log that is not pinned': but({
      older: await strangers(3),
      newer: await strangers(7),
      ...seven,
    }),
  }),
  ...all('note_signature_invalid', {
    'a newer checkpoint that is forged': but({ newer: replaced(NEWER, '\n7\n', '\n8\n'), ...seven }),
  }),
  ...all('quorum_not_met', {
    'a newer checkpoint without its quorum': but({ older: await cosigned.checkpoint(3), policy: WITNESSED, ...seven }),
    'an older checkpoint without its quorum': but({ newer: await cosigned.checkpoint(7), policy: WITNESSED, ...seven }),
  }),
]

function swapped(tile: Uint8Array): Uint8Array {
  return new Uint8Array(Buffer.concat([tile.slice(32, 64), tile.slice(0, 32), tile.slice(64)]))
}
function strangers(size: number): Promise<string> {
  return new MemoryLog(stranger).append(...entries.slice(0, 7)).checkpoint(size)
}

export const growths = vectorsOf('growth', lines, (given) => ({ policy: POLICY, ...given }))
