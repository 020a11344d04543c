// Changes of figures and the states between them: pages of them, and whether a follower was given all there are between two
// checkpoints.

import { MemoryLog } from '../../src/proof/fixture.ts'
import { formatPolicy } from '../../src/proof/note/policy.ts'
import { figures, registry, SECONDS, stranger, w1 } from '../../test/support/vector-keys.ts'
import { change, logOf, POLICY, STATE } from './figures-log.ts'
import { changed, flipped, type Members, membersIn, replaced, respelled } from './operators.ts'
import { type Line, named, tableOf, vectorsOf, wordsIn } from './table.ts'

/** Eight entries, the fifth of them a state. */
const ENTRIES = Array.from({ length: 8 }, (_, place) => (place === 4 ? STATE : change(place)))
const LOG = logOf(ENTRIES)
const LOGS: Record<string, MemoryLog> = {
  LOG,
  // Entries from the fifth on, again, after others.
  FORK: logOf(ENTRIES.map((entry, place) => (place < 4 ? change(place, { new: 0.99 }) : entry))),
  REGISTRY: logOf(ENTRIES, registry),
  STRANGER: logOf(ENTRIES, stranger),
}
const POLICIES: Record<string, string> = {
  FIGURES: POLICY,
  BOTH: formatPolicy([figures, registry]),
  SEEN: formatPolicy([figures], [w1]),
}
/** A checkpoint by its word: the size, or a log and a size. */
const noteOf = (word: string): Promise<string> => {
  const [log = '', size = ''] = word.includes(':') ? word.split(':') : ['LOG', word]
  return named(LOGS, log).checkpoint(Number(size))
}

/** An entry alone in a log that it really is in, whatever it is. */
async function logged(entry: object, signer = figures, witnesses: (typeof w1)[] = []): Promise<object> {
  const log = new MemoryLog(signer, witnesses, SECONDS)
  log.leaves.push(...logOf([entry]).leaves)
  return { ...entry, proof: { log: await log.prove(0) } }
}
const HASH = `${'b'.repeat(42)}I=`
const SPECIAL: Record<string, () => unknown> = {
  null: () => null,
  'c-unproved': () => change(0),
  'c-seen': () => logged(change(0), figures, [w1]),
  'c-of-registry': () => logged(change(0), registry),
  'c-elsewhere': () => logged(change(1)),
  'c7-bit': async () => firstHash(await entryOf('c7'), flipped),
  'c7-respelled': async () => firstHash(await entryOf('c7'), respelled),
}
const firstHash = (entry: unknown, change: (hash: string) => string): object => {
  const [hash = ''] = (entry as { proof: { log: { inclusion: string[] } } }).proof.log.inclusion
  return changed(entry as object, { 'proof.log.inclusion.0': change(hash) })
}
/**
 * An entry by its word: `c5` or `s4` by its place, `c5@6` under the checkpoint of this size; `c` and `s` alone in a log. It
 * has members set after a colon, and after `+` before it is logged.
 */
async function entryOf(word: string): Promise<unknown> {
  const [part = '', members = ''] = word.split(/:(.*)/)
  if (members !== '') return changed((await entryOf(part)) as object, membersIn(members))
  const [, of = '', place = '', size = '8'] = /^([cs])(\d?)(?:@(\d))?$/.exec(part) ?? []
  if (place !== '') return { ...ENTRIES[Number(place)], proof: { log: await LOG.prove(Number(place), Number(size)) } }
  if (of !== '') return logged(of === 's' ? STATE : change(0))
  const [kind = '', set = ''] = part.split(/[+](.*)/)
  if (set !== '') return logged(changed(kind === 's' ? STATE : change(0), membersIn(set)))
  return named(SPECIAL, part)()
}
const entriesOf = (cell = ''): Promise<unknown[]> => Promise.all(wordsIn(cell).map(entryOf))

/** Name, changes, states, older and newer checkpoint, policy. */
const FOLLOWED = `
= {"changes":1}
all changes since entry 7 | c7 | | 7 | 8
a change at the right edge of the tree | c6@7 | | 6 | 7
a state and a change | c5@6 | s4@6 | 4 | 6
a change and a state | c3@5 | s4@5 | 3 | 5
= {"changes":2}
all changes since entry 6 | c6 c7 | | 6 | 8
newest first | c7 c6 | | 6 | 8
older changes among them | c5 c6 c7 | | 6 | 8
= {"changes":3}
all changes since the beginning | c0@3 c1@3 c2@3 | | 0 | 3
all changes since entry 5 | c5 c6 c7 | | 5 | 8
= {"changes":0}
nothing new | | | 8 | 8
nothing new, and older changes | c6 c7 | | 8 | 8
= entries_missing
the first missing | c7 | | 6 | 8
the last missing | c6 | | 6 | 8
an older one in place of a missing one | c5 c7 | | 6 | 8
none at all | | | 6 | 8
no state | c5@6 | | 4 | 6
no change, and every state | | s4@6 | 4 | 6
= entry_malformed
a change passed off as a state | c7 | c6 | 6 | 8
a state passed off as a change | s4@6 c5@6 | | 4 | 6
= repeated_item
one twice | c6 c6 | | 6 | 8
= entries_out_of_order
changes that go up and down | c0@3 c2@3 c1@3 | | 0 | 3
= entry_not_in_log
a value altered | c6:new=0.9 c7 | | 6 | 8
= mixed_checkpoints
one proved under another checkpoint | c6@7 c7 | | 6 | 8
all proved under another checkpoint | c6@7 | | 6 | 8
= log_forked
another past | c6 c7 | | FORK:6 | 8
another past of a log that did not grow | | | FORK:8 | 8
= log_rolled_back
an older checkpoint that is newer | c6 c7 | | 8 | 6
= log_not_the_same
an older checkpoint of another log | c6 c7 | | REGISTRY:6 | 8 | BOTH
= note_unsigned
an older checkpoint of nobody that is trusted | c6 c7 | | STRANGER:6 | 8
`

/** Name, changes, states (none: the member is left out), members beside them, members of the vector. */
const PAGES = `
= {"rows":0,"entries":2,"refused":0}
newest first | c7 c6
oldest first, with a gap | c5 c7
= {"rows":0,"entries":1,"refused":0}
one change | c7
a change and a state | c7 | s4
a logged change with | c+$1 | for ledger_root="${HASH}" epsilon="0.5" old="low"&new=null
with | c7 | | $1 | for data_class="sample" data_class=null as_of="2026-10-06"
an age that a witness tells | c-seen | | | policy="SEEN"&not_before="2026-10-06T00:00:00Z"
= {"rows":0,"entries":0,"refused":0}
a state and no change | | s
= nothing_proved
neither changes nor states | | | states=[]
= state_too_old
no known age | c | | | not_before="2000-01-01T00:00:00Z"
= answers_another_question
for a question | c | | | asked={"question":{"cpt":"99213"}}
= not_recognised
a null among changes | c null
states that are no list: | c | | $1 | for states={} states=null
with | c7 | | $1 | for data_class="real" data_class={} new=0.99
= entry_malformed
a logged change without | c+$1= | | states=[] | for seq release_id metric old new_as_of reason
a logged change with | c+$1 | | states=[] | for more=1 seq="0" released_at="2026-10-06" metric="W" old=true new_as_of=null ledger_root="x" ledger_root=null release_id=""
a state among changes | c s
a change among states | | c
a state with a member too many | | s:seq=0
= proof_malformed
a change without proof | c-unproved
a change with | c:$1 | for proof.log={} proof.row={} proof.log.more=1 proof.log.index=0.5 proof.log.checkpoint=
= log_of_other_kind
a change in the registry log | c-of-registry | | | policy="BOTH"
= entry_not_in_log
with | c7:$1 | for new=0.49 reason="scheduled" proof.log.index=6&seq=6 proof.log.index=8&seq=8 proof.log.inclusion=[]
a hash of the path changed | $1 | for c7-bit c7-respelled
= seq_not_its_place
a change that says it stands elsewhere | c-elsewhere
= entries_out_of_order
changes that go up and down | c5 c7 c6
= repeated_item
a change twice | c c
a state at the place of a change | c | s
= mixed_checkpoints
changes under two checkpoints | c7 c6@7
another checkpoint beside changes | c7 | | links={"checkpoint":"x"}
`

const followed = tableOf(FOLLOWED).map(
  async ([name, [data, states, older = '', newer = '', policy = 'FIGURES'], expected]): Promise<Line<object>> => {
    const page = JSON.stringify({ data: await entriesOf(data), states: await entriesOf(states), page: {}, links: {} })
    return [
      name,
      { policy: named(POLICIES, policy), older: await noteOf(older), newer: await noteOf(newer), page },
      expected,
    ]
  },
)
const pages = tableOf(PAGES).map(
  async ([name, [data, states = '', beside = '', given = ''], expected]): Promise<Line<object>> => {
    const shown = states === '' ? {} : { states: await entriesOf(states) }
    const body = JSON.stringify({ data: await entriesOf(data), ...shown, page: {}, links: {}, ...membersIn(beside) })
    const { policy = 'FIGURES', ...others } = membersIn(given) as Members & { policy?: string }
    return [`page of changes: ${name}`, { policy: named(POLICIES, policy), body, ...others }, expected]
  },
)
const forged = async (): Promise<Line<object>> => {
  const [name, given] = (await Promise.all(followed)).find(([name]) => name === 'all changes since entry 6') as Line<{
    newer: string
  }>
  return [
    `${name}, under a forged checkpoint`,
    { ...given, newer: replaced(given.newer, '\n8\n', '\n9\n') },
    'note_signature_invalid',
  ]
}
export const changes = [
  ...vectorsOf('changes', [...(await Promise.all(followed)), await forged()], (given) => given),
  ...vectorsOf('body', await Promise.all(pages), (given) => given),
]
