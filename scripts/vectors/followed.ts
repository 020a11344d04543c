// Whether the changes of figures that a follower was given are all there were between two checkpoints.

import { utf8 } from '../../src/proof/bytes.ts'
import type { Fault } from '../../src/proof/fault.ts'
import { aState } from '../../src/proof/figures-fixture.ts'
import { MemoryLog } from '../../src/proof/fixture.ts'
import { changed } from './edit.ts'
import { change, logOf } from './figures.ts'
import { PLAIN, stranger } from './keys.ts'
import type { VectorOf } from './vector.ts'

const SIZE = 14
/** Where a release ends; at one of them nothing had moved. */
const ENDS = [0, 4, 9, 10, 13]
const ROOT = `${'b'.repeat(42)}I=`
const isEnd = (place: number): boolean => ENDS.includes(place)
const body = (place: number): object =>
  isEnd(place)
    ? aState({ release_id: `2026-10-06.${place + 1}` })
    : change(place, { ledger_root: ROOT, ...(place === 8 ? { epsilon: '0.5' } : {}) })
const places = Array.from({ length: SIZE }, (_, place) => place)
const log = logOf(...places.map(body))
/** The same entries from the sixth on, after others. */
const fork = logOf(...places.map((place) => (place < 5 ? change(place, { new: 0.99 }) : body(place))))
const other = new MemoryLog(stranger).append(utf8('entry 0'))

type Entry = { proof: object }
const entry = async (place: number, size = SIZE): Promise<Entry> => ({
  ...body(place),
  proof: { log: await log.prove(place, size) },
})
const all = await Promise.all(places.map((place) => entry(place)))
const changesFrom = (first: number): Entry[] => all.filter((_, place) => place >= first && !isEnd(place))
const statesFrom = (first: number): Entry[] => all.filter((_, place) => place >= first && isEnd(place))
const newer = await log.checkpoint()
const older = await log.checkpoint(5)
const added = changesFrom(5)
const [fifth, sixth] = added as [Entry, Entry]

type Followed = VectorOf<'changes'>
type Given = { older?: string; newer?: string; states?: readonly Entry[] }
const followed = (
  name: string,
  data: readonly unknown[],
  { states = statesFrom(5), ...given }: Given,
  expect: Followed['expect'],
): Followed => ({
  name,
  kind: 'changes',
  policy: PLAIN,
  older,
  newer,
  ...given,
  page: JSON.stringify({ data, states, page: { limit: 200 }, links: {} }),
  expect,
})
const good = (name: string, data: readonly unknown[], changes: number, given: Given = {}): Followed =>
  followed(name, data, given, { ok: true, changes })
const bad = (name: string, data: readonly unknown[], reason: Fault, given: Given = {}): Followed =>
  followed(name, data, given, { ok: false, reason })

export const follows: Followed[] = [
  ...(await Promise.all(
    places.map(async (place) =>
      good(`all changes since entry ${place}`, changesFrom(place), changesFrom(place).length, {
        older: await log.checkpoint(place),
        states: statesFrom(place),
      }),
    ),
  )),
  good('newest first', added.toReversed(), 6),
  good('the states in another order', added, 6, { states: statesFrom(5).reverse() }),
  good('older changes among them', changesFrom(0), 6),
  good('older states among them', added, 6, { states: statesFrom(0) }),
  good('nothing new', [], 0, { older: newer, states: [] }),
  good('nothing new, and older changes', changesFrom(9), 0, { older: newer }),
  good('a release at which nothing moved', changesFrom(11), 2, { older: await log.checkpoint(10) }),

  bad('the first missing', added.slice(1), 'entries_missing'),
  bad('the last missing', added.slice(0, -1), 'entries_missing'),
  bad('one missing in the middle', added.toSpliced(3, 1), 'entries_missing'),
  bad('an older one in place of a missing one', changesFrom(3).toSpliced(3, 1), 'entries_missing'),
  bad('none at all', [], 'entries_missing', { states: [] }),
  bad('no change, and every state', [], 'entries_missing'),
  bad('a state missing', added, 'entries_missing', { states: statesFrom(5).toSpliced(1, 1) }),
  bad('no state', added, 'entries_missing', { states: [] }),
  bad('an older state in place of a missing one', added, 'entries_missing', { states: statesFrom(4).toSpliced(2, 1) }),
  bad('a change passed off as a state', added.slice(1), 'entry_malformed', { states: [fifth, ...statesFrom(5)] }),
  bad('a state passed off as a change', [...added, ...statesFrom(13)], 'entry_malformed', {
    states: statesFrom(5).slice(0, -1),
  }),
  bad('a state twice', added, 'repeated_item', { states: [...statesFrom(5), ...statesFrom(13)] }),
  bad('a state altered', added, 'entry_not_in_log', {
    states: statesFrom(5).map((state) => changed(state, { cases_floor10: 0 })),
  }),
  bad('a state under another checkpoint', added, 'mixed_checkpoints', {
    states: [...statesFrom(10), await entry(9, 10)],
  }),
  bad('two that changed places', added.with(0, sixth).with(1, fifth), 'entries_out_of_order'),
  bad('one twice', added.with(1, fifth), 'repeated_item'),
  bad('a value altered', added.with(0, changed(fifth, { new: 0.49 })), 'entry_not_in_log'),
  bad(
    'the root of the ledger altered',
    added.with(0, changed(fifth, { ledger_root: `${'c'.repeat(42)}I=` })),
    'entry_not_in_log',
  ),
  bad('one proved under another checkpoint', added.with(0, await entry(5, 9)), 'mixed_checkpoints'),
  bad('all proved under another checkpoint', added, 'mixed_checkpoints', { newer: await log.checkpoint(13) }),
  bad('another past', added, 'log_forked', { older: await fork.checkpoint(5) }),
  bad('an older checkpoint that is newer', added, 'log_rolled_back', { older: newer, newer: older }),
  bad('a checkpoint of nobody that is trusted', added, 'note_unsigned', { older: await other.checkpoint() }),
]
