// Leaves of a sorted tree that have been proved, and what follows from them about the ones between.

/** What is known of a tree whose leaves are sorted by key: some of them, each at its place. */
export class LeafSet<T> {
  readonly #leaves = new Map<number, { key: string; leaf: T }>()

  constructor(
    readonly size: number,
    readonly keyOf: (leaf: T) => string,
  ) {}

  /** False where another leaf was proved at this place, or the order of keys is broken: then one of them is a lie. */
  add(index: number, leaf: T): boolean {
    const key = this.keyOf(leaf)
    const known = this.#leaves.get(index)
    if (known) return known.key === key
    for (const [place, each] of this.#leaves) if (place < index ? each.key >= key : each.key <= key) return false
    this.#leaves.set(index, { key, leaf })
    return true
  }

  find(key: string): T | undefined {
    for (const each of this.#leaves.values()) if (each.key === key) return each.leaf
    return undefined
  }

  /**
   * The last leaf whose key is not after this one, null where it is proved that there is none, and undefined where
   * nothing is proved: a leaf between the two that are known may not have been shown.
   */
  notAfter(key: string): T | null | undefined {
    const known = [...this.#leaves].sort(([a], [b]) => a - b)
    const at = known.findLastIndex(([, each]) => each.key <= key)
    const [index, left] = known[at] ?? [-1, null]
    const isNext = known[at + 1]?.[0] === index + 1 || index === this.size - 1
    return isNext ? (left?.leaf ?? null) : undefined
  }

  /** Whether it is proved that no leaf has this key. */
  lacks(key: string): boolean {
    const left = this.notAfter(key)
    return left !== undefined && (left === null || this.keyOf(left) !== key)
  }

  /** All leaves whose keys begin so, in order; undefined where one may be there that was not shown. */
  under(prefix: string): T[] | undefined {
    const known = [...this.#leaves].sort(([a], [b]) => a - b)
    const at = known.findLastIndex(([, { key }]) => key < prefix && !key.startsWith(prefix))
    let last = known[at]?.[0] ?? -1
    const found: T[] = []
    for (const [index, { key, leaf }] of known.slice(at + 1)) {
      if (index !== last + 1) return undefined
      if (!key.startsWith(prefix)) return found
      found.push(leaf)
      last = index
    }
    return last === this.size - 1 ? found : undefined
  }

  values(): T[] {
    return [...this.#leaves.values()].map(({ leaf }) => leaf)
  }
}
