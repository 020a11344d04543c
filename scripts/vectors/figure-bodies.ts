// The answer about the figures, and the state of the figures log that proves it.

import { FIGURES_PROOF } from '../../src/proof/body.ts'
import { utf8 } from '../../src/proof/bytes.ts'
import { canonical } from '../../src/proof/canonical-json.ts'
import { type FiguresState, figuresAnswer } from '../../src/proof/figures.ts'
import {
  aFigure,
  aNoisedState,
  aState,
  aStateOfNothing,
  firstRelease,
  withheld,
} from '../../src/proof/figures-fixture.ts'
import { MemoryLog } from '../../src/proof/fixture.ts'
import { ask, type Body, bad, good } from './body.ts'
import { changed, flipped, replaced, respelled } from './edit.ts'
import { logOf } from './figures.ts'
import { ONE_OF_TWO, registry } from './keys.ts'
import { row } from './proofs.ts'
import { world } from './registry.ts'

const FIGURES = { asked: { figures: true } } as const

async function bodyOf(log: MemoryLog, state: FiguresState, index = log.leaves.length - 1) {
  const proof = { type: FIGURES_PROOF, state, log: await log.prove(index) }
  // Answer and state share nothing: each of them is altered without the other.
  return { ...structuredClone(figuresAnswer(state)), proof }
}
/** A log that ends with this state, whatever it is. */
const ending = (state: object) => bodyOf(logOf(aStateOfNothing(), state), state as FiguresState)

const state = aState()
const log = logOf(aStateOfNothing(), ...firstRelease(1, state))
const body = await bodyOf(log, state)
const inclusion = body.proof.log.inclusion[0] as string
const later = logOf(aStateOfNothing(), ...firstRelease(1, state), aState({ release_id: '2026-11-03.1' }))
const noise = { mechanism: 'discrete_laplace', epsilon: '0.5', windows: 'disjoint' }
const noisy = await ending(aState({ noise }))
const noised = aNoisedState()
const blurred = await ending(noised)
const exact = await ending(aState({ exact: true }))
const { unit: _unit, ...unitless } = noised
const { noise: _noise, ...noiseless } = noised
const unblurred = (name: string, members: Record<string, unknown>): Body =>
  refused(name, changed(blurred, members), 'body_contradicts_proof')
const ofNoised = (given: object): object => ({ ...noised, metrics: { ...noised.metrics, ...given } })
const newNothing = {
  ...aStateOfNothing(),
  metrics: Object.fromEntries(
    Object.entries(aStateOfNothing().metrics).map(([name, figure]) => [name, { ...figure, standard_error: null }]),
  ),
  sdc_rule_version: '2.0.0',
  unit: null,
  median_band: null,
  counts_standard_error: null,
}
const { metrics } = state
const of = (given: object): object => ({ ...state, metrics: { ...metrics, ...given } })
const refused = (name: string, wrong: unknown, reason: Parameters<typeof bad>[2]): Body =>
  bad(name, wrong, reason, FIGURES)
const contradicts = (name: string, members: Record<string, unknown>): Body =>
  refused(name, changed(body, members), 'body_contradicts_proof')
const malformed = async (name: string, wrong: object): Promise<Body> =>
  refused(`a signed state with ${name}`, await ending(wrong), 'proof_malformed')
const registryState = world.entries.at(-1) as object

const bodies: Body[] = [
  good('the figures', body, {}, FIGURES),
  good('the figures, for any question', body, {}),
  good('before the first release', await ending(aStateOfNothing()), {}, FIGURES),
  good('the only entry of a log', await bodyOf(logOf(state), state), {}, FIGURES),
  good('figures drawn with noise', noisy, {}, FIGURES),
  good('figures with standard errors', blurred, {}, FIGURES),
  good('figures that protect persons', await ending(aNoisedState({ unit: 'person' })), {}, FIGURES),
  good(
    'a median band without an upper end',
    await ending(aNoisedState({ median_band: { low: '2000.00', high: null } })),
    {},
    FIGURES,
  ),
  good('a median band that is withheld', await ending(aNoisedState({ median_band: null })), {}, FIGURES),
  good(
    'counts withheld with their standard error',
    await ending(aNoisedState({ cases_floor10: null, settlements_floor10: null, counts_standard_error: null })),
    {},
    FIGURES,
  ),
  good('one count withheld', await ending(aNoisedState({ settlements_floor10: null })), {}, FIGURES),
  good('exact figures', exact, {}, FIGURES),
  good('before the first release under rule 2', await ending(newNothing), {}, FIGURES),
  good('a rate of one and a rate of nothing', await ending(of({ w: aFigure(1), r: aFigure(0) })), {}, FIGURES),
  good('a rate written as 4.8e-1', replaced(JSON.stringify(body), '"w":0.48', '"w":4.8e-1'), {}, FIGURES),
  good('members in another order', canonical(body), {}, FIGURES),
  good('no older than wanted', body, {}, { ...FIGURES, not_before: state.recorded_at }),
  bad('older than wanted', body, 'state_too_old', { ...FIGURES, not_before: '2026-10-06T00:00:01.001Z' }),
  bad('for a lookup', body, 'answers_another_question', { asked: ask({}) }),
  bad('for a page of rows', body, 'answers_another_question', { asked: { page: { as_of: '2026-10-06' } } }),
  bad('for a bill', body, 'answers_another_question', { asked: { questions: [] } }),
  bad('without the witnesses that are wanted', body, 'quorum_not_met', { ...FIGURES, policy: ONE_OF_TWO }),

  refused('a row for the figures', row, 'proof_malformed'),
  refused('a list for the figures', { data: [] }, 'proof_missing'),
  refused('no proof', changed(body, { proof: undefined }), 'proof_missing'),
  refused('a proof that is null', changed(body, { proof: null }), 'proof_missing'),
  refused('a proof without a state', changed(body, { 'proof.state': undefined }), 'proof_malformed'),
  refused('a member too many in the proof', changed(body, { 'proof.href': '/x' }), 'proof_malformed'),
  refused('a state of the registry', changed(body, { 'proof.state': registryState }), 'proof_malformed'),
  refused(
    'the registry log',
    changed(body, { 'proof.log': await new MemoryLog(registry).append(utf8(canonical(state))).prove(0) }),
    'log_of_other_kind',
  ),
  refused('a state of before', await bodyOf(later, state, 8), 'state_not_last'),
  refused(
    'a state of before at the last place',
    changed(await bodyOf(later, state, 8), { 'proof.log': await later.prove(9) }),
    'state_not_in_log',
  ),
  refused(
    'a change at the last place',
    await bodyOf(logOf(...firstRelease(0).slice(0, -1)), state),
    'state_not_in_log',
  ),
  refused(
    'one bit of its inclusion',
    changed(body, { 'proof.log.inclusion.0': flipped(inclusion) }),
    'state_not_in_log',
  ),
  refused(
    'an inclusion with padding bits set',
    changed(body, { 'proof.log.inclusion.0': respelled(inclusion) }),
    'state_not_in_log',
  ),
  refused(
    'state and answer altered alike',
    changed(body, { cases_floor10: 730, 'proof.state.cases_floor10': 730 }),
    'state_not_in_log',
  ),

  contradicts('another rate', { w: 0.49 }),
  contradicts('another rate among the metrics', { 'metrics.w.value': 0.49 }),
  contradicts('a value shown that is withheld', {
    p: 0.8,
    'metrics.p.value': 0.8,
    'metrics.p.suppressed': false,
    'metrics.p.reason': null,
  }),
  contradicts('a value withheld that is shown', {
    w: null,
    'metrics.w.value': null,
    'metrics.w.suppressed': true,
    'metrics.w.reason': 'small_cell',
  }),
  contradicts('another reason', { 'metrics.p.reason': 'dominance' }),
  contradicts('another definition', { 'metrics.w.definition': 'Cases lost' }),
  contradicts('another time of a figure', { 'metrics.r.as_of': '2026-09-01T00:00:00.000Z' }),
  contradicts('a time of a figure, spelled otherwise', { 'metrics.r.as_of': '2026-10-06T00:00:00Z' }),
  contradicts('another total', { 'savings.total': '1260000.00' }),
  contradicts('another currency', { 'savings.currency': 'EUR' }),
  contradicts('another count', { cases_floor10: 7200 }),
  contradicts('a count of nothing', { settlements_floor10: 0 }),
  contradicts('another provenance', { provenance: 'survey' }),
  contradicts('another policy', { pii_policy: 'none' }),
  contradicts('another class of data', { data_class: 'sample' }),
  contradicts('another release', { release_id: '2026-11-03.1' }),
  contradicts('another time of the release', { as_of: '2026-11-03T00:00:00.000Z' }),
  contradicts('another rule', { sdc_rule_version: '2.0.0' }),
  contradicts('a figure too many', { 'metrics.cases': metrics.w }),
  contradicts('a member too many', { checkpoint: 'x' }),
  contradicts('a member left out', { p: undefined }),
  contradicts('noise that is not in the state', { noise }),
  refused('noise left out', changed(noisy, { noise: undefined }), 'body_contradicts_proof'),
  refused('less noise', changed(noisy, { 'noise.epsilon': '0.1' }), 'body_contradicts_proof'),

  unblurred('another standard error', { 'metrics.w.standard_error': 0.001 }),
  unblurred('a standard error left out', { 'metrics.w.standard_error': undefined }),
  unblurred('another band', { 'savings.median_band.high': '2000.00' }),
  unblurred('the band left out', { 'savings.median_band': undefined }),
  unblurred('the band at another place', { median_band: noised.median_band }),
  unblurred('another unit', { unit: 'person' }),
  unblurred('the unit left out', { unit: undefined }),
  unblurred('another standard error of the counts', { counts_standard_error: 0 }),
  unblurred('a mark of exact figures', { exact: true }),
  refused('the mark of exact figures left out', changed(exact, { exact: undefined }), 'body_contradicts_proof'),

  ...(await Promise.all([
    malformed('a standard error of some figures alone', of({ w: aFigure(0.48, { standard_error: 0.01 }) })),
    malformed('a figure without its standard error', ofNoised({ w: aFigure(0.48) })),
    malformed('a standard error of nothing', ofNoised({ p: withheld('small_cell', { standard_error: 0.1 as never }) })),
    malformed('a value without a standard error', ofNoised({ w: aFigure(0.48, { standard_error: null }) })),
    malformed('a standard error of a rate as a text', ofNoised({ w: { ...noised.metrics.w, standard_error: '0.01' } })),
    malformed('a standard error below zero', ofNoised({ w: { ...noised.metrics.w, standard_error: -0.01 } })),
    malformed('standard errors and no unit', unitless),
    malformed('a unit and no standard errors', { ...state, unit: 'case' }),
    malformed('another unit than these', { ...noised, unit: 'household' }),
    malformed('a unit of null after a release', { ...noised, unit: null }),
    malformed('a unit without noise', noiseless),
    malformed('a unit before the first release', { ...newNothing, unit: 'case' }),
    malformed('a band before the first release', { ...newNothing, median_band: noised.median_band }),
    malformed('a standard error of no count', { ...noised, cases_floor10: null, settlements_floor10: null }),
    malformed('counts without a standard error', { ...noised, counts_standard_error: null }),
    malformed('a standard error of counts that is no count', { ...noised, counts_standard_error: 4.5 }),
    malformed('a band of numbers', { ...noised, median_band: { low: 500, high: 1000 } }),
    malformed('a band without its upper end', { ...noised, median_band: { low: '500.00' } }),
    malformed('exact figures with standard errors', { ...noised, exact: true }),
    malformed('a mark that says not exact', { ...state, exact: false }),
    malformed('a withheld value that is shown', of({ p: { ...withheld('small_cell'), value: 0.8 } })),
    malformed('a reason for a value that is shown', of({ w: aFigure(0.48, { reason: 'small_cell' }) })),
    malformed('a null that is not withheld', of({ w: { ...aFigure(0.48), value: null } })),
    malformed('a withheld value without a reason', of({ p: { ...withheld('small_cell'), reason: null } })),
    malformed('a rate above one', of({ w: aFigure(1.01) })),
    malformed('a rate below zero', of({ w: aFigure(-0.01) })),
    malformed('a rate as a text', of({ w: aFigure('0.48') })),
    malformed('an amount as a number', of({ savings_total: aFigure(126000) })),
    malformed('an amount in cents', of({ savings_total: aFigure('126000') })),
    malformed('a count that is not rounded', { ...state, cases_floor10: 725 }),
    malformed('a count below zero', { ...state, cases_floor10: -10 }),
    malformed('a figure of no time', of({ w: aFigure(0.48, { as_of: null }) })),
    malformed('a figure too many', of({ cases: aFigure(0.5) })),
    malformed('a line break in a definition', of({ w: aFigure(0.48, { definition: 'a\nb' }) })),
    malformed('figures before the first release', { ...state, release_id: null, as_of: null, data_class: null }),
    malformed('a count before the first release', { ...aStateOfNothing(), cases_floor10: 10 }),
    malformed('a release of no time', { ...state, as_of: null }),
    malformed('a release of no class of data', { ...state, data_class: null }),
    malformed('a member too many', { ...state, cases: 725 }),
    malformed('another version', { ...state, schema: 'figures-state/2' }),
  ])),
]

/** Their names say what they are about, as other answers have the same faults. */
export const figureBodies = bodies.map((each) => ({ ...each, name: `figures: ${each.name}` }))
