import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { isLong } from '../../../test/support/long.ts'
import { concat, toBase64, utf8 } from '../bytes.ts'
import { sha256 } from '../sha256.ts'
import {
  consistencyPath,
  HASH_SIZE,
  type Hash,
  includes,
  inclusionPath,
  isConsistent,
  leafHash,
  rangeRoot,
} from './merkle.ts'
import { rootInTile, subtreesFromTiles, TILE_WIDTH, type Tile, TileBuilder, tilePath, tilesOf } from './tiles.ts'

type Stored = Map<string, { tile: Tile; hashes: Uint8Array }>

/** Builds a tree and keeps what the builder hands out, as a store would. */
function build(leaves: Iterable<Hash>): { size: number; stored: Stored } {
  const stored: Stored = new Map()
  const builder = new TileBuilder((tile, hashes) => {
    const name = `${tile.level}/${tile.n}`
    expect(stored.has(name)).toBe(false)
    stored.set(name, { tile, hashes })
  })
  for (const leaf of leaves) builder.append(leaf)
  builder.finish()
  return { size: builder.size, stored }
}

const reader = (stored: Stored) =>
  subtreesFromTiles(async (level, n) => {
    const found = stored.get(`${level}/${n}`)
    if (!found) throw new Error(`no tile ${level}/${n}`)
    return found.hashes
  })

/** The root by pairing neighbours level by level, an odd one moving up as it is. */
function naiveRoot(leaves: readonly Hash[]): Hash {
  let level = [...leaves]
  while (level.length > 1)
    level = Array.from({ length: Math.ceil(level.length / 2) }, (_, i) => {
      const [left, right] = [level[2 * i] as Hash, level[2 * i + 1]]
      return right ? sha256(concat(Uint8Array.of(1), left, right)) : left
    })
  return level[0] ?? sha256(new Uint8Array())
}

const numbered = (size: number): Hash[] => Array.from({ length: size }, (_, i) => leafHash(utf8(String(i))))

const summary = (size: number) => {
  const levels: { full: number; partial: number }[] = []
  for (const { level, width } of tilesOf(size)) {
    levels[level] ??= { full: 0, partial: 0 }
    if (width === 256) levels[level].full++
    else levels[level].partial = width
  }
  return levels
}

test.each([
  [0, []],
  [1, [{ full: 0, partial: 1 }]],
  [255, [{ full: 0, partial: 255 }]],
  [
    256,
    [
      { full: 1, partial: 0 },
      { full: 0, partial: 1 },
    ],
  ],
  [
    257,
    [
      { full: 1, partial: 1 },
      { full: 0, partial: 1 },
    ],
  ],
  [
    65_535,
    [
      { full: 255, partial: 255 },
      { full: 0, partial: 255 },
    ],
  ],
  [
    65_536,
    [
      { full: 256, partial: 0 },
      { full: 1, partial: 0 },
      { full: 0, partial: 1 },
    ],
  ],
  [
    65_537,
    [
      { full: 256, partial: 1 },
      { full: 1, partial: 0 },
      { full: 0, partial: 1 },
    ],
  ],
  [
    70_000,
    [
      { full: 273, partial: 112 },
      { full: 1, partial: 17 },
      { full: 0, partial: 1 },
    ],
  ],
])('a tree of %d leaves has the tiles the specification says', (size, levels) => {
  expect(summary(size)).toEqual(levels)
})

test.each([
  [0, 0, 256, 'tile/0/000'],
  [0, 999, 256, 'tile/0/999'],
  [0, 1000, 256, 'tile/0/x001/000'],
  [1, 1_234_067, 256, 'tile/1/x001/x234/067'],
  [63, 1_000_000, 256, 'tile/63/x001/x000/000'],
  [0, 273, 112, 'tile/0/273.p/112'],
  ['entries', 1_234_067, 1, 'tile/entries/x001/x234/067.p/1'],
] as const)('tile %s number %d of width %d is at %s', (kind, n, width, path) => {
  expect(tilePath(kind, n, width)).toBe(path)
})

test('the builder hands out exactly the tiles of the size, each once and full to its width', () => {
  for (const size of [0, 1, 255, 256, 257, 65_535, 65_536, 65_537, 70_000]) {
    const { stored } = build(numbered(size))
    const names = ({ level, n, width }: Tile) => tilePath(level, n, width)
    expect([...stored.values()].map(({ tile }) => names(tile)).sort()).toEqual(tilesOf(size).map(names).sort())
    for (const { tile, hashes } of stored.values()) expect(hashes.length).toBe(tile.width * 32)
  }
})

test('the root read from tiles is the root of the leaves, and their proofs verify', async () => {
  const sizes = fc.oneof(fc.integer({ min: 1, max: 3000 }), fc.constantFrom(1, 255, 256, 257, 511, 512, 513, 66_000))
  await fc.assert(
    fc.asyncProperty(sizes, fc.nat(), fc.nat(), async (size, a, b) => {
      const leaves = numbered(size)
      const read = reader(build(leaves).stored)
      const root = await rangeRoot(0, size, read)
      expect(root).toEqual(naiveRoot(leaves))
      const index = a % size
      expect(includes(index, size, leaves[index] as Hash, await inclusionPath(index, size, read), root)).toBe(true)
      const first = 1 + (b % size)
      const path = await consistencyPath(first, size, read)
      expect(isConsistent(first, size, naiveRoot(leaves.slice(0, first)), root, path)).toBe(true)
    }),
    { numRuns: 40 },
  )
})

test('a wider tile than the size needs still gives the root of that size', async () => {
  const leaves = numbered(700)
  const read = reader(build(leaves).stored)
  for (const size of [1, 3, 256, 300, 512, 600, 699])
    expect(await rangeRoot(0, size, read)).toEqual(naiveRoot(leaves.slice(0, size)))
})

test('a tile narrower than the tree says is noticed, not read past its end', () => {
  const hashes = concat(...numbered(3))
  expect(() => rootInTile(hashes, 2, 2)).toThrow(RangeError)
  expect(() => rootInTile(hashes, 3, 1)).toThrow(RangeError)
  expect(rootInTile(hashes, 2, 1)).toEqual(numbered(3)[2] as Hash)
})

function* publishedLeaves(size: number): Generator<Hash> {
  const head = '{"amount":"0.12345600","currency":"USD","derivation":{"method":"verbatim"},"id":"'
  const tail = `","pad":"${'x'.repeat(560)}"}`
  for (let i = 0; i < size; i++) yield leafHash(utf8(head + String(i).padStart(12, '0') + tail))
}

/** As a few lines of Python make them from RFC 9162. */
const ROOTS: [size: number, root: string][] = [
  [10, 'q1xPhBxTYmeXXI5JmUVEBMm3Jt/8/96bI04e2p+Ur4Y='],
  [70_000, 'T4ovFSmnHOMouByxsf9fyd79gpbFWmzY+jotTmVok2A='],
  ...(isLong ? [[1_000_000, '73kP2tlwvgEn7S14XPG8HXACBBPlnU4iZ9MHO6CNvzc='] as [number, string]] : []),
]

test('the trees of known leaves have their known roots', async () => {
  const rootOf = async (size: number) => toBase64(await rangeRoot(0, size, reader(build(publishedLeaves(size)).stored)))
  const [first] = publishedLeaves(1)
  expect(toBase64(first as Hash)).toBe('vgG0MZyFKcfxndzdE3nRglIXhRDPlRjwSQz9847Jil4=')
  for (const [size, root] of ROOTS) expect([size, await rootOf(size)]).toEqual([size, root])
})

test('full tiles whose roots are known make the same tree as their hashes one by one', () => {
  const leaves = Array.from({ length: 3 * TILE_WIDTH + 5 }, (_, i) => leafHash(Uint8Array.of(i % 256, i >> 8)))
  const made = (grow: (tree: TileBuilder) => void): string[] => {
    const tiles: string[] = []
    const tree = new TileBuilder(({ level, n, width }, hashes) =>
      tiles.push(`${level}/${n}/${width} ${toBase64(hashes)}`),
    )
    grow(tree)
    tree.finish()
    return [...tiles, String(tree.size)]
  }
  const hashes = concat(...leaves)
  const oneByOne = made((tree) => {
    for (const leaf of leaves) tree.append(leaf)
  })
  const byTiles = made((tree) => {
    for (let n = 0; n < 3; n++) {
      const tile = hashes.slice(n * TILE_WIDTH * HASH_SIZE, (n + 1) * TILE_WIDTH * HASH_SIZE)
      tree.appendTile(tile, rootInTile(tile, 0, TILE_WIDTH))
    }
    for (const leaf of leaves.slice(3 * TILE_WIDTH)) tree.append(leaf)
    expect(() => tree.appendTile(hashes.slice(0, TILE_WIDTH * HASH_SIZE), leaves[0] as Hash)).toThrow(RangeError)
  })
  expect(byTiles).toEqual(oneByOne)
})

test('reading a tile does not change it, also if it is a buffer of Node', () => {
  const tile = Buffer.from(new Uint8Array(256 * 32).map((_, i) => i * 7))
  const before = tile.toString('hex')
  expect(rootInTile(tile, 0, 256)).toEqual(rootInTile(new Uint8Array(tile), 0, 256))
  expect(tile.toString('hex')).toBe(before)
})
