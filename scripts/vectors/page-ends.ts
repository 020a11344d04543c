// Pages: runs at and past the end of a release, editions of another day, and runs that are broken in two.

import { toBase64, utf8 } from '../../src/proof/bytes.ts'
import { PAGE_PROOF, RANGE_PROOF } from '../../src/proof/price/proofs.ts'
import { type AnyRow, rowText } from '../../src/proof/price/row.ts'
import { aFee, type MemoryRelease } from '../../src/proof/registry-fixture.ts'
import { leafHash } from '../../src/proof/tree/merkle.ts'
import { type Body, bad, good } from './body.ts'
import { changed } from './edit.ts'
import { pageOf } from './pages.ts'
import { hospitalA, hospitalB, JULY, NPI, older, pfs, qpp, world } from './registry.ts'
import { at } from './swaps.ts'

const OTHER = 'answers_another_question'
const asked = (given: object = {}) => ({ asked: { page: { as_of: JULY, ...given } } })
const size = pfs.rows.length

/** A row that no release has, at a place of a run. */
const forged = aFee({ cpt: '99999', amount: '1.00' })
const itemOf = (row: AnyRow, index: number, proof = 0) => ({
  ...row,
  proof: { type: PAGE_PROOF, proof, index, leaf_hash: toBase64(leafHash(utf8(rowText(row)))) },
})
const end = await pageOf([[pfs, size - 2, size]])
const whole = await pageOf([[qpp, 0, 1]])
const runAt = (from: number, release: MemoryRelease, paths: object = {}) => ({
  ...end,
  releases: [world.share(release)],
  data: [itemOf(forged, from)],
  proofs: [{ type: RANGE_PROOF, release: 0, from, left_path: [release.manifest.rows_root], right_path: [], ...paths }],
})

const ends: Body[] = [
  bad('a page that was asked for by a part that is none', end, 'question_malformed', asked({ setting: 'facility' })),
  bad('a page that was asked for by a number', end, 'question_malformed', asked({ cpt: 99213 })),
  good('the last two rows of a release', end, { rows: 2 }, asked({ chart: 'cms-pfs' })),
  bad(
    'a forged row after the last',
    { ...end, data: [...end.data, itemOf(forged, size)] },
    'row_not_in_release',
    asked(),
  ),
  bad(
    'a forged row after the only one',
    { ...whole, data: [...whole.data, itemOf(forged, 1)] },
    'row_not_in_release',
    asked(),
  ),
  bad(
    'two forged rows after the last',
    {
      ...end,
      data: [...end.data, itemOf(forged, size), itemOf(aFee({ cpt: '99999', setting: 'facility' }), size + 1)],
    },
    'row_not_in_release',
  ),
  bad('a run that begins where its release ends', runAt(size, pfs), 'row_not_in_release', asked()),
  bad('a run that begins where a release of one row ends', runAt(1, qpp), 'row_not_in_release', asked()),
  bad('a run far past its release', runAt(2 ** 53 - 1, pfs), 'row_not_in_release'),
  bad(
    'a run past its release, with the root on its right',
    runAt(size, pfs, { left_path: [], right_path: [pfs.manifest.rows_root] }),
    'row_not_in_release',
  ),
]

const both = await pageOf([
  [pfs, at(pfs, '99211|'), at(pfs, '99211|') + 1],
  [older, 0, 1],
])
const SPRING = { asked: { page: { as_of: '2026-06-30' } } }
const editions: Body[] = [
  good('a page of the last day of an edition', await pageOf([[older, 0, 2]], '2026-06-30'), { rows: 2 }, SPRING),
  bad('a page of an edition that begins a day later', await pageOf([[pfs, 0, 2]], '2026-06-30'), OTHER, SPRING),
  bad('a page of an edition that is over', await pageOf([[pfs, 0, 2]], '2026-10-01'), OTHER, {
    asked: { page: { as_of: '2026-10-01' } },
  }),
  bad('a page of two editions, one of the day', both, OTHER, asked()),
  bad('a page of two editions, the other of the day', { ...both, as_of: '2026-05-01' }, OTHER, {
    asked: { page: { as_of: '2026-05-01' } },
  }),
  good('a page of two editions, where nobody asked', both, { rows: 2 }),
]

const one = at(pfs, '99213|')
const nation = at(pfs, '99213|national')
const ofNation = await pageOf([[pfs, nation, nation + 2]])
const inTwo = await pageOf([
  [pfs, nation, nation + 1],
  [pfs, nation + 1, nation + 2],
])
const ofA = at(hospitalA, '99213|')
const charges = await pageOf([
  [hospitalA, ofA, ofA + 1],
  [hospitalA, ofA + 2, ofA + 3],
])
const twice = (page: { releases: unknown[] }) => ({ ...page, releases: [page.releases[0], page.releases[0]] })
const fees = await pageOf([[pfs, one, one + 5]])
const gap = await pageOf([
  [pfs, one, one + 2],
  [pfs, one + 3, one + 5],
])
const runs: Body[] = [
  good('a page of a code and a region', ofNation, { rows: 2 }, asked({ cpt: '99213', region: 'national' })),
  bad(
    'a page of a code and a region, broken in two',
    inTwo,
    'rows_left_out',
    asked({ cpt: '99213', region: 'national' }),
  ),
  good('a page of a region, broken in two', inTwo, { rows: 2 }, asked({ region: 'national' })),
  bad('a page of a code and a hospital, a row left out', charges, 'rows_left_out', asked({ cpt: '99213', npi: NPI.A })),
  good('a page of a hospital, in two runs', charges, { rows: 2 }, asked({ npi: NPI.A })),
  good(
    'a page of a hospital and a region, in two runs',
    charges,
    { rows: 2 },
    asked({ npi: NPI.A, region: 'national' }),
  ),
  bad('a page of a chart, broken in two', inTwo, 'rows_left_out', asked({ chart: 'cms-pfs' })),
  good(
    'a page of a code in two charts',
    await pageOf([
      [pfs, nation, nation + 1],
      [qpp, 0, 1],
      [hospitalB, 0, 1],
    ]),
    { rows: 3 },
    asked({ cpt: '99213' }),
  ),
  good('a page of many releases', { ...fees, releases: Array(65).fill(fees.releases[0]) }, { rows: 5 }, asked()),
  good('a release listed twice, with one run', twice(fees), { rows: 5 }, asked()),
  good('a release listed twice, where nobody asked', changed(twice(gap), { 'proofs.1.release': 1 }), { rows: 4 }),
  bad('a release listed twice, and a run broken in two', twice(gap), 'rows_left_out', asked()),
]

export const pageEnds: Body[] = [...ends, ...editions, ...runs]
