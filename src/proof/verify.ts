// The verifier of lookups: everything a stranger needs to check an answer of `/reference` offline. Lists have a larger one,
// in verify-lists.ts. Input is hostile. Nothing is taken from the response but what its hashes and the pinned keys support.

import { bareAnswer, checkAnswer } from './answer.ts'
import { answerOf, isLookup, provedBy, readBody, type VerifiedAnswer, type VerifyOptions } from './body.ts'
import { addAbsence, addCitedRow } from './evidence.ts'
import { noFacts } from './facts.ts'
import { ensure, type FailedCheck, type Verdict, verdictOf } from './fault.ts'
import type { Question } from './lookup/question.ts'
import type { TrustPolicy } from './note/policy.ts'

/** What was asked. An archive, or a monitor, may want to know only that what it has was published: `anyQuestion`. */
export type Inquiry = { question: Question } | { anyQuestion: true }

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
    const facts = noFacts(policy, options.charts)
    return answerOf(facts, body, provedBy(await checkAnswer(facts, body, question)), options)
  })

/** Checks one row with its whole proof, for whatever question it may answer. */
export const verifyRow = (row: unknown, policy: TrustPolicy): Promise<Verdict> =>
  verdictOf(async () => {
    await addCitedRow(noFacts(policy), bareAnswer(row))
    return { ok: true }
  })

/** Checks that no row of a release has a key with the prefix of the proof. */
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
