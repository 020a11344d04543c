import { expect, test } from 'bun:test'
import { toBase64, utf8 } from '../../proof/bytes.ts'
import { type Hash, inclusionPath, leafHash, rangeRoot } from '../../proof/tree/merkle.ts'
import { subtreesFromTiles, TileBuilder } from '../../proof/tree/tiles.ts'
import { ReleaseTree, type TreeTiles } from './release-tree.ts'

/** The tiles of a tree of so many leaves, and how often each was read. */
function tilesOf(rowCount: number) {
  const tiles = new Map<string, Uint8Array>()
  const builder = new TileBuilder(({ level, n }, hashes) => tiles.set(`${level}/${n}`, hashes.slice()))
  for (let i = 0; i < rowCount; i++) builder.append(leafOf(i))
  builder.finish()
  const read: string[] = []
  const tile = (level: number, n: number): Uint8Array => {
    read.push(`${level}/${n}`)
    const found = tiles.get(`${level}/${n}`)
    if (!found) throw new Error('no such tile')
    return found
  }
  const source: TreeTiles = { rowCount, tile, fault: () => new Error('damaged') }
  return { tiles, read, source, subtrees: subtreesFromTiles(async (level, n) => tile(level, n)) }
}

const leafOf = (i: number): Hash => leafHash(utf8(String(i)))

async function treeOf(rowCount: number) {
  const made = tilesOf(rowCount)
  const root = toBase64(await rangeRoot(0, rowCount, made.subtrees))
  return { ...made, root, tree: ReleaseTree.of(made.source, root) }
}

test('a tree gives the same paths and roots as its tiles do, whatever its size', async () => {
  for (const size of [1, 2, 7, 8, 9, 255, 256, 257, 300, 511, 512, 1000, 65_537, 66_000]) {
    const { tree, subtrees } = await treeOf(size)
    const places = [0, 1, 5, 254, 255, 256, 257, 511, size >> 1, size - 2, size - 1].filter(
      (at) => at >= 0 && at < size,
    )
    for (const index of new Set(places)) {
      const path = tree?.path(index, leafOf(index))
      expect(path).toEqual((await inclusionPath(index, size, subtrees)).map(toBase64))
      const [from, to] = [Math.floor(index / 3), index + 1]
      expect(toBase64(tree?.rangeRoot(from, to) as Hash)).toBe(toBase64(await rangeRoot(from, to, subtrees)))
    }
  }
})

test('a row that is not the one that was hashed has no path', async () => {
  for (const size of [1, 200, 256, 300, 600]) {
    const { tree } = await treeOf(size)
    for (const index of [0, size >> 1, size - 1]) expect(tree?.path(index, leafOf(size + 1))).toBeUndefined()
  }
})

test('tiles that lead to another root are refused, those above the leaves at once', async () => {
  for (const [name, size] of [
    ['1/0', 700],
    ['0/2', 700],
    ['0/0', 100],
  ] as const) {
    const { tiles, source, root } = await treeOf(size)
    ;(tiles.get(name) as Uint8Array)[3] = ((tiles.get(name) as Uint8Array)[3] as number) ^ 1
    expect(ReleaseTree.of(source, root)).toBeUndefined()
  }
})

test('a changed tile of leaves is a fault when it is first read, and no path leads through it', async () => {
  const { tiles, source, root } = await treeOf(700)
  const tile = tiles.get('0/1') as Uint8Array
  tile[0] = (tile[0] as number) ^ 1
  const tree = ReleaseTree.of(source, root)
  expect(tree?.path(5, leafOf(5))).toHaveLength(10)
  for (const index of [256, 300, 511]) expect(() => tree?.path(index, leafOf(index))).toThrow('damaged')
  // The nodes that were kept do not stand for leaves that changed after them.
  tile[0] = (tile[0] as number) ^ 1
  const again = await treeOf(700)
  expect(again.tree?.path(300, leafOf(300))).toHaveLength(10)
})

test('a path costs one tile of leaves, and a row beside it none', async () => {
  const { tree, read } = await treeOf(20_000)
  read.length = 0
  tree?.path(9_000, leafOf(9_000))
  tree?.path(9_001, leafOf(9_001))
  expect(read).toEqual(['0/35'])
})

test('a tree that was read ahead, a little at a time, gives the same paths', async () => {
  const { tree, subtrees } = await treeOf(20_000)
  let turns = 0
  for (let left = 0; !tree?.readAhead(() => left-- > 0) && turns < 100; turns++) left = 5
  expect(turns).toBe(16) // 78 full tiles
  for (const index of [0, 256, 9_000, 19_967])
    expect(tree?.path(index, leafOf(index))).toEqual((await inclusionPath(index, 20_000, subtrees)).map(toBase64))
  expect(tree?.path(9_000, leafOf(1))).toBeUndefined()
})

test('a changed tile is a fault for whoever reads ahead too', async () => {
  const { tiles, source, root } = await treeOf(700)
  const tile = tiles.get('0/1') as Uint8Array
  tile[0] = (tile[0] as number) ^ 1
  expect(() => ReleaseTree.of(source, root)?.readAhead(() => true)).toThrow('damaged')
})
