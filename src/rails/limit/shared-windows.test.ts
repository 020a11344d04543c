import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { makeSharedMemory, openSharedTables, type SharedWindow } from './shared-windows.ts'

const MODULE = new URL('./shared-windows.ts', import.meta.url).pathname

/** Runs a program with `path` in several processes at once, and gathers what each prints. */
async function inProcesses<T>(count: number, path: string, program: string): Promise<T[]> {
  const children = Array.from({ length: count }, () =>
    Bun.spawn([process.execPath, '-e', `const path = ${JSON.stringify(path)};${program}`], { stdout: 'pipe' }),
  )
  const said = await Promise.all(children.map(({ stdout }) => new Response(stdout).text()))
  return said.map((text) => JSON.parse(text) as T)
}

/** They begin at the same moment, or almost. */
const BEGIN = `while (Date.now() < ${'$'}{begin}) {}`
const together = (): string => BEGIN.replace(`${'$'}{begin}`, String(Date.now() + 1_000))

const one = (path: string, limit: number, clockMs?: () => number): SharedWindow =>
  openSharedTables(path, [{ limit, windowSeconds: 60 }], clockMs)[0]?.addresses as SharedWindow

test('atomic operations on mapped memory hold between processes', async () => {
  using memory = makeSharedMemory([{ limit: 1, windowSeconds: 60 }])
  const words = new Int32Array(Bun.mmap(memory.path).buffer, 0, 4)
  const before = words[1] as number
  await inProcesses(
    3,
    memory.path,
    `const words = new Int32Array(Bun.mmap(path).buffer, 0, 4); ${together()}
     for (let i = 0; i < 100_000; i++) Atomics.add(words, 1, 1); console.log(1)`,
  )
  expect(((words[1] as number) - before) | 0).toBe(300_000)
})

test('processes that count at the same time accept exactly the quota together', async () => {
  const quotas = [
    { limit: 120, windowSeconds: 600 },
    { limit: 5_000, windowSeconds: 600 },
  ]
  using memory = makeSharedMemory(quotas)
  const accepted = await inProcesses<number[]>(
    3,
    memory.path,
    `import { openSharedTables } from ${JSON.stringify(MODULE)}
     const windows = openSharedTables(path, ${JSON.stringify(quotas)}).map(({ addresses }) => addresses); ${together()}
     console.log(JSON.stringify(windows.map((window) => {
       let accepted = 0
       for (let i = 0; i < 6_000; i++) if (window.take('address 192.0.2.' + (i % 2)).allowed) accepted++
       return accepted
     })))`,
  )
  const sums = [0, 1].map((at) => accepted.reduce((sum, each) => sum + (each[at] ?? 0), 0))
  expect(sums).toEqual([240, 10_000])
})

test('a quota that is larger than what is kept is never passed, and comes back within a hundredth of the window', () => {
  let now = 0
  using memory = makeSharedMemory([{ limit: 3_000, windowSeconds: 60 }])
  const window = one(memory.path, 3_000, () => now)
  const accepted: number[] = []
  for (now = 0.25; now < 600_000; now += 11) if (window.take('a').allowed) accepted.push(now)
  for (const [i, at] of accepted.entries()) {
    const last = accepted[i + 3_000]
    if (last !== undefined) expect(last - at).toBeGreaterThanOrEqual(60_000)
  }
  expect(accepted.length).toBeGreaterThan(3_000 * 10 * 0.99)
})

test('a process that died while it held a lock does not stop the others', () => {
  using memory = makeSharedMemory([{ limit: 2, windowSeconds: 60 }])
  const window = one(memory.path, 2)
  window.take('a')
  const setWords = window.words.length / 512
  for (let set = 0; set < window.words.length; set += setWords) window.words[set] = 999_999_999
  expect(window.take('a')).toMatchObject({ allowed: true, remaining: 0 })
  expect(window.take('a').allowed).toBe(false)
})

test('what a process that died left half written is read within bounds', () => {
  using memory = makeSharedMemory([{ limit: 200, windowSeconds: 60 }])
  const window = one(memory.path, 200)
  for (let i = 0; i < 1_000; i++) window.take(`caller ${i}`)
  const setWords = window.words.length / 512
  for (let set = 0; set < window.words.length; set += setWords)
    for (let way = 0; way < 16; way++)
      for (let word = 2; word < 6; word++)
        window.words[set + 1 + way * 6 + word] = crypto.getRandomValues(new Int32Array(1))[0] as number
  for (let i = 0; i < 1_000; i++) {
    const { remaining, resetSeconds, waitSeconds } = window.take(`caller ${i}`)
    expect([remaining >= 0 && remaining <= 200, resetSeconds >= 1, waitSeconds >= 1]).toEqual([true, true, true])
  }
  for (let set = 0; set < window.words.length; set += setWords) expect(window.words[set]).toBe(0)
})

test('memory is bounded: a caller who has been quiet for longest is forgotten first, and others are not mixed up', () => {
  let now = 0
  using memory = makeSharedMemory([{ limit: 1, windowSeconds: 60 }])
  const window = one(memory.path, 1, () => now)
  let refused = 0
  for (let i = 0; i < 20_000; i++) {
    now += 1
    if (!window.take(`caller ${i}`).allowed) refused++
  }
  expect(refused).toBe(0)
  expect(window.take('caller 19999').allowed).toBe(false)
  expect(window.take('caller 0').allowed).toBe(true)
})

test('moments are those of the machine, in milliseconds, and they only grow', () => {
  using memory = makeSharedMemory([{ limit: 2, windowSeconds: 60 }])
  const { clockMs } = one(memory.path, 2)
  const uptimeMs = (): number => Number(readFileSync('/proc/uptime', 'utf8').split(' ')[0]) * 1000
  const [before, first] = [uptimeMs(), clockMs()]
  Bun.sleepSync(2)
  const [second, after] = [clockMs(), uptimeMs()]
  expect(second - first).toBeGreaterThanOrEqual(2)
  expect([first > before - 50, second < after + 50]).toEqual([true, true])
})

test('whether there is room is known without counting, in tables of addresses and of keys alike', () => {
  let now = 0
  const quota = { limit: 2, windowSeconds: 60 }
  using memory = makeSharedMemory([quota, quota])
  const [first, second] = openSharedTables(memory.path, [quota, quota], () => now)
  for (const window of [first?.addresses, first?.keys, second?.addresses, second?.keys]) {
    now = 0
    if (!window) throw new Error('there are two tables')
    expect([window.limit, window.windowSeconds]).toEqual([2, 60])
    for (let i = 0; i < 3; i++) expect(window.hasRoom('a')).toBe(true)
    expect(window.take('b')).toMatchObject({ remaining: 1, waitSeconds: 1 })
    expect(window.take('a', 3)).toMatchObject({ allowed: false, remaining: 2, waitSeconds: Infinity })
    window.take('a', 2)
    now = 59_999
    expect(window.hasRoom('a')).toBe(false)
    now = 60_000
    expect(window.hasRoom('a')).toBe(true)
  }
})

test('many moments of a large quota are counted in steps: what is used up comes back in the order in which it was used', () => {
  let now = 0
  const window = (limit: number): SharedWindow => {
    using memory = makeSharedMemory([{ limit, windowSeconds: 60 }])
    return one(memory.path, limit, () => now)
  }
  // As many moments as are kept: each request is its own.
  const exact = window(128)
  for (now = 0; now < 128; now++) exact.take('a')
  now = 60_000
  expect(exact.take('a', 2)).toMatchObject({ allowed: false, remaining: 1 })
  now = 60_001
  expect(exact.take('a', 2)).toMatchObject({ allowed: true, remaining: 0 })
  // One more, and requests within 477 milliseconds count as made at the last of them.
  now = 0
  const coarse = window(129)
  for (now = 0; now < 129; now++) coarse.take('a')
  now = 60_127
  expect(coarse.take('a')).toMatchObject({ allowed: false, remaining: 0, resetSeconds: 1, waitSeconds: 1 })
  now = 60_128
  expect(coarse.take('a', 129)).toMatchObject({ allowed: true, remaining: 0 })
})

test('sixteen callers of one set are counted apart, and the next one takes the place of who has fewest in the window', () => {
  let now = 0
  using memory = makeSharedMemory([{ limit: 40, windowSeconds: 60 }])
  const window = one(memory.path, 40, () => now)
  const setOf = (name: string): number => Bun.hash.xxHash32(name, (window.seeds[2] as number) >>> 0) & 511
  const names = Array.from({ length: 20_000 }, (_, i) => `caller ${i}`).filter((name) => setOf(name) === 0)
  const [most = '', ...others] = names.slice(0, 16)
  const used = (name: string): number => 40 - window.take(name, 0).remaining
  window.take(most, 40)
  now = 50_000
  for (const [i, name] of others.entries()) for (let n = 0; n <= i; n++) window.take(name)
  expect([used(most), ...others.map(used)]).toEqual([40, ...others.map((_, i) => i + 1)])
  // In time, who has one request is forgotten; later, who had forty of them long ago.
  now = 59_000
  window.take(names[16] ?? '', 2)
  now = 61_000
  window.take(names[17] ?? '', 3)
  expect(others.slice(1).map(used)).toEqual(others.slice(1).map((_, i) => i + 2))
  expect([used(names[16] ?? ''), used(names[17] ?? '')]).toEqual([2, 3])
})
