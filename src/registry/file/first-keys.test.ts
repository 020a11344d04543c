import { expect, test } from 'bun:test'
import { FirstKeys } from './first-keys.ts'

/** First keys of so many bundles, of prices and of places, and how often they were read. */
function keysOf(bundles: number) {
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
      return keys.slice(keys.indexOf(key)).slice(0, most).join('\n')
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
      expect(firstKeys.find(key.slice(0, -1))).toBe(n - 1)
    }
    expect(firstKeys.find('')).toBe(-1)
    expect(firstKeys.find('~')).toBe(bundles - 1)
    expect(reads).toEqual({ firsts: Math.ceil(bundles / 256), chunks: Math.ceil(bundles / 256) })
  }
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
