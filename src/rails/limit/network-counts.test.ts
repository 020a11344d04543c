import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { lately, NetworkCounts, secondsUntilRoom } from './network-counts.ts'

const WINDOW_MS = 60_000
const SEEDS = new Int32Array([1, 2, 3, 4])

/** Counts with seeds that are known, so that names can be chosen that share a set. */
const counts = (): NetworkCounts => new NetworkCounts(60, SEEDS)

/** Names that share a set of sixteen. */
const inSet = (set: number): string[] =>
  Array.from({ length: 10_000 }, (_, i) => `10.${i >> 8}.${i & 255}.0/24`).filter(
    (name) => (Bun.hash.xxHash32(name, 1) & 255) === set,
  )
const crowded = inSet(7)

test('a network counts this window and what is left of the one before, whatever came when', () => {
  const step = fc.record({
    wait: fc.oneof(fc.nat(2_000), fc.nat(60_000), fc.nat(200_000)),
    name: fc.constantFrom('a', 'b'),
    cost: fc.integer({ min: 1, max: 9 }),
  })
  fc.assert(
    fc.property(
      fc.nat(2 ** 31),
      fc.integer({ min: 1, max: 20 }),
      fc.array(step, { minLength: 10, maxLength: 60 }),
      (begin, limit, steps) => {
        const table = counts()
        const taken: { window: number; name: string; cost: number }[] = []
        let now = begin
        for (const { wait, name, cost } of steps) {
          now += wait
          const window = Math.floor(now / WINDOW_MS)
          const elapsed = (now % WINDOW_MS) / WINDOW_MS
          const inWindow = (which: number): number =>
            taken.reduce((sum, one) => sum + (one.window === which && one.name === name ? one.cost : 0), 0)
          const [current, before] = [inWindow(window), inWindow(window - 1)]
          expect(table.countOf({ name }, now)).toEqual({ current, before, elapsed })
          const hasRoom = current + before * (1 - elapsed) + cost <= limit
          expect(table.hasRoom({ name }, limit, cost, now)).toBe(hasRoom)
          if (!hasRoom) continue
          table.add({ name }, cost, now)
          taken.push({ window, name, cost })
        }
      },
    ),
    { numRuns: 40 },
  )
})

test('a network that waits as long as it is told has room then, and not a second before', () => {
  const counted = fc.record({
    current: fc.nat(30),
    before: fc.nat(30),
    elapsed: fc.double({ min: 0, max: 0.99, noNaN: true }),
  })
  fc.assert(
    fc.property(counted, fc.integer({ min: 1, max: 30 }), fc.integer({ min: 1, max: 5 }), (count, limit, cost) => {
      fc.pre(cost <= limit && lately(count) + cost > limit)
      const seconds = secondsUntilRoom(count, limit, cost, 60)
      /** The counts after a wait without requests. */
      const after = (wait: number): number => {
        const elapsed = count.elapsed + wait / 60
        if (elapsed < 1) return lately({ ...count, elapsed })
        return elapsed < 2 ? lately({ current: 0, before: count.current, elapsed: elapsed - 1 }) : 0
      }
      expect(after(seconds) + cost).toBeLessThanOrEqual(limit + 1e-9)
      if (seconds > 1) expect(after(seconds - 1) + cost).toBeGreaterThan(limit - 1e-9)
    }),
  )
})

test('where a set is full, a network with the fewest requests is forgotten, and one that is long gone before it', () => {
  const table = counts()
  const [gone = '', ...others] = crowded.slice(0, 16)
  const newcomers = crowded.slice(16)
  table.add({ name: gone }, 1_000, 0)
  for (const [i, name] of others.entries()) table.add({ name }, 20 + i, 2 * WINDOW_MS)
  // Requests of two windows ago do not count any more.
  table.add({ name: newcomers[0] ?? '' }, 5, 2 * WINDOW_MS)
  const kept = (name: string, now: number): number => {
    const { current, before } = table.countOf({ name }, now)
    return current + before
  }
  expect(kept(gone, 2 * WINDOW_MS)).toBe(0)
  for (const [i, name] of others.entries()) expect(kept(name, 2 * WINDOW_MS)).toBe(20 + i)
  // The newcomer has the fewest, so the next one takes its place.
  table.add({ name: newcomers[1] ?? '' }, 7, 2 * WINDOW_MS)
  expect(kept(newcomers[0] ?? '', 2 * WINDOW_MS)).toBe(0)
  expect(kept(newcomers[1] ?? '', 2 * WINDOW_MS)).toBe(7)
  // In the next window what came before counts for those who are still there, and for those who are not.
  table.add({ name: newcomers[1] ?? '' }, 15, 3 * WINDOW_MS)
  table.add({ name: newcomers[2] ?? '' }, 1, 3 * WINDOW_MS)
  expect(kept(others[0] ?? '', 3 * WINDOW_MS)).toBe(0)
  expect(kept(newcomers[1] ?? '', 3 * WINDOW_MS)).toBe(22)
  expect(kept(others[1] ?? '', 3 * WINDOW_MS)).toBe(21)
})

test('the first and the last place of the table count like any other', () => {
  for (const set of [0, 255]) {
    const table = counts()
    for (const [i, name] of inSet(set).slice(0, 16).entries()) table.add({ name }, i + 1, 0)
    for (const [i, name] of inSet(set).slice(0, 16).entries()) {
      expect(table.countOf({ name }, 0).current).toBe(i + 1)
      expect([table.hasRoom({ name }, 20, 19 - i, 0), table.hasRoom({ name }, 20, 20 - i, 0)]).toEqual([true, false])
    }
  }
})

test('a network that was looked for in one table is found in another one with other seeds', () => {
  const other = new NetworkCounts(60, new Int32Array([5, 6, 7, 8]))
  const network = { name: '192.0.2.0/24' }
  const table = counts()
  table.add(network, 3, 0)
  other.add(network, 4, 0)
  expect([
    table.countOf({ name: '192.0.2.0/24' }, 0).current,
    other.countOf({ name: '192.0.2.0/24' }, 0).current,
  ]).toEqual([3, 4])
})

test('networks whose names share one hash of the two are counted apart', () => {
  const table = counts()
  const at = (words: Int32Array): number => words.findIndex((word) => word !== 0)
  table.add({ name: 'a' }, 5, 0)
  const begin = at(table.words)
  table.words[begin + 1] = ((table.words[begin + 1] as number) + 1) | 0
  expect(table.countOf({ name: 'a' }, 0).current).toBe(0)
  table.words[begin + 1] = ((table.words[begin + 1] as number) - 1) | 0
  table.words[begin] = ((table.words[begin] as number) + 256) | 0
  expect(table.countOf({ name: 'a' }, 0).current).toBe(0)
})
