// Whole answers: pages of rows and of changes, and problems with their proofs.

import { utf8 } from '../../src/proof/bytes.ts'
import { canonical } from '../../src/proof/canonical-json.ts'
import { MemoryLog } from '../../src/proof/fixture.ts'
import { bad, good, row } from './body.ts'
import { changed, flipped } from './edit.ts'
import { figures, ONE_OF_TWO, registry, SECONDS, w1 } from './keys.ts'
import { aPrice, change, changeEntry, hospital, laboratories, Published, physicians } from './published.ts'
import type { VectorOf } from './vector.ts'

const page = (...data: unknown[]) => ({ data, page: { limit: 50 }, links: {} })
const problem = (code: string, members: object) => ({
  type: `https://vectors.example/problems/${code}`,
  title: 'A title',
  status: 404,
  code,
  detail: 'A detail',
  request_id: 'x',
  agent_hint: 'A hint',
  ...members,
})

const facility = await physicians.cited('99213|national|||medicare_pfs|facility')
const laboratory = await laboratories.cited('80053')
const bundled = await physicians.cited('99214')
const [w, r, p] = [await changeEntry(0), await changeEntry(1), await changeEntry(2)]
const ofPhysicians = await physicians.absence('99212|national|')
const ofLaboratories = await laboratories.absence('99212|national|')
const ofHospital = await hospital.absence('99214|')

/** An entry that really is in a log, but is no change of a figure. */
async function logged(body: object, name = figures) {
  const log = new MemoryLog(name).append(utf8(canonical(body)))
  return { ...body, proof: { log: await log.prove(0) } }
}
const seen = await Published.of([aPrice()], 'cms-pfs', new MemoryLog(registry, [w1], SECONDS))
const seenLater = await Published.of(
  [aPrice({ setting: 'facility' })],
  'cms-pfs',
  new MemoryLog(registry, [w1], SECONDS + 1),
)

const pages = [
  good('a page of one row', page(row), { rows: 1 }),
  good('a page of rows of two releases', page(row, facility, laboratory), { rows: 3 }),
  good('a page with its day', { ...page(row), as_of: '2026-10-01' }, { rows: 1 }),
  good('a page of prices and stated absences', page(row, bundled), { rows: 2 }),
  good('a page as asked for', page(row, facility), { rows: 2 }, { asked: { cpt: '99213' } }),
  good('a page of changes', page(p, r, w), { entries: 3 }),
  good('a page of one change', page(w), { entries: 1 }),
  good('a page of changes, oldest first', page(w, r, p), { entries: 3 }),
  good(
    'a change with the root of the ledger',
    page(await logged(change(0, { ledger_root: row.proof.row.leaf_hash }))),
    {
      entries: 1,
    },
  ),
  good('a change drawn with noise', page(await logged(change(0, { epsilon: '0.5' }))), { entries: 1 }),

  bad('an empty page', page(), 'nothing_proved'),
  bad('two checkpoints on a page', page(row, await physicians.cited('70450', 2)), 'mixed_checkpoints'),
  bad(
    'one tree under two sets of cosignatures',
    page(await seen.cited('99213'), await seenLater.cited('99213')),
    'mixed_checkpoints',
    { policy: ONE_OF_TWO },
  ),
  bad('rows and changes on a page', page(row, w), 'mixed_checkpoints'),
  bad('a row twice on a page', page(row, facility, row), 'repeated_item'),
  bad('a change twice on a page', page(w, w), 'repeated_item'),
  bad('a page with one forged row', page(row, changed(facility, { 'price.amount': '1.00' })), 'leaf_hash_mismatch'),
  bad('a page with one row without proof', page(row, changed(facility, { proof: undefined })), 'proof_missing'),
  bad('a page with a null on it', page(row, null), 'not_recognised'),
  bad('a page with an unproved member beside it', { ...page(row), price: '1.00' }, 'not_recognised'),
  bad('data that is no list', { ...page(), data: row }, 'not_recognised'),
  bad('a row that was not asked for on a page', page(row, laboratory), 'answers_another_question', {
    asked: { cpt: '99213' },
  }),

  bad('a changed value of a figure', page(changed(w, { new: 0.49 })), 'entry_not_in_log'),
  bad(
    'one bit of the inclusion of a change',
    page(changed(w, { 'proof.log.inclusion.0': flipped(w.proof.log.inclusion[0] as string) })),
    'entry_not_in_log',
  ),
  bad('a change at the place of another', page(changed(w, { 'proof.log.index': 1 })), 'entry_not_in_log'),
  bad('a change that says it stands elsewhere', page(await logged(change(1))), 'seq_not_its_place'),
  bad('changes that go up and down', page(w, p, r), 'entries_out_of_order'),
  bad('a root of the ledger that is none', page(await logged(change(0, { ledger_root: 'x' }))), 'entry_malformed'),
  bad('a member too many in a change', page(await logged(change(0, { cases: 51 }))), 'entry_malformed'),
  bad('a member of a change missing', page(changed(w, { reason: undefined })), 'entry_malformed'),
  bad('a manifest passed off as a change', page(await logged(physicians.release, registry)), 'entry_malformed'),
  bad('a change without proof', page(change(0)), 'proof_malformed'),
  bad('a change with more in its proof than the log', page(changed(w, { 'proof.row': {} })), 'proof_malformed'),
  bad('a change that stands alone', w, 'not_recognised'),
]

const problems = [
  good('a stated absence', problem('absent_bundled', { row: bundled }), { rows: 1 }),
  good(
    'a stated absence answers for any region',
    problem('absent_bundled', { row: bundled }),
    { rows: 1 },
    { asked: { cpt: '99214', region: 'US-CA-05', setting: 'facility' } },
  ),
  good('not on one schedule', problem('not_on_schedule', { absence: [ofPhysicians] }), { absences: 1 }),
  good(
    'not on two schedules',
    problem('not_on_schedule', { absence: [ofPhysicians, ofLaboratories] }),
    { absences: 2 },
    { asked: { cpt: '99212' } },
  ),
  good(
    'not on the list of a hospital',
    problem('not_on_schedule', { absence: [ofHospital] }),
    { absences: 1 },
    { asked: { cpt: '99214', npi: '1234567893' } },
  ),
  good('an absence proof on its own', ofPhysicians, { absences: 1 }),

  bad('a code that contradicts the row', problem('absent_not_covered', { row: bundled }), 'body_contradicts_proof'),
  bad(
    'a code that says another thing than a row',
    problem('not_on_schedule', { row: bundled }),
    'body_contradicts_proof',
  ),
  bad('a price under a code that says there is none', problem('absent_bundled', { row }), 'body_contradicts_proof'),
  bad(
    'absences under a code for a stated one',
    problem('absent_bundled', { absence: [ofPhysicians] }),
    'body_contradicts_proof',
  ),
  bad(
    'a code missing',
    changed(problem('absent_bundled', { row: bundled }), { code: undefined }),
    'body_contradicts_proof',
  ),
  bad(
    'a forged reason',
    problem('absent_not_covered', { row: changed(bundled, { reason: 'not_covered' }) }),
    'leaf_hash_mismatch',
  ),
  bad('a row that is null', problem('absent_bundled', { row: null }), 'row_malformed'),
  bad('an empty list of absences', problem('not_on_schedule', { absence: [] }), 'proof_missing'),
  bad('an absence that is no proof', problem('not_on_schedule', { absence: [null] }), 'proof_malformed'),
  bad('an absence that is no list', problem('not_on_schedule', { absence: ofPhysicians }), 'not_recognised'),
  bad(
    'a price beside an absence',
    problem('not_on_schedule', { absence: [ofPhysicians], price: '1.00' }),
    'not_recognised',
  ),
  bad('a row beside an absence', problem('not_on_schedule', { absence: [ofPhysicians], row }), 'not_recognised'),
  bad('a problem without proof', problem('not_on_schedule', {}), 'not_recognised'),
  bad(
    'absences under two checkpoints',
    problem('not_on_schedule', { absence: [await physicians.absence('99212|national|', 2), ofLaboratories] }),
    'mixed_checkpoints',
  ),
  bad(
    'absences of two codes',
    problem('not_on_schedule', { absence: [ofPhysicians, await laboratories.absence('99215|')] }),
    'answers_another_question',
  ),
  bad(
    'one schedule searched twice',
    problem('not_on_schedule', { absence: [ofPhysicians, ofPhysicians] }),
    'repeated_item',
  ),
  bad(
    'the absence of another code',
    problem('not_on_schedule', { absence: [ofPhysicians] }),
    'answers_another_question',
    { asked: { cpt: '99211' } },
  ),
  bad(
    'an absence narrower than the question',
    problem('not_on_schedule', { absence: [await physicians.absence('99213|national|||medicare_clfs|')] }),
    'answers_another_question',
    { asked: { cpt: '99213' } },
  ),
  bad(
    'the list of a hospital for Medicare',
    problem('not_on_schedule', { absence: [ofHospital] }),
    'answers_another_question',
    { asked: { cpt: '99214' } },
  ),
]

export const answers: VectorOf<'body'>[] = [...pages, ...problems]
