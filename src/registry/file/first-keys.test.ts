import { expect, test } from 'bun:test'
import { FirstKeys } from './first-keys.ts'

/** First keys of so many bundles, of prices and of places, and how often they were read. `index` is what SQLite finds them by. */
function keysOf(bundles: number, index = (keys: readonly string[]) => keys) {
  const keys = Array.from({ length: bundles }, (_, i) =>
    i % 3 === 0
      ? `${10_000 + i}|`
      : `${10_000 + i}|US-CA-${10 + (i % 80)}|||medicare_pfs|${i % 2 ? 'facility' : 'non_facility'}|`,
  ).sort()
  const reads = { firsts: 0, chunks: 0 }
  const firstKeys = new FirstKeys({
    bundles,
    firstKey: (n) => {
      reads.firsts++
      return keys[n] as string
    },
    firstKeysFrom: (key, most) => {
      reads.chunks++
      return index(keys)
        .filter((each) => each >= key)
        .slice(0, most)
        .join('\n')
    },
  })
  return { keys, reads, firstKeys }
}

test('the bundle of a key is the last one that does not begin after it, in one chunk or in many', () => {
  for (const bundles of [1, 2, 255, 256, 257, 512, 1_500]) {
    const { keys, reads, firstKeys } = keysOf(bundles)
    for (const [n, key] of keys.entries()) {
      expect([bundles, key, firstKeys.find(key)]).toEqual([bundles, key, n])
      expect(firstKeys.find(`${key}~`)).toBe(n)
      for (const at of [0, 5, 16, 20]) expect(firstKeys.find(key.slice(0, at), key.slice(at))).toBe(n)
      expect(firstKeys.find(key.slice(0, -1))).toBe(n - 1)
    }
    expect(firstKeys.find('')).toBe(-1)
    expect(firstKeys.find('~')).toBe(bundles - 1)
    expect(reads).toEqual({ firsts: Math.ceil(bundles / 256), chunks: Math.ceil(bundles / 256) })
  }
})

test('with which code and place a bundle begins is known without the file, unless its index says something else', () => {
  for (const bundles of [1, 256, 600]) {
    const { keys, firstKeys } = keysOf(bundles)
    for (const [n, key] of keys.entries()) {
      const [code, place = ''] = key.split('|')
      const halves = key.endsWith('|') && place === '' ? key.slice(0, -1) : `${code}|${place}`
      expect([key, firstKeys.isOther(n, halves)]).toEqual([key, false])
      for (const other of [halves.slice(0, -1), `${halves}0`, `9${halves.slice(1)}`])
        expect([key, other, firstKeys.isOther(n, other)]).toEqual([key, other, true])
    }
  }
  expect(keysOf(60, ([, ...keys]) => ['0', ...keys]).firstKeys.isOther(5, '10005|US-CA-15')).toBeUndefined()
})

test('a file without rows has no bundle for any key', () => {
  expect(keysOf(0).firstKeys.find('10000|')).toBe(-1)
})

test('a first question reads a few keys, however many there are', () => {
  const { keys, reads, firstKeys } = keysOf(50_000)
  expect(firstKeys.find(keys[30_123] as string)).toBe(30_123)
  expect(reads.firsts).toBeLessThan(10)
  expect(reads.chunks).toBe(1)
})

test('keys that go on in too many ways after their code and place are left to the file', () => {
  const keys = Array.from({ length: 6_000 }, (_, i) => `${10_000 + i}|national|${i}`)
  const firstKeys = new FirstKeys({
    bundles: keys.length,
    firstKey: (n) => keys[n] as string,
    firstKeysFrom: (key, most) =>
      keys
        .filter((each) => each >= key)
        .slice(0, most)
        .join('\n'),
  })
  const found = keys.map((key) => firstKeys.find(key))
  expect(found.slice(0, 4_096)).toEqual(keys.slice(0, 4_096).map((_, n) => n))
  expect(found.slice(4_096)).toEqual(Array(6_000 - 4_096).fill(undefined))
})

test('where the index says something else than the bundles, the file itself is searched, and that at once', () => {
  const lines = (count: number): string => Array.from({ length: count }, (_, i) => `1|x|${i}`).join('\n')
  const lies: ((keys: readonly string[]) => readonly string[])[] = [
    ([, ...keys]) => ['0', ...keys],
    (keys) => keys.with(3, `${keys[3]}\n`),
    (keys) => keys.with(3, `${keys[3]}\n${keys[3]}`),
    (keys) => keys.with(3, `${keys[3]}\n${lines(100_000)}`),
  ]
  for (const bundles of [60, 600])
    for (const [i, lie] of lies.entries()) {
      const { keys, firstKeys } = keysOf(bundles, lie)
      expect([bundles, i, [0, 2, 3, 4, 50].map((n) => firstKeys.find(keys[n] as string))]).toEqual([
        bundles,
        i,
        Array(5).fill(undefined),
      ])
    }
})
