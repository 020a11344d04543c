// RFC 6962 section 2 / RFC 9162 section 2.1 Merkle trees.

import { equalBytes } from '../bytes.ts'
import { sha256 } from '../sha256.ts'
import { count } from '../shape.ts'

export type Hash = Uint8Array

export const HASH_SIZE = 32

const NODE = 1

export const EMPTY_ROOT: Hash = sha256(new Uint8Array())

export function leafHash(body: Uint8Array): Hash {
  const leaf = new Uint8Array(1 + body.length) // 0 before a leaf, 1 before two nodes
  leaf.set(body, 1)
  return sha256(leaf)
}

/** Filled anew for each node: a release has millions. */
const node = Uint8Array.of(NODE, ...new Uint8Array(2 * HASH_SIZE))

export function nodeHash(left: Hash, right: Hash): Hash {
  node.set(left, 1)
  node.set(right, 1 + HASH_SIZE)
  return sha256(node)
}

/** The hash of a node whose two halves lie side by side. */
export function pairHash(pair: Uint8Array): Hash {
  node.set(pair, 1)
  return sha256(node)
}

/** One perfect subtree: the node `index` places from the left, `height` levels above the leaves. */
export interface Subtree {
  height: number
  index: number
}

/** Reads the root of a perfect subtree that lies wholly inside the tree. */
export type SubtreeReader = (subtree: Subtree) => Promise<Hash>

/** The perfect subtrees that together cover leaves `[from, to)`, left to right. */
export function perfectSubtrees(from: number, to: number): Subtree[] {
  const cover: Subtree[] = []
  let start = from
  while (start < to) {
    let height = 0
    while (start % 2 ** (height + 1) === 0 && start + 2 ** (height + 1) <= to) height++
    cover.push({ height, index: start / 2 ** height })
    start += 2 ** height
  }
  return cover
}

/** The root over neighbouring subtrees whose heights fall from left to right: the right ones join first. */
export function joinRight(roots: readonly Hash[]): Hash {
  const last = roots.at(-1)
  if (!last) return EMPTY_ROOT
  return roots.slice(0, -1).reduceRight((right, left) => nodeHash(left, right), last)
}

/** An RFC 9162 tree that grows leaf by leaf and remembers only its perfect subtrees. */
export class GrowingTree {
  #size = 0
  readonly #perfect: Hash[] = []

  get size(): number {
    return this.#size
  }

  get root(): Hash {
    return joinRight(this.#perfect)
  }

  add(leaf: Hash): void {
    let hash = leaf
    for (let pairs = this.#size++; pairs % 2 === 1; pairs = Math.floor(pairs / 2))
      hash = nodeHash(this.#perfect.pop() as Hash, hash)
    this.#perfect.push(hash)
  }
}

export async function rangeRoot(from: number, to: number, read: SubtreeReader): Promise<Hash> {
  return joinRight(await Promise.all(perfectSubtrees(from, to).map(read)))
}

/** The largest power of two smaller than `size`, where RFC 6962 splits a tree. */
export function split(size: number): number {
  let power = 1
  while (power * 2 < size) power *= 2
  return power
}

/** PATH(index, D[size]) of RFC 6962 2.1.1: the siblings from the leaf upwards. */
export async function inclusionPath(index: number, size: number, read: SubtreeReader): Promise<Hash[]> {
  if (!isTreeSize(index) || !isTreeSize(size) || index >= size) throw new RangeError('index outside the tree')
  const siblings: [number, number][] = []
  let from = 0
  let to = size
  while (to - from > 1) {
    const middle = from + split(to - from)
    if (index < middle) {
      siblings.push([middle, to])
      to = middle
    } else {
      siblings.push([from, middle])
      from = middle
    }
  }
  return Promise.all(siblings.reverse().map(([start, end]) => rangeRoot(start, end, read)))
}

/** PROOF(first, D[second]) of RFC 6962 2.1.2. */
export async function consistencyPath(first: number, second: number, read: SubtreeReader): Promise<Hash[]> {
  if (!isTreeSize(first) || !isTreeSize(second) || first > second) throw new RangeError('first is larger than second')
  if (first === 0) return []
  return Promise.all(subproof(first, 0, second, true).map(([start, end]) => rangeRoot(start, end, read)))
}

/** SUBPROOF of RFC 6962 2.1.2, as the leaf ranges whose roots make the proof. */
function subproof(first: number, from: number, to: number, known: boolean): [number, number][] {
  if (first === to - from) return known ? [] : [[from, to]]
  const middle = from + split(to - from)
  return first <= middle - from
    ? [...subproof(first, from, middle, known), [middle, to]]
    : [...subproof(first - (middle - from), middle, to, false), [from, middle]]
}

export const isTreeSize: (n: number) => boolean = count

/** RFC 9162 2.1.3.2; undefined if the path cannot fit the index and size. */
export function rootFromInclusion(
  index: number,
  size: number,
  leaf: Hash,
  path: readonly (Hash | undefined)[],
): Hash | undefined {
  if (!isTreeSize(size) || !isTreeSize(index) || index >= size || leaf.length !== HASH_SIZE) return undefined
  let fn = index
  let sn = size - 1
  let root = leaf
  for (const sibling of path) {
    if (sn === 0 || sibling?.length !== HASH_SIZE) return undefined
    // The last node of a level of odd length has no sibling there: it goes up as it is.
    while (fn === sn && fn % 2 === 0) fn = sn = fn / 2
    root = fn % 2 === 1 ? nodeHash(sibling, root) : nodeHash(root, sibling)
    fn = Math.floor(fn / 2)
    sn = Math.floor(sn / 2)
  }
  return sn === 0 ? root : undefined
}

export function includes(
  index: number,
  size: number,
  leaf: Hash,
  path: readonly (Hash | undefined)[],
  root: Hash | undefined,
): boolean {
  const implied = rootFromInclusion(index, size, leaf, path)
  return implied !== undefined && root !== undefined && equalBytes(implied, root)
}

/** RFC 9162 2.1.4.2: whether the tree `(second, root2)` is the tree `(first, root1)` with leaves added. */
export function isConsistent(first: number, second: number, root1: Hash, root2: Hash, path: readonly Hash[]): boolean {
  if (!isTreeSize(first) || !isTreeSize(second) || first > second) return false
  if ([root1, root2, ...path].some((hash) => hash.length !== HASH_SIZE)) return false
  if (first === 0 && !equalBytes(root1, EMPTY_ROOT)) return false
  if (first === second) return path.length === 0 && equalBytes(root1, root2)
  if (first === 0) return path.length === 0
  const hashes = perfectSubtrees(0, first).length === 1 ? [root1, ...path] : [...path]
  const start = hashes.shift()
  if (!start || path.length === 0) return false
  let fn = first - 1
  let sn = second - 1
  while (fn % 2 === 1) {
    fn = Math.floor(fn / 2)
    sn = Math.floor(sn / 2)
  }
  let old = start
  let grown = start
  for (const hash of hashes) {
    if (sn === 0) return false
    if (fn % 2 === 1 || fn === sn) {
      old = nodeHash(hash, old)
      grown = nodeHash(hash, grown)
      while (fn % 2 === 0 && fn !== 0) {
        fn = Math.floor(fn / 2)
        sn = Math.floor(sn / 2)
      }
    } else {
      grown = nodeHash(grown, hash)
    }
    fn = Math.floor(fn / 2)
    sn = Math.floor(sn / 2)
  }
  return sn === 0 && equalBytes(old, root1) && equalBytes(grown, root2)
}
