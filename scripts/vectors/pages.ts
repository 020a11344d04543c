// Pages of rows: runs of neighbours, each with one proof.

import { toBase64, utf8 } from '../../src/proof/bytes.ts'
import { PAGE_PROOF, RANGE_PROOF } from '../../src/proof/price/proofs.ts'
import { type AnyRow, rowText } from '../../src/proof/price/row.ts'
import type { MemoryRelease } from '../../src/proof/registry-fixture.ts'
import { HashTree } from '../../src/proof/tree/hash-tree.ts'
import { rangesAround } from '../../src/proof/tree/leaves.ts'
import { leafHash } from '../../src/proof/tree/merkle.ts'
import { ask, type Body, bad, good, LOST } from './body.ts'
import { changed, flipped, replaced, respelled } from './edit.ts'
import { clfs, hospitalA, JULY, NPI, older, pfs, places, qpp, world } from './registry.ts'
import { at, cite } from './swaps.ts'

type Run = [release: MemoryRelease, from: number, to: number]
const hashOf = (row: AnyRow) => leafHash(utf8(rowText(row)))

/** A page of these runs, honest in all its parts. */
export async function pageOf(runs: readonly Run[], as_of = JULY, of = world) {
  const releases = [...new Set(runs.map(([release]) => release))]
  const data = runs.flatMap(([release, from, to], proof) =>
    release.rows.slice(from, to).map((row, i) => ({
      ...row,
      proof: { type: PAGE_PROOF, proof, index: from + i, leaf_hash: toBase64(hashOf(row)) },
    })),
  )
  const proofs = runs.map(([release, from, to]) => {
    const { left, right } = rangesAround(from, to, release.rows.length)
    const roots = (ranges: readonly [number, number][]): string[] =>
      ranges.map(([start, end]) => toBase64(new HashTree(release.rows.slice(start, end).map(hashOf)).root))
    return {
      type: RANGE_PROOF,
      release: releases.indexOf(release),
      from,
      left_path: roots(left),
      right_path: roots(right),
    }
  })
  const shared = {
    releases: releases.map((release) => of.share(release)),
    state: of.state,
    log: await of.proof(),
  }
  return { data, proofs, ...shared, page: { limit: 50 }, links: {}, as_of }
}

const from = at(pfs, '99213|')
const fees: Run = [pfs, from, from + 5]
const one = await pageOf([fees])
const two = await pageOf([fees, [clfs, 0, 3]])
const whole = await pageOf([[pfs, 0, pfs.rows.length]])
const broken = await pageOf([
  [pfs, from, from + 2],
  [pfs, from + 3, from + 5],
])
const ofNation = await pageOf([
  [pfs, 0, 1],
  [pfs, at(pfs, '99213|national'), at(pfs, '99213|national') + 2],
])
const asked = (given: object = {}) => ({ asked: { page: { as_of: JULY, ...given } } })
const OTHER = 'answers_another_question'
const [first] = one.data

const honest = [
  good('a page of one run', one, { rows: 5 }, asked()),
  good('a page to any question', one, { rows: 5 }),
  good('a page with lost sources', { ...one, sources_lost: [LOST] }, { rows: 5 }, asked()),
  bad('lost sources of a page that are null', { ...one, sources_lost: null }, 'not_recognised', asked()),
  bad('21 lost sources of a page', { ...one, sources_lost: Array(21).fill(LOST) }, 'not_recognised', asked()),
  good('a page of two releases', two, { rows: 8 }, asked()),
  good('a page of a whole release', whole, { rows: pfs.rows.length }, asked({ chart: 'cms-pfs' })),
  good('a page of a release with one row', await pageOf([[qpp, 0, 1]]), { rows: 1 }, asked({ chart: 'cms-pfs-qpp' })),
  good('a page of places', await pageOf([[places, 1, 4]]), { rows: 3 }, asked({ chart: 'zip-locality' })),
  good('a page of a code', one, { rows: 5 }, asked({ cpt: ' 99213' })),
  good('a page of a hospital', await pageOf([[hospitalA, 0, 3]]), { rows: 3 }, asked({ npi: NPI.A })),
  good('a page of a region', await pageOf([[pfs, from + 1, from + 2]]), { rows: 1 }, asked({ region: 'us-il-15' })),
  good('a page of a region, in two runs', ofNation, { rows: 3 }, asked({ region: 'national' })),
  good(
    'a page of a day in spring',
    await pageOf([[older, 0, 2]], '2026-05-01'),
    { rows: 2 },
    { asked: { page: { as_of: '2026-05-01' } } },
  ),
  good('a page in two runs, where nobody asked', broken, { rows: 4 }),
  good('a page that is fresh enough', one, { rows: 5 }, { ...asked(), not_before: '2026-10-01T00:00:00Z' }),
]

const faults = [
  bad('a row left out in the middle', { ...one, data: one.data.toSpliced(2, 1) }, 'rows_left_out'),
  bad('the last row left out', { ...one, data: one.data.slice(0, -1) }, 'row_not_in_release'),
  bad('the first row left out', { ...one, data: one.data.slice(1) }, 'rows_left_out'),
  bad('a row left out, and the run broken in two', broken, 'rows_left_out', asked()),
  bad('a row left out, and the run broken in two, for a code', broken, 'rows_left_out', asked({ cpt: '99213' })),
  bad(
    'two rows that changed places',
    { ...one, data: [one.data[1], one.data[0], ...one.data.slice(2)] },
    'rows_left_out',
  ),
  bad('a row twice', { ...one, data: [first, ...one.data] }, 'rows_left_out'),
  bad('runs in another order', { ...two, data: [...two.data.slice(5), ...two.data.slice(0, 5)] }, 'rows_left_out'),
  bad('a run that is not there', changed(one, { 'data.0.proof.proof': 1 }), 'rows_left_out'),
  bad('a run without rows', { ...two, data: two.data.slice(0, 5) }, 'row_not_in_release'),
  bad('an empty page', { ...one, data: [], proofs: [] }, 'nothing_proved'),
  bad('an empty page with a run', { ...one, data: [] }, 'row_not_in_release'),
  bad('a page with a forged row', changed(one, { 'data.0.price.amount': '1.00' }), 'leaf_hash_mismatch'),
  bad(
    'a forged row and its leaf hash made to fit',
    changed(one, {
      'data.0.price.amount': '1.00',
      'data.0.proof.leaf_hash': toBase64(hashOf(changed(fees[0].rows[from] as AnyRow, { 'price.amount': '1.00' }))),
    }),
    'row_not_in_release',
  ),
  bad('a row that is no row', { ...one, data: [{ ...first, note: 'x' }, ...one.data.slice(1)] }, 'row_malformed'),
  bad('a row of a page that is null', { ...one, data: [null, ...one.data.slice(1)] }, 'row_malformed'),
  bad('a row without its proof', changed(one, { 'data.0.proof': undefined }), 'proof_malformed'),
  bad(
    'a row with a whole proof',
    { ...one, data: [await world.cite(pfs, from), ...one.data.slice(1)] },
    'proof_malformed',
  ),
  bad(
    'one bit of the left path',
    changed(one, { 'proofs.0.left_path.0': flipped(one.proofs[0]?.left_path[0] as string) }),
    'row_not_in_release',
  ),
  bad(
    'a right path with padding bits set',
    changed(one, { 'proofs.0.right_path.0': respelled(one.proofs[0]?.right_path[0] as string) }),
    'row_not_in_release',
  ),
  bad(
    'a hash too many in the left path',
    changed(one, { 'proofs.0.left_path': [...(one.proofs[0]?.left_path ?? []), pfs.manifest.rows_root] }),
    'row_not_in_release',
  ),
  bad(
    'a hash too few in the right path',
    changed(one, { 'proofs.0.right_path': one.proofs[0]?.right_path.slice(1) }),
    'row_not_in_release',
  ),
  bad('a run at another place', changed(one, { 'proofs.0.from': from + 1 }), 'rows_left_out'),
  bad('a run of a release that is not there', changed(one, { 'proofs.0.release': 1 }), 'proof_malformed'),
  bad('a run of another release', changed(two, { 'proofs.0.release': 1, 'proofs.1.release': 0 }), 'row_not_in_release'),
  bad('a member too many in a run', changed(one, { 'proofs.0.rows': [] }), 'proof_malformed'),
  bad('no runs', changed(one, { proofs: undefined }), 'proof_malformed'),
  bad(
    '201 runs',
    { ...one, proofs: Array(201).fill({ type: RANGE_PROOF, release: 0, from: 0, left_path: [], right_path: [] }) },
    'proof_malformed',
  ),
  bad('no state on a page', changed(one, { state: undefined }), 'proof_malformed'),
  bad('no log on a page', changed(one, { log: undefined }), 'proof_malformed'),
  bad('a release with its state', changed(one, { 'releases.0.in_force.state': world.state }), 'proof_malformed'),
  bad('a forged release of a page', changed(one, { 'releases.0.release.rejected_count': 7 }), 'release_not_in_force'),
  bad('a forged period', changed(one, { 'releases.0.in_force.period.to': '2026-09-01' }), 'period_not_in_timeline'),
  bad('a member too many beside a page', { ...one, total: '1.00' }, 'not_recognised'),
  bad('a page without its day', changed(one, { as_of: undefined }), 'not_recognised'),
  bad('a page of a day that does not exist', { ...one, as_of: '2026-07-32' }, 'not_recognised'),
  bad(
    'a page with a text twice',
    replaced(JSON.stringify(one), '"as_of":', '"as_of":"2026-07-15","as_of":'),
    'json_malformed',
  ),
  bad('another checkpoint among the links', { ...one, links: { checkpoint: 'x' } }, 'mixed_checkpoints'),
  bad('a place beside a page', { ...one, place: await cite(places, '60611|') }, 'not_recognised'),
  bad('a page that is too old', one, 'state_too_old', { ...asked(), not_before: '2026-11-01T00:00:00Z' }),
]

const filters = [
  bad('a page for a question', one, OTHER, { asked: ask({}) }),
  bad('a page for a batch', one, OTHER, { asked: { questions: [ask({}).question] } }),
  bad('a page of another day', one, OTHER, { asked: { page: { as_of: '2026-07-16' } } }),
  bad('a page that says another day', { ...one, as_of: '2026-07-16' }, OTHER, asked()),
  bad('a page of an older edition', await pageOf([[older, 0, 2]]), OTHER, asked()),
  bad('a page of another code', one, OTHER, asked({ cpt: '99214' })),
  bad('a page with a row of another code', whole, OTHER, asked({ cpt: '99213' })),
  bad('a page of another region', one, OTHER, asked({ region: 'US-IL-16' })),
  bad('a page of another chart', one, OTHER, asked({ chart: 'cms-pfs-qpp' })),
  bad('a page with a row of another chart', two, OTHER, asked({ chart: 'cms-pfs' })),
  bad('a page of another hospital', await pageOf([[hospitalA, 0, 3]]), OTHER, asked({ npi: NPI.B })),
  bad('a page of places for a code', await pageOf([[places, 1, 4]]), OTHER, asked({ cpt: '99213' })),
]

export const pages: Body[] = [...honest, ...faults, ...filters]
