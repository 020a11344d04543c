import { expect, test } from 'bun:test'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { publishedModule } from '../../scripts/build.ts'
import { vectorFiles } from '../../scripts/vectors/files.ts'
import { isLookup } from '../../src/proof/body.ts'
import * as changes from '../../src/proof/changes.ts'
import { classOf, type Fault, REASONS } from '../../src/proof/fault.ts'
import * as growth from '../../src/proof/growth.ts'
import * as derivation from '../../src/proof/price/derivation.ts'
import { ABSENCE_REASONS, BASES } from '../../src/proof/price/row.ts'
import * as lookups from '../../src/proof/verify.ts'
import * as verify from '../../src/proof/verify-lists.ts'
import { judge, type Vector } from '../support/vector.ts'
import { FORMAT, VECTORS } from '../support/vectors.ts'

const GENERATOR = join(import.meta.dir, '../../scripts/vectors')
const read = (name: string): string => readFileSync(join(VECTORS, name), 'utf8')
const names = readdirSync(VECTORS).filter((name) => name.endsWith('.json'))
const vectors = names.flatMap((name) => {
  const { format, vectors } = JSON.parse(read(name)) as { format: string; vectors: Vector[] }
  expect(format).toBe(FORMAT)
  return vectors
})

const example = (name: string): string => readFileSync(join(VECTORS, '../example', name), 'utf8')

test.each([
  ['price-99213', { question: { cpt: '99213', as_of: '2026-07-15' } }],
  ['absence-99999', { question: { cpt: '99999', as_of: '2026-07-15', basis: 'medicare_pfs' } }],
  ['change-w', { anyQuestion: true }],
] as const)('the example %s answers its question under its policy', async (name, asked) => {
  const policy = verify.parsePolicy(example('policy.txt'))
  if (!policy) throw new Error('the example policy is not one')
  expect(await verify.verifyBody(example(`${name}.json`), policy, asked)).toMatchObject({ ok: true })
})

test.each(names)('the verifier says what is expected of it on all of %s', async (name) => {
  const { vectors } = JSON.parse(read(name)) as { vectors: Vector[] }
  const differing: object[] = []
  for (const vector of vectors) {
    const outcome = await judge({ ...verify, ...growth, ...changes, ...derivation }, vector)
    if (!Bun.deepEquals(outcome, vector.expect, true)) differing.push({ name: vector.name, outcome })
  }
  expect(differing).toEqual([])
})

/** What the whole verifier says of each body, asked once. */
const wholly = new Map<Vector, verify.BodyVerdict>()

/** The module that the package has, bundled and without its types. */
async function publishedLookups(): Promise<typeof lookups> {
  const folder = mkdtempSync(join(tmpdir(), 'lookups-'))
  await Bun.write(join(folder, 'verify.js'), await publishedModule('verify'))
  const module = await import(join(folder, 'verify.js'))
  rmSync(folder, { recursive: true })
  return module
}

test.each([
  ['as it is written', async () => lookups],
  ['as it is published', publishedLookups],
])('the verifier of lookups, %s, has the same verdict on each lookup, and takes no list', async (_, open) => {
  const small = await open()
  const differing: object[] = []
  for (const vector of vectors) {
    const policy = vector.kind === 'body' ? small.parsePolicy(vector.policy) : undefined
    if (vector.kind !== 'body' || !policy) continue
    const { not_before, not_after } = vector
    const options = {
      ...(not_before === undefined ? {} : { notBefore: not_before }),
      ...(not_after === undefined ? {} : { notAfter: not_after }),
    }
    const asked = vector.asked ?? ({ anyQuestion: true } as const)
    const whole = wholly.get(vector) ?? (await verify.verifyBody(vector.body, policy, asked, options))
    wholly.set(vector, whole)
    // What lists have is not in the verdict on a lookup.
    const { editions: _1, page: _2, entries: _3, refused: _4, figures: _5, ...rest } = whole as verify.VerifiedAnswer
    const isOfLookup = 'question' in asked || ('anyQuestion' in asked && whole.ok && isLookup(JSON.parse(vector.body)))
    const verdict = await small.verifyBody(vector.body, policy, asked as lookups.Inquiry, options)
    if (isOfLookup ? !Bun.deepEquals(verdict, rest) : verdict.ok) differing.push({ name: vector.name, verdict })
  }
  expect(differing).toEqual([])
})

test.each(Object.entries(vectorFiles))('%s is what npm run generate makes', (path, text) => {
  expect(read(basename(path)) === text).toBe(true)
})

test('the folder has no other files', () => {
  expect(
    Object.keys(vectorFiles)
      .map((path) => basename(path))
      .sort(),
  ).toEqual(names.sort())
})

test('the files are small, and so is what makes them', () => {
  const bytes = names.reduce((sum, name) => sum + Buffer.byteLength(read(name)), 0)
  expect(bytes).toBeLessThanOrEqual(3_300_000)
  const made = readdirSync(GENERATOR).map((name) => readFileSync(join(GENERATOR, name), 'utf8'))
  expect(made.reduce((sum, text) => sum + text.split('\n').length - 1, 0)).toBeLessThanOrEqual(3_000)
})

test('each reason has its class', () => {
  for (const { name, expect: said } of vectors)
    if (!said.ok && (said.reason as string) !== 'policy_malformed')
      expect([name, said.class]).toEqual([name, classOf(said.reason as Fault)])
})

test('every class and every reason has a vector', () => {
  const given = new Set(vectors.map(({ expect }) => (expect.ok ? '' : (expect.reason as string))))
  const all = Object.values(REASONS).flat()
  expect(all.length).toBeGreaterThan(50)
  expect(all.filter((reason) => !given.has(reason))).toEqual([])
})

const page = (name: string): string => readFileSync(join(VECTORS, '..', name), 'utf8')

test('json.json has a vector for each word that canonical-json.md documents', () => {
  const { vectors } = JSON.parse(read('json.json')) as { vectors: { word?: string }[] }
  const [, reading = ''] = page('canonical-json.md').split('**Reading.**')
  const bullets = reading.split('\n').filter((line) => line.startsWith('- '))
  const documented = [...bullets.join().matchAll(/`([a-z_]+)`/g)].map(([, word]) => word)
  expect([...new Set(vectors.flatMap(({ word }) => word ?? []))].sort()).toEqual(documented.sort() as string[])
})

test('no two vectors of a kind have one name, and both outcomes are well covered', () => {
  const titles = vectors.map(({ kind, name }) => `${kind}: ${name}`)
  expect(titles.filter((title, i) => titles.indexOf(title) !== i)).toEqual([])
  expect(vectors.filter(({ expect }) => expect.ok).length).toBeGreaterThanOrEqual(400)
  expect(vectors.filter(({ expect }) => !expect.ok).length).toBeGreaterThanOrEqual(700)
})

test('no two vectors of a kind have the same inputs', () => {
  const inputs = vectors.map(({ name: _name, expect: _expect, ...given }) => String(Bun.hash(JSON.stringify(given))))
  const repeated = vectors.filter((_, i) => inputs.indexOf(inputs[i] as string) !== i)
  expect(repeated.map(({ kind, name }) => `${kind}: ${name}`)).toEqual([])
})

test('every basis, every reason for an absence and every outcome of a lookup has a vector that is good', () => {
  const good = vectors.filter(({ expect }) => expect.ok)
  const texts = good.map((vector) => ('row' in vector ? vector.row : 'body' in vector ? vector.body : '')).join('\n')
  const shown = [
    ...BASES.map((basis) => `"basis":"${basis}"`),
    ...ABSENCE_REASONS.map((reason) => `"reason":"${reason}"`),
    ...OUTCOMES.map((code) => `"code":"${code}"`),
  ]
  expect(shown.filter((text) => !texts.includes(text))).toEqual([])
})

const OUTCOMES = [
  'absent_bundled',
  'modifier_not_allowed',
  'modifier_not_priced',
  'no_edition_for_day',
  'region_ambiguous',
  'region_not_covered',
  'unknown_zip',
  'unknown_provider',
  'not_on_schedule',
]
