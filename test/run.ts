// The whole check: types, lint, then every test. The last line says how many of them passed and failed.

import { spawn, spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { temporaryFolder } from './support/folder.ts'
import { whyNoPostgres } from './support/postgres.ts'
import { endingWithThis } from './support/program.ts'

const bin = (name: string): string => `node_modules/.bin/${name}`
const biome = `node_modules/@biomejs/cli-${process.platform}-${process.arch}/biome`

let passed = 0
let failed = 0

function step(name: string, command: string, args: readonly string[]): string {
  console.log(`\n== ${name}`)
  const { status, stdout, stderr } = spawnSync(command, args, { encoding: 'utf8', maxBuffer: 1024 ** 3 })
  const output = stdout + stderr
  if (status !== 0) console.log(output)
  console.log(`${name}: ${status === 0 ? 'ok' : 'FAILED'}`)
  if (status === 0) passed++
  else failed++
  return output
}

/** Where it is missing on CI, the first tests that need it have failed. */
function hasPostgres(): boolean {
  try {
    return whyNoPostgres() === undefined
  } catch {
    return false
  }
}

/** Stories that write: on PostgreSQL other locks and other rules of transactions hold. */
const ON_POSTGRES_TOO = [
  'test/stories/rails.story.test.ts',
  'test/stories/release.story.test.ts',
  'test/stories/restore.story.test.ts',
  'test/stories/figures.story.test.ts',
  'test/crash/withdraw-steps.test.ts',
  'test/crash/staging-steps.test.ts',
]

/** A test that never gives up its turn is not ended by its own limit of time. */
const LONGEST_SILENCE_MS = Number(process.env['ATR_SILENCE_MS'] ?? (process.env['ATR_LONG'] ? 3_600_000 : 600_000))

/** Runs tests and shows what they print as it comes, other than what passed. */
async function tests(args: readonly string[], engine = process.env['ATR_ENGINE'] ?? 'sqlite'): Promise<void> {
  console.log(`\n== tests on ${engine}`)
  using folder = temporaryFolder()
  const report = join(folder.path, 'report.xml')
  const reporting = ['--reporter=junit', `--reporter-outfile=${report}`]
  const [command = '', ...rest] = endingWithThis([bin('bun'), 'test', '--parallel=2', ...reporting, ...args])
  const child = spawn(command, rest, {
    stdio: ['ignore', 'pipe', 'pipe'],
    // Many programs read this name: a test must not use the database of another one.
    env: { ...process.env, DATABASE_URL: '', ATR_ENGINE: engine },
  })
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
  /** Two files run at once: each is named when it begins, and again where its lines stand below those of the other. */
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
      if (!line.startsWith('(pass)') && line !== '') tell(line)
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

endWithNpm()
step('types', bin('tsc'), ['--noEmit'])
if (existsSync(biome)) step('lint', biome, ['check', '--error-on-warnings', '.'])
else if (process.env['CI'] === 'true') failed++
else console.log(`\nSKIPPED: lint, because Biome is not packaged here for ${process.platform}-${process.arch}`)
const asked = process.argv.slice(2)
const isThroughPrism = process.env['ATR_THROUGH'] === 'prism'
const timeout = asked.some((each) => each.startsWith('--timeout'))
  ? []
  : [`--timeout=${isThroughPrism ? 300_000 : 60_000}`]
const isWhole = asked.length === 0 && !isThroughPrism
await tests([...timeout, ...(asked.length === 0 && isThroughPrism ? ['test/stories'] : asked)])
if (isWhole && process.env['ATR_ENGINE'] !== 'postgres' && hasPostgres())
  await tests([...timeout, ...ON_POSTGRES_TOO], 'postgres')

console.log(`\n${passed} passed, ${failed} failed`)
process.exitCode = failed === 0 && passed > 0 ? 0 : 1
