// The whole check: types, lint, then every test. The last line says how many of them passed and failed.

import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { whyNoPostgres } from './support/postgres.ts'

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

function tests(args: readonly string[], engine = process.env['ATR_ENGINE'] ?? 'sqlite'): void {
  console.log(`\n== tests on ${engine}`)
  const { status, stderr, stdout } = spawnSync(bin('bun'), ['test', '--parallel=2', ...args], {
    encoding: 'utf8',
    maxBuffer: 1024 ** 3,
    stdio: ['ignore', 'pipe', 'pipe'],
    // Many programs read this name: a test must not use the database of another one.
    env: { ...process.env, DATABASE_URL: '', ATR_ENGINE: engine },
  })
  const output = stdout + stderr
  const count = (word: string): number => Number(new RegExp(`^\\s*(\\d+) ${word}$`, 'm').exec(output)?.[1] ?? 0)
  for (const line of output.split('\n')) if (!line.startsWith('(pass)')) console.log(line)
  passed += count('pass')
  failed += count('fail')
  // A runner that dies says nothing about the tests it did not reach.
  if (status !== 0 && count('fail') === 0) failed++
}

step('types', bin('tsc'), ['--noEmit'])
if (existsSync(biome)) step('lint', biome, ['check', '--error-on-warnings', '.'])
else if (process.env['CI'] === 'true') failed++
else console.log(`\nSKIPPED: lint, because Biome is not packaged here for ${process.platform}-${process.arch}`)
const asked = process.argv.slice(2)
tests(asked.length > 0 ? asked : ['--timeout=60000'])
if (asked.length === 0 && process.env['ATR_ENGINE'] !== 'postgres' && hasPostgres())
  tests(['--timeout=60000', ...ON_POSTGRES_TOO], 'postgres')

console.log(`\n${passed} passed, ${failed} failed`)
process.exitCode = failed === 0 && passed > 0 ? 0 : 1
