// The answer about the figures, and the state of the figures log that proves it.

import { FIGURES_PROOF } from '../../src/proof/body.ts'
import { utf8 } from '../../src/proof/bytes.ts'
import { canonical } from '../../src/proof/canonical-json.ts'
import { figuresAnswer } from '../../src/proof/figures.ts'
import { MemoryLog } from '../../src/proof/fixture.ts'
import { formatPolicy } from '../../src/proof/note/policy.ts'
import { figures, registry, SECONDS, signerOf, w1, w2, w3 } from '../../test/support/vector-keys.ts'
import { logOf, NOISE, NOISED, NOISED_NOTHING, NOTHING, POLICY, released, STATE } from './figures-log.ts'
import { changed, each, flipped, type Members, replaced, respelled, sets, shapeOf } from './operators.ts'
import { all, type Line, vectorsOf } from './table.ts'

interface Given {
  body: string
  policy?: string
  asked?: object | undefined
  not_before?: string
  not_after?: string
}

type Answer = ReturnType<typeof figuresAnswer> & { proof: { log: { inclusion: string[]; checkpoint: string } } }
async function answerOf(log: MemoryLog, state: object, index = log.leaves.length - 1): Promise<Answer> {
  const answer = structuredClone(figuresAnswer(state as never))
  return { ...answer, proof: { type: FIGURES_PROOF, state, log: await log.prove(index) } } as Answer
}
/** The answer that this state makes, whatever it is, as the only entry of a log. */
const only = (state: object): Promise<Answer> => answerOf(logOf([state]), state)
const given = (body: unknown, options: Omit<Given, 'body'> = {}): Given => ({ body: JSON.stringify(body), ...options })

const ENTRIES = [NOTHING, ...released(STATE, 1)]
const BODY = await answerOf(logOf(ENTRIES), STATE)
const LATER = logOf([...ENTRIES, changed(STATE, { release_id: '2026-11-03.1' })])
const NOISY = await only(changed(STATE, { noise: NOISE }))
const BLURRED = await only(NOISED)
const EXACT = await only(changed(STATE, { exact: true }))
const FIRST = BODY.proof.log.inclusion[0] as string
/** Signed states with members set, each the only entry of a log. */
async function signed(state: object, list: string): Promise<Record<string, Given>> {
  const states = Object.entries(each('a state signed with', sets(list), state, (changed) => changed))
  return Object.fromEntries(await Promise.all(states.map(async ([name, made]) => [name, given(await only(made))])))
}
const but = (members: Members, body: Answer = BODY): Given => given(changed(body, members))

/** A checkpoint of the state alone, cosigned by these witnesses at these seconds after the state was recorded. */
const WITNESSED = formatPolicy([figures], [w1, w2, w3], 1)
async function seen(...seconds: number[]): Promise<string> {
  const logs = [w1, w2, w3].map((witness, i) => new MemoryLog(figures, [witness], SECONDS + (seconds[i] ?? 0)))
  const notes = await Promise.all(logs.map((log) => log.append(utf8(canonical(STATE))).checkpoint()))
  const lines = notes.slice(0, seconds.length).map((note) => note.split('\n').at(-2))
  return `${notes[0]?.split('\n').slice(0, 5).join('\n')}\n${lines.join('\n')}\n`
}
const aged = async (
  not_before: string | undefined,
  not_after: string | undefined,
  ...seconds: number[]
): Promise<Given> => {
  const ages = { ...(not_before && { not_before }), ...(not_after && { not_after }) }
  if (seconds.length === 0) return given(BODY, ages)
  return given(changed(await only(STATE), { 'proof.log.checkpoint': await seen(...seconds) }), {
    policy: WITNESSED,
    ...ages,
  })
}
const RETIRED = formatPolicy([signerOf(figures.name, 5)], [], 0, [{ key: figures, size: 10, root: new Uint8Array(32) }])
const clock = (seconds: string): string => `2026-10-06T00:00:${seconds}Z`

const good: Record<string, Given> = {
  'the figures': given(BODY),
  'the figures, for any question': given(BODY, { asked: undefined }),
  'before the first release': given(await only(NOTHING)),
  'before the first release under rule 2': given(await only(NOISED_NOTHING)),
  'figures drawn with noise': given(NOISY),
  'figures with standard errors': given(BLURRED),
  'exact figures': given(EXACT),
  ...(await signed(STATE, 'metrics.w.value=1&metrics.r.value=0')),
  'a rate written as 4.8e-1': { body: replaced(JSON.stringify(BODY), '"w":0.48', '"w":4.8e-1') },
  'members in another order': { body: canonical(BODY) },
  'no older than wanted': await aged(clock('01'), clock('01')),
  'as old as the middle of three cosignatures': await aged(clock('20'), clock('20'), 40, 10, 20),
  'as old as the earlier of two cosignatures': await aged(clock('10'), clock('10'), 40, 10),
  'a checkpoint of a retired key, of any age': given(BODY, { policy: RETIRED }),
}

const old: Record<string, Given> = {
  'older than wanted': await aged(clock('01.001'), undefined),
  'later than the caller’s own time': await aged(undefined, clock('00.999')),
  'an age that is no instant': await aged('2026-10-06', undefined),
  'a checkpoint of a retired key, of no age': given(BODY, { policy: RETIRED, not_before: '2000-01-01T00:00:00Z' }),
}

/** What is said of the figures and does not follow from their state. */
const CONTRADICTIONS = `w=0.49 p=0.8 w=null metrics.r.as_of="2026-10-06T00:00:00.000Z" savings.currency="EUR"
 settlements_floor10=0 metrics.cases=null p= more=1`
const OF_NOISED = 'metrics.w.standard_error= savings.median_band= unit="person"'

const otherAnswer = (asked: object): Given => given(BODY, { asked })
const lines: Line<Given>[] = [
  ...all({ rows: 0, entries: 0, refused: 0 }, good),
  ...all('state_too_old', old),
  ...all('answers_another_question', {
    'for a lookup': otherAnswer({ question: { cpt: '99213', as_of: '2026-10-06' } }),
  }),
  ...all('json_malformed', { 'a member twice': { body: replaced(JSON.stringify(BODY), '"w":', '"w":0.48,"w":') } }),
  ...all('not_recognised', { 'a list': { body: '[]' }, 'a text': { body: '"figures"' } }),
  ...all('proof_missing', {
    'no proof': but({ proof: undefined }),
    'a list for the figures': given({ data: [] }),
  }),
  ...all('proof_malformed', {
    ...each('with', shapeOf('proof.', 'type state log'), BODY, given),
    ...each('with', shapeOf('proof.log.', 'index inclusion checkpoint'), BODY, given),
    ...each('with', sets('proof.type="row-proof@v2" proof.log.index=8.5'), BODY, given),
    'an inclusion hash in the url alphabet': but({ 'proof.log.inclusion.0': `-${FIRST.slice(1)}` }),
    ...(await signed(STATE, 'metrics.p.value=0.8 as_of=null')),
    ...(await signed(NOISED, 'unit=')),
  }),
  ...all('note_malformed', { 'a checkpoint that is no note': but({ 'proof.log.checkpoint': '' }) }),
  ...all('quorum_not_met', { 'without the witnesses that are wanted': given(BODY, { policy: WITNESSED }) }),
  ...all('log_of_other_kind', {
    'the registry log': given(await answerOf(logOf([STATE], registry), STATE), { policy: formatPolicy([registry]) }),
  }),
  ...all('state_not_last', { 'a state of before': given(await answerOf(LATER, STATE, 8)) }),
  ...all('state_not_in_log', {
    'a state of before at the last place': given(await answerOf(LATER, STATE, 9)),
    'a change at the last place': given(await answerOf(logOf(ENTRIES.slice(0, -1)), STATE)),
    'one bit of its inclusion': but({ 'proof.log.inclusion.0': flipped(FIRST) }),
    'an inclusion with padding bits set': but({ 'proof.log.inclusion.0': respelled(FIRST) }),
    ...each(
      'with',
      sets('proof.log.inclusion=[] proof.log.index=9 w=0.5&metrics.w.value=0.5&proof.state.metrics.w.value=0.5'),
      BODY,
      given,
    ),
  }),
  ...all('body_contradicts_proof', {
    ...each('with', sets(CONTRADICTIONS), BODY, given),
    ...each('with noise and', sets('noise= noise.epsilon="0.1"'), NOISY, given),
    ...each('with standard errors and', sets(OF_NOISED), BLURRED, given),
    ...each('exact and', sets('exact='), EXACT, given),
  }),
]

/** Their names say what they are about: other answers have the same faults. */
const named = lines.map(([name, ...rest]): Line<Given> => [`figures: ${name}`, ...rest])
export const figureBodies = vectorsOf('body', named, (given) => ({
  policy: POLICY,
  asked: { figures: true },
  ...given,
}))
