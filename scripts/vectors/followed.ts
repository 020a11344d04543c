// Whether the changes of figures that a follower was given are all there were between two checkpoints.

import { utf8 } from '../../src/proof/bytes.ts'
import { canonical } from '../../src/proof/canonical-json.ts'
import type { Fault } from '../../src/proof/fault.ts'
import { MemoryLog } from '../../src/proof/fixture.ts'
import { changed } from './edit.ts'
import { change } from './figures.ts'
import { figures, PLAIN, stranger } from './keys.ts'
import type { VectorOf } from './vector.ts'

const SIZE = 14
const ROOT = `${'b'.repeat(42)}I=`
const body = (seq: number) => change(seq, { ledger_root: ROOT, ...(seq === 9 ? { epsilon: '0.5' } : {}) })
const logOf = (...bodies: object[]): MemoryLog =>
  new MemoryLog(figures).append(...bodies.map((each) => utf8(canonical(each))))
const seqs = Array.from({ length: SIZE }, (_, seq) => seq)
const log = logOf(...seqs.map(body))
/** The same entries from the sixth on, after others. */
const fork = logOf(...seqs.map((seq) => (seq < 5 ? change(seq, { new: 0.99 }) : body(seq))))
const other = new MemoryLog(stranger).append(utf8('entry 0'))

const entry = async (seq: number, size = SIZE) => ({ ...body(seq), proof: { log: await log.prove(seq, size) } })
const all = await Promise.all(seqs.map((seq) => entry(seq)))
const from = (seq: number) => all.slice(seq)
const newer = await log.checkpoint()
const older = await log.checkpoint(5)
const [fifth, sixth] = from(5) as [(typeof all)[number], (typeof all)[number]]

type Followed = VectorOf<'changes'>
type Given = { older?: string; newer?: string }
const followed = (name: string, data: readonly unknown[], given: Given, expect: Followed['expect']): Followed => ({
  name,
  kind: 'changes',
  policy: PLAIN,
  older,
  newer,
  ...given,
  page: JSON.stringify({ data, page: { limit: 200 }, links: {} }),
  expect,
})
const good = (name: string, data: readonly unknown[], changes: number, given: Given = {}): Followed =>
  followed(name, data, given, { ok: true, changes })
const bad = (name: string, data: readonly unknown[], reason: Fault, given: Given = {}): Followed =>
  followed(name, data, given, { ok: false, reason })

export const follows: Followed[] = [
  ...(await Promise.all(
    seqs.map(async (seq) =>
      good(`all changes since entry ${seq}`, from(seq), SIZE - seq, { older: await log.checkpoint(seq) }),
    ),
  )),
  good('newest first', from(5).reverse(), 9),
  good('older changes among them', all, 9),
  good('nothing new', [], 0, { older: newer }),
  good('nothing new, and older changes', from(9), 0, { older: newer }),

  bad('the first missing', from(6), 'entries_missing'),
  bad('the last missing', from(5).slice(0, -1), 'entries_missing'),
  bad('one missing in the middle', from(5).toSpliced(4, 1), 'entries_missing'),
  bad('an older one in place of a missing one', from(4).toSpliced(3, 1), 'entries_missing'),
  bad('none at all', [], 'entries_missing'),
  bad('two that changed places', from(5).with(0, sixth).with(1, fifth), 'entries_out_of_order'),
  bad('one twice', from(5).with(1, fifth), 'repeated_item'),
  bad('a value altered', from(5).with(0, changed(fifth, { new: 0.49 }) as typeof fifth), 'entry_not_in_log'),
  bad(
    'the root of the ledger altered',
    from(5).with(0, changed(fifth, { ledger_root: `${'c'.repeat(42)}I=` }) as typeof fifth),
    'entry_not_in_log',
  ),
  bad('one proved under another checkpoint', from(5).with(0, await entry(5, 9)), 'mixed_checkpoints'),
  bad('all proved under another checkpoint', from(5), 'mixed_checkpoints', { newer: await log.checkpoint(13) }),
  bad('another past', from(5), 'log_forked', { older: await fork.checkpoint(5) }),
  bad('an older checkpoint that is newer', from(5), 'log_rolled_back', { older: newer, newer: older }),
  bad('a checkpoint of nobody that is trusted', from(5), 'note_unsigned', { older: await other.checkpoint() }),
]
