// Batches of lookups, histories of a code, and what a hospital states for one setting or for both.

import { MemoryLog } from '../../src/proof/fixture.ts'
import { bad, good, row } from './body.ts'
import { changed } from './edit.ts'
import { registry } from './keys.ts'
import { aPrice, hospital, laboratories, Published, physicians } from './published.ts'
import type { VectorOf } from './vector.ts'

const bundled = await physicians.cited('99214')
const noRow = { code: 'not_on_schedule', detail: 'A detail', agent_hint: 'A hint' }
const absent = [await physicians.absence('99212|national|'), await laboratories.absence('99212|national|')]

const batch = (...results: unknown[]) => ({ results, as_of: '2026-10-01' })
const priced = { status: 200, row }
const stated = { status: 404, problem: { ...noRow, code: 'absent_bundled', row: bundled } }
const missing = { status: 404, problem: { ...noRow, absence: absent } }
const leftOut = {
  status: 404,
  problem: { ...noRow, code: 'region_not_covered', regions: ['national'], absence: absent },
}
const refused = { status: 400, problem: { ...noRow, code: 'invalid_cpt', errors: [{ in: 'body', name: 'cpt' }] } }
const unknown = { status: 404, problem: { ...noRow, code: 'unknown_provider' } }

const batches = [
  good('a batch', batch(priced, stated, missing), { rows: 2, absences: 2 }),
  good('a line asked twice', batch(priced, priced), { rows: 2 }),
  good('a batch with lines that were refused', batch(refused, priced, unknown), { rows: 1 }),
  good('a region that was left out of the release', batch(leftOut), { absences: 2 }),
  good('a batch as asked for', batch(priced, priced), { rows: 2 }, { asked: { cpt: '99213' } }),
  good('a region that was left out, alone', { ...noRow, code: 'region_not_covered', absence: absent }, { absences: 2 }),

  bad('a batch without lines', batch(), 'nothing_proved'),
  bad('a batch of refusals', batch(refused, unknown), 'nothing_proved'),
  bad(
    'a forged line',
    batch(priced, { status: 200, row: changed(row, { 'price.amount': '1.00' }) }),
    'leaf_hash_mismatch',
  ),
  bad('a line without its row', batch(priced, { status: 200 }), 'row_malformed'),
  bad('a line that is null', batch(priced, null), 'not_recognised'),
  bad('a line with another status', batch({ ...priced, status: 201 }), 'not_recognised'),
  bad('a price under a status that says there is none', batch({ ...priced, status: 404 }), 'not_recognised'),
  bad(
    'a stated absence under a status that says there is a price',
    batch({ status: 200, row: bundled }),
    'body_contradicts_proof',
  ),
  bad('an unproved price beside a line', batch({ ...priced, price: '1.00' }), 'not_recognised'),
  bad('an unproved price in a refusal', batch(priced, changed(refused, { 'problem.price': '1.00' })), 'not_recognised'),
  bad(
    'a line that says there is no price and proves nothing',
    batch(priced, { status: 404, problem: noRow }),
    'not_recognised',
  ),
  bad(
    'a line whose code contradicts its row',
    batch(changed(stated, { 'problem.code': 'absent_not_covered' })),
    'body_contradicts_proof',
  ),
  bad(
    'a line with the proof of something else',
    batch(changed(missing, { 'problem.code': 'unknown_provider' })),
    'body_contradicts_proof',
  ),
  bad(
    'lines under two checkpoints',
    batch(priced, { status: 200, row: await physicians.cited('70450', 2) }),
    'mixed_checkpoints',
  ),
  bad('an unproved member beside a batch', { ...batch(priced), price: '1.00' }, 'not_recognised'),
  bad('a line that was not asked for', batch(priced, missing), 'answers_another_question', { asked: { cpt: '99213' } }),
]

const editionOf = ({ release }: Published, said: object) => {
  const { release_id, chart, edition, data_class, effective_from } = release
  return {
    release_id,
    chart,
    edition,
    data_class,
    effective_from,
    effective_to: null,
    row: null,
    absence: null,
    ...said,
  }
}
const history = (...data: unknown[]) => ({ data, page: { limit: 50 }, links: {} })
const saysPrice = editionOf(physicians, { row })
const saysNothing = editionOf(laboratories, { absence: [await laboratories.absence('99213|national|')] })

const histories = [
  good('a history', history(saysPrice, saysNothing), { rows: 1, absences: 1 }, { asked: { cpt: '99213' } }),
  good('a history of an edition that ended', history({ ...saysPrice, effective_to: '2026-12-31' }), { rows: 1 }),
  good('a stated absence in a history', history(editionOf(physicians, { row: bundled })), { rows: 1 }),

  bad(
    'a row under the name of another edition',
    history({ ...saysPrice, release_id: 'cms-pfs:VECTORS:2' }),
    'body_contradicts_proof',
  ),
  bad(
    'an absence under another day',
    history({ ...saysNothing, effective_from: '2026-01-01' }),
    'body_contradicts_proof',
  ),
  bad(
    'invented data passed off as published',
    history({ ...saysPrice, data_class: 'published' }),
    'body_contradicts_proof',
  ),
  bad('an edition that says nothing', history(saysPrice, editionOf(laboratories, {})), 'not_recognised'),
  bad('an edition that says two things', history({ ...saysPrice, absence: saysNothing.absence }), 'not_recognised'),
  bad('an edition without proofs of absence', history({ ...saysNothing, absence: [] }), 'proof_missing'),
  bad('an edition with a member too many', history({ ...saysPrice, price: '1.00' }), 'not_recognised'),
  bad('an edition with a member missing', history(changed(saysPrice, { effective_to: undefined })), 'not_recognised'),
  bad('an edition without its name', history(changed(saysPrice, { edition: undefined })), 'not_recognised'),
  bad('an edition that ends on no day', history({ ...saysPrice, effective_to: 'soon' }), 'not_recognised'),
  bad('an edition twice', history(saysPrice, saysPrice), 'repeated_item'),
  bad(
    'a forged row in a history',
    history(saysNothing, changed(saysPrice, { 'row.price.amount': '1.00' })),
    'leaf_hash_mismatch',
  ),
  bad('the history of another code', history(saysPrice), 'answers_another_question', { asked: { cpt: '99214' } }),
]

const NPI = '1234567893'
const charge = (given: object) =>
  aPrice({ npi: NPI, derivation: { method: 'verbatim/1', inputs: { amount: '95.19' } }, ...given })
/** 99213: cash for both settings, gross for outpatients. 99215: cash and gross for inpatients. 97110: with two modifiers. */
const clinic = await Published.of(
  [
    charge({ basis: 'hospital_cash', setting: null }),
    charge({ basis: 'hospital_gross', setting: 'outpatient' }),
    charge({ cpt: '99215', basis: 'hospital_cash', setting: 'inpatient' }),
    charge({ cpt: '99215', basis: 'hospital_gross', setting: 'inpatient' }),
    charge({ cpt: '97110', modifier: 'CO-GO', basis: 'hospital_cash', setting: 'outpatient' }),
  ],
  `hospital-mrf:${NPI}`,
  new MemoryLog(registry),
)
const both = await clinic.cited('99213')
const of215 = `99215|national|${NPI}||`
const proofsOf = async (...ends: string[]) => ({
  ...noRow,
  absence: await Promise.all(ends.map((end) => clinic.absence(`${of215}${end}`))),
})
const others = ['hospital_gross|outpatient', 'hospital_negotiated_low|', 'hospital_negotiated_high|']
const outpatient = { cpt: '99215', npi: NPI, setting: 'outpatient' }
const enclosed = await proofsOf('hospital_cash|facility', 'hospital_cash|outpatient', ...others)

/** Two editions of one list in one log: both lack the code. */
const ofTwo = new MemoryLog(registry)
const first = await Published.of([charge({ basis: 'hospital_cash' })], `hospital-mrf:${NPI}`, ofTwo)
const second = await Published.of([charge({ basis: 'hospital_cash' })], `hospital-mrf:${NPI}`, ofTwo, {
  release_id: `hospital-mrf:${NPI}:VECTORS:2`,
})

const settings = [
  good(
    'a price for both settings answers for one',
    both,
    { rows: 1 },
    { asked: { cpt: '99213', npi: NPI, setting: 'inpatient' } },
  ),
  bad('a price for both settings is none for a facility', both, 'answers_another_question', {
    asked: { cpt: '99213', npi: NPI, setting: 'facility' },
  }),
  bad(
    'a schedule without settings has no price for outpatients',
    await laboratories.cited('80053'),
    'answers_another_question',
    { asked: { cpt: '80053', setting: 'outpatient' } },
  ),
  good(
    'modifiers in another order',
    await clinic.cited('97110'),
    { rows: 1 },
    { asked: { cpt: '97110', npi: NPI, modifier: 'go-co' } },
  ),

  good(
    'neighbours that enclose more than the prefix between them',
    await proofsOf('hospital_cash|facility', 'hospital_cash|outpatient', 'hospital_gross|outpatient'),
    { absences: 3 },
    { asked: outpatient },
  ),
  good('no price in a setting, under any basis', enclosed, { absences: 5 }, { asked: outpatient }),
  good(
    'no price in a setting, under the basis asked for',
    await proofsOf('hospital_cash|facility', 'hospital_cash|outpatient'),
    { absences: 2 },
    { asked: { ...outpatient, basis: 'hospital_cash' } },
  ),
  good(
    'a setting asked of a list that lacks the code',
    { ...noRow, absence: [await hospital.absence('99214|')] },
    { absences: 1 },
    { asked: { ...outpatient, cpt: '99214' } },
  ),
  bad(
    'a basis that is not shown to be missing',
    await proofsOf('hospital_cash|facility', 'hospital_cash|outpatient'),
    'answers_another_question',
    { asked: outpatient },
  ),
  bad(
    'a price for both settings that is not shown to be missing',
    await proofsOf('hospital_cash|outpatient', ...others),
    'answers_another_question',
    { asked: outpatient },
  ),
  bad(
    'the absence of one setting where there is a price for both',
    { ...noRow, absence: [await clinic.absence(`99213|national|${NPI}||hospital_cash|outpatient`)] },
    'answers_another_question',
    { asked: { cpt: '99213', npi: NPI, setting: 'outpatient', basis: 'hospital_cash' } },
  ),
  bad(
    'two editions of one list',
    { ...noRow, absence: [await first.absence('99214|'), await second.absence('99214|')] },
    'repeated_item',
  ),
]

export const lists: VectorOf<'body'>[] = [...batches, ...histories, ...settings]
