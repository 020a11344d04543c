// Runs inside `bun test`, with `preload.ts` loaded: loads the files of tests, then tries one mutant after the other.
// What is found is appended to a file line by line, so that nothing is lost when a mutant ends the process.

import { test as bunTest } from 'bun:test'
import { appendFileSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { beginFile, type CollectedTest, collected } from './collected.ts'
import type { Order, Report } from './order.ts'

const ROOT = join(import.meta.dir, '..', '..')
const order = JSON.parse(readFileSync(process.env['ATR_ORDER'] ?? '', 'utf8')) as Order
const report = (line: Report): void => appendFileSync(order.reports, `${JSON.stringify(line)}\n`)
const ONE_DAY_MS = 86_400_000

// What fails is enough: the smallest input that fails takes long to find.
fc.configureGlobal({ endOnFailure: true })

/** What is wrong with a test that never comes to its end, whatever it waits for. */
const HANGS = 'hangs'

/** Runs a test as long as it may take. What is wrong with it; undefined when it passes. */
async function failureOf({ file, run }: CollectedTest, mostMs: number): Promise<string | undefined> {
  MUTANT.endsAt = process.cpuUsage().user + 1_000 * mostMs
  MUTANT.isEndless = false
  let timer: Timer | undefined
  const late = new Promise<string>((resolve) => {
    timer = setTimeout(() => resolve(HANGS), 2 * mostMs + 10_000)
  })
  const work = async (): Promise<string | undefined> => {
    if (!file.isReady) for (const each of file.before) await each()
    file.isReady = true
    await run()
    return undefined
  }
  try {
    const failure = await Promise.race([work(), late])
    return MUTANT.isEndless ? 'endless' : failure
  } catch (error) {
    return MUTANT.isEndless ? 'endless' : `failed: ${String(error).split('\n', 1)[0]}`
  } finally {
    clearTimeout(timer)
  }
}

/** Which mutants each test reaches, and which are reached when the code is loaded. */
async function cover(count: number): Promise<void> {
  const idsOf = (reached: Uint8Array): number[] => [...reached.keys()].filter((id) => reached[id] === 1)
  report({ kind: 'loaded', reached: idsOf(MUTANT.reached ?? new Uint8Array()) })
  for (const each of collected) {
    if (!each.file.isReady) for (const work of each.file.before) await work()
    each.file.isReady = true
    MUTANT.reached = new Uint8Array(count)
    const before = process.cpuUsage()
    const failure = await failureOf(each, 120_000)
    const { user, system } = process.cpuUsage(before)
    report({ kind: 'test', name: each.name, ms: (user + system) / 1000, failure, reached: idsOf(MUTANT.reached) })
  }
}

const killers: string[] = []

/** Tries the tests on one mutant until one fails. A test that also fails without it says nothing: then all begins anew. */
async function attempt(id: number, names: readonly string[], tests: Map<string, CollectedTest>): Promise<void> {
  report({ kind: 'begun', id })
  // What noticed the changes before this one is likely to notice it too.
  const likely = killers.slice(0, 5).filter((name) => names.includes(name))
  for (const name of new Set([...likely, ...names])) {
    const test = tests.get(name)
    if (!test) continue
    const mostMs = 2_000 + 20 * (order.ms[name] ?? 0)
    MUTANT.on = id
    const failure = await failureOf(test, mostMs)
    if (!order.isAlone) MUTANT.on = -1
    if (failure === undefined) continue
    if (failure === HANGS) {
      report({ kind: 'killed', id, by: name, isEndless: true })
      process.exit(0)
    }
    if (!order.isAlone && (await failureOf(test, mostMs)) !== undefined) {
      report({ kind: 'unclear', id })
      process.exit(0)
    }
    killers.unshift(name)
    return report({ kind: 'killed', id, by: name, isEndless: failure === 'endless' })
  }
  report({ kind: 'survived', id })
}

bunTest(
  'mutants',
  async () => {
    if (order.isCover) MUTANT.reached = new Uint8Array(order.count)
    for (const file of order.files) {
      beginFile(file)
      await import(join(ROOT, file))
    }
    if (order.isCover) await cover(order.count)
    const tests = new Map(collected.map((each) => [each.name, each]))
    for (const { id, names } of order.attempts) await attempt(id, names, tests)
    report({ kind: 'done' })
    process.exit(0)
  },
  ONE_DAY_MS,
)
