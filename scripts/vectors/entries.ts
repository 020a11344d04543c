// Pages of changes of figures, and the states between them: entries of the figures log.

import { utf8 } from '../../src/proof/bytes.ts'
import { canonical } from '../../src/proof/canonical-json.ts'
import { aState } from '../../src/proof/figures-fixture.ts'
import { MemoryLog } from '../../src/proof/fixture.ts'
import { ask, type Body, bad, good } from './body.ts'
import { changed, flipped, respelled } from './edit.ts'
import { change, changeEntry, figuresLog, stateEntry } from './figures.ts'
import { figures, registry } from './keys.ts'
import { row } from './proofs.ts'
import { pfs } from './registry.ts'

const page = (...data: unknown[]) => ({ data, page: { limit: 50 }, links: {} })
const [w, r, p] = [await changeEntry(0), await changeEntry(1), await changeEntry(2)]
const state = await stateEntry()
const withStates = (states: unknown, ...data: unknown[]) => ({ ...page(...data), states })
const inclusion = w.proof.log.inclusion[0] as string

/** An entry that really is in a log, whatever it is. */
async function logged(body: object, name = figures) {
  const log = new MemoryLog(name).append(utf8(canonical(body)))
  return { ...body, proof: { log: await log.prove(0) } }
}
const root = row.proof.row.leaf_hash
const older = { ...change(0), proof: { log: await figuresLog.prove(0, 2) } }
const olderState = await logged(aState())

export const entries: Body[] = [
  good('a page of changes', page(p, r, w), { entries: 3 }),
  good('a page of changes, oldest first', { ...page(w, r, p), as_of: '2026-10-06' }, { entries: 3 }),
  good('a page of one change', page(w), { entries: 1 }),
  good('a page with a gap', page(w, p), { entries: 2 }),
  good('a change with the root of the ledger', page(await logged(change(0, { ledger_root: root }))), { entries: 1 }),
  good('a change drawn with noise', page(await logged(change(0, { epsilon: '0.5' }))), { entries: 1 }),
  good('a change from a text to nothing', page(await logged(change(0, { old: 'low', new: null }))), { entries: 1 }),
  good('changes and the state after them', withStates([state], p, r, w), { entries: 3 }),
  good('a page without states', withStates([], w), { entries: 1 }),
  good('a state and no change', withStates([state]), {}),

  bad('a page of nothing', withStates([]), 'nothing_proved'),
  bad('a state among changes', page(w, state), 'entry_malformed'),
  good('a page that says of what class its cases are', { ...withStates([], w), data_class: 'sample' }, { entries: 1 }),
  good('a page before the first release', { ...withStates([], w), data_class: null }, { entries: 1 }),
  bad('a page of an unknown class', { ...withStates([], w), data_class: 'real' }, 'not_recognised'),
  bad('a page whose class is no text', { ...withStates([], w), data_class: { a: 1 } }, 'not_recognised'),
  bad('a change among states', withStates([w], r), 'entry_malformed'),
  bad('a state twice', withStates([state, state], w), 'repeated_item'),
  bad(
    'a state at the place of a change',
    withStates([changed(state, { 'proof.log.index': 2 })], w),
    'entry_not_in_log',
  ),
  bad('a state of another value', withStates([changed(state, { cases_floor10: 730 })], w), 'entry_not_in_log'),
  bad('a state with a member too many', withStates([changed(state, { seq: 3 })], w), 'entry_malformed'),
  bad(
    'a state that shows what it withholds',
    withStates([changed(state, { 'metrics.p.value': 0.8 })]),
    'entry_malformed',
  ),
  bad('a state in the registry log', withStates([await logged(aState(), registry)]), 'log_of_other_kind'),
  bad('a state without proof', withStates([aState()]), 'proof_malformed'),
  bad('a state under another checkpoint', withStates([olderState], w, r), 'repeated_item'),
  bad('a state under another checkpoint than the change', withStates([olderState], r), 'mixed_checkpoints'),
  bad('states that are no list', withStates(state, w), 'not_recognised'),
  bad('states that are null', withStates(null, w), 'not_recognised'),
  bad('states for a question', withStates([state]), 'answers_another_question', { asked: ask({}) }),
  bad('a change of no known age', page(w), 'state_too_old', { not_before: '2000-01-01T00:00:00Z' }),
  bad('a change for a question', page(w), 'answers_another_question', { asked: ask({}) }),
  bad('changes for a page of rows', page(w), 'answers_another_question', { asked: { page: { as_of: '2026-07-15' } } }),
  bad('a row among changes', page(w, row), 'proof_malformed'),
  bad('a manifest passed off as a change', page(await logged({ ...pfs.manifest, seq: 0 })), 'entry_malformed'),
  bad('a change in the registry log', page(await logged(change(0), registry)), 'log_of_other_kind'),
  bad('a changed value of a figure', page(changed(w, { new: 0.49 })), 'entry_not_in_log'),
  bad(
    'one bit of its inclusion',
    page(changed(w, { 'proof.log.inclusion.0': flipped(inclusion) })),
    'entry_not_in_log',
  ),
  bad(
    'an inclusion with padding bits set',
    page(changed(w, { 'proof.log.inclusion.0': respelled(inclusion) })),
    'entry_not_in_log',
  ),
  bad('a change at the place of another', page(changed(w, { 'proof.log.index': 1 })), 'entry_not_in_log'),
  bad('a change that says it stands elsewhere', page(await logged(change(1))), 'seq_not_its_place'),
  bad('changes that go up and down', page(w, p, r), 'entries_out_of_order'),
  bad('a change twice', page(w, w), 'repeated_item'),
  bad('changes under two checkpoints', page(r, older), 'mixed_checkpoints'),
  bad('another checkpoint beside changes', { ...page(w), links: [{ checkpoint: 'x' }] }, 'mixed_checkpoints'),
  bad('a root of the ledger that is none', page(await logged(change(0, { ledger_root: 'x' }))), 'entry_malformed'),
  bad('a member too many in a change', page(await logged(change(0, { cases: 51 }))), 'entry_malformed'),
  bad('a member of a change missing', page(changed(w, { reason: undefined })), 'entry_malformed'),
  bad('a change without proof', page(change(0)), 'proof_malformed'),
  bad('a change with more in its proof than the log', page(changed(w, { 'proof.row': {} })), 'proof_malformed'),
  bad('a null among changes', page(w, null), 'not_recognised'),
  bad('a member too many beside changes', { ...page(w), new: 0.99 }, 'not_recognised'),
  bad('a change that stands alone', w, 'row_malformed'),
]
