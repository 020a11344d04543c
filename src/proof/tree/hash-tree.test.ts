import { expect, test } from 'bun:test'
import fc from 'fast-check'
import inclusion from '../../../test/vectors/merkle-inclusion.json' with { type: 'json' }
import trees from '../../../test/vectors/merkle-trees.json' with { type: 'json' }
import { toBase64, toHex, utf8 } from '../bytes.ts'
import { HashTree } from './hash-tree.ts'
import {
  EMPTY_ROOT,
  GrowingTree,
  type Hash,
  includes,
  inclusionPath,
  leafHash,
  rangeRoot,
  rangesAround,
  rootFromRange,
} from './merkle.ts'

const hex = (text: string): Uint8Array => new Uint8Array(Buffer.from(text, 'hex'))
const LEAVES = Array.from({ length: 130 }, (_, i) => leafHash(utf8(`leaf ${i}`)))
const other = leafHash(utf8('another leaf'))

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

const runs = fc
  .tuple(fc.integer({ min: 1, max: LEAVES.length }), fc.nat(), fc.nat())
  .map(([size, a, b]) => [Math.min(a % size, b % size), Math.max(a % size, b % size) + 1, size] as const)

const rootsOf = (ranges: readonly [number, number][]): Hash[] =>
  ranges.map(([from, to]) => new HashTree(LEAVES.slice(from, to)).root)

test('what stands around a run are whole subtrees, and with it they are the tree, once each', () => {
  fc.assert(
    fc.property(runs, ([from, to, size]) => {
      const { left, right } = rangesAround(from, to, size)
      const all = [...left, [from, to] as [number, number], ...right]
      expect(all[0]?.[0]).toBe(0)
      expect(all.at(-1)?.[1]).toBe(size)
      for (const [i, [start]] of all.entries()) if (i > 0) expect(start).toBe((all[i - 1] as [number, number])[1])
      // No more hashes than two paths have.
      expect(left.length + right.length).toBeLessThanOrEqual(2 * Math.ceil(Math.log2(size + 1)))
    }),
    { numRuns: 500 },
  )
  expect(rangesAround(0, 0, 0)).toEqual({ left: [], right: [] })
})

test('a run leads to the root with the hashes around it, and with nothing else', () => {
  fc.assert(
    fc.property(runs, fc.nat(), ([from, to, size], dice) => {
      const { root } = new HashTree(LEAVES.slice(0, size))
      const around = rangesAround(from, to, size)
      const [left, right] = [rootsOf(around.left), rootsOf(around.right)]
      const run = LEAVES.slice(from, to)
      expect(rootFromRange(from, run, size, left, right)).toEqual(root)

      const at = dice % run.length
      const wrong: (Hash | undefined)[] = [
        rootFromRange(from, run.with(at, other), size, left, right),
        rootFromRange(from, run.toSpliced(at, 1), size, left, right),
        rootFromRange(from, run.toSpliced(at, 0, other), size, left, right),
        rootFromRange(from + 1, run, size, left, right),
        rootFromRange(from - 1, run, size, left, right),
        rootFromRange(from, run, size, [...left, other], right),
        rootFromRange(from, run, size, left, [...right, other]),
        ...(run.length > 1 ? [rootFromRange(from, run.toReversed(), size, left, right)] : []),
        ...(left.length > 0 ? [rootFromRange(from, run, size, left.with(dice % left.length, other), right)] : []),
        ...(left.length > 0 ? [rootFromRange(from, run, size, left.slice(1), right)] : []),
        ...(right.length > 0 ? [rootFromRange(from, run, size, left, right.slice(1))] : []),
        ...(right.length > 0 ? [rootFromRange(from, run, size, left, right.with(dice % right.length, other))] : []),
      ]
      for (const [i, each] of wrong.entries()) expect([i, each && toHex(each)]).not.toEqual([i, toHex(root)])
    }),
    { numRuns: 500 },
  )
})

test('a run that has no leaves, or does not fit the tree, leads nowhere', () => {
  expect(rootFromRange(0, [], 0, [], [])).toBeUndefined()
  expect(rootFromRange(0, [], 1, [], [other])).toBeUndefined()
  expect(rootFromRange(1, [other], 1, [], [])).toBeUndefined()
  expect(rootFromRange(-1, [other], 1, [], [])).toBeUndefined()
  expect(rootFromRange(0.5, [other], 2, [other], [])).toBeUndefined()
  expect(rootFromRange(0, [other, other], 1, [], [])).toBeUndefined()
  expect(rootFromRange(0, [other], Number.NaN, [], [])).toBeUndefined()
})

test('a run of one leaf and the path of that leaf have the same hashes', () => {
  fc.assert(
    fc.property(runs, ([index, , size]) => {
      const around = rangesAround(index, index + 1, size)
      const path = new HashTree(LEAVES.slice(0, size)).path(index).map(toBase64)
      expect(
        rootsOf([...around.left, ...around.right])
          .map(toBase64)
          .sort(),
      ).toEqual([...path].sort())
    }),
  )
})
