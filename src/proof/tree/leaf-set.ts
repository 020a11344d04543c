// Leaves of a sorted tree that were proved, and the conclusions about the leaves between them.

import { fromBase64 } from '../bytes.ts'
import { HASH_SIZE, type Hash, includes } from './merkle.ts'

/** The hashes of a path; undefined if a text is not a hash. */
export const decodePath = (encoded: readonly string[]): Hash[] | undefined => {
  const hashes = encoded.map(fromBase64)
  return hashes.every((hash): hash is Hash => hash?.length === HASH_SIZE) ? hashes : undefined
}

interface KnownLeaf<T> {
  index: number
  key: string
  leaf: T
}

/** The answer to a search: the leaf was proved, or that there is none, or neither. */
export type Finding<T> = { is: 'found'; leaf: T } | { is: 'absent' } | { is: 'unproved' }

const ABSENT: Finding<never> = { is: 'absent' }
const UNPROVED: Finding<never> = { is: 'unproved' }

/** Some leaves of a tree whose leaves are sorted by key, each at its index. */
export interface LeafSet<T> {
  /** Whether the path proves a leaf with this hash at this index. */
  holds(leaf: Hash, index: number, encoded: readonly string[]): boolean
  /** False if another leaf was proved at this index, or the order of keys is broken: then one of them is a lie. */
  add(index: number, leaf: T): boolean
  /** The leaf with this key. */
  find(key: string): Finding<T>
  /** The last known leaf whose key is not after this one, and the first known leaf after it. Others may be between. */
  around(key: string): [before: T | undefined, after: T | undefined]
  /** The last leaf whose key is not after this one. */
  notAfter(key: string): Finding<T>
  /** All leaves whose keys have the prefix, in order; undefined if one may exist that was not shown. */
  under(prefix: string): T[] | undefined
  /** The known leaves whose keys have the prefix, in order. Others may exist. */
  knownUnder(prefix: string): T[]
}

export function leafSet<T>(size: number, root: string, keyOf: (leaf: T) => string): LeafSet<T> {
  /** Sorted by index, and so by key. It is searched by halves: a hostile answer may have many thousands. */
  const known: KnownLeaf<T>[] = []

  const countBefore = (isBefore: (leaf: KnownLeaf<T>) => boolean): number => {
    let [from, to] = [0, known.length]
    while (from < to) {
      const middle = Math.floor((from + to) / 2)
      if (isBefore(known[middle] as KnownLeaf<T>)) from = middle + 1
      else to = middle
    }
    return from
  }
  const countUpTo = (key: string): number => countBefore((each) => each.key <= key)
  const rangeUnder = (prefix: string): [number, number] => [
    countBefore(({ key }) => key < prefix),
    countBefore(({ key }) => key < prefix || key.startsWith(prefix)),
  ]
  /** Whether the known leaves `[from, to)` are all between the known ones on either side. */
  const isWhole = (from: number, to = from): boolean =>
    (known[to]?.index ?? size) - (known[from - 1]?.index ?? -1) - 1 === to - from
  const knownUnder = (prefix: string): T[] => known.slice(...rangeUnder(prefix)).map(({ leaf }) => leaf)

  return {
    holds: (leaf, index, encoded) => includes(index, size, leaf, encoded.map(fromBase64), fromBase64(root)),
    add(index, leaf) {
      const key = keyOf(leaf)
      const at = countBefore((each) => each.index < index)
      const [before, next] = [known[at - 1], known[at]]
      if (next?.index === index) return next.key === key
      if ((before && before.key >= key) || (next && next.key <= key)) return false
      known.splice(at, 0, { index, key, leaf })
      return true
    },
    find(key) {
      const at = countUpTo(key)
      const left = known[at - 1]
      if (left?.key === key) return { is: 'found', leaf: left.leaf }
      return isWhole(at) ? ABSENT : UNPROVED
    },
    around(key) {
      const at = countUpTo(key)
      return [known[at - 1]?.leaf, known[at]?.leaf]
    },
    notAfter(key) {
      const at = countUpTo(key)
      const left = known[at - 1]
      if (!isWhole(at)) return UNPROVED
      return left ? { is: 'found', leaf: left.leaf } : ABSENT
    },
    under: (prefix) => (isWhole(...rangeUnder(prefix)) ? knownUnder(prefix) : undefined),
    knownUnder,
  }
}
