// The verifier gives the same answers wherever it runs: here, in Node without Bun, and in a browser.

import { afterAll, expect, test } from 'bun:test'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { gzipSync } from 'node:zlib'
import { browserModule, build, MODULES, publishedModule } from '../../scripts/build.ts'
import { answerOfPage, findChromium, whyNoChromium } from '../support/browser.ts'
import { isLong } from '../support/long.ts'
import { isSkipped } from '../support/skipping.ts'
import type { Outcome, Vector } from '../support/vector.ts'
import { VECTORS } from '../support/vectors.ts'

const ROOT = join(import.meta.dir, '../..')
const folder = mkdtempSync(join(tmpdir(), 'verify-'))
afterAll(() => rmSync(folder, { recursive: true }))

const vectors = readdirSync(VECTORS)
  .filter((name) => name.endsWith('.json'))
  .flatMap((name) => (JSON.parse(readFileSync(join(VECTORS, name), 'utf8')) as { vectors: Vector[] }).vectors)
const expected = vectors.map(({ expect }) => expect)
/** Some for the verifier of lookups, which in Bun is given all of them. */
const lookups = vectors
  .filter((vector) => vector.kind === 'body' && vector.asked !== undefined && 'question' in vector.asked)
  .filter((_, i) => i % 8 === 0)
/** It says nothing of what lists have. */
const expectedOfLookups = lookups.map(({ expect }) => ('rows' in expect ? { ok: true, rows: expect.rows } : expect))

const bundles = await Promise.all(MODULES.map(async (name) => [`${name}.js`, await publishedModule(name)] as const))
const sha256 = await browserModule(join(ROOT, 'src/proof/sha256.ts'))
const judge = await browserModule(join(ROOT, 'test/support/vector.ts'))
const files: Record<string, string> = {
  ...Object.fromEntries(bundles),
  'judge.js': judge,
  'sha256.js': sha256,
  'vectors.json': JSON.stringify(vectors),
}

interface Answer {
  outcomes: Outcome[]
  /** Of the bodies that were asked for by a question: what the small verifier says. */
  ofLookups: Outcome[]
  platform: { bun: boolean; node: boolean; portable: boolean; sameDigests: boolean }
}
/** What is run everywhere. `readJson` is the one thing that differs. */
const everywhere = (readJson: string): string => `
import * as verify from './verify/lists.js'
import * as lookups from './verify.js'
import * as growth from './growth.js'
import * as changes from './changes.js'
import * as derivation from './derivation.js'
import { judge } from './judge.js'
import { portableSha256, sha256 } from './sha256.js'
const verifier = { ...verify, ...growth, ...changes, ...derivation }
export default async function () {
  const vectors = ${readJson}
  const outcomes = []
  for (const vector of vectors) outcomes.push(await judge(verifier, vector))
  const ofLookups = []
  for (const i of ${JSON.stringify(lookups.map((vector) => vectors.indexOf(vector)))})
    ofLookups.push(await judge({ ...verifier, ...lookups }, vectors[i]))
  const hex = (bytes) => Array.from(bytes, (b) => b.toString(16)).join()
  const messages = Array.from({ length: 200 }, (_, n) => new Uint8Array(n).map((_, i) => i * 31 + n))
  return { outcomes, ofLookups, platform: {
    bun: 'Bun' in globalThis,
    node: typeof process === 'object',
    portable: sha256 === portableSha256,
    sameDigests: messages.every((message) => hex(sha256(message)) === hex(portableSha256(message))),
  } }
}`

const node = (...args: string[]): string => {
  const { stdout, stderr, exitCode } = Bun.spawnSync(['node', ...args], { cwd: folder })
  if (exitCode !== 0) throw new Error(`node failed: ${stderr}`)
  return stdout.toString()
}

test('Node gives every vector the expected outcome, with its own SHA-256', () => {
  mkdirSync(join(folder, 'verify'))
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}')
  const read = "JSON.parse((await import('node:fs')).readFileSync('vectors.json', 'utf8'))"
  writeFileSync(join(folder, 'run.js'), everywhere(read))
  const { outcomes, ofLookups, platform }: Answer = JSON.parse(
    node('--input-type=module', '-e', "console.log(JSON.stringify(await (await import('./run.js')).default()))"),
  )
  expect(outcomes).toEqual(expected)
  expect<unknown[]>(ofLookups).toEqual(expectedOfLookups)
  expect(platform).toMatchObject({ bun: false, node: true, portable: false, sameDigests: true })
})

const chromium = findChromium()
test.skipIf(isSkipped('the verifier in a browser', whyNoChromium(chromium)))(
  'Chromium gives every vector the expected outcome, with the portable SHA-256',
  async () => {
    if (!chromium) throw new Error('there is no Chromium here, and none can be installed')
    const read = "await (await fetch('/vectors.json')).json()"
    const { outcomes, ofLookups, platform } = await answerOfPage<Answer>(chromium, files, everywhere(read))
    expect(outcomes).toEqual(expected)
    expect<unknown[]>(ofLookups).toEqual(expectedOfLookups)
    expect(platform).toMatchObject({ bun: false, node: false, portable: true, sameDigests: true })
  },
)

test('where the platform has no Ed25519, nothing verifies', () => {
  const script = `
    crypto.subtle.importKey = async () => { throw new DOMException('unknown algorithm', 'NotSupportedError') }
    const { readFileSync } = await import('node:fs')
    const verifier = { ...(await import('./verify/lists.js')), ...(await import('./growth.js')), ...(await import('./changes.js')) }
    const { judge } = await import('./judge.js')
    const signed = JSON.parse(readFileSync('vectors.json', 'utf8')).filter(({ kind }, i) => i % ${isLong ? 1 : 4} === 0 && !['json', 'policy', 'derivation', 'row', 'timeline', 'set', 'replay', 'registry-replay'].includes(kind))
    const outcomes = []
    for (const vector of signed) outcomes.push((await judge(verifier, vector)).ok)
    console.log(JSON.stringify(outcomes))`
  const outcomes = JSON.parse(node('--input-type=module', '-e', script)) as boolean[]
  expect(outcomes.length).toBeGreaterThan(100)
  expect(outcomes).not.toContain(true)
})

test('whoever forgets the policy gets one error, and can catch it: Node ends with any that nobody could', () => {
  const at = vectors.indexOf(lookups.find(({ expect }) => expect.ok) as Vector)
  const script = `
    const { openCheckpoint, verifyBody } = await import('./verify.js')
    const { body, asked } = JSON.parse((await import('node:fs')).readFileSync('vectors.json', 'utf8'))[${at}]
    const { checkpoint } = JSON.parse(body).proof.log
    const nameOf = ({ name }) => name
    const caught = []
    for (const policy of [undefined, 'log'])
      caught.push(await verifyBody(body, policy, asked).catch(nameOf), await openCheckpoint(checkpoint, policy).catch(nameOf))
    setTimeout(() => console.log(JSON.stringify(caught)), 10)`
  expect(JSON.parse(node('--input-type=module', '-e', script))).toEqual(Array(4).fill('TypeError'))
})

/** The most bytes of each module with gzip and with its comments. What a client has to load grows by a decision, not by itself. */
const MOST_BYTES: { [module: string]: number } = {
  'verify.js': 44_000,
  // The rules of a bill are in it.
  'verify/lists.js': 82_000,
  // The verifier of everything, and growth; the rest is little.
  'client.js': 91_000,
  'statement.js': 36_500,
}

test('the verifier is one file that needs nothing and can be read, and so is each of its companions', () => {
  for (const [name, text] of bundles) {
    expect([name, /^import\b|\bimport\(|\brequire\(|["']node:(?!crypto')/m.test(text)]).toEqual([name, false])
    expect([name, gzipSync(text).length <= (MOST_BYTES[name] ?? 15_000)]).toEqual([name, true])
    expect([name, /^\/\*\* [A-Z]/m.test(text)]).toEqual([name, true])
    const longest = Math.max(...text.split('\n').map(({ length }) => length))
    expect([name, longest < 500 ? 'short lines' : longest]).toEqual([name, 'short lines'])
  }
})

test('the source map of each module leads to the sources in the package', async () => {
  const dist = join(folder, 'mapped/dist')
  await build(dist)
  for (const name of MODULES) {
    const text = readFileSync(join(dist, `${name}.js`), 'utf8')
    const file = join(dist, dirname(name), /\n\/\/# sourceMappingURL=(.+)\n$/.exec(text)?.[1] ?? '')
    const { sources } = JSON.parse(readFileSync(file, 'utf8')) as { sources: string[] }
    expect(sources.length).toBeGreaterThan(0)
    const paths = sources.map((source) => relative(join(folder, 'mapped'), join(dirname(file), source)))
    expect(paths.filter((path) => !path.startsWith('src/') || !existsSync(join(ROOT, path)))).toEqual([])
  }
})

test('an error of the client that nobody catches is a few lines in the terminal, with its code and its hint', async () => {
  const script = `import { memoryPins, RegistryClient } from './client.js'
    await new RegistryClient({ baseUrl: 'http://127.0.0.1:9', pins: memoryPins() }).browse({})`
  const { stderr, exitCode } = Bun.spawnSync(['node', '--input-type=module', '-e', script], { cwd: folder })
  expect([exitCode, stderr.toString()]).toEqual([1, expect.stringContaining('hint:')])
  expect(stderr.length).toBeLessThan(4_000)
})

test('Node reaches the built verifier by the name of the package', async () => {
  const consumer = join(folder, 'node_modules/agent-trust-registry')
  await build(join(consumer, 'dist'))
  await Bun.write(join(consumer, 'package.json'), Bun.file(join(ROOT, 'package.json')))
  const names = MODULES.map((name) =>
    node('--input-type=module', '-e', `console.log(Object.keys(await import('agent-trust-registry/${name}')).join())`),
  )
  for (const name of ['readStatement', 'verifyBody', 'verifyDerivation', 'checkGrowth', 'verifyChanges', 'parsePolicy'])
    expect(names.join().split(/[,\s]+/)).toContain(name)
})
