import { expect, test } from 'bun:test'
import consistency from '../../../test/vectors/merkle-consistency.json' with { type: 'json' }
import inclusion from '../../../test/vectors/merkle-inclusion.json' with { type: 'json' }
import trees from '../../../test/vectors/merkle-trees.json' with { type: 'json' }
import { concat, equalBytes, fromBase64, toHex, utf8 } from '../bytes.ts'
import { sha256 } from '../sha256.ts'
import {
  consistencyPath,
  EMPTY_ROOT,
  type Hash,
  includes,
  inclusionPath,
  isConsistent,
  leafHash,
  nodeHash,
  perfectSubtrees,
  rangeRoot,
  rootFromInclusion,
  type SubtreeReader,
} from './merkle.ts'

const MOST = 64
const HASHES = Array.from({ length: MOST }, (_, i) => leafHash(utf8(`leaf ${i}`)))

// RFC 6962 section 2.1, written as the RFC writes it: slow, recursive, and sharing no code with what it checks.

const split = (n: number): number => (n <= 2 ? 1 : 2 * split(Math.ceil(n / 2)))

function naiveRoot(leaves: readonly Hash[]): Hash {
  const [first] = leaves
  if (!first) return sha256(new Uint8Array())
  if (leaves.length === 1) return first
  const k = split(leaves.length)
  return sha256(concat(Uint8Array.of(1), naiveRoot(leaves.slice(0, k)), naiveRoot(leaves.slice(k))))
}

function naivePath(m: number, leaves: readonly Hash[]): Hash[] {
  if (leaves.length === 1) return []
  const k = split(leaves.length)
  return m < k
    ? [...naivePath(m, leaves.slice(0, k)), naiveRoot(leaves.slice(k))]
    : [...naivePath(m - k, leaves.slice(k)), naiveRoot(leaves.slice(0, k))]
}

function naiveSubproof(m: number, leaves: readonly Hash[], known: boolean): Hash[] {
  if (m === leaves.length) return known ? [] : [naiveRoot(leaves)]
  const k = split(leaves.length)
  return m <= k
    ? [...naiveSubproof(m, leaves.slice(0, k), known), naiveRoot(leaves.slice(k))]
    : [...naiveSubproof(m - k, leaves.slice(k), false), naiveRoot(leaves.slice(0, k))]
}

const readHashes: SubtreeReader = async ({ height, index }) =>
  naiveRoot(HASHES.slice(index * 2 ** height, (index + 1) * 2 ** height))

const hex = (text: string): Uint8Array => new Uint8Array(Buffer.from(text, 'hex'))
const hash = (text: string): Hash => fromBase64(text) ?? new Uint8Array()
const at = (index: number): Hash => HASHES[index] as Hash
const other = leafHash(utf8('another leaf'))

test('hashes and roots are the published ones', async () => {
  expect(toHex(EMPTY_ROOT)).toBe(trees.empty_root)
  for (const { leaf, hash } of trees.leaf_hashes) expect(toHex(leafHash(hex(leaf)))).toBe(hash)
  const hashes = trees.leaves.map((leaf) => leafHash(hex(leaf)))
  const read: SubtreeReader = async ({ height, index }) =>
    naiveRoot(hashes.slice(index * 2 ** height, (index + 1) * 2 ** height))
  for (const [i, root] of trees.roots.entries()) expect(toHex(await rangeRoot(0, i + 1, read))).toBe(root)
})

test.each(inclusion.cases)('inclusion, $name', ({ index, size, leaf, path, root, valid }) => {
  expect(includes(index, size, hash(leaf), path.map(hash), hash(root))).toBe(valid)
})

test.each(consistency.cases)('consistency, $name', ({ first, second, root1, root2, path, valid }) => {
  expect(isConsistent(first, second, hash(root1), hash(root2), path.map(hash))).toBe(valid)
})

test('inclusion paths are those of the RFC for every leaf of every size, and verify for no other leaf or root', async () => {
  for (let size = 1; size <= MOST; size++) {
    const root = naiveRoot(HASHES.slice(0, size))
    expect(await rangeRoot(0, size, readHashes)).toEqual(root)
    for (let index = 0; index < size; index++) {
      const path = await inclusionPath(index, size, readHashes)
      expect(path).toEqual(naivePath(index, HASHES.slice(0, size)))
      expect(includes(index, size, at(index), path, root)).toBe(true)
      expect(includes(index, size, other, path, root)).toBe(false)
      expect(includes(index, size, at(index), path, other)).toBe(false)
      expect(includes(index, size, at(index), [...path, other], root)).toBe(false)
      expect(includes(index, size, at(index), [other, ...path], root)).toBe(false)
      expect(includes(size, size, at(index), path, root)).toBe(false)
      if (size > 1) {
        expect(includes(index, size, at(index), path.slice(0, -1), root)).toBe(false)
        expect(includes(index, size, at(index), path.slice(1), root)).toBe(false)
        expect(includes(index, size, at(index), [], root)).toBe(false)
        expect(includes(index ^ 1, size, at(index), path, root)).toBe(false)
      }
    }
  }
})

test('consistency paths are those of the RFC for every pair of sizes, and verify for no other pair of roots', async () => {
  const roots = Array.from({ length: MOST + 1 }, (_, size) => naiveRoot(HASHES.slice(0, size)))
  for (let second = 1; second <= MOST; second++) {
    for (let first = 1; first <= second; first++) {
      const path = await consistencyPath(first, second, readHashes)
      expect(path).toEqual(naiveSubproof(first, HASHES.slice(0, second), true))
      const [root1, root2] = [roots[first] as Hash, roots[second] as Hash]
      expect(isConsistent(first, second, root1, root2, path)).toBe(true)
      expect(isConsistent(first, second, other, root2, path)).toBe(false)
      expect(isConsistent(first, second, root1, other, path)).toBe(false)
      expect(isConsistent(first, second, root1, root2, [...path, other])).toBe(false)
      expect(isConsistent(second, first, root2, root1, path)).toBe(first === second)
      if (first === second) continue
      expect(isConsistent(first, second, root1, root2, path.slice(0, -1))).toBe(false)
      expect(isConsistent(first, second, root1, root2, path.slice(1))).toBe(false)
      expect(isConsistent(first, second, root1, root2, [])).toBe(false)
      expect(isConsistent(first, second, root1, root1, path)).toBe(false)
    }
  }
})

test('a tree of one leaf has an empty path and takes no other', () => {
  expect(includes(0, 1, at(0), [], at(0))).toBe(true)
  expect(includes(0, 1, at(0), [at(1)], nodeHash(at(0), at(1)))).toBe(false)
  expect(includes(0, 1, at(0), [at(1)], at(0))).toBe(false)
})

test('a node cannot be passed off as a leaf', () => {
  const [left, right] = [nodeHash(at(0), at(1)), nodeHash(at(2), at(3))]
  const root = nodeHash(left, right)
  expect(includes(0, 4, left, [right], root)).toBe(false)
  // A tree of two leaves with these hashes has the same root: only the size in the checkpoint tells them apart.
  expect(includes(0, 2, left, [right], root)).toBe(true)
  expect(equalBytes(leafHash(concat(at(0), at(1))), left)).toBe(false)
})

test.each([-1, 0.5, Number.NaN, 2 ** 53, Number.POSITIVE_INFINITY])('%d is neither an index nor a size', async (n) => {
  expect(rootFromInclusion(n, 4, at(0), [at(1), at(2)])).toBeUndefined()
  expect(rootFromInclusion(0, n, at(0), [])).toBeUndefined()
  expect(isConsistent(n, n, at(0), at(0), [])).toBe(false)
  expect(isConsistent(1, n, at(0), at(0), [])).toBe(false)
  expect(inclusionPath(n, 4, readHashes)).rejects.toThrow(RangeError)
  expect(inclusionPath(0, n, readHashes)).rejects.toThrow(RangeError)
  expect(consistencyPath(n, 4, readHashes)).rejects.toThrow(RangeError)
})

test('hashes that are not 32 bytes are refused, at every place', () => {
  const [short, long] = [at(1).slice(1), concat(at(1), Uint8Array.of(0))]
  for (const wrong of [short, long, new Uint8Array()]) {
    expect(rootFromInclusion(0, 2, at(0), [wrong])).toBeUndefined()
    expect(rootFromInclusion(0, 1, wrong, [])).toBeUndefined()
    expect(isConsistent(1, 1, wrong, wrong, [])).toBe(false)
    expect(isConsistent(1, 2, at(0), nodeHash(at(0), at(1)), [wrong])).toBe(false)
  }
})

test('a long path of a huge tree is checked exactly, past where 32-bit or floating arithmetic would slip', async () => {
  // Every leaf is the same, so one hash per height describes a tree of any size.
  const perfect = [at(0)]
  for (let height = 1; height <= 53; height++) perfect.push(nodeHash(perfect.at(-1) as Hash, perfect.at(-1) as Hash))
  const read: SubtreeReader = async ({ height }) => perfect[height] as Hash
  for (const size of [2 ** 31 + 1, 2 ** 32 - 1, 2 ** 49 + 1, 2 ** 52, Number.MAX_SAFE_INTEGER]) {
    const root = await rangeRoot(0, size, read)
    for (const index of [0, 2 ** 31, size - 2, size - 1])
      expect(includes(index, size, at(0), await inclusionPath(index, size, read), root)).toBe(true)
    for (const first of [1, 2 ** 31, 2 ** 31 - 1, size - 1]) {
      const path = await consistencyPath(first, size, read)
      expect(isConsistent(first, size, await rangeRoot(0, first, read), root, path)).toBe(true)
    }
  }
  const first = 2 ** 49 + 1
  const path = await consistencyPath(first, 2 ** 50, read)
  expect(isConsistent(first, 2 ** 50, await rangeRoot(0, first, read), await rangeRoot(0, 2 ** 50, read), path)).toBe(
    true,
  )
})

test('perfect subtrees cover a range exactly, without gap or overlap', () => {
  for (let from = 0; from <= 40; from++)
    for (let to = from; to <= 40; to++) {
      let next = from
      for (const { height, index } of perfectSubtrees(from, to)) {
        expect(index * 2 ** height).toBe(next)
        next += 2 ** height
      }
      expect(next).toBe(to)
    }
})

/** All lists of these hashes up to a length. */
const listsOf = (hashes: readonly Hash[], most: number): Hash[][] =>
  most === 0 ? [[]] : [[], ...listsOf(hashes, most - 1).flatMap((list) => hashes.map((hash) => [...list, hash]))]

test('a size that is none proves nothing, whatever path comes with it', async () => {
  const [a, b, c] = HASHES as [Hash, Hash, Hash]
  const known = [a, b, nodeHash(a, b), nodeHash(nodeHash(a, b), c)]
  const paths = listsOf(known, 2)
  const odd = [-1, 0.5, 1.5, 2.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53]
  const pairs = [0, 1, 2, 3, ...odd].flatMap((first) => [0, 1, 2, 3, ...odd].map((second) => [first, second] as const))
  for (const [first, second] of pairs.filter((pair) => pair.some((size) => odd.includes(size))))
    for (const path of paths)
      for (const root1 of [...known, EMPTY_ROOT])
        for (const root2 of known)
          if (isConsistent(first, second, root1, root2, path)) throw new Error(`${first} to ${second}`)
  for (const [first, second] of [
    [2, 1],
    [3, 2],
    [1, 0],
  ] as const)
    for (const path of paths)
      for (const root1 of known)
        for (const root2 of known) expect(isConsistent(first, second, root1, root2, path)).toBe(false)
  for (const size of odd)
    for (const path of paths) {
      expect(rootFromInclusion(0, size, a, path)).toBeUndefined()
      expect(rootFromInclusion(size, 2, a, path)).toBeUndefined()
    }
  // A tree of one leaf has no path, and no tree has a path that goes on above its root.
  expect(rootFromInclusion(0, 1, a, [b])).toBeUndefined()
  expect(rootFromInclusion(1, 2, b, [a, c])).toBeUndefined()
})

test('no path is made for a place or a size that is none', async () => {
  const read: SubtreeReader = async () => HASHES[0] as Hash
  for (const [index, size] of [
    [0, 0],
    [3, 3],
    [4, 3],
    [-1, 3],
    [0.5, 3],
    [0, 2.5],
    [0, Number.NaN],
  ] as const)
    expect(inclusionPath(index, size, read)).rejects.toThrow(RangeError)
  for (const [first, second] of [
    [3, 2],
    [-1, 2],
    [0.5, 2],
    [1, 2.5],
    [Number.NaN, 2],
  ] as const)
    expect(consistencyPath(first, second, read)).rejects.toThrow(RangeError)
})

test('perfect subtrees cover a range without a gap, each as large as can be', () => {
  for (let from = 0; from < 40; from++)
    for (let to = from; to < 40; to++) {
      let at = from
      for (const { height, index } of perfectSubtrees(from, to)) {
        const width = 2 ** height
        expect([from, to, index * width, index % 1]).toEqual([from, to, at, 0])
        const isLarger = at % (2 * width) === 0 && at + 2 * width <= to
        expect([from, to, at, isLarger]).toEqual([from, to, at, false])
        at += width
      }
      expect([from, to, at]).toEqual([from, to, to])
    }
})
