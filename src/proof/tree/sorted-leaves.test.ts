import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { effort } from '../../../test/support/effort.ts'
import { type SortedLeaves, sortedLeaves } from './sorted-leaves.ts'

const letters = fc.constantFrom(...'abc|')
const key = fc.array(letters, { minLength: 1, maxLength: 4 }).map((each) => each.join(''))
const trees = fc.record({
  keys: fc.uniqueArray(key, { maxLength: 9 }).map((keys) => keys.sort()),
  /** Which of them are shown. */
  shown: fc.array(fc.boolean(), { minLength: 9, maxLength: 9 }),
  asked: key,
})

function knownOf(keys: readonly string[], places: readonly number[]): SortedLeaves<string> {
  const all = places.map((index) => ({ index, leaf: keys[index] as string }))
  const known = sortedLeaves(all, keys.length, (leaf) => leaf)
  if (!known) throw new Error('leaves in order were expected')
  return known
}
const placesOf = ({ keys, shown }: { keys: string[]; shown: boolean[] }): number[] =>
  [...keys.keys()].filter((i) => shown[i])

/**
 * The brute-force model: every tree of this size that has the same leaves at the places that are known. A claim is
 * proved if it holds in all of them. To leave room for any key, those in between are taken from a dense set of texts.
 */
function possible(keys: readonly string[], places: readonly number[], asked: string): string[][] {
  const dense = [...new Set([...keys, asked, `${asked}a`, `${asked}|`, asked.slice(0, -1), '!', '~', `${asked}~`])]
    .filter((each) => each !== '')
    .sort()
  const found: string[][] = []
  const fill = (tree: string[]): void => {
    if (found.length > 3_000) return
    if (tree.length === keys.length) {
      found.push(tree)
      return
    }
    const isKnown = places.includes(tree.length)
    for (const next of isKnown ? [keys[tree.length] as string] : dense)
      if (tree.length === 0 || next > (tree.at(-1) as string)) fill([...tree, next])
  }
  fill([])
  return found
}

const lastOf = (keys: readonly string[], asked: string): string | undefined => keys.findLast((each) => each <= asked)

test('the last leaf not after a key is claimed only where it is the last in every tree with these leaves', () => {
  fc.assert(
    fc.property(trees, ({ asked, ...tree }) => {
      const places = placesOf(tree)
      const { last, isLast } = knownOf(tree.keys, places).upTo(asked)
      const known = places.map((i) => tree.keys[i] as string)
      expect(last?.leaf).toBe(lastOf(known, asked) as string)
      if (last) expect(tree.keys[last.index]).toBe(last.leaf)
      const others = possible(tree.keys, places, asked)
      if (isLast) for (const each of others) expect(lastOf(each, asked)).toBe(last?.leaf as string)
      // And no less than the neighbours prove.
      const at = tree.keys.findLastIndex((each) => each <= asked)
      const isShown = (i: number): boolean => i < 0 || i >= tree.keys.length || places.includes(i)
      expect(isLast).toBe((isShown(at) && isShown(at + 1)) || (isShown(at) && tree.keys[at] === asked))
    }),
    { numRuns: 1_500 },
  )
})

test('all leaves with a prefix are claimed only where none can have been kept back', () => {
  fc.assert(
    fc.property(trees, ({ asked: prefix, ...tree }) => {
      const places = placesOf(tree)
      const known = knownOf(tree.keys, places)
      const [under, has] = [known.under(prefix), known.has(prefix)]
      const truth = tree.keys.filter((each) => each.startsWith(prefix))
      const from = tree.keys.findIndex((each) => each >= prefix)
      const start = from < 0 ? tree.keys.length : from
      const needed = Array.from({ length: truth.length + 2 }, (_, i) => start - 1 + i)
      const isShown = (i: number): boolean => i < 0 || i >= tree.keys.length || places.includes(i)
      expect(under).toEqual(needed.every(isShown) ? truth : undefined)
      const isOneShown = places.some((i) => tree.keys[i]?.startsWith(prefix))
      expect(has).toBe(isOneShown ? true : needed.every(isShown) ? false : undefined)
      for (const other of possible(tree.keys, places, prefix)) {
        const inside = other.filter((each) => each.startsWith(prefix))
        if (under !== undefined) expect(inside).toEqual(under)
        if (has !== undefined) expect(inside.length > 0).toBe(has)
      }
    }),
    { numRuns: 1_500 },
  )
})

test('where all leaves are shown, everything is known', () => {
  fc.assert(
    fc.property(trees, ({ keys, asked }) => {
      const known = knownOf(keys, [...keys.keys()])
      const truth = keys.filter((each) => each.startsWith(asked))
      expect(known.under(asked)).toEqual(truth)
      expect(known.has(asked)).toBe(truth.length > 0)
      expect(known.upTo(asked)).toMatchObject({ isLast: true })
      expect(known.upTo(asked).last?.leaf).toBe(lastOf(keys, asked) as string)
    }),
    { numRuns: 300 },
  )
})

test('fifty thousand leaves are searched, not read through', () => {
  const all = Array.from({ length: 50_000 }, (_, i) => ({ index: 2 * i, leaf: String(100_000 + 2 * i) }))
  const known = sortedLeaves(all, 100_000, (leaf) => leaf)
  const spent = effort()
  for (let i = 0; i < 20_000; i++) {
    const asked = String(100_000 + i)
    known?.upTo(asked)
    known?.under(asked)
    known?.has(asked)
  }
  // Read through, this would be three thousand million steps.
  expect(spent()).toBeLessThan(2_000)
})

test('leaves that are out of order, or two of one key, are a contradiction', () => {
  fc.assert(
    fc.property(fc.array(key, { minLength: 1, maxLength: 6 }), (keys) => {
      const rises = keys.every((each, i) => i === 0 || (keys[i - 1] as string) < each)
      const all = keys.map((leaf, i) => ({ index: 2 * i, leaf }))
      expect(sortedLeaves(all, 2 * keys.length, (leaf) => leaf) !== undefined).toBe(rises)
    }),
  )
  const twice = [0, 2].map((index) => ({ index, leaf: 'a' }))
  expect(sortedLeaves(twice, 3, (leaf) => leaf)).toBeUndefined()
})

test('of an empty tree everything is known', () => {
  const none = sortedLeaves<string>([], 0, (leaf) => leaf)
  expect([none?.under('a'), none?.has('a'), none?.upTo('a')]).toEqual([[], false, { last: undefined, isLast: true }])
  const hidden = sortedLeaves<string>([], 1, (leaf) => leaf)
  expect([hidden?.under('a'), hidden?.has('a'), hidden?.upTo('a').isLast]).toEqual([undefined, undefined, false])
})
