// Rows of a release that a list shows, proved at once.

import { concat, fromBase64, toBase64, utf8 } from '../../src/proof/bytes.ts'
import { completed } from '../../src/proof/list/likeness.ts'
import { SET_PROOF, type SetBecause } from '../../src/proof/price/proofs.ts'
import { type AnyRow, rowText } from '../../src/proof/price/row.ts'
import type { MemoryRelease } from '../../src/proof/registry-fixture.ts'
import { hashesBeside } from '../../src/proof/set-fixture.ts'
import { HashTree } from '../../src/proof/tree/hash-tree.ts'
import { rangesBeside } from '../../src/proof/tree/leaves.ts'
import { type Hash, leafHash } from '../../src/proof/tree/merkle.ts'
import { batchOf, lineOf, listOf, total } from './batches.ts'
import { ask, type Body, bad, good } from './body.ts'
import { changed, flipped, respelled } from './edit.ts'
import { clfs, older, pfs, world } from './registry.ts'
import { at } from './swaps.ts'
import type { VectorOf } from './vector.ts'

type SetVector = VectorOf<'set'>
type Members = Record<string, unknown>

// Leaves are the hashes of the texts "0", "1", "2" and so on.
const LEAVES = Array.from({ length: 1_000 }, (_, i) => leafHash(utf8(String(i))))
const rootOf = (from: number, to: number): Hash => new HashTree(LEAVES.slice(from, to)).root

function setOf(size: number, ...places: number[]) {
  return {
    size,
    root: toBase64(rootOf(0, size)),
    leaves: places.map((index) => ({ index, hash: toBase64(LEAVES[index] as Hash) })),
    hashes: toBase64(concat(...rangesBeside(places, size).map(([from, to]) => rootOf(from, to)))),
  }
}
type Given = ReturnType<typeof setOf>
const stands = (name: string, given: Given): SetVector => ({ name, kind: 'set', ...given, expect: { ok: true } })
const falls = (name: string, given: Given): SetVector => ({
  name,
  kind: 'set',
  ...given,
  expect: { ok: false, reason: 'row_not_in_release' },
})

const three = setOf(7, 1, 2, 6)
const [first, second, third] = three.leaves as [Given['leaves'][0], Given['leaves'][0], Given['leaves'][0]]
const BESIDE = fromBase64(three.hashes) as Uint8Array
const other = toBase64(leafHash(utf8('another')))
const hashes = (...parts: Uint8Array[]): string => toBase64(concat(...parts))
const part = (i: number): Uint8Array => BESIDE.slice(32 * i, 32 * (i + 1))

export const leafSets: SetVector[] = [
  stands('the only leaf', setOf(1, 0)),
  stands('all leaves of a tree', setOf(5, 0, 1, 2, 3, 4)),
  stands('the first of two leaves', setOf(2, 0)),
  stands('the last of three leaves', setOf(3, 2)),
  stands('both ends of a tree', setOf(9, 0, 8)),
  stands('three leaves of seven', three),
  stands('leaves of a tree that is not perfect', setOf(1_000, 0, 1, 2, 499, 500, 511, 512, 767, 998)),
  stands('every other leaf', setOf(21, ...Array.from({ length: 11 }, (_, i) => 2 * i))),
  stands('the last leaf of a large tree', setOf(1_000, 999)),
  falls('no leaves', { ...setOf(4), leaves: [], hashes: setOf(4).root }),
  falls('no leaves and no hashes', { ...setOf(4), hashes: '' }),
  falls('leaves that fall', { ...three, leaves: [second, first, third] }),
  falls('a leaf twice', { ...three, leaves: [first, first, second, third] }),
  falls('a leaf that is left out', { ...three, leaves: [first, third] }),
  falls('a leaf that is another', { ...three, leaves: [first, { ...second, hash: other }, third] }),
  falls('two leaves that changed places', {
    ...three,
    leaves: [{ ...first, hash: second.hash }, { ...second, hash: first.hash }, third],
  }),
  falls('a leaf at another place', { ...three, leaves: [first, second, { ...third, index: 5 }] }),
  falls('a leaf outside the tree', { ...three, leaves: [first, second, { ...third, index: 7 }] }),
  falls('another size', { ...three, size: 8 }),
  falls('another root', { ...three, root: flipped(three.root) }),
  falls('a root with padding bits set', { ...three, root: respelled(three.root) }),
  falls('a hash too few', { ...three, hashes: hashes(part(0), part(1)) }),
  falls('a hash too many', { ...three, hashes: hashes(BESIDE, part(0)) }),
  falls('no hashes', { ...three, hashes: '' }),
  falls('two hashes that changed places', { ...three, hashes: hashes(part(1), part(0), part(2)) }),
  falls('one bit of a hash', { ...three, hashes: hashes(Uint8Array.of((BESIDE[0] as number) ^ 1), BESIDE.slice(1)) }),
  falls('half a hash more', { ...three, hashes: hashes(BESIDE, part(0).slice(16)) }),
  falls('hashes with a line break', { ...three, hashes: `${three.hashes.slice(0, 64)}\n${three.hashes.slice(64)}` }),
  falls('hashes without padding', { ...setOf(2, 0), hashes: setOf(2, 0).hashes.replace('=', '') }),
  falls('hashes with padding bits set', { ...setOf(2, 0), hashes: respelled(setOf(2, 0).hashes) }),
]

const PRICE = { extended: { amount: '95.19' } }
const PLAIN = { lines: 1, priced: 1, totals: [total('medicare_pfs', 1, '95.19', '95.19', null)] }
const NONE = { lines: 1, priced: 0, totals: [] }
const one = await batchOf([[{}, PRICE]], PLAIN)
const missing = await batchOf([[{ cpt: '12345' }, {}]], NONE)
const zip = await batchOf([[{ region: '60611' }, { extended: { amount: '98.00' } }]], {
  ...PLAIN,
  totals: [total('medicare_pfs', 1, '98.00', '98.00', null)],
})
const questions = (...asked: Parameters<typeof ask>[0][]) => ({
  asked: { questions: asked.map((each) => ask(each).question) },
})
const set = (body: { releases: { hashes: string }[] }, i = 0): string => (body.releases[i] as { hashes: string }).hashes
const row = (release: MemoryRelease, key: string) => release.rows[at(release, key)] as AnyRow
const leafText = (of: AnyRow): string => toBase64(leafHash(utf8(rowText(of))))

const FEE = row(pfs, '99213|national|||medicare_pfs|non')
const place = at(pfs, '99213|national|||medicare_pfs|non')
const beside = (index: number, of: AnyRow, release = 0) => ({
  'results.0.because': { rows: [{ release, index, row: of }] },
})
/** One line that shows a further row of its release, with the hashes of both. */
const further = (index: number) =>
  changed(one, {
    ...beside(index, pfs.rows[index] as AnyRow),
    'releases.0.hashes': hashesBeside(
      pfs,
      [place, index].sort((a, b) => a - b),
    ),
  })
const shownIn = missing as unknown as { results: { problem: { because: SetBecause } }[] }
const neighbours = shownIn.results[0]?.problem.because.rows ?? []

export const rowSets: Body[] = [
  good('a row that nobody needs, proved with the others', further(0), { rows: 1 }, questions({})),
  bad(
    'a row that nobody needs, without hashes for it',
    changed(one, beside(0, pfs.rows[0] as AnyRow)),
    'row_not_in_release',
  ),
  bad(
    'hashes for a row that is not shown',
    changed(one, { 'releases.0.hashes': set(further(0)) }),
    'row_not_in_release',
  ),
  good('the row of an answer among what is shown', changed(one, beside(place, FEE)), { rows: 1 }, questions({})),
  bad(
    'another row at the place of the answer',
    changed(one, beside(place, pfs.rows[0] as AnyRow)),
    'leaves_contradict',
  ),
  bad('the row of an answer at another place', changed(one, beside(place + 1, FEE)), 'row_not_in_release'),
  bad('a row at another place', changed(one, { 'results.0.row.proof.index': place + 1 }), 'row_not_in_release'),
  bad('a row past the end', changed(one, { 'results.0.row.proof.index': pfs.rows.length }), 'row_not_in_release'),
  bad('a row of a line without its proof', changed(one, { 'results.0.row.proof': undefined }), 'proof_missing'),
  bad('a row of a line whose proof is null', changed(one, { 'results.0.row.proof': null }), 'proof_missing'),
  bad('a row without its place', changed(one, { 'results.0.row.proof.index': undefined }), 'proof_malformed'),
  bad('a leaf hash of a line', changed(one, { 'results.0.row.proof.leaf_hash': leafText(FEE) }), 'proof_malformed'),
  bad('a path beside the place', changed(one, { 'results.0.row.proof.path': [] }), 'proof_malformed'),
  bad('a release without its kind of proof', changed(one, { 'releases.0.type': undefined }), 'proof_malformed'),
  bad(
    'a release with another kind of proof',
    changed(one, { 'releases.0.type': 'agent-trust-registry/range-proof@v2' }),
    'proof_malformed',
  ),
  bad('a row of a release that is not there', changed(one, { 'results.0.row.proof.release': 1 }), 'proof_malformed'),
  bad(
    'what is shown of a release that is not there',
    changed(missing, { 'results.0.problem.because.rows.0.release': 9 }),
    'proof_malformed',
  ),
  bad(
    'what is shown of no release',
    changed(missing, { 'results.0.problem.because.rows.0.release': null }),
    'proof_malformed',
  ),
  bad('a path in what is shown', changed(missing, { 'results.0.problem.because.rows.0.path': [] }), 'proof_malformed'),
  bad('a release in what is shown', changed(missing, { 'results.0.problem.because.releases': [] }), 'proof_malformed'),
  bad('no hashes of a release', changed(one, { 'releases.0.hashes': undefined }), 'proof_malformed'),
  bad('hashes of a release as a list', changed(one, { 'releases.0.hashes': [] }), 'proof_malformed'),
  bad('hashes of a batch', { ...one, hashes: '' }, 'not_recognised'),
  bad('hashes of a release that are empty', changed(one, { 'releases.0.hashes': '' }), 'row_not_in_release'),
  bad(
    'one hash less',
    changed(one, { 'releases.0.hashes': toBase64((fromBase64(set(one)) as Uint8Array).slice(32)) }),
    'row_not_in_release',
  ),
  good(
    'a release of which no row is shown',
    { ...one, releases: [...one.releases, { type: SET_PROOF, ...world.share(clfs), hashes: '' }] },
    { rows: 1 },
    questions({}),
  ),
  bad(
    'a release of which no row is shown, with its root',
    { ...one, releases: [...one.releases, { type: SET_PROOF, ...world.share(clfs), hashes: clfs.manifest.rows_root }] },
    'row_not_in_release',
  ),
  bad(
    'the row of another edition',
    { ...one, releases: [{ type: SET_PROOF, ...world.share(older), hashes: set(one) }] },
    'row_not_in_release',
  ),
  good(
    'a release listed twice, each with its rows',
    {
      ...one,
      results: [one.results[0], changed(one.results[0] as object, { 'row.proof.release': 1 })],
      releases: [one.releases[0], one.releases[0]],
      summary: { lines: 2, priced: 2, totals: [total('medicare_pfs', 2, '190.38', '190.38', null)] },
    },
    { rows: 2 },
    questions({}, {}),
  ),
  bad(
    'a neighbour left out',
    changed(missing, { 'results.0.problem.because.rows': neighbours.slice(1) }),
    'row_not_in_release',
  ),
  bad(
    'a neighbour left out, and the hashes made to fit',
    changed(missing, {
      'results.0.problem.because.rows': neighbours.filter(({ release }) => release !== 0),
      'releases.0.hashes': '',
    }),
    'choice_not_proved',
    questions({ cpt: '12345' }),
  ),
  good(
    'a line that leans on a line after it',
    await listOf(
      async (shown) => {
        const whole = await lineOf(shown, { cpt: '12345' })
        const { because: _, ...bare } = whole['problem'] as Record<string, unknown>
        return [{ status: 404, problem: bare }, whole]
      },
      { lines: 2, priced: 0, totals: [] },
    ),
    {},
    questions({ cpt: '12345' }, { cpt: '12345' }),
  ),
  good(
    'a line whose place is proved and not shown as one',
    changed(zip, {
      'results.0.place': undefined,
      'results.0.because': { rows: [placeRow()] },
    }),
    { rows: 1 },
    questions({ region: '60611' }),
  ),
  good(
    'evidence with empty lists',
    changed(missing, { 'results.0.problem.because.providers': [] }),
    {},
    questions({ cpt: '12345' }),
  ),
  bad(
    'evidence with providers that are null',
    changed(missing, { 'results.0.problem.because.providers': null }),
    'proof_malformed',
  ),
  ...(await likenesses()),
  bad('a place that is a price', changed(zip, { 'results.0.place': zip.results[0]?.['row'] }), 'row_malformed'),
]

/** Rows of evidence that state only what differs from another one. */
async function likenesses(): Promise<Body[]> {
  const asked = { cpt: '50000', basis: 'medicare_clfs' }
  const between = await batchOf([[asked, {}]], NONE)
  const rows = (between as unknown as typeof shownIn).results[0]?.problem.because.rows ?? []
  const [left, right] = rows
  if (!left || right?.like !== left.index) throw new Error('evidence that resembles other evidence was expected')
  const at = 'results.0.problem.because.rows.1'
  const edited = (members: Members) =>
    changed(between, Object.fromEntries(Object.entries(members).map(([name, value]) => [`${at}.${name}`, value])))
  const whole = completed(left.row as Members, right.row as Members)
  /** The first line, then others that state it again so often, 256 rows at most in each. */
  const repeated = (times: number) => {
    const again = { release: left.release, index: left.index, like: left.index, row: {} }
    const lines = Array.from({ length: Math.ceil(times / 256) }, (_, i) => ({
      status: 404,
      problem: { code: 'not_on_schedule', because: { rows: Array(Math.min(256, times - 256 * i)).fill(again) } },
    }))
    const results = [...between.results, ...lines]
    return { ...between, results, summary: { ...NONE, lines: results.length } }
  }
  return [
    good('evidence like other evidence', between, {}, questions(asked)),
    good('the same as a whole row', edited({ like: undefined, row: whole }), {}, questions(asked)),
    good('a whole row that is like another', edited({ row: whole }), {}, questions(asked)),
    bad('evidence like a row that was not shown', edited({ like: 9_999 }), 'proof_malformed'),
    bad('evidence like itself', edited({ like: right.index }), 'proof_malformed'),
    bad('evidence like nothing', edited({ like: undefined }), 'proof_malformed'),
    bad('evidence like null', edited({ like: null }), 'proof_malformed'),
    bad(
      'evidence like a row of another release',
      { ...edited({ release: 1 }), releases: [...between.releases, ...one.releases] },
      'proof_malformed',
    ),
    good('as many rows in short as there can be', repeated(1_023), {}, questions(asked, asked, asked, asked, asked)),
    bad('more rows in short than there can be', repeated(1_024), 'proof_malformed'),
    bad('evidence that differs in nothing', edited({ row: {} }), 'row_not_in_release'),
    bad('evidence that differs by a list', edited({ row: [] }), 'proof_malformed'),
    bad('evidence of another code', edited({ 'row.cpt': '50001' }), 'row_not_in_release'),
    bad('evidence with a member that no row has', edited({ 'row.note': 'x' }), 'proof_malformed'),
    bad('evidence whose price is null', edited({ 'row.price': null }), 'proof_malformed'),
    bad('evidence with a member that no price has', edited({ 'row.price': { tax: '1' } }), 'proof_malformed'),
    bad('evidence whose flags are an object', edited({ 'row.flags': {} }), 'proof_malformed'),
  ]
}

function placeRow(): object {
  const { proof, ...place } = (zip.results[0] as Members)['place'] as { proof: { release: number; index: number } }
  return { release: proof.release, index: proof.index, row: place }
}
