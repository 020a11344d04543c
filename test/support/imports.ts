import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'

// The product's own files, and which of them imports which. A file of src/ is named without that folder, one of tools/ with it.

export const ROOT = join(import.meta.dir, '../..')
const SRC = join(ROOT, 'src')

const namesIn = (folder: string): string[] =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' }).filter((file) => /\.tsx?$/.test(file))
export const files = [...namesIn('src'), ...namesIn('tools').map((file) => `tools/${file}`)]
const pathOf = (file: string): string => join(file.startsWith('tools/') ? ROOT : SRC, file)
const nameOf = (path: string): string => relative(SRC, path).replace(/^\.\.\/tools\//, 'tools/')
const isTestOnly = (file: string): boolean => /\.test\.ts$|fixture\.ts$/.test(file)
export const sources = files.filter((file) => !isTestOnly(file) && !file.endsWith('.d.ts'))
export const text = (file: string): string => readFileSync(pathOf(file), 'utf8')

/** The folder a file belongs to, or the file itself at the top. */
export const partOf = (file: string): string => (file.includes('/') ? (file.split('/')[0] as string) : file)
/** The folder a file stands in: `registry/lookup`, `registry`, or `.` at the top. */
export const roomOf = (file: string): string => dirname(file)

export interface Import {
  from: string
  to: string
}

const target = (file: string, to: string): string =>
  to.startsWith('.') ? nameOf(resolve(dirname(pathOf(file)), to)) : to

const STATEMENT = /^(?:import|export)[^'"]*?from '([^']+)'|\bimport\('([^']+)'\)/gms

/** Imports of types count: who reads a file has to read what its types say. So do those that happen later. */
export const imports: Import[] = sources.flatMap((file) =>
  [...text(file).matchAll(STATEMENT)].map(([, to, later = '']) => ({ from: file, to: target(file, to ?? later) })),
)
export const own = imports.filter(({ to }) => /\.tsx?$/.test(to))

const transpilers = { ts: new Bun.Transpiler({ loader: 'ts' }), tsx: new Bun.Transpiler({ loader: 'tsx' }) }

/** Everything that is loaded with a file, before anything runs. */
export function loadedWith(file: string, loaded = new Set<string>()): Set<string> {
  loaded.add(file)
  if (!sources.includes(file)) return loaded
  const transpiler = transpilers[file.endsWith('.tsx') ? 'tsx' : 'ts']
  for (const { path, kind } of transpiler.scanImports(text(file).replace(/^#!.*/, ''))) {
    const to = target(file, path)
    if (kind === 'import-statement' && !loaded.has(to)) loadedWith(to, loaded)
  }
  return loaded
}

/** A path that leads from a file back to itself, if there is one. */
export function findCircle(edges: readonly Import[]): string[] | undefined {
  const next = Map.groupBy(edges, ({ from }) => from)
  const done = new Set<string>()
  const walk = (file: string, path: readonly string[]): string[] | undefined => {
    if (path.includes(file)) return [...path.slice(path.indexOf(file)), file]
    if (done.has(file)) return undefined
    for (const { to } of next.get(file) ?? []) {
      const circle = walk(to, [...path, file])
      if (circle) return circle
    }
    done.add(file)
    return undefined
  }
  for (const file of next.keys()) {
    const circle = walk(file, [])
    if (circle) return circle
  }
  return undefined
}
