import { heapStats } from 'bun:jsc'
import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { makeLimiter, networkLimit } from './limits.ts'
import { SlidingWindow } from './sliding-window.ts'

test('no span of a window ever holds more than the limit, and nothing is refused without need', () => {
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
        const window = new SlidingWindow(limit, 10, () => now)
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
})

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

test('a caller with millions of requests takes no more memory than one with a request in each millisecond', () => {
  let now = 0
  const window = new SlidingWindow(10_000_000, 1, () => now)
  const kept = (): number => {
    Bun.gc(true)
    return heapStats().extraMemorySize
  }
  const before = kept()
  for (let i = 0; i < 3_000_000; i++) {
    now = i / 1_000
    window.take('a')
  }
  expect(kept() - before).toBeLessThan(1_000_000)
  // Requests of the last second, and of one moment that is rounded up.
  expect(window.take('a').remaining).toBeWithin(10_000_000 - 1_001_001, 10_000_000 - 999_999)
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
  const clock = () => 0
  const a = { name: 'a' }
  const limiter = makeLimiter({ ...limits, enabled: true }, clock)
  expect(limiter.take('default', a)).toMatchObject({ allowed: true })
  expect(limiter.take('default', a)).toMatchObject({ allowed: false })
  expect(limiter.take('reference', a)).toEqual({
    allowed: true,
    quota: { bucket: 'reference', limit: 2, windowSeconds: 60, remaining: 1, resetSeconds: 60 },
    waitSeconds: 1,
  })
  expect(makeLimiter({ ...limits, enabled: false }, clock).take('default', a)).toBeUndefined()
})

const COUNTED = { default_rpm: 2, reference_rpm: 2, log_rpm: 2, enabled: true }
const inNetworks = (i: number) => ({
  name: `address ${i}`,
  networks: [
    { kind: 'site' as const, name: 'a /56' },
    { kind: 'network' as const, name: 'a /48' },
  ],
})

test('a look for a refusal counts nothing, and finds a full key, a full address and a full network', () => {
  const limiter = makeLimiter(COUNTED, () => 0)
  const key = { name: 'key k' }
  for (let i = 0; i < 5; i++) expect(limiter.findRefusal('default', key)).toBeUndefined()
  limiter.take('default', key, 2)
  for (let i = 0; i < 2; i++)
    expect(limiter.findRefusal('default', key)).toEqual({
      allowed: false,
      quota: { bucket: 'default', limit: 2, windowSeconds: 60, remaining: 0, resetSeconds: 60 },
      waitSeconds: 60,
    })
  // An address of the same name as a key is counted apart.
  expect(limiter.findRefusal('default', { ...key, networks: [] })).toBeUndefined()
  for (let i = 0; i < 4; i++) {
    expect(limiter.findRefusal('default', inNetworks(i))).toBeUndefined()
    limiter.take('default', inNetworks(i), 2)
    expect(limiter.findRefusal('default', inNetworks(i))).toMatchObject({ allowed: false })
  }
  const refusal = { allowed: false, quota: { bucket: 'default-site', limit: 8, remaining: 0 } }
  expect(limiter.findRefusal('default', inNetworks(4))).toMatchObject(refusal)
  expect(limiter.take('default', inNetworks(4))).toMatchObject(refusal)
  expect(makeLimiter({ ...COUNTED, enabled: false }, () => 0).findRefusal('default', key)).toBeUndefined()
})

test('a cost that no network can ever take is refused for good, and each network counts what was accepted', () => {
  const limiter = makeLimiter(COUNTED, () => 0)
  expect(limiter.take('default', inNetworks(0), 9)).toMatchObject({ allowed: false, waitSeconds: Infinity })
  expect(limiter.take('default', inNetworks(0), 8)).toMatchObject({ allowed: false, quota: { bucket: 'default' } })
  for (let i = 0; i < 3; i++) expect(limiter.take('default', inNetworks(i), 2)).toMatchObject({ allowed: true })
  expect(limiter.take('default', inNetworks(3), 3)).toMatchObject({
    quota: { bucket: 'default-site', limit: 8, windowSeconds: 60, remaining: 2 },
  })
  expect(limiter.take('default', inNetworks(3), 8)).toMatchObject({ allowed: false, waitSeconds: 120 })
  expect(limiter.take('default', inNetworks(3), 9)).toMatchObject({ allowed: false, waitSeconds: Infinity })
  expect(limiter.take('default', inNetworks(3), 2)).toMatchObject({ allowed: true })
})

test('all strangers together have what one network may have, if the operator says less', () => {
  const quota = { limit: 10, windowSeconds: 60 }
  const limitOf = (kind: 'site' | 'network' | 'anonymous', anonymous_rpm?: number) =>
    networkLimit({ kind, name: '' }, quota, { ...COUNTED, ...(anonymous_rpm === undefined ? {} : { anonymous_rpm }) })
  expect([limitOf('site'), limitOf('network'), limitOf('anonymous')]).toEqual([40, 160, 600_000])
  expect([limitOf('anonymous', 159), limitOf('anonymous', 161)]).toEqual([160, 161])
  const limiter = makeLimiter({ ...COUNTED, anonymous_rpm: 32 }, () => 0)
  for (let i = 0; i < 16; i++) limiter.take('default', { name: `address ${i}`, networks: [] }, 2)
  const stranger = { name: 'address 16', networks: [] }
  expect(limiter.findRefusal('default', stranger)).toMatchObject({ quota: { bucket: 'default-anonymous', limit: 32 } })
  expect(limiter.findRefusal('default', { name: 'key k' })).toBeUndefined()
})

test('a caller who has used much is not forgotten for newcomers who used little', () => {
  let now = 0
  const window = new SlidingWindow(5, 60, () => now, 4)
  window.take('much', 5)
  for (const key of ['a', 'b', 'c']) window.take(key)
  for (let i = 0; i < 40; i++) {
    now += 1
    window.take(`newcomer ${i}`)
    expect(window.size).toBe(4)
  }
  expect(window.hasRoom('much')).toBe(false)
  // The callers that are left are the last that came.
  expect(window.take('newcomer 39')).toMatchObject({ remaining: 3 })
  expect(window.take('newcomer 0')).toMatchObject({ remaining: 4 })
})

test('what a caller used before the window does not keep it from being forgotten', () => {
  let now = 0
  const window = new SlidingWindow(6, 60, () => now, 2)
  window.take('mostly long ago', 5)
  now = 50_000
  window.take('mostly long ago')
  window.take('twice', 2)
  now = 61_000
  window.take('newcomer')
  expect(window.take('twice', 0)).toMatchObject({ remaining: 4 })
  expect(window.take('mostly long ago', 0)).toMatchObject({ remaining: 6 })
})

test('more callers who used up their quota than are looked at together are not forgotten for newcomers', () => {
  let now = 0
  const window = new SlidingWindow(5, 60, () => now, 12)
  window.take('three', 3)
  const full = Array.from({ length: 9 }, (_, i) => `full ${i}`)
  for (const key of full) window.take(key, 5)
  for (let i = 0; i < 30; i++) {
    now += 1
    window.take(`newcomer ${i}`)
  }
  expect(full.filter((key) => window.hasRoom(key))).toEqual([])
})

test('whether there is room is known without counting, and it comes back when the window has passed', () => {
  let now = 0
  const window = new SlidingWindow(2, 60, () => now)
  expect(window.hasRoom('a')).toBe(true)
  window.take('a', 2)
  now = 59_999
  expect(window.hasRoom('a')).toBe(false)
  now = 60_000
  for (let i = 0; i < 3; i++) expect(window.hasRoom('a')).toBe(true)
})
