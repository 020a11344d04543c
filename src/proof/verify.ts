// The verifier of lookups: everything a stranger needs to check an answer of `/reference` offline. Lists have a larger one,
// in verify-lists.ts. Input is hostile. Nothing is taken from the response but what its hashes and the pinned keys support.

import { bareAnswer, checkAnswer, type ShownAnswer } from './answer.ts'
import { checkAge, hasOneCheckpoint, isFiguresBody, readBody, type VerifyOptions, type View } from './body.ts'
import { addAbsence, addCitedRow } from './evidence.ts'
import { type CodeAbsence, Facts } from './facts.ts'
import { ensure, type FailedCheck, type Verdict, verdictOf } from './fault.ts'
import type { Decision } from './lookup/lookup.ts'
import type { Question } from './lookup/question.ts'
import type { TrustPolicy } from './note/policy.ts'
import type { Manifest } from './price/release.ts'
import type { AnyRow } from './price/row.ts'
import type { Members } from './shape.ts'

/** What was asked. An archive, or a monitor, may want to know only that what it has was published: `anyQuestion`. */
export type Inquiry = { question: Question } | { anyQuestion: true }

export interface ProvedRow {
  row: AnyRow
  release: Manifest
}
/** What a body has proved, as data: nothing else of it should be used. */
export interface VerifiedAnswer extends View {
  ok: true
  rows: ProvedRow[]
  /** Of each lookup, what was decided; empty if no question was asked. */
  decisions: Decision[]
  /** Of each lookup, the editions of the day that are proved to have no row of the code; empty if none was asked. */
  lacking: CodeAbsence[]
}

/** Checks a whole response body of a lookup as it came, and that it answers what was asked. */
export const verifyBody = (
  text: string,
  policy: TrustPolicy,
  asked: Inquiry,
  options: VerifyOptions = {},
): Promise<VerifiedAnswer | FailedCheck> =>
  verdictOf(async () => {
    const body = readBody(text)
    const { question } = asked as { question?: Question }
    // A question that is undefined by mistake is not the wish to ask none.
    ensure(question !== undefined || 'anyQuestion' in asked, 'answers_another_question')
    ensure(isLookup(body), question === undefined ? 'not_recognised' : 'answers_another_question')
    const facts = new Facts(policy, options.charts)
    return answerOf(facts, body, [await checkAnswer(facts, body, question)], options)
  })

/** Whether a body is the answer to a lookup, by its shape alone: no list, and not the one about the figures. */
export const isLookup = (body: Members): boolean =>
  !Array.isArray(body['data']) && !Array.isArray(body['results']) && !isFiguresBody(body)

/** What these answers have proved, once all of the body is checked. */
export async function answerOf(
  facts: Facts,
  body: Members,
  shown: readonly ShownAnswer[],
  options: VerifyOptions,
): Promise<VerifiedAnswer> {
  const view = { checkpoint: facts.checkpoint as string, recorded_at: facts.state?.recorded_at ?? null }
  ensure(hasOneCheckpoint(body, view.checkpoint), 'mixed_checkpoints')
  await checkAge(view, facts.policy, options)
  return {
    ok: true,
    rows: shown.flatMap(({ row, release }) => (row && release ? [{ row, release }] : [])),
    decisions: shown.flatMap(({ decision }) => decision ?? []),
    lacking: shown.flatMap(({ lacking }) => lacking),
    ...view,
  }
}

/** Checks one row with its whole proof, for whatever question it may answer. */
export const verifyRow = (row: unknown, policy: TrustPolicy): Promise<Verdict> =>
  verdictOf(async () => {
    await addCitedRow(new Facts(policy), bareAnswer(row))
    return { ok: true }
  })

/** Checks that no row of a release has a key with the prefix of the proof. */
export const verifyAbsence = (proof: unknown, policy: TrustPolicy): Promise<Verdict> =>
  verdictOf(async () => {
    await addAbsence(new Facts(policy), proof)
    return { ok: true }
  })

export { isFresh, type VerifyOptions, type View, viewedAt } from './body.ts'
export type { Fault, Verdict } from './fault.ts'
export { openCheckpoint } from './note/checkpoint.ts'
export { parsePolicy, type TrustPolicy } from './note/policy.ts'
export type { Question }
