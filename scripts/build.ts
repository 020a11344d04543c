// Writes dist/: the exports of the package for whoever has no Bun. One file each, no imports, for Node and browsers.

import { join } from 'node:path'

const ROOT = join(import.meta.dir, '..')
const SOURCES = {
  verify: 'verify',
  'verify/lists': 'verify-lists',
  growth: 'growth',
  changes: 'changes',
  derivation: 'price/derivation',
}
type Module = keyof typeof SOURCES
export const MODULES = Object.keys(SOURCES) as Module[]
export const sourceOf = (name: Module): string => join(ROOT, `src/proof/${SOURCES[name]}.ts`)

/** One TypeScript file and what it imports, as one module for browsers. */
export async function browserModule(entry: string): Promise<string> {
  const { outputs } = await Bun.build({ entrypoints: [entry], target: 'browser', format: 'esm', minify: true })
  const [module] = outputs
  if (!module) throw new Error('nothing was built')
  return module.text()
}

export async function build(folder: string): Promise<void> {
  for (const name of MODULES) await Bun.write(join(folder, `${name}.js`), await browserModule(sourceOf(name)))
}

if (import.meta.main) await build(join(ROOT, 'dist'))
