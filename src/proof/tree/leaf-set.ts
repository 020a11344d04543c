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
export class LeafSet<T> {
  /** By place, and so by key. Every question is a search in it: a hostile answer may show many thousands of leaves. */
  readonly #known: KnownLeaf<T>[] = []

  constructor(
    readonly size: number,
    /** Base64 of the root hash. */
    readonly root: string,
    readonly keyOf: (leaf: T) => string,
  ) {}

  /** Whether a leaf with this hash stands at this place of the tree, by the path to its root. */
  holds(leaf: Hash, index: number, encoded: readonly string[]): boolean {
    const path = decodePath(encoded)
    const root = fromBase64(this.root)
    return path !== undefined && root !== undefined && includes(index, this.size, leaf, path, root)
  }

  /** False where another leaf was proved at this place, or the order of keys is broken: then one of them is a lie. */
  add(index: number, leaf: T): boolean {
    const key = this.keyOf(leaf)
    const at = this.#past((each) => each.index < index)
    const next = this.#known[at]
    if (next?.index === index) return next.key === key
    const before = this.#known[at - 1]
    if ((before && before.key >= key) || (next && next.key <= key)) return false
    this.#known.splice(at, 0, { index, key, leaf })
    return true
  }

  /** The leaf with this key, null where it is proved that there is none, and undefined where nothing is proved. */
  find(key: string): T | null | undefined {
    const at = this.#past((each) => each.key <= key)
    const left = this.#known[at - 1]
    return left?.key === key ? left.leaf : this.#isWhole(at, at) ? null : undefined
  }

  /** The last leaf known whose key is not after this one, and the first known after it. There may be others between. */
  around(key: string): { before: T | undefined; after: T | undefined } {
    const at = this.#past((each) => each.key <= key)
    return { before: this.#known[at - 1]?.leaf, after: this.#known[at]?.leaf }
  }

  /**
   * The last leaf whose key is not after this one, null where it is proved that there is none, and undefined where
   * nothing is proved: a leaf between the two that are known may not have been shown.
   */
  notAfter(key: string): T | null | undefined {
    const at = this.#past((each) => each.key <= key)
    return this.#isWhole(at, at) ? (this.#known[at - 1]?.leaf ?? null) : undefined
  }

  /** All leaves whose keys begin so, in order; undefined where one may be there that was not shown. */
  under(prefix: string): T[] | undefined {
    return this.#isWhole(...this.#rangeUnder(prefix)) ? this.knownUnder(prefix) : undefined
  }

  /** The leaves known whose keys begin so, in order; there may be others. */
  knownUnder(prefix: string): T[] {
    return this.#known.slice(...this.#rangeUnder(prefix)).map(({ leaf }) => leaf)
  }

  #rangeUnder(prefix: string): [number, number] {
    const isBefore = ({ key }: KnownLeaf<T>): boolean => key < prefix
    return [this.#past(isBefore), this.#past((each) => isBefore(each) || each.key.startsWith(prefix))]
  }

  /** Whether the known leaves `[from, to)` are all that there are between the ones on either side. */
  #isWhole(from: number, to: number): boolean {
    const [left, right] = [this.#known[from - 1]?.index ?? -1, this.#known[to]?.index ?? this.size]
    return right - left - 1 === to - from
  }

  /** How many of the leaves known come before: those for which this holds, which are the first ones. */
  #past(isBefore: (leaf: KnownLeaf<T>) => boolean): number {
    let [from, to] = [0, this.#known.length]
    while (from < to) {
      const middle = Math.floor((from + to) / 2)
      if (isBefore(this.#known[middle] as KnownLeaf<T>)) from = middle + 1
      else to = middle
    }
    return from
  }
}
