// True proofs in the wrong place: each body here proves something, and not what was asked.

import { toBase64, utf8 } from '../../src/proof/bytes.ts'
import { canonical } from '../../src/proof/canonical-json.ts'
import type { Because } from '../../src/proof/price/proofs.ts'
import { rowKey } from '../../src/proof/price/row.ts'
import { type MemoryRelease, RECORDED } from '../../src/proof/registry-fixture.ts'
import { leafHash } from '../../src/proof/tree/merkle.ts'
import { ask, type Body, bad, good } from './body.ts'
import { changed } from './edit.ts'
import { honest } from './lookups.ts'
import {
  asc,
  hospitalA,
  NPI,
  older,
  opps,
  pfs,
  places,
  shareBefore,
  sizeBefore,
  stateBefore,
  withdrawn,
  world,
} from './registry.ts'

export const at = (release: MemoryRelease, key: string): number => {
  const index = release.rows.findIndex((row) => rowKey(row).startsWith(key))
  if (index < 0) throw new Error(`no row ${key}`)
  return index
}
export const cite = (release: MemoryRelease, key: string) => world.cite(release, at(release, key))
/** Rows of the answer's own release, or of others, shown beside it. */
export const shows = (own: MemoryRelease, ...rows: [MemoryRelease, string][]): Because => {
  const others = [...new Set(rows.map(([release]) => release))].filter((release) => release !== own)
  return {
    releases: others.map((release) => world.share(release)),
    rows: rows.map(([release, key]) => ({
      release: release === own ? null : others.indexOf(release),
      ...release.neighbour(at(release, key)),
    })),
    periods: [],
    providers: [],
  }
}
const ofA = ((await honest({ npi: NPI.A }))['because'] as Because).providers

const OTHER = 'answers_another_question'
const UNPROVED = 'choice_not_proved'
const OFFICE = '99213|national|||medicare_pfs|non_facility|'
const FACILITY = '99213|national|||medicare_pfs|facility|'
const CASH = `99213|national|${NPI.A}||hospital_cash|outpatient|facility`
const GROSS = `99213|national|${NPI.A}||hospital_gross|`
const facility = await cite(pfs, FACILITY)
const gross = await cite(hospitalA, GROSS)
const inOlder = await cite(older, '99211')
const ofPart = await cite(places, '60701|0001')
const elsewhere = await cite(places, '35004|')
const inLocality = await cite(pfs, '99213|US-IL-16|')
const zip = await honest({ region: '60611' })

const prices: Body[] = [
  bad('a facility for an office that is shown', { ...facility, because: shows(pfs, [pfs, OFFICE]) }, OTHER, {
    asked: ask({}),
  }),
  bad(
    'gross for cash that is shown',
    { ...gross, because: { ...shows(hospitalA, [hospitalA, CASH]), providers: ofA } },
    OTHER,
    { asked: ask({ npi: NPI.A }) },
  ),
  bad(
    'a doctor\u2019s charge for a hospital\u2019s',
    {
      ...(await cite(hospitalA, CASH.replace(/facility$/, 'professional'))),
      because: { ...shows(hospitalA, [hospitalA, CASH]), providers: ofA },
    },
    OTHER,
    { asked: ask({ npi: NPI.A }) },
  ),
  bad('a hospital for Medicare', gross, UNPROVED, { asked: ask({}) }),
  bad('Medicare for a hospital', await honest({}), UNPROVED, { asked: ask({ npi: NPI.A }) }),
  bad(
    'the file that a hospital moved away from',
    {
      ...(await cite(hospitalA, `99213|national|${NPI.MOVED}|`)),
      because: { ...shows(hospitalA), providers: ((await honest({ npi: NPI.MOVED }))['because'] as Because).providers },
    },
    UNPROVED,
    { asked: ask({ npi: NPI.MOVED }) },
  ),
  bad('a row of an older edition', inOlder, UNPROVED, { asked: ask({ cpt: '99211' }) }),
  bad(
    'a row of an older edition that stands in the new one too',
    { ...inOlder, because: shows(older, [pfs, '99211']) },
    OTHER,
    { asked: ask({ cpt: '99211' }) },
  ),
  good('the same row in its own edition', await cite(pfs, '99211'), { rows: 1 }, { asked: ask({ cpt: '99211' }) }),
  bad('one locality for a state that has two', inLocality, UNPROVED, { asked: ask({ region: 'IL' }) }),
  bad(
    'one locality for a state that has two, both shown',
    { ...inLocality, because: shows(pfs, [pfs, '99213|US-IL-15|']) },
    UNPROVED,
    { asked: ask({ region: 'IL' }) },
  ),
  bad(
    'one locality for a state, and all that the rule asks',
    {
      ...inLocality,
      because: shows(pfs, [pfs, '99213|US-IL-15|'], [pfs, '99213|national|'], [pfs, OFFICE], [pfs, '99214|']),
    },
    OTHER,
    { asked: ask({ region: 'IL' }) },
  ),
  bad('the nation for a locality', await honest({}), UNPROVED, { asked: ask({ region: 'US-TX-99' }) }),
  bad(
    'the nation for a locality that has a fee',
    { ...(await honest({})), because: shows(pfs, [pfs, '99213|US-IL-16|']) },
    OTHER,
    {
      asked: ask({ region: 'US-IL-16' }),
    },
  ),
  bad(
    'a surgery center for outpatients',
    { ...(await cite(asc, '66984')), because: shows(asc, [opps, '66984']) },
    OTHER,
    {
      asked: ask({ cpt: '66984', setting: 'outpatient' }),
    },
  ),
]

const zipCodes: Body[] = [
  good(
    'the place may be left out if it is shown otherwise',
    { ...changed(zip, { place: undefined }), because: shows(pfs, [places, '60611|']) },
    { rows: 1 },
    { asked: ask({ region: '60611' }) },
  ),
  bad('the place left out', changed(zip, { place: undefined }), UNPROVED, { asked: ask({ region: '60611' }) }),
  bad('the place of another ZIP code', { ...zip, place: elsewhere }, UNPROVED, { asked: ask({ region: '60611' }) }),
  bad(
    'the place of another ZIP code beside the right one',
    { ...zip, place: elsewhere, because: shows(pfs, [places, '60611|']) },
    OTHER,
    { asked: ask({ region: '60611' }) },
  ),
  bad('one part of a ZIP code for the whole', { ...zip, place: ofPart }, UNPROVED, { asked: ask({ region: '60701' }) }),
  bad('a place where none was asked', { ...(await honest({})), place: elsewhere }, OTHER, { asked: ask({}) }),
  bad('a place where a locality was asked', { ...inLocality, place: await cite(places, '60611|') }, OTHER, {
    asked: ask({ region: 'US-IL-16' }),
  }),
  bad('a price as the place', { ...(await honest({})), place: facility }, 'row_malformed'),
  bad('a place that is null', { ...(await honest({})), place: null }, 'row_malformed'),
  bad('a place without proof', changed(zip, { 'place.proof': undefined }), 'proof_missing'),
  bad('a place that is forged', changed(zip, { 'place.region': 'US-AL-00' }), 'leaf_hash_mismatch'),
  good('a place as an answer of its own, to any question', ofPart, { rows: 1 }),
  bad('a place as the answer to a question', elsewhere, UNPROVED, { asked: ask({ region: '35004' }) }),
]

/** The withdrawn release, as it was published, and as it was in force before. */
const index = world.log.leaves.findIndex(
  (leaf) => toBase64(leaf) === toBase64(leafHash(utf8(canonical(withdrawn.manifest)))),
)
const { row: withdrawnRow, path } = withdrawn.neighbour(0)
const proofOf = async (in_force: object | null, log: object) => ({
  ...withdrawnRow,
  proof: {
    type: 'agent-trust-registry/row-proof@v2',
    row: { index: 0, leaf_hash: toBase64(leafHash(utf8(canonical(withdrawnRow)))), path },
    release: withdrawn.manifest,
    in_force,
    log,
  },
})
const published = await proofOf(null, await world.log.prove(index))
const then = { ...shareBefore.in_force, state: stateBefore }
const before = await proofOf(then, await world.log.prove(sizeBefore - 1, sizeBefore))
const OUTPATIENT = ask({ cpt: '71046', setting: 'outpatient' })

const lapses: Body[] = [
  good('a row of a withdrawn release, as published', published, { rows: 1 }),
  bad('a row of a withdrawn release for a question', published, 'release_not_in_force', { asked: OUTPATIENT }),
  bad('a row of a withdrawn release, where a view of an age is wanted', published, 'state_too_old', {
    not_before: '2026-01-01T00:00:00Z',
  }),
  bad(
    'a release that is in force, proved as published only',
    changed(await honest({}), { 'proof.in_force': null }),
    'release_not_in_log',
  ),
  bad(
    'a withdrawn release in the period of the next one',
    await proofOf({ ...world.share(opps).in_force, state: world.state }, await world.proof()),
    'release_not_in_force',
  ),
  bad(
    'a withdrawn release in the period it had',
    await proofOf({ ...shareBefore.in_force, state: world.state }, await world.proof()),
    'period_not_in_timeline',
  ),
  good('an old view from before the withdrawal', before, { rows: 1 }, { asked: OUTPATIENT }),
  good('an old view that is not too old', before, { rows: 1 }, { asked: OUTPATIENT, not_before: RECORDED }),
  good('an old view, by a time of another spelling', before, { rows: 1 }, { not_before: '2026-10-02T00:00:00.000Z' }),
  good('the day before, at 24:00', before, { rows: 1 }, { not_before: '2026-10-01T24:00:00Z' }),
  bad('a view that is too old', before, 'state_too_old', { not_before: '2026-10-02T00:00:00.001Z' }),
  good('a view of this moment', before, { rows: 1 }, { not_before: RECORDED, not_after: RECORDED }),
  bad('a view that is dated after now', before, 'state_too_old', { not_after: '2026-10-01T23:59:59.999Z' }),
  bad('a view that is dated after now, and new enough', before, 'state_too_old', {
    not_before: '2026-10-01T00:00:00Z',
    not_after: '2026-10-01T00:00:01Z',
  }),
  bad('a time of now that is none', before, 'state_too_old', { not_after: 'now' }),
  bad('a view that is too old, by a day', await honest({}), 'state_too_old', {
    asked: ask({}),
    not_before: '2026-10-03T00:00:00Z',
  }),
  bad('a time that is none', before, 'state_too_old', { not_before: '2026-09-31T00:00:00Z' }),
  bad('a time with a zone', before, 'state_too_old', { not_before: '2026-09-30T00:00:00+00:00' }),
  bad('a day for a time', before, 'state_too_old', { not_before: '2026-09-30' }),
  bad('a state that is not the last', await proofOf(then, await world.log.prove(sizeBefore - 1)), 'state_not_last'),
  bad('a state of before under the last place', await proofOf(then, await world.proof()), 'state_not_in_log'),
]

export const swaps: Body[] = [...prices, ...zipCodes, ...lapses]
