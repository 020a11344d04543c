// Leaves of a tree whose leaves are sorted by key, and the conclusions about the leaves between them.

/** A leaf and its index in the tree. */
export interface Indexed<T> {
  index: number
  leaf: T
}

/** Some leaves of a sorted tree. Nothing stands between two whose indexes are neighbours. */
export interface SortedLeaves<T> {
  readonly all: readonly Indexed<T>[]
  /** All leaves whose keys have the prefix, in order; undefined if one may exist that is not known. */
  under(prefix: string): T[] | undefined
  /** Whether a leaf has a key with the prefix; undefined if that is not known. */
  has(prefix: string): boolean | undefined
  /** The last known leaf whose key is not after this one, and whether no other one can be between. */
  upTo(key: string): { last: Indexed<T> | undefined; isLast: boolean }
}

/** Undefined if leaves by rising index are not in the order of their keys: then one of them is a lie. */
export function sortedLeaves<T>(
  all: readonly Indexed<T>[],
  size: number,
  keyOf: (leaf: T) => string,
): SortedLeaves<T> | undefined {
  const keys = all.map(({ leaf }) => keyOf(leaf))
  if (!keys.every((key, i) => i === 0 || (keys[i - 1] as string) < key)) return undefined

  const countBefore = (isBefore: (key: string) => boolean): number => {
    let [from, to] = [0, keys.length]
    while (from < to) {
      const middle = (from + to) >> 1
      if (isBefore(keys[middle] as string)) from = middle + 1
      else to = middle
    }
    return from
  }
  const rangeUnder = (prefix: string): [number, number] => [
    countBefore((key) => key < prefix),
    countBefore((key) => key < prefix || key.startsWith(prefix)),
  ]
  /** Whether the known leaves `[from, to)` are all between the known ones on either side. */
  const isWhole = (from: number, to: number): boolean =>
    (all[to]?.index ?? size) - (all[from - 1]?.index ?? -1) - 1 === to - from
  const under = (prefix: string): T[] | undefined => {
    const [from, to] = rangeUnder(prefix)
    return isWhole(from, to) ? all.slice(from, to).map(({ leaf }) => leaf) : undefined
  }
  return {
    all,
    under,
    has(prefix) {
      const [from, to] = rangeUnder(prefix)
      return to > from || (isWhole(from, to) ? false : undefined)
    },
    upTo(key) {
      const at = countBefore((each) => each <= key)
      return { last: all[at - 1], isLast: keys[at - 1] === key || isWhole(at, at) }
    },
  }
}
