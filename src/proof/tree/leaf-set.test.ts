import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { toBase64, utf8 } from '../bytes.ts'
import { HashTree } from './hash-tree.ts'
import { missingNodes, type PlacedLeaf, rootOfSet } from './leaf-set.ts'
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
const treeOf = (size: number): HashTree => new HashTree(LEAVES.slice(0, size))
const besideOf = (places: readonly number[], tree: HashTree): Hash[] =>
  missingNodes(places, tree.size).map((node) => tree.node(node))
const isRoot = (found: Hash | undefined, tree: HashTree): boolean =>
  found !== undefined && toBase64(found) === toBase64(tree.root)

test('every set of leaves of every small tree leads to its root, with the nodes that are missing and with no others', () => {
  for (let size = 1; size <= 9; size++) {
    const tree = treeOf(size)
    for (let shown = 1; shown < 2 ** size; shown++) {
      const places = Array.from({ length: size }, (_, i) => i).filter((i) => (shown >> i) % 2 === 1)
      const beside = besideOf(places, tree)
      const leaves = placed(places)
      expect(isRoot(rootOfSet(leaves, size, beside), tree)).toBe(true)
      for (const [at, { index }] of leaves.entries()) {
        expect(isRoot(rootOfSet(leaves.with(at, { index, hash: other }), size, beside), tree)).toBe(false)
        // Without one leaf, the others do not fit the same hashes.
        expect(isRoot(rootOfSet(leaves.toSpliced(at, 1), size, beside), tree)).toBe(false)
      }
      for (const at of beside.keys()) {
        expect(isRoot(rootOfSet(leaves, size, beside.with(at, other)), tree)).toBe(false)
        expect(rootOfSet(leaves, size, beside.toSpliced(at, 1))).toBeUndefined()
        if (at > 0) expect(isRoot(rootOfSet(leaves, size, swapped(beside, at)), tree)).toBe(false)
      }
      for (const more of [
        [...beside, other],
        [other, ...beside],
        [...beside, tree.root],
      ])
        expect(rootOfSet(leaves, size, more)).toBeUndefined()
    }
  }
})

const swapped = (hashes: readonly Hash[], i: number): Hash[] =>
  hashes.with(i, hashes[i - 1] as Hash).with(i - 1, hashes[i] as Hash)

test('of one leaf the missing nodes are the path of RFC 6962, in its order', () => {
  for (let size = 1; size <= LEAVES.length; size += size < 20 ? 1 : 11) {
    const tree = treeOf(size)
    for (let index = 0; index < size; index++) expect(besideOf([index], tree)).toEqual(tree.path(index))
  }
})

test('leaves lead to the root if each of them alone does, and a change anywhere leads elsewhere', () => {
  fc.assert(
    fc.property(sets, fc.nat(), fc.nat(255), ({ size, places }, dice, bit) => {
      const tree = treeOf(size)
      const beside = besideOf(places, tree)
      const leaves = placed(places)
      expect(isRoot(rootOfSet(leaves, size, beside), tree)).toBe(true)
      for (const { index, hash } of leaves)
        expect(rootFromInclusion(index, size, hash, tree.path(index))).toEqual(tree.root)

      const at = dice % leaves.length
      const { index, hash } = leaves[at] as PlacedLeaf
      const flipped = (one: Hash): Hash => one.with(bit >> 3, (one[bit >> 3] as number) ^ (1 << (bit & 7)))
      const free = [...Array(size).keys()].filter((place) => !places.includes(place))
      const moved = free.map((place) => leaves.with(at, { index: place, hash }).sort((a, b) => a.index - b.index))
      const wrong: (Hash | undefined)[] = [
        rootOfSet(leaves.with(at, { index, hash: other }), size, beside),
        rootOfSet(leaves.with(at, { index, hash: flipped(hash) }), size, beside),
        rootOfSet(leaves.toSpliced(at, 1), size, beside),
        rootOfSet([...leaves, ...leaves.slice(at)], size, beside),
        ...(leaves.length > 1 ? [rootOfSet(leaves.toReversed(), size, beside)] : []),
        ...moved.map((each) => rootOfSet(each, size, beside)),
        ...beside.flatMap((one, i) => [
          rootOfSet(leaves, size, beside.with(i, flipped(one))),
          rootOfSet(leaves, size, beside.toSpliced(i, 1)),
          ...(i > 0 ? [rootOfSet(leaves, size, swapped(beside, i))] : []),
        ]),
      ]
      for (const each of wrong) expect(isRoot(each, tree)).toBe(false)
    }),
    { numRuns: 150 },
  )
})

test('the missing nodes hold none of the leaves, and all of the others once', () => {
  fc.assert(
    fc.property(sets, ({ size, places }) => {
      const missing = missingNodes(places, size)
      const held = missing.flatMap(({ level, index }) =>
        Array.from({ length: size }, (_, i) => i).filter((i) => Math.floor(i / 2 ** level) === index),
      )
      expect([...held, ...places].sort((a, b) => a - b)).toEqual([...Array(size).keys()])
      const order = missing.map(({ level, index }) => level * 1_000 + index)
      expect(order).toEqual(order.toSorted((a, b) => a - b))
    }),
    { numRuns: 150 },
  )
})

test('leaves that are not in order, not in the tree, or none at all lead nowhere', () => {
  const leaf = (index: number) => ({ index, hash: other })
  const [a, b] = LEAVES as [Hash, Hash]
  const two: PlacedLeaf[] = [
    { index: 0, hash: a },
    { index: 1, hash: b },
  ]
  expect(rootOfSet(two, 2, [])).toEqual(nodeHash(a, b))
  expect(rootOfSet(two.toReversed(), 2, [])).toBeUndefined()
  expect(rootOfSet([leaf(0), leaf(0)], 2, [other])).toBeUndefined()
  expect(rootOfSet([], 1, [other])).toBeUndefined()
  expect(rootOfSet([], 0, [])).toBeUndefined()
  expect(missingNodes([], 5)).toEqual([])
  for (const index of [-1, 2, 0.5, Number.NaN, 2 ** 53]) expect(rootOfSet([leaf(index)], 2, [other])).toBeUndefined()
  for (const size of [-1, 0, 0.5, 1.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53, 2 ** 60])
    for (const beside of [[], [b], [b, a]])
      expect([size, rootOfSet([leaf(0)], size, beside)]).toEqual([size, undefined])
  expect(rootOfSet([leaf(0)], 2, [other.slice(1)])).toBeUndefined()
  expect(rootOfSet([{ index: 0, hash: other.slice(1) }], 2, [other])).toBeUndefined()
  // The largest tree there can be has no more than its height of hashes beside one leaf.
  expect(rootOfSet([leaf(0)], Number.MAX_SAFE_INTEGER, Array(53).fill(other))).toHaveLength(32)
})
