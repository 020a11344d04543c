// Changes of figures and the states between them: pages of them, and whether a follower was given all there are between two
// checkpoints.

import { MemoryLog } from '../../src/proof/fixture.ts'
import { formatPolicy } from '../../src/proof/note/policy.ts'
import { figures, registry, SECONDS, stranger, w1 } from '../../test/support/vector-keys.ts'
import { change, logOf, POLICY, STATE } from './figures-log.ts'
import { changed, each, flipped, type Members, respelled, sets, shapeOf } from './operators.ts'
import { all, type Line, vectorsOf } from './table.ts'

/** Eight entries, the fifth of them a state. */
const ENTRIES = Array.from({ length: 8 }, (_, place) => (place === 4 ? STATE : change(place)))
const LOG = logOf(ENTRIES)
/** The same entries from the fifth on, after others. */
const FORK = logOf(ENTRIES.map((entry, place) => (place < 4 ? change(place, { new: 0.99 }) : entry)))

interface Entry extends Members {
  proof: { log: { index: number; inclusion: string[]; checkpoint: string } }
}
const proved = async (place: number, size = 8): Promise<Entry> => ({
  ...ENTRIES[place],
  proof: { log: await LOG.prove(place, size) },
})
/** An entry that really is in a log, whatever it is, as the only one. */
const logged = async (entry: object, log = logOf([entry])): Promise<Entry> => ({
  ...entry,
  proof: { log: await log.prove(0) },
})
const P = await Promise.all(ENTRIES.map((_, place) => proved(place)))
const [S4, C5, C6, C7] = P.slice(4) as [Entry, Entry, Entry, Entry]

interface Followed {
  data: unknown[]
  states?: unknown
  older?: string
  newer?: string
  policy?: string
}
const at = (size: number): Promise<string> => LOG.checkpoint(size)
const [SIX, EIGHT] = [await at(6), await at(8)]
async function since(older: number, newer = 8) {
  const places = [...ENTRIES.keys()].filter((place) => place >= older && place < newer)
  const entries = (isState: boolean) =>
    Promise.all(places.filter((place) => (place === 4) === isState).map((place) => proved(place, newer)))
  return { data: await entries(false), states: await entries(true), older: await at(older), newer: await at(newer) }
}
/** From four to six: a state and a change. */
const FOUR = await since(4, 6)
const both = formatPolicy([figures, registry])

const followed: Line<Followed>[] = [
  ['all changes since the beginning', await since(0, 3), { changes: 3 }],
  ['all changes since entry 3', await since(3, 5), { changes: 1 }],
  ['all changes since entry 5', await since(5), { changes: 3 }],
  ['all changes since entry 6', await since(6), { changes: 2 }],
  ['all changes since entry 7', await since(7), { changes: 1 }],
  ['a state and a change', FOUR, { changes: 1 }],
  ['nothing new', { data: [], older: EIGHT }, { changes: 0 }],
  ['nothing new, and older changes', { data: [C6, C7], older: EIGHT }, { changes: 0 }],
  ['newest first', { data: [C7, C6] }, { changes: 2 }],
  ['older changes among them', { data: [C5, C6, C7] }, { changes: 2 }],
  ...all('entries_missing', {
    'the first missing': { data: [C7] },
    'the last missing': { data: [C6] },
    'an older one in place of a missing one': { data: [C5, C7] },
    'none at all': { data: [] },
    'no state': { ...FOUR, states: [] },
    'no change, and every state': { ...FOUR, data: [] },
  }),
  ...all('entry_malformed', {
    'a change passed off as a state': { data: [C7], states: [C6] },
    'a state passed off as a change': { ...FOUR, data: [...FOUR.states, ...FOUR.data], states: [] },
  }),
  ...all('repeated_item', {
    'one twice': { data: [C6, C6] },
  }),
  ...all('entry_not_in_log', {
    'a value altered': { data: [changed(C6, { new: 0.9 }), C7] },
  }),
  ...all('mixed_checkpoints', {
    'one proved under another checkpoint': { data: [await proved(6, 7), C7] },
    'all proved under another checkpoint': { data: [await proved(6, 7)], older: SIX },
  }),
  ...all('log_forked', {
    'another past': { data: [C6, C7], older: await FORK.checkpoint(6) },
    'another past of a log that did not grow': { data: [], older: await FORK.checkpoint(8) },
  }),
  ...all('log_rolled_back', { 'an older checkpoint that is newer': { data: [C6, C7], older: EIGHT, newer: SIX } }),
  ...all('log_not_the_same', {
    'an older checkpoint of another log': {
      data: [C6, C7],
      older: await logOf(ENTRIES, registry).checkpoint(6),
      policy: both,
    },
  }),
  ...all('note_unsigned', {
    'an older checkpoint of nobody that is trusted': {
      data: [C6, C7],
      older: await logOf(ENTRIES, stranger).checkpoint(6),
    },
  }),
  ...all('note_signature_invalid', {
    'a newer checkpoint that is forged': { data: [C6, C7], newer: EIGHT.replace('\n8\n', '\n9\n') },
  }),
]

interface Page {
  page: unknown
  asked?: object
  not_before?: string
  policy?: string
}
const page = (...data: unknown[]): Page => ({ page: { data, page: {}, links: {} } })
const stated = (states: unknown, ...data: unknown[]): Page => ({ page: { data, states, page: {}, links: {} } })
const beside = (members: Members): Page => ({ page: { data: [C7], page: {}, links: {}, ...members } })
const ONE = await logged(change(0))
const S0 = await logged(STATE)
const WITNESSED = new MemoryLog(figures, [w1], SECONDS)
const SEEN = await logged(change(0), logOf([change(0)], figures))
SEEN.proof.log.checkpoint = await Object.assign(WITNESSED, { leaves: logOf([change(0)]).leaves }).checkpoint()
/** Changes that are in a log with members set. */
const signed = async (operators: ReturnType<typeof sets>): Promise<Record<string, Page>> =>
  Object.fromEntries(
    await Promise.all(
      Object.entries(each('a logged change with', operators, change(0), logged)).map(async ([name, entry]) => [
        name,
        stated([], await entry),
      ]),
    ),
  )
const MEMBERS = 'seq release_id metric old new_as_of reason'
const GOOD = `ledger_root="${'b'.repeat(42)}I=" epsilon="0.5" old="low"&new=null`
const BAD = `seq=-1 seq="0" released_at="2026-10-06" metric="W" old=true new={} new_as_of=null reason=null ledger_root="x" ledger_root=null
 sdc_rule_version="" release_id="a\\u0020b"`

const bodies: Line<Page>[] = [
  ...all(
    { rows: 0, entries: 2, refused: 0 },
    {
      'newest first': page(C7, C6),
      'oldest first, with a gap': page(C5, C7),
    },
  ),
  ...all(
    { rows: 0, entries: 1, refused: 0 },
    {
      'one change': page(C7),
      ...(await signed(sets(GOOD))),
      'a change and a state': stated([S4], C7),
      ...each('with', sets('data_class="sample" data_class=null as_of="2026-10-06"'), {}, (members) =>
        beside(members as Members),
      ),
      'an age that a witness tells': {
        ...page(SEEN),
        policy: formatPolicy([figures], [w1]),
        not_before: '2026-10-06T00:00:00Z',
      },
    },
  ),
  ...all({ rows: 0, entries: 0, refused: 0 }, { 'a state and no change': stated([S0]) }),
  ...all('nothing_proved', { 'neither changes nor states': stated([]) }),
  ...all('state_too_old', { 'no known age': { ...page(ONE), not_before: '2000-01-01T00:00:00Z' } }),
  ...all('answers_another_question', {
    'for a question': { ...page(ONE), asked: { question: { cpt: '99213' } } },
  }),
  ...all('not_recognised', {
    'a null among changes': page(ONE, null),
    'states that are no list': stated({}, ONE),
    'states that are null': stated(null, ONE),
    ...each('with', sets('data_class="real" data_class={} new=0.99'), {}, (members) => beside(members as Members)),
  }),
  ...all('entry_malformed', {
    ...(await signed(shapeOf('', MEMBERS))),
    ...(await signed(sets(BAD))),
    'a state among changes': page(ONE, S0),
    'a change among states': stated([ONE]),
    'a state with a member too many': stated([{ ...S0, seq: 0 }]),
  }),
  ...all('proof_malformed', {
    'a change without proof': page(change(0)),
    ...each(
      'a change with',
      sets('proof= proof.log= proof.row={} proof.log.more=1 proof.log.index=0.5'),
      ONE,
      (entry) => page({ seq: 0, ...entry }),
    ),
  }),
  ...all('log_of_other_kind', {
    'a change in the registry log': { ...page(await logged(change(0), logOf([change(0)], registry))), policy: both },
  }),
  ...all('entry_not_in_log', {
    ...each(
      'with',
      sets('new=0.49 reason="scheduled" proof.log.index=6&seq=6 proof.log.index=8&seq=8 proof.log.inclusion=[]'),
      C7,
      (entry) => page(entry),
    ),
    'one bit of its inclusion': page(
      changed(C7, { 'proof.log.inclusion.0': flipped(C7.proof.log.inclusion[0] as string) }),
    ),
    'padding bits set in its inclusion': page(
      changed(C7, { 'proof.log.inclusion.0': respelled(C7.proof.log.inclusion[0] as string) }),
    ),
  }),
  ...all('seq_not_its_place', { 'a change that says it stands elsewhere': page(await logged(change(1))) }),
  ...all('entries_out_of_order', { 'changes that go up and down': page(C5, C7, C6) }),
  ...all('repeated_item', { 'a change twice': page(ONE, ONE), 'a state at the place of a change': stated([S0], ONE) }),
  ...all('mixed_checkpoints', {
    'changes under two checkpoints': page(C7, await proved(6, 7)),
    'another checkpoint beside changes': beside({ links: [{ checkpoint: 'x' }] }),
  }),
]

const named = bodies.map(([name, ...rest]): Line<Page> => [`page of changes: ${name}`, ...rest])
export const changes = [
  ...vectorsOf('changes', followed, ({ data, states = [], ...given }) => ({
    ...{ policy: POLICY, older: SIX, newer: EIGHT, ...given },
    page: JSON.stringify({ data, states, page: {}, links: {} }),
  })),
  ...vectorsOf('body', named, ({ page, ...given }) => ({ policy: POLICY, body: JSON.stringify(page), ...given })),
]
