// The verifier of lookups: everything that a stranger needs to check an answer of `/reference` offline. Lists have a larger
// one, verify-lists.ts. Input is hostile: nothing of an answer counts that its hashes and the pinned keys do not prove.

import { bareAnswer, checkAnswer } from './answer.ts'
import { answerOf, isLookup, provedBy, readBody, type VerifiedAnswer, type VerifyOptions } from './body.ts'
import { addAbsence, addCitedRow } from './evidence.ts'
import { noFacts } from './facts.ts'
import { ensure, type FailedCheck, type Verdict, verdictOf } from './fault.ts'
import type { Question } from './lookup/question.ts'
import type { TrustPolicy } from './note/policy.ts'

/** The question. An archive or a monitor may check only that an answer was published: `anyQuestion`. */
export type Inquiry = { question: Question } | { anyQuestion: true }

/** Checks the whole body of a response of a lookup, as it came, and that it answers the question. */
export const verifyBody = (
  text: string,
  policy: TrustPolicy,
  asked: Inquiry,
  options: VerifyOptions = {},
): Promise<VerifiedAnswer | FailedCheck> =>
  verdictOf(async () => {
    const body = readBody(text)
    const { question } = asked as { question?: Question }
    // A question that is undefined by mistake must not pass for `anyQuestion`.
    ensure(question !== undefined || 'anyQuestion' in asked, 'answers_another_question')
    ensure(isLookup(body), question === undefined ? 'not_recognised' : 'answers_another_question')
    const facts = noFacts(policy, options.charts)
    return answerOf(facts, body, provedBy(await checkAnswer(facts, body, question)), options)
  })

/** Checks one row with its whole proof, whatever question it answers. */
export const verifyRow = (row: unknown, policy: TrustPolicy): Promise<Verdict> =>
  verdictOf(async () => {
    await addCitedRow(noFacts(policy), bareAnswer(row))
    return { ok: true }
  })

/** Checks the proof that no row of a release has a key with a prefix. */
export const verifyAbsence = (proof: unknown, policy: TrustPolicy): Promise<Verdict> =>
  verdictOf(async () => {
    await addAbsence(noFacts(policy), proof)
    return { ok: true }
  })

export { isFresh, type ProvedRow, type VerifiedAnswer, type VerifyOptions, type View, viewedAt } from './body.ts'
export type { Fault, Verdict } from './fault.ts'
export { openCheckpoint } from './note/checkpoint.ts'
export { parsePolicy, type TrustPolicy } from './note/policy.ts'
export type { Question }
