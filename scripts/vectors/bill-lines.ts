// Lines of a bill whose totals are right for what they say, and which say something that is not so.

import type { CitedRow } from '../../src/proof/price/proofs.ts'
import { batchOf, listOf, total } from './batches.ts'
import { ask, type Body, bad, good } from './body.ts'
import { changed } from './edit.ts'
import { honest } from './lookups.ts'

const UNKNOWN = 'not_recognised'
const CONTRADICTS = 'body_contradicts_proof'
const questions = (...asked: Parameters<typeof ask>[0][]) => ({
  asked: { questions: asked.map((each) => ask(each).question) },
})
const pfs = (amount: string, billed: string | null = null) => ({
  lines: 1,
  priced: 1,
  totals: [total('medicare_pfs', 1, amount, amount, billed)],
})
const NONE = { lines: 1, priced: 0, totals: [] }

const fee = await honest({})
const one = await batchOf([[{}, { extended: { amount: '95.19' } }]], pfs('95.19'))
const [line] = one.results as Record<string, unknown>[]
const results = (summary: object, ...lines: unknown[]) => ({ ...one, results: lines, summary })

const told: Body[] = [
  bad(
    'a price told as a line that was not found',
    results(NONE, { status: 404, problem: fee }),
    UNKNOWN,
    questions({}),
  ),
  bad(
    'a price told as a line that was not found, to any question',
    results(NONE, { status: 404, problem: fee }),
    UNKNOWN,
  ),
  bad('a price told as a problem without a status', results(NONE, { problem: fee }), UNKNOWN, questions({})),
  bad(
    'a shared price told as a line that was not found',
    results(NONE, { status: 404, problem: { row: line?.['row'] } }),
    UNKNOWN,
  ),
  bad('a price told as a line that was refused', results(NONE, { status: 400, problem: fee }), UNKNOWN),
  bad(
    'a price told as a line that was not found, beside a good one',
    results({ ...pfs('95.19'), lines: 2 }, line, { status: 404, problem: fee }),
    UNKNOWN,
    questions({}, {}),
  ),
  bad('a problem that is no object', results(NONE, { status: 404, problem: 'not_on_schedule' }), UNKNOWN),
  bad('a problem whose code is no text', results(NONE, { status: 404, problem: { ...fee, code: null } }), UNKNOWN),
]

const FORBIDDEN = { cpt: '27447', modifier: '50' }
const notAllowed = await honest(FORBIDDEN)
const extended = { amount: '1200.00' }
const bundled = (await honest({ cpt: '99070' })) as { row: CitedRow }
/** The row of a refusal, as a good line. */
const goodLine = (body: Record<string, unknown>, line: object, summary: object) =>
  listOf(async (shown) => [{ status: 200, row: shown.cited(body['row'] as CitedRow), ...line }], summary)
const refusals: Body[] = [
  bad(
    'a refusal as a good line, with a right total',
    results(pfs('1200.00'), { status: 200, row: notAllowed, extended }),
    'row_malformed',
    questions(FORBIDDEN),
  ),
  bad(
    'a good line with the code of a refusal',
    await goodLine(notAllowed, { code: 'modifier_not_allowed', extended }, pfs('1200.00')),
    UNKNOWN,
  ),
  bad(
    'the row of a refusal as a good line',
    await goodLine(notAllowed, { extended }, pfs('1200.00')),
    'answers_another_question',
    questions(FORBIDDEN),
  ),
  good(
    'the row of a refusal as a good line, to any question',
    await goodLine(notAllowed, { extended }, pfs('1200.00')),
    { rows: 1 },
  ),
  bad('a stated absence as a good line that comes to nothing', await goodLine(bundled, {}, NONE), CONTRADICTS),
]

const bothSides = { modifier: '50', rule: 'bilateral/1', factor: '1.500', amount: '142.79' }
const adjusted = (adjustment: object, amount: string) =>
  results(pfs(amount), { ...line, adjustment, extended: { amount } })
const ofRange = await batchOf([[{ cpt: '99215', npi: '1234567893' }, { extended: { low: '80.00', high: '140.50' } }]], {
  lines: 1,
  priced: 1,
  totals: [total('hospital_cash', 1, '80.00', '140.50', null)],
})
const DOSE = { cpt: 'J1100', npi: '1234567893' }
const ofDose = await batchOf([[DOSE, { units: 2, extended: null }]], NONE)
const ofMixed = await batchOf(
  [
    [
      { ...DOSE, cpt: 'J1200' },
      { units: 2, extended: null },
    ],
  ],
  NONE,
)
const doses: Body[] = [
  good(
    'a price for a unit of the hospital comes to nothing',
    ofDose,
    { rows: 1 },
    questions({ ...DOSE, units: 2 } as never),
  ),
  good(
    'a price for a unit of the hospital, and nothing is said',
    changed(ofDose, { 'results.0.extended': undefined }),
    {
      rows: 1,
    },
  ),
  bad(
    'a price for a unit of the hospital, times the units of the bill',
    changed(ofDose, {
      'results.0.extended': { amount: '25.00' },
      summary: { lines: 1, priced: 1, totals: [total('hospital_cash', 1, '25.00', '25.00', null)] },
    }),
    CONTRADICTS,
  ),
  good('a price for several units of the hospital comes to nothing', ofMixed, { rows: 1 }),
  bad(
    'a price for several units of the hospital, times the units of the bill',
    changed(ofMixed, {
      'results.0.extended': { amount: '19.00' },
      summary: { lines: 1, priced: 1, totals: [total('hospital_cash', 1, '19.00', '19.00', null)] },
    }),
    CONTRADICTS,
  ),
]
const adjustments: Body[] = [
  good('an adjustment that follows from its row', adjusted(bothSides, '142.79'), { rows: 1 }),
  good(
    'an adjustment that follows from its row, and was asked for',
    adjusted(bothSides, '142.79'),
    { rows: 1 },
    questions({ modifier: '50' }),
  ),
  bad(
    'an adjustment that follows, and was not asked for',
    adjusted(bothSides, '142.79'),
    'answers_another_question',
    questions({}),
  ),
  bad('an adjustment to another amount', adjusted({ ...bothSides, amount: '1.00' }, '1.00'), CONTRADICTS),
  bad(
    'an adjustment by another factor',
    adjusted({ ...bothSides, factor: '2.000', amount: '190.38' }, '190.38'),
    CONTRADICTS,
  ),
  bad('an adjustment by another rule', adjusted({ ...bothSides, rule: 'bilateral/2' }, '142.79'), CONTRADICTS),
  bad('an adjustment by a modifier that has none', adjusted({ ...bothSides, modifier: '22' }, '142.79'), CONTRADICTS),
  bad('an adjustment without its modifier', adjusted({ amount: '1.00' }, '1.00'), CONTRADICTS),
  bad(
    'an adjustment to another amount, and the line comes to its price',
    results(pfs('95.19'), { ...line, adjustment: { ...bothSides, amount: '1.00' } }),
    CONTRADICTS,
  ),
  bad('an adjustment with a member too many', adjusted({ ...bothSides, note: 'x' }, '142.79'), CONTRADICTS),
  bad(
    'an adjustment that the row forbids',
    await goodLine(
      notAllowed,
      { adjustment: { ...bothSides, amount: '1800.00' }, extended: { amount: '1800.00' } },
      pfs('1800.00'),
    ),
    CONTRADICTS,
  ),
  bad(
    'an adjustment of a range',
    changed(ofRange, {
      'results.0.adjustment': { ...bothSides, amount: '120.00' },
      'results.0.extended': { amount: '120.00' },
      summary: { lines: 1, priced: 1, totals: [total('hospital_cash', 1, '120.00', '120.00', null)] },
    }),
    CONTRADICTS,
  ),
]

const billed = (amount: unknown) => results(pfs('95.19', '95.25'), { ...line, billed: amount })
const missing = await batchOf([[{ cpt: '12345' }, {}]], NONE)
const bills: Body[] = [
  good('what was billed, as a text', billed('95.25'), { rows: 1 }, questions({})),
  bad('what was billed, as a number that reads like an amount', billed(95.25), UNKNOWN),
  bad('what was billed, as a list', billed(['95.25']), UNKNOWN),
  bad('what was billed, as an object', billed({ amount: '95.25' }), UNKNOWN),
  bad('what was billed, with a newline after it', billed('95.25\n'), UNKNOWN),
  bad('what was billed for nothing, as a list', changed(missing, { 'results.0.billed': ['5.00'] }), UNKNOWN),
  bad(
    'what was billed for a refused line, as a number',
    results({ ...pfs('95.19'), lines: 2 }, line, { status: 400, billed: 5.25 }),
    UNKNOWN,
  ),
  good(
    'what was billed for a refused line',
    results({ ...pfs('95.19'), lines: 2 }, line, { status: 400, billed: '5.25' }),
    { rows: 1, refused: 1 },
  ),
  bad('units in a list', results(pfs('95.19'), { ...line, units: [1] }), UNKNOWN),
  bad(
    'units past exact integers',
    JSON.stringify(results(pfs('95.19'), { ...line, units: 7 })).replace('"units":7', '"units":9007199254740992'),
    'json_malformed',
  ),
]

export const billLines: Body[] = [...told, ...refusals, ...doses, ...adjustments, ...bills]
