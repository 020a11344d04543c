// Leaves of a sorted tree that have been proved, and what follows from them about the ones between.

import { fromBase64 } from '../bytes.ts'
import { HASH_SIZE, type Hash, includes } from './merkle.ts'

/** The hashes of a path; undefined where one of them is none. */
export const decodePath = (encoded: readonly string[]): Hash[] | undefined => {
  const hashes = encoded.map(fromBase64)
  return hashes.every((hash): hash is Hash => hash?.length === HASH_SIZE) ? hashes : undefined
}

interface KnownLeaf<T> {
  index: number
  key: string
  leaf: T
}

/** What is known of a tree whose leaves are sorted by key: some of them, each at its place. */
export interface LeafSet<T> {
  /** Whether a leaf with this hash stands at this place of the tree, by the path to its root. */
  holds(leaf: Hash, index: number, encoded: readonly string[]): boolean
  /** False where another leaf was proved at this place, or the order of keys is broken: then one of them is a lie. */
  add(index: number, leaf: T): boolean
  /** The leaf with this key, null where it is proved that there is none, and undefined where nothing is proved. */
  find(key: string): T | null | undefined
  /** The last leaf known whose key is not after this one, and the first known after it. There may be others between. */
  around(key: string): [before: T | undefined, after: T | undefined]
  /**
   * The last leaf whose key is not after this one, null where it is proved that there is none, and undefined where
   * nothing is proved: a leaf between the two that are known may not have been shown.
   */
  notAfter(key: string): T | null | undefined
  /** All leaves whose keys begin so, in order; undefined where one may be there that was not shown. */
  under(prefix: string): T[] | undefined
  /** The leaves known whose keys begin so, in order; there may be others. */
  knownUnder(prefix: string): T[]
}

/** Nothing is known yet of a tree of this size, with this root in Base64. */
export function leafSet<T>(size: number, root: string, keyOf: (leaf: T) => string): LeafSet<T> {
  /** By place, and so by key. Every question is a search in it: a hostile answer may show many thousands of leaves. */
  const known: KnownLeaf<T>[] = []

  /** How many of the leaves known come before: those for which this holds, which are the first ones. */
  const past = (isBefore: (leaf: KnownLeaf<T>) => boolean): number => {
    let [from, to] = [0, known.length]
    while (from < to) {
      const middle = Math.floor((from + to) / 2)
      if (isBefore(known[middle] as KnownLeaf<T>)) from = middle + 1
      else to = middle
    }
    return from
  }
  const pastKey = (key: string): number => past((each) => each.key <= key)
  const rangeUnder = (prefix: string): [number, number] => [
    past(({ key }) => key < prefix),
    past(({ key }) => key < prefix || key.startsWith(prefix)),
  ]
  /** Whether the known leaves `[from, to)` are all that there are between the ones on either side. */
  const isWhole = (from: number, to = from): boolean =>
    (known[to]?.index ?? size) - (known[from - 1]?.index ?? -1) - 1 === to - from
  const knownUnder = (prefix: string): T[] => known.slice(...rangeUnder(prefix)).map(({ leaf }) => leaf)

  return {
    holds: (leaf, index, encoded) => includes(index, size, leaf, encoded.map(fromBase64), fromBase64(root)),
    add(index, leaf) {
      const key = keyOf(leaf)
      const at = past((each) => each.index < index)
      const [before, next] = [known[at - 1], known[at]]
      if (next?.index === index) return next.key === key
      if ((before && before.key >= key) || (next && next.key <= key)) return false
      known.splice(at, 0, { index, key, leaf })
      return true
    },
    find(key) {
      const at = pastKey(key)
      const left = known[at - 1]
      return left?.key === key ? left.leaf : isWhole(at) ? null : undefined
    },
    around(key) {
      const at = pastKey(key)
      return [known[at - 1]?.leaf, known[at]?.leaf]
    },
    notAfter(key) {
      const at = pastKey(key)
      return isWhole(at) ? (known[at - 1]?.leaf ?? null) : undefined
    },
    under: (prefix) => (isWhole(...rangeUnder(prefix)) ? knownUnder(prefix) : undefined),
    knownUnder,
  }
}
