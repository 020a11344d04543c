// Histories: what every edition says of a code, and that none was left out.

import type { HistoryQuestion } from '../../src/proof/catalogue/history.ts'
import { type HistoryParts, historyOf } from '../../src/proof/catalogue/history-fixture.ts'
import type { Period } from '../../src/proof/price/release.ts'
import { ask, type Body, bad, good, LOST, problem } from './body.ts'
import { early, none, small } from './catalogue-registry.ts'
import { changed, flipped } from './edit.ts'
import { NPI, world } from './registry.ts'

const CODE = { cpt: '99213' }
const asked = (history: Partial<HistoryQuestion> = {}) => ({ asked: { history: { ...CODE, ...history } } })
const list = (question: Partial<HistoryQuestion> = {}, told: HistoryParts = {}, limit = 50, of = small) =>
  historyOf(of, { ...CODE, ...question }, told, limit)
const ofWorld = (question: Partial<HistoryQuestion>) => list(question, {}, 50, world)
const LEFT_OUT = 'releases_left_out'
const OTHER = 'answers_another_question'
const CONTRADICTS = 'body_contradicts_proof'

/**
 * The timeline: 0 the laboratory, 1 the summer of another chart, 2 winter, 3 spring, 4 autumn. A history of a code has
 * autumn, spring, then the laboratory and winter, which begin on one day.
 */
const whole = await list()
const pfs = { basis: 'medicare_pfs' }
const fees = await list(pfs)
const unknown = await list({ cpt: '12345' })
const honest = [
  good('a history', whole, { rows: 3, entries: 4 }, asked()),
  good('a history, where nobody asked', whole, { rows: 3, entries: 4 }),
  good('a history with lost sources', { ...whole, sources_lost: [LOST] }, { rows: 3, entries: 4 }, asked()),
  bad('lost sources of a history that are null', { ...whole, sources_lost: null }, 'not_recognised', asked()),
  bad(
    'a lost source of a history with a sentence',
    { ...whole, sources_lost: [{ ...LOST, state: 'gone for good' }] },
    'not_recognised',
    asked(),
  ),
  good('a history of a basis', fees, { rows: 3, entries: 3 }, asked(pfs)),
  good('a history of a code that no edition has', unknown, { entries: 4 }, asked({ cpt: '12345' })),
  good(
    'a history of a code of the laboratory',
    await list({ cpt: '80053' }),
    { rows: 1, entries: 4 },
    asked({ cpt: '80053' }),
  ),
  good('a first page of a history', await list({}, {}, 2), { rows: 2, entries: 2 }, asked()),
  good(
    'a second page of a history',
    await list({ offset: 2 }, {}, 2),
    { rows: 1, entries: 2, page: { has_more: false, before: small.standing.periods[3] as Period } },
    asked({ offset: 2 }),
  ),
  good('a page after the last of a history', await list({ offset: 4 }), {}, asked({ offset: 4 })),
  good(
    'a history of a chart that is not held',
    await list({ basis: 'medicare_asc' }),
    {},
    asked({ basis: 'medicare_asc' }),
  ),
  good('a history of a registry without releases', await list({}, {}, 50, none), {}, asked()),
  good('a history of a place', await list({ region: 'US-IL-16' }), { entries: 4 }, asked({ region: 'us-il-16' })),
  good(
    'a history with a modifier that changes nothing',
    await list({ modifier: '25' }),
    { rows: 3, entries: 4 },
    asked({ modifier: '25' }),
  ),
  good(
    'a history with a modifier that has no rows',
    await list({ modifier: '22' }),
    { entries: 4 },
    asked({ modifier: '22' }),
  ),
  good('a history of a hospital', await ofWorld({ npi: NPI.A }), { rows: 1, entries: 1 }, asked({ npi: NPI.A })),
  good(
    'a history of the gross charges of a hospital',
    await ofWorld({ npi: NPI.A, basis: 'hospital_gross' }),
    { rows: 1, entries: 1 },
    asked({ npi: NPI.A, basis: 'hospital_gross' }),
  ),
  good(
    'a history of a hospital that moved',
    await ofWorld({ npi: NPI.MOVED }),
    { rows: 1, entries: 1 },
    asked({ npi: NPI.MOVED }),
  ),
  good(
    'a history of a ZIP code',
    await ofWorld({ region: '60611' }),
    { rows: 1, entries: 5 },
    asked({ region: '60611' }),
  ),
  good(
    'a history of an operation on both sides',
    await ofWorld({ cpt: '99211', modifier: '50' }),
    { rows: 2, entries: 5 },
    asked({ cpt: '99211', modifier: '50' }),
  ),
  good(
    'a history with what is absent',
    await ofWorld({ cpt: '99070' }),
    { rows: 1, entries: 5 },
    asked({ cpt: '99070' }),
  ),
  good(
    'a history that is fresh enough',
    whole,
    { rows: 3, entries: 4 },
    { ...asked(), not_before: '2026-10-01T00:00:00Z' },
  ),
  good('an older history, where any age will do', await list({}, {}, 50, early), { rows: 3, entries: 3 }, asked()),
]

const periods = small.standing.periods as Period[]
const [, , winter, spring, autumn] = periods as [Period, Period, Period, Period, Period]
const told = (shown: Period[], given: HistoryParts = {}) => list(pfs, { periods: shown, has_more: false, ...given })
const omissions = [
  bad('the newest edition left out', await told([spring, winter]), LEFT_OUT, asked(pfs)),
  bad('an edition left out in the middle of a history', await told([autumn, winter]), LEFT_OUT, asked(pfs)),
  bad('the oldest edition left out', await told([autumn, spring]), LEFT_OUT, asked(pfs)),
  bad(
    'the oldest edition left out, with its period',
    await told([autumn, spring], { stretches: [[3, 5]] }),
    LEFT_OUT,
    asked(pfs),
  ),
  bad(
    'the newest edition left out, with its period',
    await told([spring, winter], { stretches: [[1, 4]] }),
    LEFT_OUT,
    asked(pfs),
  ),
  bad('no edition at all', await told([], { stretches: [[1, 2]] }), LEFT_OUT, asked(pfs)),
  bad('no edition, and the place of another chart', await told([], { stretches: [[0, 2]] }), LEFT_OUT, asked(pfs)),
  bad('a history without its timeline', await told([], { stretches: [] }), LEFT_OUT, asked(pfs)),
  bad('a page without an edition that says there is more', await told([], { has_more: true }), LEFT_OUT, asked(pfs)),
  bad('a chart left out', await list({}, { periods: [autumn, spring, winter], has_more: false }), LEFT_OUT, asked()),
  bad('a chart left out, with its stretch', { ...fees }, LEFT_OUT, asked()),
  bad('stretches in another order', { ...whole, timeline: whole.timeline.toReversed() }, LEFT_OUT, asked()),
  bad('a stretch too many', { ...fees, timeline: [...fees.timeline, ...fees.timeline] }, LEFT_OUT, asked(pfs)),
  bad(
    'a first page that says there is no more',
    changed(await list({}, {}, 2), { 'page.has_more': false }),
    LEFT_OUT,
    asked(),
  ),
  bad('a last page that says there is more', changed(whole, { 'page.has_more': true }), LEFT_OUT, asked()),
]

const items = [
  bad('an edition without its answer', changed(fees, { 'data.0.answer': undefined }), 'not_recognised', asked(pfs)),
  bad('an edition that is null', { ...fees, data: [null, ...fees.data] }, 'not_recognised', asked(pfs)),
  bad(
    'an edition that is in force on another day',
    changed(fees, { 'data.0.effective_from': '2026-10-02' }),
    'release_not_in_force',
    asked(pfs),
  ),
  bad('an edition of another chart', changed(fees, { 'data.0.chart': 'cms-clfs' }), 'release_not_in_force', asked(pfs)),
  bad(
    'an edition with another last day',
    changed(fees, { 'data.0.effective_to': '2027-12-31' }),
    CONTRADICTS,
    asked(pfs),
  ),
  bad(
    'an edition with the name of another',
    changed(fees, { 'data.0.release_id': 'cms-pfs:2026B:2' }),
    CONTRADICTS,
    asked(pfs),
  ),
  bad('an edition of another data class', changed(fees, { 'data.0.data_class': 'published' }), CONTRADICTS, asked(pfs)),
  bad(
    'an edition of a history with a member too many',
    changed(fees, { 'data.0.price': '1.00' }),
    CONTRADICTS,
    asked(pfs),
  ),
  bad(
    'two editions that changed places',
    { ...fees, data: [fees.data[1], fees.data[0], fees.data[2]] },
    'entries_out_of_order',
    asked(pfs),
  ),
  bad('oldest first', { ...fees, data: fees.data.toReversed() }, 'entries_out_of_order', asked(pfs)),
  bad(
    'an edition of a history twice',
    { ...fees, data: [fees.data[0], ...fees.data] },
    'entries_out_of_order',
    asked(pfs),
  ),
  bad(
    'two charts of one day in another order',
    { ...whole, data: [...whole.data.slice(0, 2), whole.data[3], whole.data[2]] },
    'entries_out_of_order',
    asked(),
  ),
  bad(
    'the answers of two editions that changed places',
    changed(fees, { 'data.0.answer': fees.data[1]?.answer, 'data.1.answer': fees.data[0]?.answer }),
    CONTRADICTS,
    asked(pfs),
  ),
  bad(
    'a forged price in a history',
    changed(fees, { 'data.0.answer.row.price.amount': '1.00' }),
    'row_not_in_release',
    asked(pfs),
  ),
  bad(
    'a price told as a refusal',
    changed(fees, { 'data.0.answer': { status: 404, problem: problem('not_on_schedule') } }),
    'choice_not_proved',
    asked(pfs),
  ),
  bad(
    'a refusal without its evidence',
    changed(unknown, { 'data.0.answer.problem.because.rows': [], 'releases.0.hashes': '' }),
    'choice_not_proved',
    asked({ cpt: '12345' }),
  ),
  bad(
    'a question that one edition refuses',
    changed(fees, { 'data.0.answer': { status: 400, problem: problem('invalid_cpt') } }),
    'not_recognised',
    asked(pfs),
  ),
  bad(
    'an adjustment in a history that follows from nothing, where nobody asked',
    changed(fees, { 'data.0.answer.adjustment': { amount: '1.00' } }),
    CONTRADICTS,
  ),
  bad(
    'modifiers ignored in a history that are no list',
    changed(fees, { 'data.0.answer.modifiers_ignored': { x: 1 } }),
    'not_recognised',
  ),
  bad('units in a history', changed(fees, { 'data.0.answer.units': 1 }), 'not_recognised', asked(pfs)),
]

const questions = [
  bad('a history of another code', whole, OTHER, asked({ cpt: '99211' })),
  bad('a history of another code, that no edition has', unknown, OTHER, asked({ cpt: '99213' })),
  bad('a history of another place', fees, OTHER, asked({ ...pfs, region: 'US-IL-16' })),
  bad('a history of another setting', fees, OTHER, asked({ ...pfs, setting: 'facility' })),
  bad('a history of another basis', fees, OTHER, asked({ basis: 'medicare_clfs' })),
  bad('a history of schedules for a hospital', await ofWorld({}), 'choice_not_proved', asked({ npi: NPI.A })),
  bad('a history for a provider whom nobody names', whole, OTHER, asked({ npi: NPI.A })),
  bad('a history of a hospital for schedules', await ofWorld({ npi: NPI.A }), OTHER, asked()),
  bad('a history of another hospital', await ofWorld({ npi: NPI.A }), 'choice_not_proved', asked({ npi: NPI.B })),
  bad('a page of a history from another offset', await list({ offset: 2 }, {}, 2), OTHER, asked()),
  bad('a history for a question with a day', whole, 'question_malformed', asked({ as_of: '2026-07-15' } as object)),
  bad('a history for a question without a meaning', whole, 'question_malformed', asked({ cpt: '1' })),
  bad('a history for a lookup', whole, OTHER, { asked: ask({}) }),
  bad('a history for a list of releases', whole, OTHER, { asked: { releases: {} } }),
  bad('a lookup for a history', (await small.answer({ ...CODE, as_of: '2026-05-01' })).body, OTHER, asked()),
  bad('a page of nothing for a history', { data: [], page: whole.page, links: {} }, 'proof_missing', asked()),
  bad('an empty history, where nobody asked', await list({}, {}, 50, none), 'nothing_proved'),
]

const parts = [
  bad(
    'a period of a history forged',
    changed(fees, { 'timeline.0.periods.1.to': '2026-03-30' }),
    'period_not_in_timeline',
    asked(pfs),
  ),
  bad(
    'one bit of a path beside a stretch',
    changed(fees, { 'timeline.0.left_path.0': flipped(fees.timeline[0]?.left_path[0] as string) }),
    'period_not_in_timeline',
    asked(pfs),
  ),
  bad('a timeline that is none', { ...fees, timeline: {} }, 'proof_malformed', asked(pfs)),
  bad('a history without its releases', changed(fees, { releases: undefined }), 'proof_malformed', asked(pfs)),
  bad(
    'an edition whose release is not shown',
    changed(unknown, { releases: unknown.releases.slice(1) }),
    'release_not_in_force',
    asked({ cpt: '12345' }),
  ),
  bad(
    'a history under the state of an older view',
    { ...fees, state: early.state, log: await early.proof() },
    'period_not_in_timeline',
    asked(pfs),
  ),
  bad(
    'the timeline of an older history',
    { ...fees, timeline: (await list(pfs, {}, 50, early)).timeline },
    'period_not_in_timeline',
    asked(pfs),
  ),
  bad('a history that is too old', whole, 'state_too_old', { ...asked(), not_before: '2026-11-01T00:00:00Z' }),
  bad('a member too many beside a history', { ...whole, total: '1.00' }, 'not_recognised', asked()),
  bad('a history with a day', { ...whole, as_of: '2026-07-15' }, 'not_recognised', asked()),
  bad('a history without its page', changed(whole, { page: undefined }), 'not_recognised', asked()),
  bad(
    'another checkpoint among the links of a history',
    { ...whole, links: { checkpoint: 'x' } },
    'mixed_checkpoints',
    asked(),
  ),
]

const nobody = (await world.answer({ ...CODE, npi: NPI.UNKNOWN, as_of: '2026-07-15' })).body
const strangers = [
  good('a provider of whom no file speaks, for a history', nobody, {}, asked({ npi: NPI.UNKNOWN })),
  bad('a provider of whom a file speaks, said to be unknown', nobody, 'choice_not_proved', asked({ npi: NPI.A })),
  bad(
    'a provider said to be unknown, without proof',
    { ...problem('unknown_provider') },
    'proof_missing',
    asked({ npi: NPI.UNKNOWN }),
  ),
  bad('an unknown provider for a history of schedules', nobody, 'choice_not_proved', asked()),
  bad('another refusal for a history', { ...nobody, code: 'not_on_schedule' }, OTHER, asked({ npi: NPI.UNKNOWN })),
]

export const histories: Body[] = [...strangers, ...honest, ...omissions, ...items, ...questions, ...parts]
