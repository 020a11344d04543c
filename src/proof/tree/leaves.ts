// Several leaves of an RFC 6962 tree, proved at once: they and the roots of the largest subtrees without any of them, from
// left to right, make the root.

import { HASH_SIZE, type Hash, isTreeSize, nodeHash, split } from './merkle.ts'

/** A leaf and its index in the tree. */
export interface PlacedLeaf {
  index: number
  hash: Hash
}
/** Leaves `[from, to)`. */
export type LeafRange = [number, number]

interface Fold<T> {
  leaf(at: number): T
  /** A subtree without any of the leaves. */
  beside(range: LeafRange): T
  join(left: T, right: T): T
}

/** Walks a tree from left to right. The indexes rise; `leaf` gets the position in that list. */
function fold<T>(places: readonly number[], size: number, { leaf, beside, join }: Fold<T>): T {
  let at = 0
  const walk = (start: number, end: number): T => {
    if ((places[at] ?? size) >= end) return beside([start, end])
    if (end - start === 1) return leaf(at++)
    const middle = start + split(end - start)
    const left = walk(start, middle)
    return join(left, walk(middle, end))
  }
  return walk(0, size)
}

/** The largest subtrees without a leaf at these rising indexes, from left to right. */
export function rangesBeside(places: readonly number[], size: number): LeafRange[] {
  const ranges: LeafRange[] = []
  const nothing = (): void => undefined
  if (size > 0) fold<void>(places, size, { leaf: nothing, beside: (range) => void ranges.push(range), join: nothing })
  return ranges
}

/**
 * The root that follows from leaves, by rising index, and from the roots of the subtrees beside them. Undefined if there
 * are no leaves, if they do not fit the tree, and if there are too few hashes or too many.
 */
export function rootFromLeaves(leaves: readonly PlacedLeaf[], size: number, beside: readonly Hash[]): Hash | undefined {
  if (!isTreeSize(size) || leaves.length === 0 || !rise(leaves, size)) return undefined
  if ([...leaves.map(({ hash }) => hash), ...beside].some((hash) => hash.length !== HASH_SIZE)) return undefined
  let used = 0
  const root = fold<Hash | undefined>(
    leaves.map(({ index }) => index),
    size,
    {
      leaf: (at) => leaves[at]?.hash,
      beside: () => beside[used++],
      join: (left, right) => left && right && nodeHash(left, right),
    },
  )
  return used === beside.length ? root : undefined
}

const rise = (leaves: readonly PlacedLeaf[], size: number): boolean =>
  leaves.every(({ index }, i) => isTreeSize(index) && index < size && index > (leaves[i - 1]?.index ?? -1))

/** The subtrees on the left and on the right of neighbouring leaves `[from, to)`. */
export function rangesAround(from: number, to: number, size: number): { left: LeafRange[]; right: LeafRange[] } {
  const places = Array.from({ length: to - from }, (_, i) => from + i)
  const beside = rangesBeside(places, size)
  return { left: beside.filter(([, end]) => end <= from), right: beside.filter(([start]) => start >= to) }
}

/** The root that follows from neighbouring leaves and the subtrees around them; undefined if these do not fit. */
export function rootFromRange(
  from: number,
  leaves: readonly Hash[],
  size: number,
  left: readonly Hash[],
  right: readonly Hash[],
): Hash | undefined {
  const root = rootFromLeaves(
    leaves.map((hash, i) => ({ index: from + i, hash })),
    size,
    [...left, ...right],
  )
  // A hash of the left side must not be given as one of the right side.
  return root && rangesAround(from, from + leaves.length, size).left.length === left.length ? root : undefined
}
