import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { effort } from '../../../test/support/effort.ts'
import { type Finding, leafSet } from './leaf-set.ts'

const letters = fc.constantFrom(...'abc|')
const key = fc.array(letters, { minLength: 1, maxLength: 4 }).map((each) => each.join(''))
const trees = fc.record({
  keys: fc.uniqueArray(key, { maxLength: 9 }).map((keys) => keys.sort()),
  /** Which of them are shown. */
  shown: fc.array(fc.boolean(), { minLength: 9, maxLength: 9 }),
  order: fc.array(fc.nat(), { minLength: 9, maxLength: 9 }),
  asked: key,
})

/** A leaf, null where there is none, undefined where nothing is proved. */
const leafOf = (finding: Finding<string>): string | null | undefined =>
  finding.is === 'found' ? finding.leaf : finding.is === 'absent' ? null : undefined

function knownOf({ keys, shown, order }: { keys: string[]; shown: boolean[]; order: number[] }) {
  const set = leafSet<string>(keys.length, '', (leaf) => leaf)
  const places = [...keys.keys()].filter((i) => shown[i]).sort((a, b) => (order[a] as number) - (order[b] as number))
  for (const i of places) expect(set.add(i, keys[i] as string)).toBe(true)
  return { set, places }
}

/**
 * The brute-force model: every tree of this size that has the same leaves at the places that are known. A claim is
 * proved if it holds in all of them. To leave room for any key, those in between are taken from a dense set of texts.
 */
function possible(keys: readonly string[], places: readonly number[], asked: string): string[][] {
  const dense = [...new Set([...keys, asked, `${asked}a`, `${asked}|`, asked.slice(0, -1), '!', '~', `${asked}~`])]
    .filter((each) => each !== '')
    .sort()
  const trees: string[][] = []
  const fill = (tree: string[]): void => {
    if (trees.length > 3_000) return
    if (tree.length === keys.length) {
      trees.push(tree)
      return
    }
    const isKnown = places.includes(tree.length)
    for (const next of isKnown ? [keys[tree.length] as string] : dense)
      if (tree.length === 0 || next > (tree.at(-1) as string)) fill([...tree, next])
  }
  fill([])
  return trees
}

test('nothing is claimed of a key that is not so in every tree with these leaves, and what is so in all is claimed', () => {
  fc.assert(
    fc.property(trees, ({ asked, ...tree }) => {
      const { set, places } = knownOf(tree)
      const last = (keys: readonly string[]): string | null => keys.findLast((each) => each <= asked) ?? null
      const truth = last(tree.keys)
      const claimed = leafOf(set.notAfter(asked))
      if (claimed !== undefined) expect(claimed).toBe(truth)
      const found = leafOf(set.find(asked))
      if (found === null) expect(tree.keys).not.toContain(asked)
      else if (found !== undefined) expect(tree.keys).toContain(asked)

      const others = possible(tree.keys, places, asked)
      const isSure = new Set(others.map(last)).size === 1
      if (claimed !== undefined) expect(isSure).toBe(true)
      if (found === null) expect(others.every((each) => !each.includes(asked))).toBe(true)
      // And no less than the neighbours prove.
      const at = tree.keys.findLastIndex((each) => each <= asked)
      const isShown = (i: number): boolean => i < 0 || i >= tree.keys.length || places.includes(i)
      expect(claimed !== undefined).toBe(isShown(at) && isShown(at + 1))
    }),
    { numRuns: 1_500 },
  )
})

test('all leaves with a prefix are claimed only where none can have been kept back', () => {
  fc.assert(
    fc.property(trees, ({ asked: prefix, ...tree }) => {
      const { set, places } = knownOf(tree)
      const under = set.under(prefix)
      const truth = tree.keys.filter((each) => each.startsWith(prefix))
      if (under !== undefined) expect(under).toEqual(truth)
      const from = tree.keys.findIndex((each) => each >= prefix)
      const start = from < 0 ? tree.keys.length : from
      const needed = Array.from({ length: truth.length + 2 }, (_, i) => start - 1 + i)
      const isShown = (i: number): boolean => i < 0 || i >= tree.keys.length || places.includes(i)
      expect(under !== undefined).toBe(needed.every(isShown))
      if (under !== undefined)
        for (const other of possible(tree.keys, places, prefix))
          expect(other.filter((each) => each.startsWith(prefix))).toEqual(truth)
    }),
    { numRuns: 1_500 },
  )
})

test('what is known around a key and under a prefix is what was shown of it, whatever else there may be', () => {
  fc.assert(
    fc.property(trees, ({ asked, ...tree }) => {
      const { set, places } = knownOf(tree)
      const known = tree.keys.filter((_, i) => places.includes(i))
      expect(set.around(asked)).toEqual([known.findLast((each) => each <= asked), known.find((each) => each > asked)])
      expect(set.knownUnder(asked)).toEqual(known.filter((each) => each.startsWith(asked)))
      expect(leafOf(set.find(asked)) ?? undefined).toBe(known.find((each) => each === asked))
    }),
    { numRuns: 500 },
  )
})

test('fifty thousand leaves are searched, not read through', () => {
  const set = leafSet<string>(100_000, '', (leaf) => leaf)
  const keyAt = (i: number): string => String(100_000 + i)
  // From both ends, so that the order in which leaves come is not the order of the tree.
  for (let i = 0; i < 25_000; i++) for (const at of [2 * i, 99_998 - 2 * i]) set.add(at, keyAt(at))
  const spent = effort()
  for (let i = 0; i < 20_000; i++) {
    set.find(keyAt(i))
    set.notAfter(keyAt(i))
    set.under(keyAt(i))
  }
  // Read through, this would be three thousand million steps.
  expect(spent()).toBeLessThan(2_000)
})

test('leaves that are out of order, or two at one place, are a contradiction, in whatever order they come', () => {
  fc.assert(
    fc.property(
      fc.uniqueArray(key, { minLength: 2, maxLength: 6 }),
      fc.uniqueArray(fc.nat(20), { minLength: 6, maxLength: 6 }),
      (keys, places) => {
        const set = leafSet<string>(21, '', (leaf) => leaf)
        const accepted: { place: number; key: string }[] = []
        for (const [i, each] of keys.entries()) {
          const place = places[i] as number
          const fits = accepted.every((other) => (other.place < place ? other.key < each : other.key > each))
          expect(set.add(place, each)).toBe(fits)
          if (fits) accepted.push({ place, key: each })
        }
        for (const { place, key: each } of accepted) {
          expect(set.add(place, each)).toBe(true)
          expect(set.add(place, `${each}x`)).toBe(false)
        }
        expect(set.knownUnder('').sort()).toEqual(accepted.map((each) => each.key).sort())
      },
    ),
  )
})

test('the same key at two places is a contradiction', () => {
  const set = leafSet<string>(3, '', (leaf) => leaf)
  expect([set.add(0, 'a'), set.add(2, 'a')]).toEqual([true, false])
})

test('of an empty tree everything is known', () => {
  const set = leafSet<string>(0, '', (leaf) => leaf)
  expect([set.notAfter('a'), set.find('a'), set.under('a')]).toEqual([{ is: 'absent' }, { is: 'absent' }, []])
})
