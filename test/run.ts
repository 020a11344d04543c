// All tests, after types and lint; with words or paths, the tests that match them. The last line says how many passed and failed.

import { spawn } from 'node:child_process'
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { check } from './check.ts'
import { chosenTests } from './support/chosen-tests.ts'
import { scratchFolder } from './support/memory-disk.ts'
import { whyNoPostgres } from './support/postgres.ts'
import { endingWithThis } from './support/program.ts'

const USAGE = `npm test [-- <words or paths> <options of bun test>]
  npm test                    types, lint and all tests
  npm test -- mirror lies     the test files whose path or names of tests have these words
  npm test -- src/rails       the test files of this folder, or this file
  npm run test:long           all tests in their long form
  npm run test:watch -- words runs the tests again when a file changes`

const BUN = 'node_modules/.bin/bun'

let passed = 0
let failed = 0
/** What was skipped and why. */
const skipped = new Set<string>()

/** Stories that write: on PostgreSQL other locks and other rules of transactions hold. */
const ON_POSTGRES_TOO = [
  'test/stories/rails.story.test.ts',
  'test/stories/release.story.test.ts',
  'test/stories/restore.story.test.ts',
  'test/stories/figures.story.test.ts',
  'test/crash/withdraw-steps.test.ts',
  'test/crash/staging-steps.test.ts',
]

const [options, words] = split(process.argv.slice(2))
const isLong = options.delete('--long')
const isWatching = options.delete('--watch')

/** A test that never gives up its turn is not ended by its own limit of time. */
const LONGEST_SILENCE_MS = Number(process.env['ATR_SILENCE_MS'] ?? (isLong ? 3_600_000 : 900_000))

const scratch = scratchFolder()
process.once('exit', () => rmSync(scratch, { recursive: true, force: true }))
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))

/** One more than there are processors: tests wait for programs, timers and servers too. */
const AT_ONCE = availableParallelism() + 1

/** Each process keeps its modules, and what it has compiled of them, over all test files that it runs. */
const IN_PARALLEL = [`--parallel=${AT_ONCE}`, '--no-isolate']

/** Ends a test that hangs. A test that works is never near it, on the busiest machine. */
const LONGEST_TEST_MS = isLong ? 36_000_000 : 600_000

/** The options of `bun test`, each with its value, and what else was given. */
function split(given: readonly string[]): [options: Set<string>, words: string[]] {
  const options = new Set<string>()
  const words: string[] = []
  for (const [i, each] of given.entries()) {
    if (given[i - 1] === '-t') continue
    if (each === '-t') options.add(`--test-name-pattern=${given[i + 1]}`)
    else if (each.startsWith('-')) options.add(each)
    else words.push(each)
  }
  return [options, words]
}

const environment = (engine: string): NodeJS.ProcessEnv => ({
  ...process.env,
  TMPDIR: scratch,
  // Many programs read this name: a test must not use the database of another one.
  DATABASE_URL: '',
  ATR_ENGINE: engine,
  TEST_LONG: isLong ? '1' : '',
})

/** Runs tests and shows what they print as it comes, other than what passed. */
async function tests(args: readonly string[], engine = process.env['ATR_ENGINE'] ?? 'sqlite'): Promise<void> {
  console.log(`\n== tests on ${engine}`)
  const report = join(scratch, `${engine}.xml`)
  const reporting = ['--reporter=junit', `--reporter-outfile=${report}`]
  const [command = '', ...rest] = endingWithThis([BUN, 'test', ...IN_PARALLEL, ...reporting, ...args])
  const child = spawn(command, rest, { stdio: ['ignore', 'pipe', 'pipe'], env: environment(engine) })
  let heard = performance.now()
  const listening = setInterval(() => {
    if (performance.now() - heard < LONGEST_SILENCE_MS) return
    console.log(
      `no test has ended for ${LONGEST_SILENCE_MS / 1_000} s: to see which one hangs, run its folder with --parallel=1`,
    )
    child.kill()
  }, LONGEST_SILENCE_MS / 60)
  const counted = { pass: 0, fail: 0 }
  const seen = new Set<string>()
  let [current, above] = ['', '']
  /** Several files run at once: each is named when it begins, and again where its lines stand below those of the other. */
  const tell = (line: string): void => {
    const isName = /^\S+\.test\.ts:$/.test(line)
    if (isName) current = line
    if (isName ? !seen.has(line) : current !== above) console.log(current)
    if (!isName) console.log(line)
    if (!isName || !seen.has(line)) above = current
    seen.add(current)
  }
  const show = async (stream: NodeJS.ReadableStream): Promise<void> => {
    for await (const line of createInterface({ input: stream })) {
      heard = performance.now()
      const [, count, word] = /^\s*(\d+) (pass|fail)$/.exec(line) ?? []
      if (word === 'pass' || word === 'fail') counted[word] = Number(count)
      const [, reason] = /^SKIPPED: (.*)/.exec(line) ?? []
      if (reason !== undefined) skipped.add(reason)
      else if (!/^\((pass|skip)\)/.test(line) && line !== '') tell(line)
    }
  }
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve))
  await Promise.all([show(child.stdout), show(child.stderr)])
  const status = await ended
  clearInterval(listening)
  if (existsSync(report)) console.log(slowestIn(readFileSync(report, 'utf8')))
  passed += counted.pass
  failed += counted.fail
  // A runner that dies says nothing about the tests it did not reach.
  if (status !== 0 && counted.fail === 0) failed++
}

const SHOWN = 8

/** The files whose tests took longest, so that it is seen when the whole grows slow. */
function slowestIn(report: string): string {
  const files = [...report.matchAll(/^ {2}<testsuite name="([^"]+)".* time="([\d.]+)"/gm)]
  const slowest = files.sort(([, , one], [, , other]) => Number(other) - Number(one)).slice(0, SHOWN)
  return ['slowest:', ...slowest.map(([, name, seconds]) => `  ${Math.round(Number(seconds))} s  ${name}`)].join('\n')
}

/** npm passes on a signal that ends it, except the one that nobody can catch. */
function endWithNpm(): void {
  const npm = process.ppid
  if (process.env['npm_lifecycle_event'] === undefined) return
  const watch = setInterval(() => {
    if (process.ppid !== npm) process.exit(1)
  }, 500)
  watch.unref()
}

/** Shows tests as they run, and runs them again when a file changes, until it is interrupted. */
async function watch(args: readonly string[]): Promise<number> {
  const [command = '', ...rest] = endingWithThis([BUN, 'test', '--watch', '--no-clear-screen', ...args])
  const child = spawn(command, rest, { stdio: 'inherit', env: environment('sqlite') })
  return new Promise((resolve) => child.once('close', (code) => resolve(code ?? 1)))
}

endWithNpm()
const isThroughPrism = process.env['ATR_THROUGH'] === 'prism'
const chosen = chosenTests(isThroughPrism && words.length === 0 ? ['test/stories'] : words)
if (options.has('--help') || options.has('-h')) {
  console.log(USAGE)
  process.exit(0)
}
if (words.length > 0 && chosen.length === 0) {
  console.log(`no test file matches ${words.join(' ')}\n\n${USAGE}`)
  process.exit(1)
}
const isWhole = chosen.length === 0
const hasLimit = [...options].some((each) => each.startsWith('--timeout'))
const limit = hasLimit ? [] : [`--timeout=${LONGEST_TEST_MS}`]
const args = [...limit, ...options, ...chosen.map((file) => `./${file}`)]
if (isWatching) process.exit(await watch(args))

if (isWhole) {
  const checked = await check()
  passed += checked.passed
  failed += checked.failed
  if (checked.skipped !== undefined) skipped.add(checked.skipped)
}
await tests(args)
if (isWhole && process.env['ATR_ENGINE'] !== 'postgres' && whyNoPostgres() === undefined)
  await tests([...limit, ...options, ...ON_POSTGRES_TOO], 'postgres')

if (skipped.size > 0) console.log('')
for (const reason of skipped) console.log(`SKIPPED: ${reason}`)
console.log(`\n${passed} passed, ${failed} failed`)
process.exitCode = failed === 0 && passed > 0 ? 0 : 1
