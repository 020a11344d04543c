import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { utf8 } from './bytes.ts'
import { failed } from './fault.ts'
import { aSigner, MemoryLog } from './fixture.ts'
import { checkGrowth, type TileFault, type TileReader, verifyGrowth } from './growth.ts'
import { formatPolicy, parsePolicy, type TrustPolicy } from './note/policy.ts'
import { consistencyPath } from './tree/merkle.ts'
import { subtreesFromTiles, tilesOf } from './tree/tiles.ts'

const signer = await aSigner('log.example/registry')
const policy = parsePolicy(formatPolicy([signer])) as TrustPolicy

const leaves = (from: number, to: number, mark = ''): Uint8Array[] =>
  Array.from({ length: to - from }, (_, i) => utf8(`${mark}${from + i}`))
const aLog = (size: number): MemoryLog => new MemoryLog(signer).append(...leaves(0, size))
/** A log with the same first `shared` entries and others after them. */
const aFork = (shared: number, size: number): MemoryLog => aLog(shared).append(...leaves(shared, size, 'other '))

/** A server that has exactly the tiles of a tree of this size, and notes what was asked of it. */
function server(log: MemoryLog, size = log.leaves.length): { read: TileReader; asked: string[] } {
  const has = new Set(tilesOf(size).map(({ level, n, width }) => `${level}/${n}.p/${width}`))
  const asked: string[] = []
  return {
    asked,
    async read(level, n, width) {
      const name = `${level}/${n}.p/${width}`
      asked.push(name)
      if (!has.has(name)) throw new Error('404')
      return log.tile(level, n, width)
    },
  }
}
const check = async (older: MemoryLog, from: number, newer: MemoryLog, to: number, read = server(newer, to).read) =>
  checkGrowth(await older.checkpoint(from), await newer.checkpoint(to), policy, read)

const MOST = 1_200
const whole = aLog(MOST)
const sizes = fc.tuple(fc.nat(MOST), fc.nat(MOST)).map(([a, b]) => [Math.min(a, b), Math.max(a, b)] as const)

test('a log that only grew is found to have grown, whatever the sizes, with tiles of the newer tree alone', async () => {
  await fc.assert(
    fc.asyncProperty(sizes, async ([from, to]) => {
      expect(await check(whole, from, whole, to)).toMatchObject({ ok: true, from: { size: from }, to: { size: to } })
    }),
    { numRuns: 60, examples: [[[0, 0]], [[0, 1]], [[1, 2]], [[255, 256]], [[256, 257]], [[257, 1_024]]] },
  )
})

test('no tile is asked for twice, and none beyond the newer tree', async () => {
  const { read, asked } = server(whole, 1_000)
  expect(await check(whole, 700, whole, 1_000, read)).toMatchObject({ ok: true })
  expect(new Set(asked).size).toBe(asked.length)
  expect(asked.length).toBeLessThan(6)
})

test('a log that shrank was rolled back', async () => {
  await fc.assert(
    fc.asyncProperty(sizes, async ([to, from]) => {
      if (to === from) return
      expect(await check(whole, from, whole, to)).toEqual({ ok: false, reason: 'log_rolled_back' })
    }),
    { numRuns: 20 },
  )
})

test('a log that changed an entry it had before is forked, however late the change and however much was added', async () => {
  const forks = fc.tuple(fc.nat(400), fc.integer({ min: 1, max: 100 }), fc.nat(300))
  await fc.assert(
    fc.asyncProperty(forks, async ([shared, own, added]) => {
      const [from, to] = [shared + own, shared + own + added]
      expect(await check(whole, from, aFork(shared, to), to)).toEqual({ ok: false, reason: 'log_forked' })
    }),
    { numRuns: 40 },
  )
})

test('the same size with another root is a fork, and needs no tile to see', async () => {
  const none: TileReader = () => Promise.reject(new Error('no tile should be asked for'))
  expect(await check(whole, 5, aFork(4, 5), 5, none)).toEqual({ ok: false, reason: 'log_forked' })
  expect(await check(whole, 5, whole, 5, none)).toMatchObject({ ok: true })
})

test('tiles that are missing or damaged are said to be so, and accuse nobody', async () => {
  const damaged: [TileReader, TileFault][] = [
    [() => Promise.reject(new Error('offline')), 'tile_unavailable'],
    [
      () => {
        throw new Error('offline')
      },
      'tile_unavailable',
    ],
    [async () => new Uint8Array(), 'tile_malformed'],
    [async (_level, _n, width) => new Uint8Array(width * 32 - 1), 'tile_malformed'],
    [async (_level, _n, width) => new Uint8Array(width * 32 - 32), 'tile_malformed'],
    [async () => new Uint8Array(257 * 32), 'tile_malformed'],
    [async (_level, _n, width) => new Uint8Array(width * 32), 'tiles_not_of_checkpoint'],
    [server(aFork(3, 600)).read, 'tiles_not_of_checkpoint'],
  ]
  for (const [read, reason] of damaged) expect(await check(whole, 300, whole, 600, read)).toEqual({ ok: false, reason })
})

test('a full tile does in place of a partial one that is gone', async () => {
  const read: TileReader = async (level, n) =>
    whole.tile(level, n, Math.min(256, Math.floor(MOST / 256 ** level) - n * 256))
  expect(await check(whole, 300, whole, 700, read)).toMatchObject({ ok: true })
})

test('both checkpoints must open, and be of one log', async () => {
  const other = await aSigner('log.example/figures')
  const both = parsePolicy(formatPolicy([signer, other])) as TrustPolicy
  const [mine, theirs] = [await whole.checkpoint(5), await new MemoryLog(other).append(...leaves(0, 9)).checkpoint()]
  const { read } = server(whole, 9)
  expect(await checkGrowth(mine, theirs, both, read)).toEqual({ ok: false, reason: 'log_not_the_same' })
  expect(await checkGrowth(mine, theirs, policy, read)).toEqual(failed('note_unsigned'))
  expect(await checkGrowth(theirs, mine, policy, read)).toEqual(failed('note_unsigned'))
  expect(await checkGrowth('', mine, policy, read)).toEqual(failed('note_malformed'))
})

test('a consistency path shows growth between two heads, and nothing else does', async () => {
  const read = subtreesFromTiles(async (level, n) =>
    whole.tile(level, n, Math.min(256, Math.floor(MOST / 256 ** level) - n * 256)),
  )
  const head = async (size: number, origin = 'log.example/registry') => ({ origin, size, root: await whole.root(size) })
  const path = await consistencyPath(300, 700, read)
  expect(verifyGrowth(await head(300), await head(700), path)).toEqual({ ok: true })
  expect(verifyGrowth(await head(300), await head(300), [])).toEqual({ ok: true })
  expect(verifyGrowth(await head(700), await head(300), path)).toEqual({ ok: false, reason: 'log_rolled_back' })
  expect(verifyGrowth(await head(301), await head(700), path)).toEqual({ ok: false, reason: 'log_forked' })
  expect(verifyGrowth(await head(300), await head(700), path.slice(1))).toEqual({ ok: false, reason: 'log_forked' })
  expect(verifyGrowth(await head(300, 'x'), await head(700), path)).toEqual({ ok: false, reason: 'log_not_the_same' })
})
