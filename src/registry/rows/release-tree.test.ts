import { expect, test } from 'bun:test'
import { toBase64, utf8 } from '../../proof/bytes.ts'
import { HASH_SIZE, type Hash, inclusionPath, leafHash, rangeRoot } from '../../proof/tree/merkle.ts'
import { subtreesFromTiles, TILE_WIDTH, TileBuilder } from '../../proof/tree/tiles.ts'
import { BUNDLE_ROWS, BUNDLES_PER_TILE, hashesOf, NODES_BESIDE } from './bundle.ts'
import { levelsOf, ReleaseTree, type TreeSource } from './release-tree.ts'

const BUNDLE_HASHES = BUNDLE_ROWS + NODES_BESIDE

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
  const parts: TreeSource = {
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

test('a tree gives the same paths and roots as its tiles do, whatever its size', async () => {
  for (const size of [1, 2, 7, 8, 9, 255, 256, 257, 300, 511, 512, 1000, 4_096, 4_097, 65_537, 66_000]) {
    const { tree, subtrees } = await treeOf(size)
    const inBundle = Array.from({ length: BUNDLE_ROWS }, (_, i) => i)
    const places = [...inBundle, 16, 17, 254, 255, 256, 257, 511, size >> 1, size - 2, size - 1].filter(
      (at) => at >= 0 && at < size,
    )
    for (const index of new Set(places)) {
      const path = tree?.path(index, leafOf(index))
      expect(path).toEqual((await inclusionPath(index, size, subtrees)).map(toBase64))
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
    for (const index of [0, size >> 1, size - 1]) expect(tree?.path(index, leafOf(size + 1))).toBeUndefined()
    expect(tree?.path(size, leafOf(0))).toBeUndefined()
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
  for (let hash = 0; hash < BUNDLE_HASHES; hash++) {
    const { bundles, parts, root } = await treeOf(700)
    const tree = ReleaseTree.of(parts, root)
    flip(bundles[16], hash * HASH_SIZE + (hash % HASH_SIZE))
    for (const index of [256, 271]) expect(() => tree?.path(index, leafOf(index))).toThrow('damaged')
    for (const index of [5, 272, 511]) expect(tree?.path(index, leafOf(index))).toHaveLength(10)
  }
})

test('a bundle that holds too little or too much of the tree is a fault', async () => {
  for (const bytes of [0, HASH_SIZE, BUNDLE_ROWS * HASH_SIZE, (BUNDLE_HASHES + 1) * HASH_SIZE]) {
    const { tree, bundles } = await treeOf(700)
    const other = new Uint8Array(bytes)
    other.set((bundles[2] as Uint8Array).subarray(0, bytes))
    bundles[2] = other
    expect(() => tree?.path(33, leafOf(33))).toThrow('damaged')
  }
})

test('a path costs one bundle, and a row beside it none', async () => {
  const { tree, read } = await treeOf(20_000)
  read.length = 0
  tree?.path(9_000, leafOf(9_000))
  tree?.path(9_001, leafOf(9_001))
  expect(read).toEqual(['bundle 562'])
})
