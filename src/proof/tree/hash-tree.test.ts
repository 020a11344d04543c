import { expect, test } from 'bun:test'
import inclusion from '../../../test/vectors/merkle-inclusion.json' with { type: 'json' }
import trees from '../../../test/vectors/merkle-trees.json' with { type: 'json' }
import { toBase64, toHex, utf8 } from '../bytes.ts'
import { HashTree } from './hash-tree.ts'
import { EMPTY_ROOT, GrowingTree, type Hash, includes, inclusionPath, leafHash, rangeRoot } from './merkle.ts'

const hex = (text: string): Uint8Array => new Uint8Array(Buffer.from(text, 'hex'))
const LEAVES = Array.from({ length: 130 }, (_, i) => leafHash(utf8(`leaf ${i}`)))

test('roots and paths are the published ones', () => {
  expect(toHex(new HashTree([]).root)).toBe(trees.empty_root)
  const hashes = trees.leaves.map((leaf) => leafHash(hex(leaf)))
  for (const [i, root] of trees.roots.entries()) expect(toHex(new HashTree(hashes.slice(0, i + 1)).root)).toBe(root)
  const published = inclusion.cases.filter(({ valid, index, size }) => valid && index < size && size <= hashes.length)
  expect(published.length).toBeGreaterThan(3)
  for (const { index, size, path, root } of published) {
    const tree = new HashTree(hashes.slice(0, size))
    expect([toBase64(tree.root), tree.path(index).map(toBase64)]).toEqual([root, path])
  }
})

test('every tree has the root and the paths of a tree that is read by its subtrees', async () => {
  for (let size = 0; size <= LEAVES.length; size += size < 20 ? 1 : 11) {
    const tree = new HashTree(LEAVES.slice(0, size))
    const growing = new GrowingTree()
    for (const leaf of LEAVES.slice(0, size)) growing.add(leaf)
    expect(tree.size).toBe(size)
    expect(tree.root).toEqual(growing.root)
    const read = async ({ height, index }: { height: number; index: number }): Promise<Hash> =>
      new HashTree(LEAVES.slice(index * 2 ** height, (index + 1) * 2 ** height)).root
    expect(await rangeRoot(0, size, read)).toEqual(tree.root)
    for (let index = 0; index < size; index++) {
      expect(tree.path(index)).toEqual(await inclusionPath(index, size, read))
      expect(includes(index, size, LEAVES[index] as Hash, tree.path(index), tree.root)).toBe(true)
    }
  }
})

test('there is no path outside the tree', () => {
  const tree = new HashTree(LEAVES.slice(0, 5))
  for (const index of [-1, 5, 1.5, Number.NaN]) expect(() => tree.path(index)).toThrow(RangeError)
  expect(() => new HashTree([]).path(0)).toThrow(RangeError)
  expect(new HashTree([]).root).toEqual(EMPTY_ROOT)
})

test('a node stands over the leaves of its part of the tree, fewer of them at the right edge', () => {
  for (let size = 1; size <= 20; size++) {
    const tree = new HashTree(LEAVES.slice(0, size))
    for (let level = 0; 2 ** level < 2 * size; level++)
      for (let index = 0; index * 2 ** level < size; index++) {
        const under = LEAVES.slice(index * 2 ** level, Math.min(size, (index + 1) * 2 ** level))
        expect(tree.node({ level, index })).toEqual(new HashTree(under).root)
      }
  }
})
