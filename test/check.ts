// Types and lint, beside each other: what is wrong is printed. `npm run check` runs them alone, `npm test` before the tests.

import { existsSync } from 'node:fs'
import { spawn } from 'bun'
import { isAllRequired } from './support/required.ts'

const BIOME = `node_modules/@biomejs/cli-${process.platform}-${process.arch}/biome`
/** What the compiler remembers of the last time: then it takes seconds. */
const REMEMBERED = 'node_modules/.cache/types.tsbuildinfo'

const TYPES = ['node_modules/.bin/tsc', '--noEmit', '--incremental', '--tsBuildInfoFile', REMEMBERED]
const LINT = [BIOME, 'check', '--error-on-warnings', '.']

export interface Checks {
  passed: number
  failed: number
  /** Why lint was left out; undefined if it was not. */
  skipped: string | undefined
}

async function isClean(name: string, command: string[]): Promise<boolean> {
  const child = spawn(command, { stdin: 'ignore', stdout: 'pipe', stderr: 'pipe' })
  const said = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()])
  const ok = (await child.exited) === 0
  if (!ok) console.log(said.join(''))
  console.log(`${name}: ${ok ? 'ok' : 'FAILED'}`)
  return ok
}

export async function check(): Promise<Checks> {
  const hasLint = existsSync(BIOME)
  const results = await Promise.all([
    isClean('types', TYPES),
    ...(hasLint ? [isClean('lint', LINT)] : isAllRequired ? [false] : []),
  ])
  const passed = results.filter((isOk) => isOk).length
  const skipped = hasLint
    ? undefined
    : `lint, because Biome is not packaged here for ${process.platform}-${process.arch}`
  return { passed, failed: results.length - passed, skipped }
}

if (import.meta.main) {
  const { failed, skipped } = await check()
  if (skipped !== undefined) console.log(`SKIPPED: ${skipped}`)
  process.exitCode = failed === 0 ? 0 : 1
}
