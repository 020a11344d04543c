import { expect, test } from 'bun:test'
import { toBase64, utf8 } from '../../proof/bytes.ts'
import { HASH_SIZE, type Hash, inclusionPath, leafHash, rangeRoot } from '../../proof/tree/merkle.ts'
import { subtreesFromTiles, TILE_WIDTH, TileBuilder } from '../../proof/tree/tiles.ts'
import { type PlacedHashes, placedHashes } from '../bundle/placed-bundle.ts'
import { BUNDLE_HASHES, BUNDLE_ROWS, BUNDLES_PER_TILE, HALVES_AT, hashesOf, MIDDLE_AT } from './bundle.ts'
import { levelsOf } from './levels.ts'
import { MOST_PATH_BYTES, ReleaseTree, type TreeParts } from './release-tree.ts'

/** A tree of so many leaves as a file holds it, and what was read of it. */
function partsOf(rowCount: number) {
  const tiles = new Map<string, Uint8Array>()
  const bundles: Uint8Array[] = []
  const builder = new TileBuilder(({ level, n }, hashes) => {
    tiles.set(`${level}/${n}`, hashes.slice())
    if (level > 0) return
    const levels = hashes.length === TILE_WIDTH * HASH_SIZE ? levelsOf(hashes) : undefined
    for (let i = 0; i * BUNDLE_ROWS * HASH_SIZE < hashes.length; i++)
      bundles[n * BUNDLES_PER_TILE + i] = hashesOf(i, hashes, levels).slice()
  })
  for (let i = 0; i < rowCount; i++) builder.append(leafOf(i))
  builder.finish()
  const read: string[] = []
  const found = (name: string, hashes: Uint8Array | undefined): Uint8Array => {
    read.push(name)
    if (!hashes) throw new Error('not there')
    return hashes
  }
  const parts: TreeParts = {
    rowCount,
    tile: (level, n) => found(`${level}/${n}`, tiles.get(`${level}/${n}`)),
    hashesIn: (n) => found(`bundle ${n}`, bundles[n]),
    fault: () => new Error('damaged'),
  }
  // From whole tiles, which the tree does not read.
  const subtrees = subtreesFromTiles(async (level, n) => tiles.get(`${level}/${n}`) as Uint8Array)
  return { tiles, bundles, read, parts, subtrees }
}

const leafOf = (i: number): Hash => leafHash(utf8(String(i)))

async function treeOf(rowCount: number) {
  const made = partsOf(rowCount)
  const root = toBase64(await rangeRoot(0, rowCount, made.subtrees))
  return { ...made, root, tree: ReleaseTree.of(made.parts, root) }
}

const flip = (bytes: Uint8Array | undefined, at: number): void => {
  if (bytes) bytes[at] = (bytes[at] ?? 0) ^ 1
}

/** The path as it is written into an answer. */
const written = (tree: ReleaseTree | undefined, index: number, leaf = leafOf(index)): string[] | undefined =>
  tree && pathBy(tree, index, leaf)

function pathBy(tree: ReleaseTree, index: number, leaf?: Hash, stored?: PlacedHashes): string[] | undefined {
  const out = Buffer.alloc(MOST_PATH_BYTES + 7, '-')
  const end = tree.writePath({ bytes: out, view: new DataView(out.buffer, out.byteOffset) }, 7, index, leaf, stored)
  if (end < 0) return undefined
  expect(out.toString('latin1', end).replaceAll(/[-,]/g, '')).toBe('')
  return JSON.parse(`[${out.toString('latin1', 7, end)}]`)
}

/** The same from what is stored of its bundle, which is known to be sound. */
function writtenAsKnown(tree: ReleaseTree | undefined, index: number, hashes: Uint8Array): string[] | undefined {
  const stored = Object.assign(placedHashes(hashes), { isSound: true })
  return tree?.isKnown(index, stored) ? pathBy(tree, index, undefined, stored) : undefined
}

test('a tree gives the same paths and roots as its tiles do, whatever its size', async () => {
  for (const size of [1, 2, 7, 8, 9, 255, 256, 257, 300, 511, 512, 1000, 4_096, 4_097, 65_537, 66_000]) {
    const { tree, subtrees, bundles } = await treeOf(size)
    const inTiles = size - (size % TILE_WIDTH)
    const inBundle = Array.from({ length: BUNDLE_ROWS }, (_, i) => i)
    const places = [...inBundle, 16, 17, 254, 255, 256, 257, 511, size >> 1, size - 2, size - 1].filter(
      (at) => at >= 0 && at < size,
    )
    for (const index of new Set(places)) {
      const path = tree?.path(index, leafOf(index))
      tree?.readAhead(index) // whatever the index, nothing is read outside of the tree
      expect(path).toEqual((await inclusionPath(index, size, subtrees)).map(toBase64))
      expect(written(tree, index)).toEqual(path)
      const known = writtenAsKnown(tree, index, bundles[index >> 4] as Uint8Array)
      expect(known).toEqual(index < inTiles ? path : undefined)
      for (const from of [Math.floor(index / 3), index, Math.max(0, index - 40)])
        expect(toBase64(tree?.rangeRoot(from, index + 1) as Hash)).toBe(
          toBase64(await rangeRoot(from, index + 1, subtrees)),
        )
    }
  }
})

test('a row that is not the one that was hashed, or behind the last, has no path', async () => {
  for (const size of [1, 200, 256, 300, 600]) {
    const { tree } = await treeOf(size)
    for (const index of [0, size >> 1, size - 1]) {
      expect(tree?.path(index, leafOf(size + 1))).toBeUndefined()
      expect(written(tree, index, leafOf(size + 1))).toBeUndefined()
    }
    expect(tree?.path(size, leafOf(0))).toBeUndefined()
    expect(written(tree, size, leafOf(0))).toBeUndefined()
  }
})

test('tiles and bundles at the edge that lead to another root are refused at once', async () => {
  const tile = await treeOf(700)
  flip(tile.tiles.get('1/0'), 3)
  expect(ReleaseTree.of(tile.parts, tile.root)).toBeUndefined()
  for (const [size, bundle] of [
    [700, 33],
    [100, 0],
  ] as const) {
    const { bundles, parts, root } = await treeOf(size)
    flip(bundles[bundle], 3)
    expect(ReleaseTree.of(parts, root)).toBeUndefined()
  }
})

test('a changed hash of a bundle is a fault for its rows, and other bundles of its tile are read as before', async () => {
  const sound = (await treeOf(700)).tree
  for (let hash = 0; hash < BUNDLE_HASHES; hash++) {
    const { bundles, parts, root } = await treeOf(700)
    const tree = ReleaseTree.of(parts, root)
    flip(bundles[16], hash * HASH_SIZE + (hash % HASH_SIZE))
    for (const index of [256, 271]) {
      // One row is proved without the leaves of others, the nodes that its own lead to, and those of the other half.
      const [group, half] = [(index % BUNDLE_ROWS) >> 2, (index % BUNDLE_ROWS) >> 3]
      const isNeeded =
        hash < MIDDLE_AT
          ? hash >> 2 === group
          : hash < HALVES_AT
            ? hash === MIDDLE_AT + (group ^ 1)
            : hash !== HALVES_AT + half
      if (isNeeded) expect(() => written(tree, index)).toThrow('damaged')
      else expect(written(tree, index)).toEqual(written(sound, index))
      expect(() => tree?.path(index, leafOf(index))).toThrow('damaged')
    }
    for (const index of [5, 272, 511]) expect(tree?.path(index, leafOf(index))).toHaveLength(10)
  }
})

test('a bundle that holds too little or too much of the tree is a fault, however well it is known', async () => {
  for (const bytes of [0, HASH_SIZE, BUNDLE_ROWS * HASH_SIZE, (BUNDLE_HASHES + 1) * HASH_SIZE]) {
    const { tree, bundles } = await treeOf(700)
    const other = new Uint8Array(bytes)
    other.set((bundles[2] as Uint8Array).subarray(0, bytes))
    bundles[2] = other
    expect(() => written(tree, 33)).toThrow('damaged')
    expect(() => writtenAsKnown(tree, 33, other)).toThrow('damaged')
    expect(() => tree?.path(33, leafOf(33))).toThrow('damaged')
  }
})

test('without a leaf there is no path, unless what is stored is known', async () => {
  const { tree, bundles } = await treeOf(700)
  const stored = placedHashes(bundles[2] as Uint8Array)
  expect(tree?.isKnown(33, stored)).toBe(false)
  expect(pathBy(tree as ReleaseTree, 33, undefined, stored)).toBeUndefined()
  expect(pathBy(tree as ReleaseTree, 690, undefined, Object.assign(stored, { isSound: true }))).toBeUndefined()
})

test('a path costs one bundle, and a row beside it none', async () => {
  const { tree, read } = await treeOf(20_000)
  read.length = 0
  tree?.path(9_000, leafOf(9_000))
  tree?.path(9_001, leafOf(9_001))
  expect(read).toEqual(['bundle 562'])
})
