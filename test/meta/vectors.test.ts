import { expect, test } from 'bun:test'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { publishedModule } from '../../scripts/build.ts'
import { vectorFiles } from '../../scripts/vectors/files.ts'
import { isLookup } from '../../src/proof/body.ts'
import * as changes from '../../src/proof/changes.ts'
import * as growth from '../../src/proof/growth.ts'
import * as derivation from '../../src/proof/price/derivation.ts'
import { ABSENCE_REASONS, BASES } from '../../src/proof/price/row.ts'
import * as lookups from '../../src/proof/verify.ts'
import * as verify from '../../src/proof/verify-lists.ts'
import { judge, type Vector } from '../support/vector.ts'
import { FORMAT, VECTORS } from '../support/vectors.ts'

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

test('the generated files are small', () => {
  const bytes = Object.values(vectorFiles).reduce((sum, text) => sum + Buffer.byteLength(text), 0)
  expect(bytes).toBeLessThanOrEqual(900_000)
})

const page = (name: string): string => readFileSync(join(VECTORS, '..', name), 'utf8')
/** The words in backticks from a heading to the next one of its level or above. */
function wordsUnder(name: string, heading: string): string[] {
  const [, after = ''] = page(name).split(`\n${heading}\n`)
  const [section = ''] = after.split(new RegExp(`\n#{1,${heading.indexOf(' ')}} `))
  return [...section.matchAll(/`([a-z_]+)`/g)].map(([, word = '']) => word)
}
const REASONS = [
  ...wordsUnder('proof.md', '## Failure reasons'),
  ...wordsUnder('proof.md', '## Reasons about amounts and files'),
]

test.each([
  ['checkpoint', 'log.md', '## Checkpoints'],
  ['growth', 'log.md', '## Growth'],
  ['derivation', 'row.md', '## Derivations'],
  ['figures', 'proof.md', '### Figures'],
  ['changes', 'proof.md', '## Log entries'],
  ['changes', 'figures.md', '## Change entries'],
] as const)('%s.json has a vector for each reason that %s documents under %s', (file, name, heading) => {
  const { vectors } = JSON.parse(read(`${file}.json`)) as { vectors: Vector[] }
  const given = new Set(vectors.map(({ expect }) => ('reason' in expect ? (expect.reason as string) : '')))
  const documented = wordsUnder(name, heading).filter((word) => REASONS.includes(word))
  expect(documented.length).toBeGreaterThan(3)
  expect(documented.filter((word) => !given.has(word))).toEqual([])
})

test('json.json has a vector for each word that canonical-json.md documents', () => {
  const { vectors } = JSON.parse(read('json.json')) as { vectors: { word?: string }[] }
  const documented = [...page('canonical-json.md').matchAll(/\| `([a-z_]+)` \|/g)].map(([, word]) => word)
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

test('every reason for which anything fails has a vector', () => {
  const unions = [
    'fault.ts',
    'facts.ts',
    'growth.ts',
    'note/signed-note.ts',
    'note/checkpoint.ts',
    'price/derivation.ts',
  ].flatMap((file) => {
    const source = readFileSync(join(import.meta.dir, '../../src/proof', file), 'utf8')
    return [...source.matchAll(/export type \w*Fault =((?:\s*\|?\s*(?:\w+|'\w+'))+)/g)].map(([, union = '']) => union)
  })
  const reasons = new Set(unions.flatMap((union) => [...union.matchAll(/'(\w+)'/g)].map(([, reason = '']) => reason)))
  expect(reasons.size).toBeGreaterThan(50)
  const covered = new Set(vectors.map(({ expect }) => (expect.ok ? '' : expect.reason) as string))
  expect([...reasons].filter((reason) => !covered.has(reason))).toEqual([])
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
