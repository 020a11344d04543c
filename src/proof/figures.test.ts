import { expect, test } from 'bun:test'
import { utf8 } from './bytes.ts'
import { canonical } from './canonical-json.ts'
import { verifyChanges } from './changes.ts'
import type { Fault } from './fault.ts'
import { failed } from './fault.ts'
import { type FiguresState, isFiguresState } from './figures.ts'
import { aFigure, aNoisedState, aState, aStateOfNothing, figuresBody, withheld } from './figures-fixture.ts'
import { aSigner, MemoryLog } from './fixture.ts'
import { formatPolicy, parsePolicy, type TrustPolicy } from './note/policy.ts'
import { MemoryRegistry } from './registry-fixture.ts'
import { type Inquiry, verifyBody, verifyFiguresState } from './verify-lists.ts'

const signer = await aSigner('figures.example/log/figures')
const registrySigner = await aSigner('figures.example/log/registry')
const policy = parsePolicy(formatPolicy([signer, registrySigner])) as TrustPolicy
const FIGURES: Inquiry = { figures: true }

const aLog = (): MemoryLog => new MemoryLog(signer).append(utf8(canonical(aStateOfNothing())), utf8('a change'))
const check = async (body: object, asked: Inquiry = FIGURES, notBefore?: string): Promise<Fault | 'ok'> => {
  const verdict = await verifyBody(JSON.stringify(body), policy, asked, notBefore === undefined ? {} : { notBefore })
  return verdict.ok ? 'ok' : verdict.reason
}

test('the figures are proved by the state that their log ends with, and a stranger gets them as data', async () => {
  const state = aState()
  const body = await figuresBody(aLog(), state)
  for (const asked of [FIGURES, { anyQuestion: true }] as const)
    expect(await verifyBody(JSON.stringify(body), policy, asked)).toEqual({
      ok: true,
      rows: [],
      decisions: [],
      lacking: [],
      editions: [],
      entries: 0,
      refused: 0,
      checkpoint: body.proof.log.checkpoint,
      recorded_at: state.recorded_at,
      figures: state,
    } as never)
})

test('that nothing was released yet is proved too', async () => {
  expect(await check(await figuresBody(new MemoryLog(signer), aStateOfNothing()))).toBe('ok')
})

test('figures drawn with noise say so in their state', async () => {
  const noise = { mechanism: 'discrete_laplace', epsilon: '0.5', windows: 'disjoint' }
  const body = await figuresBody(aLog(), aState({ noise }))
  expect(await check(body)).toBe('ok')
  const { noise: _, ...quiet } = body
  expect(await check(quiet)).toBe('body_contradicts_proof')
  expect(await check({ ...body, noise: { ...noise, epsilon: '0.1' } })).toBe('body_contradicts_proof')
})

test('whatever a body says otherwise than its state is refused', async () => {
  const body = await figuresBody(aLog(), aState())
  const { metrics, savings, p: _, ...rest } = body
  const lies: [string, object][] = [
    ['a rate', { ...body, w: 0.49 }],
    ['a rate among the metrics', { ...body, metrics: { ...metrics, w: { ...metrics.w, value: 0.49 } } }],
    ['a value that is withheld', { ...body, p: 0.8 }],
    [
      'a value that is withheld, among the metrics',
      { ...body, p: 0.8, metrics: { ...metrics, p: { ...metrics.p, value: 0.8, suppressed: false, reason: null } } },
    ],
    ['a value withheld that is not', { ...body, w: null }],
    ['a reason', { ...body, metrics: { ...metrics, p: { ...metrics.p, reason: 'dominance' } } }],
    ['a definition', { ...body, metrics: { ...metrics, w: { ...metrics.w, definition: 'Cases lost' } } }],
    [
      'the day of a figure',
      { ...body, metrics: { ...metrics, r: { ...metrics.r, as_of: '2026-09-01T00:00:00.000Z' } } },
    ],
    ['an amount', { ...body, savings: { ...savings, total: '1260000.00' } }],
    ['the same amount, spelled otherwise', { ...body, savings: { ...savings, median: '0950.00' } }],
    ['a currency', { ...body, savings: { ...savings, currency: 'EUR' } }],
    ['a count', { ...body, cases_floor10: 7200 }],
    ['where it is from', { ...body, provenance: 'survey' }],
    ['what data it is', { ...body, data_class: 'sample' }],
    ['the release', { ...body, release_id: '2026-11-03.1' }],
    ['when it was released', { ...body, as_of: '2026-11-03T00:00:00.000Z' }],
    ['the rule', { ...body, sdc_rule_version: '2.0.0' }],
    ['a member too many', { ...body, note: 'x' }],
    ['a figure too many', { ...body, metrics: { ...metrics, cases: metrics.w } }],
    ['a member left out', { ...rest, metrics, savings }],
    ['another checkpoint', { ...body, checkpoint: 'x' }],
  ]
  for (const [what, lie] of lies) expect([what, await check(lie)]).toEqual([what, 'body_contradicts_proof'])
})

test('a state of before, of another log, of another kind, or of nobody is refused', async () => {
  const log = aLog()
  const before = aState({ release_id: '2026-09-01.1' })
  await figuresBody(log, before)
  const now = await figuresBody(log, aState())
  const old = await figuresBody(log, before, 2)
  expect(await check(old)).toBe('state_not_last')
  // Nor does it help to say that it is the last one.
  const { log: last } = now.proof
  expect(await check({ ...old, proof: { ...old.proof, log: last } })).toBe('state_not_in_log')
  expect(await check({ ...old, proof: { ...old.proof, log: { ...old.proof.log, index: last.index } } })).toBe(
    'state_not_in_log',
  )
  const altered = aState({ cases_floor10: 730 })
  expect(await check({ ...now, cases_floor10: 730, proof: { ...now.proof, state: altered } })).toBe('state_not_in_log')
  expect(await check(await figuresBody(new MemoryLog(registrySigner), aState()))).toBe('log_of_other_kind')
  expect(await check(await figuresBody(new MemoryLog(await aSigner('x.example/log/figures')), aState()))).toBe(
    'note_unsigned',
  )
  const further = await aSigner('figures.example/log/figures/old')
  const pinned = parsePolicy(formatPolicy([further])) as TrustPolicy
  expect(
    await verifyBody(JSON.stringify(await figuresBody(new MemoryLog(further), aState())), pinned, FIGURES),
  ).toMatchObject({ reason: 'log_of_other_kind' })
  const registry = new MemoryRegistry(registrySigner)
  registry.append()
  const { state, log: proof } = { state: registry.entries.at(-1), log: await registry.proof() }
  expect(await check({ ...now, proof: { ...now.proof, state, log: proof } })).toBe('proof_malformed')
})

test('a body without a proof, or with the proof of something else, is refused', async () => {
  const { proof, ...body } = await figuresBody(aLog(), aState())
  expect(await check(body)).toBe('proof_missing')
  expect(await check({ ...body, proof: null })).toBe('proof_missing')
  for (const wrong of [
    {},
    { log: proof.log },
    { ...proof, type: 'agent-trust-registry/row-proof@v2' },
    { ...proof, more: 1 },
  ])
    expect(await check({ ...body, proof: wrong })).toBe('proof_malformed')
  expect(await check({ data: [] })).toBe('proof_missing')
})

test('figures answer no other question, and how old they may be is up to the reader', async () => {
  const body = await figuresBody(aLog(), aState())
  for (const asked of [
    { question: { cpt: '99213', as_of: '2026-10-06' } },
    { page: { as_of: '2026-10-06' } },
    { questions: [] },
  ])
    expect(await check(body, asked)).toBe('answers_another_question')
  expect(await check(body, FIGURES, '2026-10-06T00:00:01Z')).toBe('ok')
  expect(await check(body, FIGURES, '2026-10-06T00:00:02Z')).toBe('state_too_old')
  expect(await check(body, FIGURES, 'yesterday')).toBe('state_too_old')
})

test('a state that contradicts itself is no state, whoever signed it', async () => {
  const { metrics } = aState()
  const of = (given: object): FiguresState => aState({ metrics: { ...metrics, ...given } })
  const wrong: [string, object][] = [
    ['a withheld value that is shown', of({ p: { ...withheld('small_cell'), value: 0.8 } })],
    ['a value that is shown with a reason', of({ w: aFigure(0.48, { reason: 'small_cell' }) })],
    ['null and not withheld', of({ w: { ...aFigure(0.48), value: null } })],
    ['withheld without a reason', of({ p: { ...withheld('small_cell'), reason: null } })],
    ['a rate above one', of({ w: aFigure(1.01) })],
    ['a rate below zero', of({ w: aFigure(-0.01) })],
    ['a rate as a text', of({ w: aFigure('0.48') })],
    ['an amount as a number', of({ savings_total: aFigure(126000) })],
    ['a count that is not rounded', aState({ cases_floor10: 725 })],
    ['a count below zero', aState({ cases_floor10: -10 })],
    ['a figure that was never decided', of({ w: aFigure(0.48, { as_of: null }) })],
    ['a figure too many', of({ cases: aFigure(725) })],
    ['figures without a release', aState({ release_id: null, as_of: null, data_class: null })],
    ['a release without a day', aState({ as_of: null })],
    ['a release of unknown data', aState({ data_class: null })],
    ['a count before the first release', { ...aStateOfNothing(), cases_floor10: 10 }],
    ['the count of cases behind a figure', { ...aState(), cases: 725 }],
    ['a line break in a definition', of({ w: aFigure(0.48, { definition: 'a\nb' }) })],
    ['another version', { ...aState(), schema: 'figures-state/2' }],
  ]
  expect([aState(), aStateOfNothing()].every(isFiguresState)).toBe(true)
  expect(isFiguresState(aNoisedState({ cases_floor10: null }))).toBe(true)
  expect(isFiguresState(aNoisedState({ cases_floor10: null, settlements_floor10: null }))).toBe(false)
  for (const [what, state] of wrong) {
    expect([what, isFiguresState(state)]).toEqual([what, false])
    expect([what, await check(await figuresBody(aLog(), state as FiguresState))]).toEqual([what, 'proof_malformed'])
  }
})

test('checkpoints of two logs are not of one, and a proof whose log has another form is none, though both logs are pinned', async () => {
  const log = new MemoryLog(signer).append(utf8(canonical(aStateOfNothing())))
  const other = await aSigner('other.example/log/figures')
  const both = parsePolicy(formatPolicy([signer, other])) as TrustPolicy
  const proof = { log: await log.prove(0) }
  const entry = { ...aStateOfNothing(), proof }
  const since = async (older: MemoryLog) =>
    verifyChanges({ data: [], states: [entry] }, await older.checkpoint(0), await log.checkpoint(), both)
  expect(await since(log)).toEqual({ ok: true, entries: 0, from: 0, to: 1 })
  expect(await since(new MemoryLog(other))).toEqual(failed('log_not_the_same'))
  const check = (changed: unknown) => verifyFiguresState({ ...entry, proof: { log: changed } }, both)
  expect(await check(proof.log)).toEqual({ ok: true })
  for (const changed of [{ ...proof.log, more: 1 }, { ...proof.log, index: 0.5 }, null])
    expect(await check(changed)).toEqual(failed('proof_malformed'))
})
