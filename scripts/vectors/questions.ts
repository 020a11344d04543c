// Questions that have no meaning, and refusals with what may stand in them.

import type { Question } from '../../src/proof/lookup/question.ts'
import type { Because, PeriodProof } from '../../src/proof/price/proofs.ts'
import { ask, type Body, bad, good, LOST, problem } from './body.ts'
import { changed } from './edit.ts'
import { honest } from './lookups.ts'
import { NPI, older, opps, pfs, world } from './registry.ts'
import { cite } from './swaps.ts'

const OTHER = 'answers_another_question'
const CONTRADICTS = 'body_contradicts_proof'
const UNPROVED = 'choice_not_proved'
const fee = await honest({})

const MALFORMED: [string, Partial<Question>][] = [
  ['no code', { cpt: '' }],
  ['a code of four digits', { cpt: '9921' }],
  ['a code with a tab before it', { cpt: '\t99213' }],
  ['a code with a newline after it', { cpt: '99213\n' }],
  ['a code with a no-break space before it', { cpt: '\u00a099213' }],
  ['a code in other digits', { cpt: '9921\u0663' }],
  ['a long s, which is no S', { cpt: '\u017f1234' }],
  ['a Kelvin sign, which is no K', { cpt: '\u212a1234' }],
  ['a question without its day', { as_of: '' }],
  ['a question of a day that does not exist', { as_of: '2026-02-29' }],
  ['a day with its time', { as_of: '2026-07-15T00:00:00Z' }],
  ['half of the last four digits', { region: '60611-12' }],
  ['a state that does not exist', { region: 'ZZ' }],
  ['a locality of a state that does not exist', { region: 'US-ZZ-01' }],
  ['a state with a space', { region: ' IL' }],
  ['a dotless i in a state', { region: '\u0131L' }],
  ['a region with a newline after it', { region: 'IL\n' }],
  ['a locality of one digit', { region: 'US-IL-1' }],
  ['a bidding area of nine digits', { region: 'CBA-0A1B2C3D4' }],
  ['a bidding area with a sharp s', { region: 'CBA-0A1B2C3\u00df' }],
  ['an NPI with a wrong check digit', { npi: '1234567890' }],
  ['an NPI that begins with 3', { npi: '3234567893' }],
  ['an NPI with a space', { npi: ' 1234567893' }],
  ['a modifier of one sign', { modifier: '5' }],
  ['five modifiers', { modifier: '25-26-50-59-76' }],
  ['modifiers with a comma', { modifier: '25,26' }],
  ['a setting that is none', { setting: 'office' }],
  ['a setting in capitals', { setting: 'FACILITY' }],
  ['a setting that no schedule has', { setting: 'inpatient' }],
  ['another setting that no schedule has', { setting: 'super_rural' }],
  ['a basis that is none', { basis: 'medicare' }],
  ['a basis of a hospital without one', { basis: 'hospital_cash' }],
  ['a part that is none', { chart: 'cms-pfs' } as object],
  ['a code that is no text', { cpt: 99213 } as object],
  ['a setting that is null', { setting: null } as object],
  ['a basis of a schedule with a hospital', { basis: 'medicare_pfs', npi: NPI.A }],
]
const malformed = MALFORMED.map(([name, question]) => bad(name, fee, 'question_malformed', { asked: ask(question) }))

const page = { page: { as_of: '2026-07-15' } }
const kinds: Body[] = [
  bad('an answer where a page was asked', fee, OTHER, { asked: page }),
  bad('an answer where a batch was asked', fee, OTHER, { asked: { questions: [ask({}).question] } }),
]

const absent = await honest({ cpt: '99070' })
const missing = await honest({ cpt: '12345' })
const october = await honest({ as_of: '2026-10-05' })
const ambiguous = await honest({ region: 'IL' })
const both = await honest({ modifier: '50' })
const ignored = await honest({ modifier: '25' })
const { row: bundled } = (await honest({ cpt: '99070' })) as { row: object }
const notAllowed = await honest({ cpt: '27447', modifier: '50' })
const missingBecause = missing['because'] as Because
const octoberBecause = october['because'] as Because
const MISSING = { asked: ask({ cpt: '12345' }) }
const OCTOBER = { asked: ask({ as_of: '2026-10-05' }) }
const ABSENT = { asked: ask({ cpt: '99070' }) }
const row = absent['row'] as object
const { checkpoint } = await world.proof()
const charts = october['charts'] as object[]
const relation = { basis: 'medicare_opps', setting: 'outpatient', class: null, modifier: null, href: '/reference?x' }
const absence = await world.absence(pfs, '12345|')

const refusals: Body[] = [
  good(
    'a refusal with all that is not proved',
    {
      ...missing,
      ...problem('not_on_schedule'),
      available: { modifiers: ['26'] },
      choices: [],
      errors: [],
      instance: '/x',
    },
    {},
    MISSING,
  ),
  good('a refusal to any question', missing, {}),
  good('neighbours that enclose more than the code', missing, {}, { asked: ask({ cpt: '12346' }) }),
  good('an absence proof beside a refusal', { ...missing, absence: [absence] }, {}, MISSING),
  good(
    'an absence proof in place of rows',
    {
      ...changed(missing, { 'because.rows': missingBecause.rows.filter(({ release }) => release !== 0) }),
      absence: [absence],
    },
    {},
    MISSING,
  ),
  good('the checkpoint once more in a free member', { ...missing, available: [{ checkpoint }] }, {}, MISSING),
  good(
    'the periods of charts, which are not proved',
    { ...october, charts: charts.map((each) => ({ ...each, held: ['x'] })) },
    {},
    OCTOBER,
  ),
  bad('a refusal without proof', problem('not_on_schedule'), 'proof_missing'),
  bad('another code', { ...missing, code: 'region_ambiguous' }, OTHER, MISSING),
  bad('a code that is not known', { ...missing, code: 'sold_out' }, OTHER, MISSING),
  bad('a code that is null', { ...missing, code: null }, 'row_malformed'),
  bad('a refusal where there is a price', { ...fee, ...missing }, 'not_recognised', MISSING),
  bad(
    'a stated absence under the code of another',
    { ...absent, code: 'absent_not_covered' },
    'body_contradicts_proof',
  ),
  bad('a stated absence under a code for none', { ...absent, code: 'not_on_schedule' }, 'body_contradicts_proof'),
  bad(
    'a price under the code of a stated absence',
    { ...absent, row: await cite(pfs, '27447') },
    'body_contradicts_proof',
  ),
  bad(
    'a place under the code of a stated absence',
    { ...absent, row: (await honest({ region: '60611' }))['place'] },
    'body_contradicts_proof',
  ),
  bad('a stated absence as a good answer', { ...row, because: absent['because'] }, OTHER, ABSENT),
  good('a stated absence on its own, to any question', row, { rows: 1 }),
  bad('a row of another code beside a refusal', { ...missing, row, code: 'absent_bundled' }, OTHER, MISSING),
  bad('a row that is null', { ...absent, row: null }, 'row_malformed'),
  bad(
    'a forged reason',
    { ...absent, code: 'absent_not_covered', row: changed(row, { reason: 'not_covered' }) },
    'leaf_hash_mismatch',
  ),
  good('a fee, said not to allow a modifier, to any question', { ...notAllowed, row: fee }, { rows: 1 }),
  bad(
    'the fee of another code, called not allowed',
    { ...notAllowed, row: await cite(pfs, '99213|national|||medicare_pfs|non') },
    OTHER,
    { asked: ask({ modifier: '50' }) },
  ),
  bad('a member too many in a refusal', { ...missing, price: '1.00' }, 'not_recognised'),
  bad('an empty list of absences', { ...missing, absence: [] }, 'proof_missing'),
  bad('absences that are no list', { ...missing, absence }, 'proof_missing'),
  bad('an absence that is null', { ...missing, absence: [null] }, 'proof_malformed'),
  bad(
    'another checkpoint in a free member',
    { ...missing, available: [{ checkpoint: `${checkpoint} ` }] },
    'mixed_checkpoints',
  ),
  bad('a checkpoint that is no text', { ...missing, choices: { a: { checkpoint: null } } }, 'mixed_checkpoints'),
  bad('a chart that is not named', { ...october, charts: charts.slice(1) }, OTHER, OCTOBER),
  bad('a chart too many', { ...october, charts: [...charts, { chart: 'cms-opps', held: [] }] }, OTHER, OCTOBER),
  bad('charts in another order', { ...october, charts: charts.toReversed() }, OTHER, OCTOBER),
  bad('no list of charts', changed(october, { charts: undefined }), OTHER, OCTOBER),
  bad('charts that are null', { ...october, charts: [null, ...charts.slice(1)] }, OTHER, OCTOBER),
  bad('an ambiguous state, said to have no fee', { ...ambiguous, code: 'region_not_covered' }, OTHER, {
    asked: ask({ region: 'IL' }),
  }),
]

const { release_id, ...unnamed } = LOST
const NOT_LOST = {
  'with a sentence': { ...LOST, state: 'gone for good' },
  'with an amount': { ...LOST, amount: '1.00' },
  'of a digest that is too short': { ...LOST, sha256: 'ab' },
  'of a digest in capitals': { ...LOST, sha256: 'AB'.repeat(32) },
  'since a day that does not exist': { ...LOST, since: '2026-02-30T00:00:00Z' },
  'of a release with a blank in its name': { ...LOST, release_id: `${release_id} ` },
  'without a release': unnamed,
}

const told: Body[] = [
  good(
    'no modifiers ignored, said twice',
    { ...fee, modifiers_ignored: [], adjustment: null },
    { rows: 1 },
    { asked: ask({}) },
  ),
  good('pointers to other rows', { ...fee, related: Array(8).fill(relation) }, { rows: 1 }, { asked: ask({}) }),
  bad('nine pointers', { ...fee, related: Array(9).fill(relation) }, 'not_recognised'),
  bad('a pointer with an amount', { ...fee, related: [{ ...relation, amount: '1.00' }] }, 'not_recognised'),
  bad('a pointer with a sentence', { ...fee, related: [{ ...relation, basis: 'only 1.00' }] }, 'not_recognised'),
  bad('pointers that are null', { ...fee, related: null }, 'not_recognised'),
  good('lost sources', { ...fee, sources_lost: Array(20).fill(LOST) }, { rows: 1 }, { asked: ask({}) }),
  good('an empty list of lost sources', { ...fee, sources_lost: [] }, { rows: 1 }, { asked: ask({}) }),
  bad('21 lost sources', { ...fee, sources_lost: Array(21).fill(LOST) }, 'not_recognised'),
  bad('lost sources that are null', { ...fee, sources_lost: null }, 'not_recognised'),
  ...Object.entries(NOT_LOST).map(([name, wrong]) =>
    bad(`a lost source ${name}`, { ...fee, sources_lost: [LOST, wrong] }, 'not_recognised'),
  ),
  bad('lost sources in a refusal', { ...missing, sources_lost: [LOST] }, 'not_recognised'),
  bad('a modifier ignored and not said', changed(ignored, { modifiers_ignored: undefined }), OTHER, {
    asked: ask({ modifier: '25' }),
  }),
  bad('another modifier ignored', { ...ignored, modifiers_ignored: ['59'] }, OTHER, { asked: ask({ modifier: '25' }) }),
  bad('an adjustment left out', changed(both, { adjustment: undefined }), OTHER, { asked: ask({ modifier: '50' }) }),
  bad('another amount in an adjustment', changed(both, { 'adjustment.amount': '142.78' }), CONTRADICTS, {
    asked: ask({ modifier: '50' }),
  }),
  bad('another factor in an adjustment', changed(both, { 'adjustment.factor': '1.5' }), CONTRADICTS, {
    asked: ask({ modifier: '50' }),
  }),
  bad('an adjustment without a modifier', { ...fee, adjustment: { amount: '1.00' } }, CONTRADICTS, { asked: ask({}) }),
  bad('an adjustment without a modifier, where nobody asked', { ...fee, adjustment: { amount: '1.00' } }, CONTRADICTS),
  bad(
    'another amount in an adjustment, where nobody asked',
    changed(both, { 'adjustment.amount': '0.95' }),
    CONTRADICTS,
  ),
  bad('a member too many in an adjustment', changed(both, { 'adjustment.note': 'x' }), CONTRADICTS),
  bad('an adjustment that is false', { ...fee, adjustment: false }, CONTRADICTS),
  bad('an adjustment of an absence', { ...bundled, adjustment: both['adjustment'] }, CONTRADICTS),
  good('an adjustment that follows, where nobody asked', both, { rows: 1 }),
  good('modifiers ignored, where nobody asked', { ...fee, modifiers_ignored: ['25', '59', 'RT'] }, { rows: 1 }),
  good('modifiers ignored that are null', { ...fee, modifiers_ignored: null }, { rows: 1 }),
  bad('modifiers ignored that are no list', { ...fee, modifiers_ignored: { x: 1 } }, 'not_recognised'),
  bad('modifiers ignored that are a text', { ...fee, modifiers_ignored: '25' }, 'not_recognised'),
  bad('modifiers ignored, one of them a number', { ...fee, modifiers_ignored: [25] }, 'not_recognised'),
  bad('a modifier ignored that changes the amount', { ...fee, modifiers_ignored: ['50'] }, 'not_recognised'),
  bad('a modifier ignored that chooses the row', { ...fee, modifiers_ignored: ['26'] }, 'not_recognised'),
  bad('a modifier ignored twice', { ...fee, modifiers_ignored: ['25', '25'] }, 'not_recognised'),
  bad('modifiers ignored in another order', { ...fee, modifiers_ignored: ['59', '25'] }, 'not_recognised'),
]

const lastKnown = { ...october, last_known: fee }
const withoutPeriods = { ...octoberBecause, periods: [] as PeriodProof[] }
const known: Body[] = [
  good('the price that ran out', lastKnown, {}, OCTOBER),
  bad(
    'the price of an edition before the last',
    { ...october, last_known: await cite(older, '99213') },
    OTHER,
    OCTOBER,
  ),
  bad(
    'what was last known of another setting',
    { ...october, last_known: await cite(pfs, '99213|national|||medicare_pfs|facility|') },
    OTHER,
    OCTOBER,
  ),
  bad('what was last known of another code', { ...october, last_known: await cite(pfs, '99211') }, OTHER, OCTOBER),
  bad('what was last known of another schedule', { ...october, last_known: await cite(opps, '71046') }, OTHER, OCTOBER),
  bad('a stated absence as what was last known', { ...october, last_known: row }, OTHER, {
    asked: ask({ cpt: '99070', as_of: '2026-10-05' }),
  }),
  bad(
    'a price in force as what was last known',
    { ...missing, last_known: await cite(pfs, '99213|national|||medicare_pfs|non') },
    OTHER,
    MISSING,
  ),
  bad(
    'what was last known, forged',
    { ...october, last_known: changed(fee, { 'price.amount': '1.00' }) },
    'leaf_hash_mismatch',
    OCTOBER,
  ),
  bad('what was last known, null', { ...october, last_known: null }, 'row_malformed'),
  bad('what was last known beside a price', { ...fee, last_known: fee }, 'row_malformed'),
  bad('what was last known, and no periods', { ...lastKnown, because: withoutPeriods }, UNPROVED, OCTOBER),
]

export const questions: Body[] = [...malformed, ...kinds, ...refusals, ...told, ...known]
