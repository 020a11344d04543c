import { createHash } from 'node:crypto'
import { join, relative, resolve } from 'node:path'
import { Problem } from '../../problem.ts'
import { tableModule } from '../../tables/module.ts'
import type { Resource } from '../http/resource.ts'

/** The files that pages load, by name: the source of each, from the folder of the surfaces. */
const ENTRIES = {
  style: 'site/site.css',
  site: 'site/site-view.ts',
  check: 'browser/check-view.ts',
  verify: 'browser/verify-view.ts',
  bill: 'browser/bill-view.ts',
  exports: 'browser/export-check.ts',
} as const
export type AssetName = keyof typeof ENTRIES

export interface Asset {
  path: string
  text: string
  /** The source map: a debugger shows the source in place of the minified script. */
  map?: { path: string; text: string }
}
export type Assets = Readonly<Record<AssetName, Asset>>

let built: Promise<Assets> | undefined

/** Everything that pages load, bundled once in the life of a process, when the first page is asked for. */
export function assets(): Promise<Assets> {
  built ??= bundleAll().catch((error) => {
    built = undefined
    throw error
  })
  return built
}

async function bundleAll(): Promise<Assets> {
  const names = Object.keys(ENTRIES) as AssetName[]
  const made = await Promise.all(names.map(async (name) => [name, await bundled(name)] as const))
  return Object.fromEntries(made) as Record<AssetName, Asset>
}

/** Pages load what the scripts use of the tables, and nothing else of them. */
const TABLES: Bun.BunPlugin = {
  name: 'tables',
  setup(build) {
    build.onLoad({ filter: /[\\/]docs[\\/]spec[\\/]tables[\\/][a-z-]+\.json$/ }, async ({ path }) => ({
      contents: tableModule(await Bun.file(path).text()),
      loader: 'js',
    }))
  },
}

async function bundled(name: AssetName): Promise<Asset> {
  const entry = join(import.meta.dir, '..', ENTRIES[name])
  const { outputs } = await Bun.build({
    entrypoints: [entry],
    target: 'browser',
    format: 'esm',
    minify: true,
    sourcemap: 'external',
    plugins: [TABLES],
  })
  const [output, map] = outputs
  if (!output) throw new Error('nothing was built')
  // The id of a build depends on the folder that the process was started in, and says nothing about the text.
  const text = (await output.text()).replace(/\n\/\/# debugId=\w+\s*$/, '')
  const hash = createHash('sha256').update(text).digest('hex').slice(0, 16)
  if (entry.endsWith('.css')) return { path: `/assets/css/${name}-${hash}.css`, text }
  const path = `/assets/map/${name}-${hash}.map`
  return {
    path: `/assets/js/${name}-${hash}.js`,
    text: `${text}\n//# sourceMappingURL=${path}\n`,
    ...(map && { map: { path, text: sourceMap(await map.text()) } }),
  }
}

/** The source map, with the sources named from the folder of the project. */
function sourceMap(text: string): string {
  const { debugId: _, ...map } = JSON.parse(text) as { debugId?: string; sources: string[] }
  const project = join(import.meta.dir, '../../..')
  return JSON.stringify({ ...map, sources: map.sources.map((source) => relative(project, resolve(source))) })
}

const TYPES = {
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  map: 'application/json; charset=utf-8',
} as const

/** The name of a file changes with its content, so it may be kept for good. */
export const assetFiles = (): Resource[] =>
  [
    { kind: 'css', name: 'get_css', summary: 'The style sheet of the pages' } as const,
    { kind: 'js', name: 'get_js', summary: 'A script of the pages' } as const,
    { kind: 'map', name: 'get_source_map', summary: 'The sources of a script of the pages' } as const,
  ].map(({ kind, name, summary }) => ({
    name,
    summary,
    path: `/assets/${kind}/{file}`,
    tag: 'discovery',
    isBesideApi: true,
    isMadeOnce: true,
    lenient: true,
    cache: 'public, max-age=31536000, immutable',
    stamp: () => 'constant',
    parameters: [{ name: 'file', description: 'Name and hash', pattern: `^[a-z]+-[0-9a-f]{16}\\.${kind}$` }],
    forms: [
      {
        type: TYPES[kind],
        async render(file) {
          const all = Object.values(await assets()).flatMap((asset) => [asset, asset.map])
          const found = all.find((each) => each?.path === `/assets/${kind}/${file}`)
          if (!found) throw new Problem('route_not_found')
          return found.text
        },
      },
    ],
  }))
