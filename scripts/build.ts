// Writes dist/: each export of the package as one ES module for Node and browsers, readable, with its comments, a source
// map and its types. Nothing is minified: an auditor reads what runs.

import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { rollup } from '@rollup/wasm-node'
import { tableModule } from '../src/tables/module.ts'

const ROOT = join(import.meta.dir, '..')
/** The tables that src/tables/ imports. */
const TABLES = 'docs/spec/tables'
const SOURCES = {
  verify: 'proof/verify',
  'verify/lists': 'proof/verify-lists',
  growth: 'proof/growth',
  changes: 'proof/changes',
  derivation: 'proof/price/derivation',
  statement: 'statement/statement',
  client: 'client/client',
}
type Module = keyof typeof SOURCES
export const MODULES = Object.keys(SOURCES) as Module[]

/** A module of the package: its text, and its source map as JSON, which names the files in src/. */
interface Built {
  code: string
  map: string
}

/** Runs the compiler on all modules and what they import. */
function compile(...options: readonly string[]): void {
  const { status, stdout } = spawnSync(
    join(ROOT, 'node_modules/.bin/tsc'),
    ['-p', join(ROOT, 'tsconfig.package.json'), ...options],
    { cwd: ROOT, encoding: 'utf8' },
  )
  if (status !== 0) throw new Error(`the package cannot be compiled: ${stdout}`)
}

/** Bundles all modules. The compiler and Rollup keep comments, which `Bun.build` does not. */
async function bundleAll(): Promise<Record<Module, Built>> {
  const folder = mkdtempSync(join(tmpdir(), 'atr-build-'))
  try {
    compile('--outDir', folder, '--sourceMap', '--noCheck')
    return Object.fromEntries(
      await Promise.all(MODULES.map(async (name) => [name, await bundle(name, folder)] as const)),
    ) as Record<Module, Built>
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** Joins what a module needs of the compiled files, and leaves out what it does not use. */
async function bundle(name: Module, folder: string): Promise<Built> {
  const bundle = await rollup({
    input: join(folder, 'src', `${SOURCES[name]}.js`),
    treeshake: { moduleSideEffects: false, manualPureFunctions: PURE },
    plugins: [
      {
        name: 'compiled',
        load: (file) =>
          file.endsWith('.json')
            ? // Its lines are made here, and lead to no source.
              { code: tableModule(readFileSync(file, 'utf8')), map: { mappings: '' } }
            : {
                code: readFileSync(file, 'utf8').replace(/\/\/# sourceMappingURL=.*\n?$/, ''),
                map: readFileSync(`${file}.map`, 'utf8'),
              },
      },
    ],
  })
  const { output } = await bundle.generate({
    file: join(ROOT, 'dist', `${name}.js`),
    format: 'es',
    banner: `// agent-trust-registry: bundled from src/${SOURCES[name]}.ts. Apache-2.0.\n`,
    sourcemap: true,
    sourcemapExcludeSources: true, // src/ is in the package
  })
  return { code: output[0].code, map: String(output[0].map) }
}

/**
 * The functions of proof/shape.ts that make a check of a shape, and the one that freezes a table. They do nothing else, so that a check
 * or a list that is not used is left out.
 */
const PURE = ['both', 'closed', 'either', 'frozen', 'listOf', 'mapOf', 'matches', 'oneOf', 'orNull', 'words']

let bundled: Promise<Record<Module, Built>> | undefined
const allBundled = (): Promise<Record<Module, Built>> => {
  bundled ??= bundleAll()
  return bundled
}

/** The text of a module as it is published. All are made once in the life of a process, in a few seconds. */
export const publishedModule = async (name: Module): Promise<string> => (await allBundled())[name].code

/** Writes the modules into a folder, each beside its source map. */
export async function build(folder: string): Promise<void> {
  for (const [name, { code, map }] of Object.entries(await allBundled())) {
    await Bun.write(join(folder, `${name}.js`), code)
    await Bun.write(join(folder, `${name}.js.map`), map)
  }
}

/**
 * Writes the types of each module, file by file. Imports in them are named as readers of packages expect it. A table that types are
 * taken from has its own: its text is a type too.
 */
export function buildTypes(folder: string): void {
  compile('--outDir', folder, '--emitDeclarationOnly', '--declaration', '--declarationMap')
  for (const file of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    if (!file.endsWith('.d.ts')) continue
    const path = join(folder, file)
    writeFileSync(
      path,
      readFileSync(path, 'utf8').replaceAll(/(from |import\()(['"])(\.[^'"]*)\.(?:ts|json)\2/g, '$1$2$3.js$2'),
    )
  }
  mkdirSync(join(folder, TABLES), { recursive: true })
  for (const file of readdirSync(join(ROOT, TABLES))) {
    const members = Object.entries(JSON.parse(readFileSync(join(ROOT, TABLES, file), 'utf8')) as object)
    const types = members.map(([name, member]) => `export declare const ${name}: ${JSON.stringify(member)};\n`)
    writeFileSync(join(folder, TABLES, file.replace(/json$/, 'd.ts')), types.join(''))
  }
}

/** One TypeScript file and what it imports, minified as the pages of the site load it. */
export async function browserModule(entry: string): Promise<string> {
  const { outputs } = await Bun.build({ entrypoints: [entry], target: 'browser', format: 'esm', minify: true })
  const [module] = outputs
  if (!module) throw new Error('nothing was built')
  return module.text()
}

/**
 * The bill of materials of what is installed with the package (CycloneDX), from the lockfile. The number and the time that npm
 * puts into each are left out, so that the same package has the same bytes. Development tools are left out here: npm's `--omit=dev`
 * also leaves out what both the package and a tool need.
 */
export function billOfMaterials(): string {
  const options = ['sbom', '--sbom-format=cyclonedx', '--package-lock-only']
  const { status, stdout, stderr } = spawnSync('npm', options, {
    cwd: ROOT,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 ** 2,
  })
  if (status !== 0) throw new Error(`npm cannot make the bill of materials: ${stderr}`)
  const {
    serialNumber: _,
    metadata,
    components,
    dependencies,
    ...bill
  } = JSON.parse(stdout.slice(stdout.indexOf('{'))) as Bill
  const { timestamp: _t, ...about } = metadata
  const isTool = ({ properties = [] }: Component): boolean => properties.some(({ name }) => name === DEVELOPMENT)
  const tools = new Set(components.filter(isTool).map((each) => each['bom-ref']))
  const installed = {
    ...bill,
    metadata: about,
    components: components.filter((each) => !isTool(each)),
    dependencies: dependencies
      .filter(({ ref }) => !tools.has(ref))
      .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter((each) => !tools.has(each)) })),
  }
  return `${JSON.stringify(installed, null, 1)}\n`
}
const DEVELOPMENT = 'cdx:npm:package:development'
interface Component {
  'bom-ref': string
  properties?: { name: string }[]
}
interface Bill {
  serialNumber: string
  metadata: { timestamp: string }
  components: Component[]
  dependencies: { ref: string; dependsOn: string[] }[]
}

if (import.meta.main) {
  const dist = join(ROOT, 'dist')
  rmSync(dist, { recursive: true, force: true })
  await build(dist)
  buildTypes(join(dist, 'types'))
  writeFileSync(join(dist, 'sbom.cdx.json'), billOfMaterials())
}
