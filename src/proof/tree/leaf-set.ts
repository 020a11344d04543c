// Leaves of a sorted tree that have been proved, and what follows from them about the ones between.

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
    readonly keyOf: (leaf: T) => string,
  ) {}

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

  find(key: string): T | undefined {
    const found = this.#known[this.#past((each) => each.key < key)]
    return found?.key === key ? found.leaf : undefined
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
    const left = this.#known[at - 1]
    const place = left?.index ?? -1
    const isNext = this.#known[at]?.index === place + 1 || place === this.size - 1
    return isNext ? (left?.leaf ?? null) : undefined
  }

  /** Whether it is proved that no leaf has this key. */
  lacks(key: string): boolean {
    const left = this.notAfter(key)
    return left !== undefined && (left === null || this.keyOf(left) !== key)
  }

  /** All leaves whose keys begin so, in order; undefined where one may be there that was not shown. */
  under(prefix: string): T[] | undefined {
    const from = this.#past((each) => each.key < prefix)
    let last = this.#known[from - 1]?.index ?? -1
    const found: T[] = []
    for (let at = from; at < this.#known.length; at++) {
      const { index, key, leaf } = this.#known[at] as KnownLeaf<T>
      if (index !== last + 1) return undefined
      if (!key.startsWith(prefix)) return found
      found.push(leaf)
      last = index
    }
    return last === this.size - 1 ? found : undefined
  }

  /** The leaves known whose keys begin so, in order; there may be others. */
  *knownUnder(prefix: string): Generator<T> {
    for (let at = this.#past((each) => each.key < prefix); this.#known[at]?.key.startsWith(prefix); at++)
      yield (this.#known[at] as KnownLeaf<T>).leaf
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
