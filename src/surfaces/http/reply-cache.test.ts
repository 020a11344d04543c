import { expect, test } from 'bun:test'
import type { KeptRoute } from './kept-route.ts'
import { ReadyReply, ReplyCache } from './reply-cache.ts'

const route = (given: Partial<KeptRoute> = {}): KeptRoute => ({
  path: '/reference',
  access: 'public',
  limit: 'reference',
  stamp: () => 'one',
  formFor: () => 0,
  ignoresQuery: false,
  underWay: new Map(),
  isSmall: false,
  ...given,
})
const replyOf = (bytes: number): ReadyReply =>
  new ReadyReply({ status: 200, headers: {}, body: new Uint8Array(bytes) }, undefined)
const keep = (
  cache: ReplyCache,
  target: string,
  answer: ReturnType<typeof made>,
  bytes: number,
  variants = [0],
  reply = replyOf(bytes),
): boolean => {
  const isWanted = cache.wants(target, answer.route, bytes)
  if (isWanted) cache.keep(target, answer, variants, reply)
  return isWanted
}
const made = (given: Partial<KeptRoute> = {}, stamp = 'one') => ({ route: route(given), stamp, cost: 1 })

test('a caller who never asks the same twice takes no room', () => {
  const cache = new ReplyCache(1_000_000)
  for (let i = 0; i < 10_000; i++) keep(cache, `/reference?cpt=${i}`, made(), 5000)
  expect(cache.figures).toMatchObject({ misses: 10_000 })
  expect(cache.figures.targets).toBeLessThan(10)
  keep(cache, '/reference?cpt=9999', made(), 5000)
  expect(cache.find('/reference?cpt=9999')).toBeDefined()
})

test('a few thousand targets that are asked in turn are all kept, wherever their hashes fall', () => {
  const cache = new ReplyCache(100_000_000)
  const targets = Array.from({ length: 3_000 }, (_, i) => `/reference?cpt=${i}`)
  for (let round = 0; round < 2; round++) for (const target of targets) keep(cache, target, made(), 4000)
  expect(targets.filter((target) => !cache.find(target))).toEqual([])
})

test('of many more targets in turn than there is room for, few are kept: none would be there when it is asked for again', () => {
  const cache = new ReplyCache(8_000_000)
  const targets = Array.from({ length: 20_000 }, (_, i) => `/reference?cpt=${i}`)
  let kept = 0
  for (let round = 0; round < 4; round++) for (const target of targets) if (keep(cache, target, made(), 4000)) kept++
  expect(kept).toBeLessThan(100)
})

test('the memory is bounded by bytes, whatever is asked twice, and what is asked for again and again stays', () => {
  const cache = new ReplyCache(1_000_000)
  const twice = (target: string, bytes: number): void => {
    for (let i = 0; i < 2; i++) keep(cache, target, made(), bytes)
  }
  twice('/hot', 3000)
  for (let i = 0; i < 5000; i++) {
    twice(`/junk?${i}`, (i * 7919) % 60_000)
    expect(cache.figures.bytes).toBeLessThanOrEqual(1_100_000)
    expect(cache.find('/hot')).toBeDefined()
  }
  expect(cache.figures.bytes).toBeGreaterThan(300_000)
  expect(cache.find('/junk?0')).toBeUndefined()
})

test('what would fill an eighth of the memory is not kept, nor a very long target', () => {
  const cache = new ReplyCache(80_000)
  keep(cache, '/large', made({ isSmall: true }), 20_000)
  keep(cache, `/long?${'x'.repeat(600)}`, made({ isSmall: true }), 100)
  expect(cache.figures.targets).toBe(0)
  const none = new ReplyCache(0)
  keep(none, '/small', made({ isSmall: true }), 0)
  expect(none.figures.targets).toBe(0)
})

test('an answer under a new stamp takes the place of the old one, in all its forms', () => {
  const cache = new ReplyCache(1_000_000)
  const kept = made({ isSmall: true })
  const [one, other, later] = [replyOf(5000), replyOf(5000), replyOf(5000)]
  keep(cache, '/', kept, 5000, [0, 1], one)
  keep(cache, '/', kept, 5000, [2], other)
  expect([...(cache.find('/')?.replies ?? [])]).toEqual([
    [0, one],
    [1, one],
    [2, other],
  ])
  const { bytes } = cache.figures
  keep(cache, '/', kept, 5000, [2])
  expect(cache.figures.bytes).toBe(bytes)
  keep(cache, '/', { ...kept, stamp: 'two' }, 5000, [0], later)
  expect([...(cache.find('/')?.replies ?? [])]).toEqual([[0, later]])
  expect(cache.find('/')?.stamp).toBe('two')
  expect(cache.figures.bytes).toBeLessThan(bytes)
})
