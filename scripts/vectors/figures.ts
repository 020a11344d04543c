// The answer about the figures, and the state of the figures log that proves it.

import { FIGURES_PROOF } from '../../src/proof/body.ts'
import { canonical } from '../../src/proof/canonical-json.ts'
import { figuresAnswer } from '../../src/proof/figures.ts'
import { MemoryLog } from '../../src/proof/fixture.ts'
import { formatPolicy } from '../../src/proof/note/policy.ts'
import { figures, registry, SECONDS, signerOf, w1, w2, w3 } from '../../test/support/vector-keys.ts'
import { logOf, NOISE, NOISED, NOISED_NOTHING, NOTHING, POLICY, released, STATE } from './figures-log.ts'
import { changed, flipped, type Members, membersIn, replaced, respelled } from './operators.ts'
import { named, tableOf, vectorsOf } from './table.ts'

const POLICIES: Record<string, string> = {
  POLICY,
  REGISTRY: formatPolicy([registry]),
  SEEN: formatPolicy([figures], [w1, w2, w3], 1),
  RETIRED: formatPolicy([signerOf(figures.name, 5)], [], 0, [{ key: figures, size: 10, root: new Uint8Array(32) }]),
}

type Answer = object & { proof: { log: { inclusion: string[]; checkpoint: string } } }
async function answerOf(log: MemoryLog, state: object, index = log.leaves.length - 1): Promise<Answer> {
  const answer = structuredClone(figuresAnswer(state as never))
  return { ...answer, proof: { type: FIGURES_PROOF, state, log: await log.prove(index) } } as Answer
}
/** The answer that a state makes, whatever it is, as the only entry of a log. */
const only = (state: object): Promise<Answer> => answerOf(logOf([state]), state)
/** The same, cosigned by witnesses at these seconds after the state was made. */
async function seen(...seconds: number[]): Promise<Answer> {
  const notes = seconds.map((after, i) => {
    const log = new MemoryLog(figures, [[w1, w2, w3][i] ?? w1], SECONDS + after)
    log.leaves.push(...logOf([STATE]).leaves)
    return log.checkpoint()
  })
  const [first = '', ...others] = await Promise.all(notes)
  const lines = others.map((note) => `${note.trimEnd().split('\n').at(-1)}\n`)
  return changed(await only(STATE), { 'proof.log.checkpoint': first + lines.join('') })
}

const ENTRIES = [NOTHING, ...released(STATE, 1)]
const LATER = logOf([...ENTRIES, changed(STATE, { release_id: '2026-11-03.1' })])
const FIGURES = await answerOf(logOf(ENTRIES), STATE)
const [FIRST = ''] = FIGURES.proof.log.inclusion
const STATES: Record<string, object> = { STATE, NOTHING, NOISED, NOISED_NOTHING }
const ANSWERS: Record<string, unknown> = {
  FIGURES,
  NOISY: await only(changed(STATE, { noise: NOISE })),
  BLURRED: await only(NOISED),
  EXACT: await only(changed(STATE, { exact: true })),
  SEEN_BY_THREE: await seen(40, 10, 20),
  SEEN_BY_TWO: await seen(40, 10),
  BEFORE: await answerOf(LATER, STATE, 8),
  BEFORE_AT_THE_END: await answerOf(LATER, STATE, 9),
  UNFINISHED: await answerOf(logOf(ENTRIES.slice(0, -1)), STATE),
  IN_THE_REGISTRY: await answerOf(logOf([STATE], registry), STATE),
  BIT_OF_INCLUSION: changed(FIGURES, { 'proof.log.inclusion.0': flipped(FIRST) }),
  PADDING_OF_INCLUSION: changed(FIGURES, { 'proof.log.inclusion.0': respelled(FIRST) }),
  URL_ALPHABET: changed(FIGURES, { 'proof.log.inclusion.0': `-${FIRST.slice(1)}` }),
  EMPTY_NOTE: changed(FIGURES, { 'proof.log.checkpoint': '' }),
  LIST: { data: [] },
}
const TEXTS: Record<string, string> = {
  EXPONENT: replaced(JSON.stringify(FIGURES), '"w":0.48', '"w":4.8e-1'),
  SORTED: canonical(FIGURES),
  TWICE: replaced(JSON.stringify(FIGURES), '"w":', '"w":0.48,"w":'),
  NO_MEMBERS: '[]',
  TEXT: '"figures"',
}
/** A body by its word: an answer with members set after a colon; after a plus sign, a state that is signed with them. */
async function bodyOf(word: string): Promise<string> {
  if (word in TEXTS) return named(TEXTS, word)
  const [state = '', signed = ''] = word.split(/[+](.*)/)
  if (state in STATES)
    return JSON.stringify(
      await only(signed === '' ? named(STATES, state) : changed(named(STATES, state), membersIn(signed))),
    )
  const [answer = '', members = ''] = word.split(/:(.*)/)
  const body = named(ANSWERS, answer) as object
  return JSON.stringify(members === '' ? body : changed(body, membersIn(members)))
}

/** Name, body, and other members of the vector. */
const TABLE = `
= {"rows":0,"entries":0,"refused":0}
the figures | FIGURES
the figures, for any question | FIGURES | asked=
before the first release | NOTHING
before the first release under rule 2 | NOISED_NOTHING
a rate of one and a rate of nothing | STATE+metrics.w.value=1&metrics.r.value=0
figures drawn with noise | NOISY
figures with standard errors | BLURRED
exact figures | EXACT
a rate written as 4.8e-1 | EXPONENT
members in another order | SORTED
no older than wanted | FIGURES | not_before="2026-10-06T00:00:01Z"&not_after="2026-10-06T00:00:01Z"
as old as the middle of three cosignatures | SEEN_BY_THREE | policy="SEEN"&not_before="2026-10-06T00:00:20Z"&not_after="2026-10-06T00:00:20Z"
as old as the earlier of two cosignatures | SEEN_BY_TWO | policy="SEEN"&not_before="2026-10-06T00:00:10Z"&not_after="2026-10-06T00:00:10Z"
a checkpoint of a retired key, of any age | FIGURES | policy="RETIRED"
= state_too_old
with an age: | FIGURES | $1 | for not_before="2026-10-06T00:00:01.001Z" not_after="2026-10-06T00:00:00.999Z" not_before="2026-10-06"
a checkpoint of a retired key, of no age | FIGURES | policy="RETIRED"&not_before="2000-01-01T00:00:00Z"
= answers_another_question
for a lookup | FIGURES | asked={"question":{"cpt":"99213","as_of":"2026-10-06"}}
= json_malformed
a member twice | TWICE
= not_recognised
no object: | $1 | for NO_MEMBERS TEXT
= proof_missing
no proof | FIGURES:proof=
a list for the figures | LIST
= proof_malformed
without | FIGURES:$1= | for proof.type proof.state proof.log proof.log.index proof.log.inclusion proof.log.checkpoint
with | FIGURES:$1 | for proof.more=1 proof.log.more=1 proof.type="row-proof@v2" proof.log.index=8.5
an inclusion hash in the url alphabet | URL_ALPHABET
a state signed with | STATE+$1 | for metrics.p.value=0.8 as_of=null
a state of rule 2 signed without its unit | NOISED+unit=
= note_malformed
a checkpoint that is no note | EMPTY_NOTE
= quorum_not_met
without the witnesses that are wanted | FIGURES | policy="SEEN"
= log_of_other_kind
the registry log | IN_THE_REGISTRY | policy="REGISTRY"
= state_not_last
a state of before | BEFORE
= state_not_in_log
a state of before at the last place | BEFORE_AT_THE_END
a change at the last place | UNFINISHED
another path | $1 | for BIT_OF_INCLUSION PADDING_OF_INCLUSION
with | FIGURES:$1 | for proof.log.inclusion=[] proof.log.index=9 w=0.5&metrics.w.value=0.5&proof.state.metrics.w.value=0.5
= body_contradicts_proof
with | FIGURES:$1 | for w=0.49 p=0.8 w=null metrics.r.as_of="2026-10-06T00:00:00.000Z" savings.currency="EUR" settlements_floor10=0 metrics.cases=null p= more=1
with noise and | NOISY:$1 | for noise= noise.epsilon="0.1"
with standard errors and | BLURRED:$1 | for metrics.w.standard_error= savings.median_band= unit="person"
exact figures without their mark | EXACT:exact=
`
const lines = tableOf(TABLE).map(async ([name, [body = '', given = ''], expected]) => {
  const { policy = 'POLICY', ...others } = membersIn(given) as Members & { policy?: string }
  const inputs = { policy: named(POLICIES, policy), body: await bodyOf(body), asked: { figures: true }, ...others }
  // Other answers have the same faults.
  return [`figures: ${name}`, inputs, expected] as const
})
export const figureBodies = vectorsOf('body', await Promise.all(lines), (given) => given)
