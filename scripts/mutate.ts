// Changes one operator of the code at a time and runs the tests: a change that no test notices is a rule that no test
// checks. `bun scripts/mutate.ts limiter|rails|proof|rule [--every N]`; with --every, only each Nth change is tried.

import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'

const ROOT = join(import.meta.dir, '..')
const MOST_MS = 120_000

interface Part {
  /** Files, or folders without those below them. */
  code: readonly string[]
  /** What is run when the tests beside the file have not noticed. */
  tests: readonly string[]
}

const PARTS: Record<string, Part> = {
  limiter: {
    code: [
      'src/rails/limit/limits.ts',
      'src/rails/limit/sliding-window.ts',
      'src/rails/limit/network-counts.ts',
      'src/rails/limit/shared-windows.ts',
    ],
    tests: ['src/rails/limit', 'src/rails/admission.test.ts', 'test/attack/quotas.test.ts'],
  },
  rails: {
    code: ['src/rails', 'src/rails/oauth', 'src/rails/signed'],
    tests: ['src/rails', 'test/stories/oauth.story.test.ts', 'test/attack/quotas.test.ts'],
  },
  proof: {
    code: [
      'src/proof',
      'src/proof/tree',
      'src/proof/note',
      'src/proof/price',
      'src/proof/lookup',
      'src/proof/list',
      'src/proof/catalogue',
      'src/proof/replay',
    ],
    tests: ['src/proof', 'test/attack/known-lies.test.ts'],
  },
  rule: { code: ['src/figures/rule'], tests: ['src/figures/rule', 'src/figures'] },
}

/** What is written in place of what. Blanks tell operators from types. */
const CHANGES: readonly [RegExp, (found: string) => string][] = [
  [/ (<=|>=|<|>) /g, (found) => ({ ' <= ': ' < ', ' >= ': ' > ', ' < ': ' <= ', ' > ': ' >= ' })[found] ?? found],
  [/ (===|!==) /g, (found) => (found === ' === ' ? ' !== ' : ' === ')],
  [/ (&&|\|\|) /g, (found) => (found === ' && ' ? ' || ' : ' && ')],
  [/ [+\-*] (?=[\w(])/g, (found) => ({ ' + ': ' - ', ' - ': ' + ', ' * ': ' + ' })[found] ?? found],
  [/\b(true|false)\b/g, (found) => (found === 'true' ? 'false' : 'true')],
  [/\bMath\.(max|min)\b/g, (found) => (found === 'Math.max' ? 'Math.min' : 'Math.max')],
  [/\bif \((?=\w)/g, () => 'if (!'],
]

interface Mutant {
  file: string
  line: number
  was: string
  text: string
}

/** The text with comments, strings and patterns blanked out, character for character. */
const codeOnly = (text: string): string =>
  text.replaceAll(
    /\/\*[\s\S]*?\*\/|\/\/[^\n]*|'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\.|[^`\\])*`|(?<=[(,=:]\s*)\/(?:\\.|\[[^\]]*\]|[^/\\\n])+\/[a-z]*|^import [\s\S]*?from[^\n]*|^(?:export )?(?:type|interface) [\s\S]*?\n(?=\S)/gm,
    (found) => found.replaceAll(/[^\n]/g, '_'),
  )

function mutantsOf(file: string): Mutant[] {
  const text = readFileSync(join(ROOT, file), 'utf8')
  const code = codeOnly(text)
  return CHANGES.flatMap(([pattern, change]) =>
    [...code.matchAll(pattern)].flatMap((found) => {
      const [was] = found
      const now = change(was)
      const line = code.slice(0, found.index).split('\n').length
      const changed = text.slice(0, found.index) + now + text.slice(found.index + was.length)
      return now === was ? [] : [{ file, line, was: `${was.trim()} -> ${now.trim()}`, text: changed }]
    }),
  )
}

const filesOf = ({ code }: Part): string[] =>
  code.flatMap((path) =>
    path.endsWith('.ts')
      ? [path]
      : readdirSync(join(ROOT, path))
          .filter((name) => /\.ts$/.test(name) && !/(\.test|fixture)\.ts$/.test(name))
          .map((name) => join(path, name)),
  )

let endless = 0

/** Whether the tests notice: they fail, or they do not end. On a busy machine the latter may be no fault of the change. */
function isKilled(folder: string, tests: readonly string[]): boolean {
  const bun = join(ROOT, 'node_modules/.bin/bun')
  const { status, signal } = spawnSync(bun, ['test', '--bail', '--timeout=30000', ...tests], {
    cwd: folder,
    timeout: MOST_MS,
    killSignal: 'SIGKILL',
    stdio: 'ignore',
  })
  if (signal !== null) endless++
  return status !== 0
}

const [name = '', option, every = '1'] = process.argv.slice(2)
const part = PARTS[name]
if (!part) throw new Error(`name a part: ${Object.keys(PARTS).join(', ')}`)
const step = option === '--every' ? Number(every) : 1
const folder = mkdtempSync(join(tmpdir(), 'atr-mutants-'))
try {
  for (const each of ['src', 'test', 'docs', 'sample', 'scripts', 'package.json', 'tsconfig.json'])
    if (existsSync(join(ROOT, each))) cpSync(join(ROOT, each), join(folder, each), { recursive: true })
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'))
  const mutants = filesOf(part)
    .flatMap(mutantsOf)
    .filter((_, i) => i % step === 0)
  if (isKilled(folder, part.tests)) throw new Error('the tests fail before anything is changed')
  let killed = 0
  for (const { file, line, was, text } of mutants) {
    const path = join(folder, file)
    const original = readFileSync(path, 'utf8')
    writeFileSync(path, text)
    const beside = join(dirname(file), `${basename(file, '.ts')}.test.ts`)
    const isDead = (existsSync(join(ROOT, beside)) && isKilled(folder, [beside])) || isKilled(folder, part.tests)
    writeFileSync(path, original)
    if (isDead) killed++
    else console.log(`survived: ${file}:${line}: ${was}`)
  }
  console.log(
    `${name}: ${killed} of ${mutants.length} killed, ${Math.round((1000 * killed) / mutants.length) / 10} %, ${endless} of them because the tests did not end`,
  )
} finally {
  rmSync(folder, { recursive: true, force: true })
}
