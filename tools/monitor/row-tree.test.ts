import { expect, test } from 'bun:test'
import { HashTree } from '../../src/proof/tree/hash-tree.ts'
import { HASH_SIZE, type Hash, leafHash } from '../../src/proof/tree/merkle.ts'
import { TILE_WIDTH } from '../../src/proof/tree/tiles.ts'
import { pieces } from './log.ts'
import { RowTree } from './row-tree.ts'

const leavesOf = (size: number): Hash[] => Array.from({ length: size }, (_, i) => leafHash(Buffer.from(`row ${i}`)))
const tileOf = (leaves: readonly Hash[], n: number): Buffer =>
  Buffer.concat(leaves.slice(n * TILE_WIDTH, (n + 1) * TILE_WIDTH))

function treeOf(leaves: readonly Hash[]): RowTree {
  const tree = new RowTree()
  for (const { n } of pieces(0, leaves.length)) tree.add(tileOf(leaves, n))
  tree.end()
  return tree
}

test.each([0, 1, 255, 256, 257, 511, 512, 1_000, 70_000])(
  'a tree of %d rows has the root and the paths of RFC 6962',
  async (size) => {
    const leaves = leavesOf(size)
    const [tree, whole] = [treeOf(leaves), new HashTree(leaves)]
    expect(Buffer.from(await tree.root())).toEqual(Buffer.from(whole.root))
    for (const index of new Set(
      [0, 1, 254, 255, 256, 257, 65_535, 65_536, size - 2, size - 1].filter((i) => i >= 0 && i < size),
    )) {
      const path = await tree.path(index, tileOf(leaves, Math.floor(index / TILE_WIDTH)))
      expect(path.map((hash) => Buffer.from(hash))).toEqual(whole.path(index).map((hash) => Buffer.from(hash)))
    }
  },
)

test.each([256, 300, 600])('of %d rows each tile is known, and no other', (size) => {
  const leaves = leavesOf(size)
  const tree = treeOf(leaves)
  for (const { n } of pieces(0, size)) {
    const tile = tileOf(leaves, n)
    expect(tree.hasTile(n, tile)).toBe(true)
    expect(tree.hasTile(n, tile.subarray(0, -HASH_SIZE))).toBe(false)
    expect(tree.hasTile(n, Buffer.concat([tile, leafHash(Buffer.from('one more'))]))).toBe(false)
    for (const at of [0, tile.length - 1]) {
      const altered = Buffer.from(tile)
      altered[at] = (altered[at] as number) ^ 1
      expect(tree.hasTile(n, altered)).toBe(false)
    }
    if (n > 0) expect(tree.hasTile(n - 1, tile)).toBe(false)
  }
})
