import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { type BucketTables, makeLimiter, ownTables } from './limits.ts'
import { makeSharedMemory, openSharedTables } from './shared-windows.ts'
import { SlidingWindow } from './sliding-window.ts'

const KINDS: [string, (limit: number, clockMs: () => number) => { take: SlidingWindow['take'] }][] = [
  ['of one process', (limit, clockMs) => new SlidingWindow(limit, 10, clockMs)],
  ['in shared memory', (limit, clockMs) => shared(limit, clockMs)],
]

/** A fresh window in memory that nobody else has open. */
function shared(limit: number, clockMs: () => number): BucketTables['addresses'] {
  const quota = { limit, windowSeconds: 10 }
  using memory = makeSharedMemory([quota])
  return (openSharedTables(memory.path, [quota], clockMs)[0] as BucketTables).addresses
}

test.each(KINDS)(
  'no span of a window %s ever holds more than the limit, and nothing is refused without need',
  (_, windowOf) => {
    const step = fc.record({
      wait: fc.oneof(fc.nat(40), fc.nat(12_000)),
      key: fc.constantFrom('a', 'b'),
      cost: fc.oneof(fc.constant(1), fc.integer({ min: 1, max: 15 })),
    })
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 12 }),
        fc.nat(2 ** 32),
        fc.array(step, { maxLength: 200 }),
        (limit, begin, steps) => {
          let now = begin
          const window = windowOf(limit, () => now)
          const accepted: { at: number; key: string }[] = []
          for (const { wait, key, cost } of steps) {
            now += wait
            const counted = accepted.filter((one) => one.key === key && one.at > now - 10_000)
            const taken = window.take(key, cost)
            expect(taken.allowed).toBe(counted.length + cost <= limit)
            const freed = counted[counted.length + cost - limit - 1]?.at
            if (taken.allowed)
              for (let i = 0; i < cost; i++) {
                accepted.push({ at: now, key })
                counted.push({ at: now, key })
              }
            else
              expect(taken.waitSeconds).toBe(
                freed === undefined ? Infinity : Math.max(1, Math.ceil((freed + 10_000 - now) / 1000)),
              )
            expect(taken.remaining).toBe(limit - counted.length)
            const oldest = counted[0]?.at ?? -Infinity
            expect(taken.resetSeconds).toBe(Math.max(1, Math.ceil((oldest + 10_000 - now) / 1000)))
          }
        },
      ),
      { numRuns: 150 },
    )
  },
)

test('the 121st request within a minute of the first is refused however slowly they come', () => {
  let now = 5
  const window = new SlidingWindow(120, 60, () => now)
  for (let i = 0; i < 120; i++) {
    expect(window.take('a').allowed).toBe(true)
    now += 499
  }
  expect(now).toBeLessThan(60_000)
  expect(window.take('a')).toEqual({ allowed: false, remaining: 0, resetSeconds: 1, waitSeconds: 1 })
  now = 60_005
  expect(window.take('a').allowed).toBe(true)
})

test('waiting for as long as the reset says is enough', () => {
  let now = 0.25
  const window = new SlidingWindow(2, 60, () => now)
  window.take('a')
  now = 1000.5
  window.take('a')
  now = 1700.75
  const { allowed, resetSeconds } = window.take('a')
  expect([allowed, resetSeconds]).toEqual([false, 59])
  now += resetSeconds * 1000
  expect(window.take('a').allowed).toBe(true)
})

test('a request that counts as many is taken whole or not at all, and told when it will fit', () => {
  let now = 0
  const window = new SlidingWindow(10, 60, () => now)
  expect(window.take('a', 4)).toMatchObject({ allowed: true, remaining: 6 })
  now = 10_000
  expect(window.take('a', 4)).toMatchObject({ allowed: true, remaining: 2 })
  now = 20_000
  expect(window.take('a', 7)).toEqual({ allowed: false, remaining: 2, resetSeconds: 40, waitSeconds: 50 })
  expect(window.take('a', 2)).toMatchObject({ allowed: true, remaining: 0 })
  expect(window.take('a', 11)).toMatchObject({ allowed: false, waitSeconds: Infinity })
})

test('refused requests do not prolong the wait', () => {
  let now = 0
  const window = new SlidingWindow(1, 60, () => now)
  window.take('a')
  for (now = 1000; now < 60_000; now += 1000) expect(window.take('a').allowed).toBe(false)
  expect(window.take('a').allowed).toBe(true)
})

test('memory is bounded: the key untouched for longest goes first', () => {
  let now = 0
  const window = new SlidingWindow(1, 60, () => now, 3)
  for (const key of ['a', 'b', 'c']) window.take(key)
  expect(window.take('a').allowed).toBe(false)
  now += 1
  for (const key of ['d', 'e']) window.take(key)
  expect(window.size).toBe(3)
  expect(window.take('a').allowed).toBe(false)
  expect(window.take('b').allowed).toBe(true)
  for (let i = 0; i < 1000; i++) window.take(`other ${i}`)
  expect(window.size).toBe(3)
})

test('callers who went away are forgotten', () => {
  let now = 0
  const window = new SlidingWindow(5, 60, () => now)
  for (let i = 0; i < 100; i++) window.take(`caller ${i}`)
  now = 60_000
  for (let i = 0; i < 60; i++) window.take('still here')
  expect(window.size).toBe(1)
})

test('a limit below one is a mistake of the operator', () => {
  expect(() => new SlidingWindow(0, 60, () => 0)).toThrow(RangeError)
  expect(() => new SlidingWindow(1.5, 60, () => 0)).toThrow(RangeError)
})

test('buckets count apart, and a limiter that is off counts nothing', () => {
  const limits = { default_rpm: 1, reference_rpm: 2, log_rpm: 3, anonymous_rpm: 100 }
  const tables = ownTables(() => 0)
  const a = { name: 'a' }
  const limiter = makeLimiter({ ...limits, enabled: true }, tables)
  expect(limiter.take('default', a)).toMatchObject({ allowed: true })
  expect(limiter.take('default', a)).toMatchObject({ allowed: false })
  expect(limiter.take('reference', a)).toEqual({
    allowed: true,
    quota: { bucket: 'reference', limit: 2, windowSeconds: 60, remaining: 1, resetSeconds: 60 },
    waitSeconds: 1,
  })
  expect(makeLimiter({ ...limits, enabled: false }, tables).take('default', a)).toBeUndefined()
})
