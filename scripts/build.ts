// Writes dist/: the exports of the package for whoever has no Bun. One file each, no imports, for Node and browsers, and
// their types.

import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { minify } from 'terser'
import { withKnownArguments } from './small/arguments.ts'
import { withoutParentheses, withShortExpressions, withShortNumbers } from './small/expressions.ts'
import { withExpressions } from './small/functions.ts'
import { withLiftedVariables } from './small/lifted.ts'
import { withShortMembers } from './small/members.ts'
import { withArrows, withSharedNames } from './small/shared-names.ts'
import { withShortNames } from './small/short-names.ts'
import { printed } from './small/tree.ts'

const ROOT = join(import.meta.dir, '..')
const SOURCES = {
  verify: 'proof/verify',
  'verify/lists': 'proof/verify-lists',
  growth: 'proof/growth',
  changes: 'proof/changes',
  derivation: 'proof/price/derivation',
  client: 'client/client',
}
type Module = keyof typeof SOURCES
export const MODULES = Object.keys(SOURCES) as Module[]
const sourceOf = (name: Module): string => join(ROOT, `src/${SOURCES[name]}.ts`)

/** One TypeScript file and what it imports, as one module for browsers. */
export async function browserModule(entry: string): Promise<string> {
  const { outputs } = await Bun.build({ entrypoints: [entry], target: 'browser', format: 'esm', minify: true })
  const [module] = outputs
  if (!module) throw new Error('nothing was built')
  return module.text()
}

/** A module as Bun bundles it: the same code as the published one, and ready at once. */
export const bundledModule = (name: Module): Promise<string> => browserModule(sourceOf(name))

const published = new Map<Module, Promise<string>>()

/**
 * A module as it is published. Bun's minifier goes over it once; the other one also puts in place what is used once, and
 * goes over it again: 4% fewer bytes, for one or two seconds, so each is made once. Functions may become arrows: none of
 * ours is called with `new`; classes stay classes. The lines of what throws end now and
 * then, because Node prints the whole line in which an error that nobody catches was thrown.
 */
export function publishedModule(name: Module): Promise<string> {
  const made = published.get(name) ?? madeSmall(name)
  published.set(name, made)
  return made
}

async function madeSmall(name: Module): Promise<string> {
  const format = THROWING.includes(name) ? { max_line_len: 1_000 } : {}
  return smaller(await bundledModule(name), format, SMALLEST.includes(name))
}

/** The verifiers return what is wrong. */
const THROWING: readonly Module[] = ['client']

/** Where the bytes as they are have a limit: 4.4 KB less, and 0.5 KB more with gzip, which finds what repeats by itself. */
const SMALLEST: readonly Module[] = ['verify']

async function smaller(text: string, format: { max_line_len?: number }, isSmallest: boolean): Promise<string> {
  const compress = { passes: 5, pure_getters: true, keep_fargs: false, unsafe_arrows: true }
  const small = isSmallest ? withArrows(text) : text
  const { code = '' } = await minify(small, { module: true, ecma: 2020, compress, format })
  return isSmallest ? smallest(code, compress) : code
}

/** Each step leaves something to the others, so they are taken twice. */
async function smallest(module: string, compress: object): Promise<string> {
  // A function that is called where it stands is put in its place by the first minifier, and must not become statements again.
  const rest = { ...compress, inline: 1 }
  let text = module
  for (let round = 0; round < 2; round++) {
    text = await printed(withKnownArguments(text), rest)
    text = await printed(withShortExpressions(text), false)
    text = await printed(withExpressions(text), rest)
    text = await printed(withLiftedVariables(text), rest)
  }
  text = await printed(withShortMembers(text), false)
  text = await printed(withKnownArguments(withSharedNames(text)), false)
  return withoutParentheses(await printed(withShortNames(text, withShortNumbers), false, false))
}

export async function build(folder: string, moduleOf = publishedModule): Promise<void> {
  for (const name of MODULES) await Bun.write(join(folder, `${name}.js`), await moduleOf(name))
}

/** The types of each module, file by file. What they import is named as readers of packages expect it. */
export function buildTypes(folder: string): void {
  const tsc = join(ROOT, 'node_modules/.bin/tsc')
  const { status, stdout } = spawnSync(tsc, ['-p', join(ROOT, 'tsconfig.package.json'), '--outDir', folder], {
    cwd: ROOT,
    encoding: 'utf8',
  })
  if (status !== 0) throw new Error(`the types cannot be made: ${stdout}`)
  for (const file of readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.ts'),
  )) {
    const path = join(folder, file)
    writeFileSync(path, readFileSync(path, 'utf8').replaceAll(/(from |import\()(['"])(\.[^'"]*)\.ts\2/g, '$1$2$3.js$2'))
  }
}

if (import.meta.main) {
  const dist = join(ROOT, 'dist')
  rmSync(dist, { recursive: true, force: true })
  await build(dist)
  buildTypes(join(dist, 'types'))
}
