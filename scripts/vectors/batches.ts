// Batches: the lines of a bill, what they share, and what they come to.

import type { Question } from '../../src/proof/lookup/question.ts'
import { ShownRows } from '../../src/proof/set-fixture.ts'
import { ask, type Body, bad, good, LOST, problem } from './body.ts'
import { changed } from './edit.ts'
import { honest } from './lookups.ts'
import { NPI, pfs, world } from './registry.ts'
import { cite } from './swaps.ts'

type Members = Record<string, unknown>
type Line = { units?: number; billed?: string | null; extended?: object | null }

/** A batch of any lines: what they show of releases is proved, whatever they say. */
export async function listOf(make: (shown: ShownRows) => Promise<unknown[]>, summary: object) {
  const shown = new ShownRows(world)
  const results = (await make(shown)) as Members[]
  return { results, summary, ...(await shown.parts()), as_of: '2026-07-15' }
}

/** The honest answer to a question, as a line. */
export async function lineOf(shown: ShownRows, question: Partial<Question>, line: Line = {}): Promise<Members> {
  const body = await honest(question)
  if ('code' in body) return { status: 404, problem: shown.lineOf(body), ...line }
  const { because, place, modifiers_ignored, adjustment, ...row } = body
  const members = Object.entries({ row, because, place, modifiers_ignored, adjustment })
  const told = Object.fromEntries(members.filter(([, value]) => value !== undefined))
  return { status: 200, ...shown.lineOf(told), ...line }
}

export const batchOf = (lines: readonly [Partial<Question>, Line][], summary: object) =>
  listOf(async (shown) => {
    const results: unknown[] = []
    for (const [question, line] of lines) results.push(await lineOf(shown, question, line))
    return results
  }, summary)

export const total = (basis: string, lines: number, low: string, high: string, billed: string | null) => ({
  basis,
  lines,
  low,
  high,
  billed,
})
const BILL: [Partial<Question>, Line][] = [
  [{}, { units: 2, billed: '250.00', extended: { amount: '190.38' } }],
  [{ modifier: '50' }, { units: 1, billed: '200.005', extended: { amount: '142.79' } }],
  [{ cpt: 'J0585' }, { units: 100, extended: { amount: '649.70' } }],
  [
    { cpt: 'J0585', region: '60611' },
    { units: 3, billed: '25.00', extended: { amount: '19.491' } },
  ],
  [{ cpt: '99070' }, { units: 1, billed: '5.00' }],
  [
    { cpt: '99215', npi: NPI.A },
    { units: 3, billed: null, extended: { low: '240.00', high: '421.50' } },
  ],
  [{ cpt: '12345' }, {}],
]
const summary = {
  lines: 7,
  priced: 5,
  totals: [
    total('hospital_cash', 1, '240.00', '421.50', null),
    total('medicare_asp', 2, '669.191', '669.191', null),
    total('medicare_pfs', 2, '333.17', '333.17', '450.005'),
  ],
}
const bill = await batchOf(BILL, summary)
const questions = BILL.map(([question]) => ask(question).question)
const asked = { asked: { questions } }
/** The same with what was sent beside each question. */
const BILLED = BILL.map(([question, { units, billed }]) => ({
  ...ask(question).question,
  ...(units === undefined ? {} : { units }),
  ...(billed ? { billed } : {}),
}))

const PLAIN = { lines: 1, priced: 1, totals: [total('medicare_pfs', 1, '95.19', '95.19', null)] }
const one = await batchOf([[{}, { extended: { amount: '95.19' } }]], PLAIN)
const [line] = one.results as Members[]
const ONE = { asked: { questions: [ask({}).question] } }
const refused = { status: 400, problem: problem('invalid_cpt', { status: 400, errors: [{ name: 'cpt' }] }) }
const missing = await batchOf([[{ cpt: '12345' }, {}]], { lines: 1, priced: 0, totals: [] })
const zip = await batchOf([[{ region: '60611' }, { extended: { amount: '98.00' } }]], {
  ...PLAIN,
  totals: [total('medicare_pfs', 1, '98.00', '98.00', null)],
})
const notAllowed = await honest({ cpt: '27447', modifier: '50' })
const results = (...lines: unknown[]) => ({ ...one, results: lines, summary: { ...PLAIN, lines: lines.length } })
/** The releases of one line, and others that are only in force. */
const many = (count: number) => [
  ...one.releases,
  ...Array(count - one.releases.length).fill({ ...one.releases[0], hashes: '' }),
]
const absence = () => world.absence(pfs, '12345|')
const OTHER = 'answers_another_question'

export const batches: Body[] = [
  good('a bill', bill, { rows: 6 }, asked),
  good('a bill to any question', bill, { rows: 6 }),
  good('one line', one, { rows: 1 }, ONE),
  good('a bill with lost sources', { ...bill, sources_lost: [LOST] }, { rows: 6 }, asked),
  bad('lost sources of a bill that are null', { ...bill, sources_lost: null }, 'not_recognised', asked),
  bad('21 lost sources of a bill', { ...bill, sources_lost: Array(21).fill(LOST) }, 'not_recognised', asked),
  bad(
    'one line with a whole proof',
    results({ ...line, row: await cite(pfs, '99213|national|||medicare_pfs|non') }),
    'proof_malformed',
    ONE,
  ),
  good(
    'a line that was refused',
    results(refused, line),
    { rows: 1, refused: 1 },
    { asked: { questions: [ask({ cpt: 'x' }).question, ask({}).question] } },
  ),
  good('a line that was refused without a word', results({ status: 400 }, line), { rows: 1, refused: 1 }),
  good('no price on any line', missing, {}, { asked: { questions: [ask({ cpt: '12345' }).question] } }),
  good('a line with its place', zip, { rows: 1 }, { asked: { questions: [ask({ region: '60611' }).question] } }),
  good(
    'the same line twice',
    {
      ...results(line, changed(line as Members, { units: 1 })),
      summary: { lines: 2, priced: 2, totals: [total('medicare_pfs', 2, '190.38', '190.38', null)] },
    },
    { rows: 2 },
    { asked: { questions: [ask({}).question, ask({}).question] } },
  ),

  bad(
    'lines in another order',
    { ...bill, results: [bill.results[1], bill.results[0], ...bill.results.slice(2)] },
    OTHER,
    asked,
  ),
  bad('a line less than was asked', { ...bill, results: bill.results.slice(0, -1) }, OTHER, asked),
  bad('a line more than was asked', { ...bill, results: [...bill.results, refused] }, OTHER, asked),
  bad('the line of another question', one, 'choice_not_proved', {
    asked: { questions: [ask({ setting: 'facility' }).question] },
  }),
  bad('a refusal for another question', missing, 'choice_not_proved', { asked: { questions: [ask({}).question] } }),
  bad('a question that has no meaning', one, 'question_malformed', {
    asked: { questions: [ask({ cpt: '9' }).question] },
  }),
  bad('a batch for a question', one, OTHER, { asked: ask({}) }),
  bad('a batch for a page', one, OTHER, { asked: { page: { as_of: '2026-07-15' } } }),
  bad('a batch without lines', await listOf(async () => [], { lines: 0, priced: 0, totals: [] }), 'nothing_proved'),
  bad(
    'a batch of refused lines',
    await listOf(async () => [refused], { lines: 1, priced: 0, totals: [] }),
    'nothing_proved',
  ),
  bad('a hundred and one lines', results(...Array(101).fill(line)), 'not_recognised'),
  bad('a line that refuses a question with a meaning', results(refused, line), OTHER, {
    asked: { questions: [ask({}).question, ask({}).question] },
  }),
  good(
    'a line that was refused for its units',
    results(refused, line),
    { rows: 1, refused: 1 },
    { asked: { questions: [{ ...ask({}).question, units: 1_000_000 }, ask({}).question] } },
  ),
  good(
    'a line that was refused for what was billed',
    results(refused, line),
    { rows: 1, refused: 1 },
    { asked: { questions: [{ ...ask({}).question, billed: '95' }, ask({}).question] } },
  ),
  good('a bill with its units', bill, { rows: 6 }, { asked: { questions: BILLED } }),
  bad('a line whose units were sent as null', bill, OTHER, {
    asked: { questions: BILLED.with(0, { ...ask({}).question, units: null as never }) },
  }),
  bad('a line with other units than were sent', bill, OTHER, {
    asked: { questions: BILLED.with(0, { ...ask({}).question, units: 3 }) },
  }),
  bad('a line with another amount billed than was sent', bill, OTHER, {
    asked: { questions: BILLED.with(4, { ...ask({ cpt: '99070' }).question, billed: '5.01' }) },
  }),

  bad('another total', changed(bill, { 'summary.totals.2.low': '333.18' }), 'body_contradicts_proof'),
  bad(
    'a total across bases',
    changed(bill, { 'summary.totals': [total('medicare_pfs', 5, '1242.361', '1423.861', null)] }),
    'body_contradicts_proof',
  ),
  bad(
    'totals in another order',
    changed(bill, { 'summary.totals': summary.totals.toReversed() }),
    'body_contradicts_proof',
  ),
  bad(
    'a total of what was billed, though a line does not say',
    changed(bill, { 'summary.totals.1.billed': '25.00' }),
    'body_contradicts_proof',
  ),
  bad('another number of priced lines', changed(bill, { 'summary.priced': 6 }), 'body_contradicts_proof'),
  bad('no summary', changed(one, { summary: undefined }), 'body_contradicts_proof'),
  bad('a member too many in the summary', changed(one, { 'summary.due': '1.00' }), 'body_contradicts_proof'),
  bad('a line that comes to more', changed(one, { 'results.0.extended.amount': '95.20' }), 'body_contradicts_proof'),
  bad('a line that comes to nothing', changed(one, { 'results.0.extended': undefined }), 'body_contradicts_proof'),
  bad(
    'a line that comes to its price without the adjustment',
    changed(bill, { 'results.1.extended.amount': '95.19' }),
    'body_contradicts_proof',
  ),
  bad('an amount for a range', changed(bill, { 'results.5.extended': { amount: '240.00' } }), 'body_contradicts_proof'),
  bad('other units than were multiplied', changed(one, { 'results.0.units': 2 }), 'body_contradicts_proof'),
  bad('units past the most there can be', changed(one, { 'results.0.units': 1_000_000 }), 'not_recognised'),
  bad('units of zero', changed(one, { 'results.0.units': 0 }), 'not_recognised'),
  bad('half a unit', changed(one, { 'results.0.units': 0.5 }), 'not_recognised'),
  bad('units that are text', changed(one, { 'results.0.units': '1' }), 'not_recognised'),
  bad('units that are null', changed(one, { 'results.0.units': null }), 'not_recognised'),
  bad('what was billed, as a number', changed(one, { 'results.0.billed': 95 }), 'not_recognised'),
  bad('what was billed, below zero', changed(one, { 'results.0.billed': '-1.00' }), 'not_recognised'),
  bad('what was billed, with a needless zero', changed(one, { 'results.0.billed': '1.500' }), 'not_recognised'),

  bad('a line that is null', results(line, null), 'not_recognised'),
  bad('a line without a row', results(changed(line as Members, { row: undefined })), 'not_recognised'),
  bad('a line with a problem too', results({ ...line, problem: {} }), 'not_recognised'),
  bad('a member of the row beside it', results({ ...line, price: { amount: '1.00' } }), 'not_recognised'),
  bad('a member that nobody knows beside a row', results({ ...line, note: 'x' }), 'not_recognised'),
  bad(
    'a refusal as a good line',
    results({ status: 200, row: notAllowed, extended: { amount: '1200.00' } }),
    'row_malformed',
    { asked: { questions: [ask({ cpt: '27447', modifier: '50' }).question] } },
  ),
  bad(
    'a stated absence as a good line',
    changed(bill, {
      'results.4': { status: 200, row: (bill.results[4] as unknown as { problem: { row: object } }).problem.row },
    }),
    'body_contradicts_proof',
  ),
  bad('a good line with another status', results({ ...line, status: 201 }), 'not_recognised'),
  bad(
    'a refusal that comes to something',
    changed(bill, { 'results.4.extended': { amount: '1.00' } }),
    'not_recognised',
  ),
  bad('a refused line with a price', results(changed(refused, { 'problem.price': '1.00' }), line), 'not_recognised'),
  bad(
    'a line that refuses without proof',
    results({ status: 404, problem: problem('not_on_schedule') }, line),
    'choice_not_proved',
    { asked: { questions: [ask({ cpt: '12345' }).question, ask({}).question] } },
  ),
  bad(
    'a line with the proof of an absence',
    changed(missing, { 'results.0.problem.absence': [await absence()] }),
    'not_recognised',
  ),
  bad(
    'a line with what was last known',
    changed(missing, { 'results.0.problem.last_known': await cite(pfs, '99211') }),
    'not_recognised',
  ),
  bad('a line with related rows', results({ ...line, related: [] }), 'not_recognised'),
  bad('a line with a forged row', changed(one, { 'results.0.row.price.amount': '1.00' }), 'row_not_in_release'),
  good('a batch of many releases', { ...one, releases: many(65) }, { rows: 1 }, ONE),
  bad(
    'modifiers ignored in a batch that are no list',
    changed(one, { 'results.0.modifiers_ignored': { x: 1 } }),
    'not_recognised',
  ),
  bad('no releases', changed(one, { releases: undefined }), 'proof_malformed'),
  bad('no state of a batch', changed(one, { state: undefined }), 'proof_malformed'),
  bad(
    'a forged release of a batch',
    changed(one, { 'releases.0.release.data_class': 'published' }),
    'release_not_in_force',
  ),
  bad('a place of another ZIP code', changed(zip, { 'results.0.place.zip': '60612' }), 'row_not_in_release'),
  bad('a member too many beside a batch', { ...one, total: '1.00' }, 'not_recognised'),
  bad(
    'another checkpoint in a line that was refused',
    results(changed(refused, { 'problem.errors': { checkpoint: 'x' } }), line),
    'mixed_checkpoints',
  ),
]
