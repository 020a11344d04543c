import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { toBase64, toHex, utf8 } from '../bytes.ts'
import { HashTree } from './hash-tree.ts'
import { type PlacedLeaf, rangesAround, rangesBeside, rootFromLeaves, rootFromRange } from './leaves.ts'
import { type Hash, leafHash, nodeHash, rootFromInclusion } from './merkle.ts'

const LEAVES = Array.from({ length: 130 }, (_, i) => leafHash(utf8(`leaf ${i}`)))
const other = leafHash(utf8('another leaf'))

/** A size, and some places in a tree of that size, rising. */
const sets = fc.integer({ min: 1, max: LEAVES.length }).chain((size) =>
  fc.record({
    size: fc.constant(size),
    places: fc.uniqueArray(fc.nat(size - 1), { minLength: 1, maxLength: 12 }).map((each) => each.sort((a, b) => a - b)),
  }),
)
const placed = (places: readonly number[]): PlacedLeaf[] =>
  places.map((index) => ({ index, hash: LEAVES[index] as Hash }))

test('what stands beside some leaves are whole subtrees, as large as can be, and with the leaves they are the tree', () => {
  fc.assert(
    fc.property(sets, ({ size, places }) => {
      const beside = rangesBeside(places, size)
      const all = [...beside, ...places.map((at): [number, number] => [at, at + 1])].sort(([a], [b]) => a - b)
      expect([all[0]?.[0], all.at(-1)?.[1]]).toEqual([0, size])
      for (const [i, [start]] of all.entries()) if (i > 0) expect(start).toBe((all[i - 1] as [number, number])[1])
      // Each is the sibling of a subtree that holds a leaf: it stands on the path of that leaf.
      const paths = new Set(places.flatMap((at) => new HashTree(LEAVES.slice(0, size)).path(at).map(toBase64)))
      for (const root of rootsOf(beside)) expect(paths).toContain(toBase64(root))
      expect(beside.length).toBeLessThanOrEqual(paths.size)
    }),
    { numRuns: 150 },
  )
})

test('beside one leaf stand the hashes of its path, and beside none the whole tree', () => {
  for (const [index, size] of [
    [0, 1],
    [6, 7],
    [3, 8],
    [100, 130],
  ] as const) {
    const path = new HashTree(LEAVES.slice(0, size)).path(index).map(toBase64)
    expect(
      rootsOf(rangesBeside([index], size))
        .map(toBase64)
        .sort(),
    ).toEqual(path.sort())
  }
  expect(rangesBeside([], 9)).toEqual([[0, 9]])
  expect(rangesBeside([], 0)).toEqual([])
})

test('leaves lead to the root if each of them alone does, and a change anywhere leads elsewhere', () => {
  fc.assert(
    fc.property(sets, fc.nat(), ({ size, places }, dice) => {
      const tree = new HashTree(LEAVES.slice(0, size))
      const beside = rootsOf(rangesBeside(places, size))
      const leaves = placed(places)
      expect(rootFromLeaves(leaves, size, beside)).toEqual(tree.root)
      for (const { index, hash } of leaves)
        expect(rootFromInclusion(index, size, hash, tree.path(index))).toEqual(tree.root)

      const at = dice % leaves.length
      const { index, hash } = leaves[at] as PlacedLeaf
      const free = [...Array(size).keys()].filter((place) => !places.includes(place))
      const moved = free.map((place) => leaves.with(at, { index: place, hash }).sort((a, b) => a.index - b.index))
      const wrong: (Hash | undefined)[] = [
        rootFromLeaves(leaves.with(at, { index, hash: other }), size, beside),
        rootFromLeaves(leaves.toSpliced(at, 1), size, beside),
        rootFromLeaves([...leaves, ...leaves.slice(at)], size, beside),
        rootFromLeaves(leaves, size, [...beside, other]),
        rootFromLeaves(leaves, size, [other, ...beside]),
        rootFromLeaves(leaves, size, [...beside, tree.root]),
        ...(leaves.length > 1 ? [rootFromLeaves(leaves.toReversed(), size, beside)] : []),
        ...moved.map((each) => rootFromLeaves(each, size, beside)),
        ...beside.flatMap((_, i) => [
          rootFromLeaves(leaves, size, beside.toSpliced(i, 1)),
          rootFromLeaves(leaves, size, beside.with(i, other)),
          ...(i > 0 ? [rootFromLeaves(leaves, size, swapped(beside, i))] : []),
        ]),
      ]
      for (const [i, each] of wrong.entries()) expect([i, each && toHex(each)]).not.toEqual([i, toHex(tree.root)])
    }),
    { numRuns: 150 },
  )
})

const swapped = (hashes: readonly Hash[], i: number): Hash[] =>
  hashes.with(i, hashes[i - 1] as Hash).with(i - 1, hashes[i] as Hash)

test('leaves that are not in order, not in the tree, or none at all lead nowhere', () => {
  const leaf = (index: number) => ({ index, hash: other })
  const [a, b] = [LEAVES[0] as Hash, LEAVES[1] as Hash]
  const two: PlacedLeaf[] = [
    { index: 0, hash: a },
    { index: 1, hash: b },
  ]
  expect(rootFromLeaves(two, 2, [])).toEqual(nodeHash(a, b))
  expect(rootFromLeaves(two.toReversed(), 2, [])).toBeUndefined()
  expect(rootFromLeaves([leaf(0), leaf(0)], 2, [other])).toBeUndefined()
  expect(rootFromLeaves([], 1, [other])).toBeUndefined()
  expect(rootFromLeaves([], 0, [])).toBeUndefined()
  for (const index of [-1, 2, 0.5, Number.NaN, 2 ** 53])
    expect(rootFromLeaves([leaf(index)], 2, [other])).toBeUndefined()
  for (const size of [-1, 0, 0.5, Number.NaN, 2 ** 60]) expect(rootFromLeaves([leaf(0)], size, [])).toBeUndefined()
  expect(rootFromLeaves([leaf(0)], 2, [other.slice(1)])).toBeUndefined()
  expect(rootFromLeaves([{ index: 0, hash: other.slice(1) }], 2, [other])).toBeUndefined()
  // The largest tree there can be has no more than its height of hashes beside one leaf.
  expect(rootFromLeaves([leaf(0)], Number.MAX_SAFE_INTEGER, Array(53).fill(other))).toHaveLength(32)
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

test('hashes of one side of a range do not stand on the other, and a size that is none has no root', () => {
  const [a, b, c, d] = LEAVES as [Hash, Hash, Hash, Hash]
  const root = new HashTree([a, b, c, d]).root
  expect(rootFromRange(1, [b, c], 4, [a], [d])).toEqual(root)
  expect(rootFromRange(1, [b, c], 4, [a, d], [])).toBeUndefined()
  expect(rootFromRange(1, [b, c], 4, [], [a, d])).toBeUndefined()
  expect(rootFromRange(1, [b, c], 4, [a, d], [d])).toBeUndefined()
  for (const size of [-1, 0.5, 1.5, 2.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53])
    for (const beside of [[], [b], [b, c]])
      expect([size, rootFromLeaves([{ index: 0, hash: a }], size, beside)]).toEqual([size, undefined])
})
