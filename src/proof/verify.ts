// The verifier of lookups: everything that a stranger needs to check an answer of `/reference` offline. Lists have a larger
// one, verify-lists.ts. Input is hostile: nothing of an answer counts that its hashes and the pinned keys do not prove.

import { type CheckedAnswer, checkAnswer, type TakenAnswer, takePrice, takeRefusal } from './answer.ts'
import { factsOf, isLookup, readBody, type VerifiedAnswer, type VerifyOptions, viewOf } from './body.ts'
import { isText } from './canonical-json.ts'
import { ensure, type FailedCheck, verdictOf } from './fault.ts'
import type { Question } from './lookup/question.ts'
import type { TrustPolicy } from './note/policy.ts'
import type { Members } from './shape.ts'
import { ShownRows } from './shown-rows.ts'

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
    return verifyLookup(body, policy, question, options)
  })

export async function verifyLookup(
  body: Members,
  policy: TrustPolicy,
  question: Question | undefined,
  options: VerifyOptions,
): Promise<VerifiedAnswer> {
  const shown = new ShownRows()
  const taken = takeLookup(shown, body)
  const evidence = await factsOf(body, shown, policy, options)
  return { ok: true, ...provedBy([checkAnswer(evidence, taken, question)]), ...viewOf(evidence) }
}

/** Takes the rows of an answer: its own, whose members stand at the top with a pointer in `row`, or those of a refusal. */
function takeLookup(shown: ShownRows, { proof: _, about: _a, ...body }: Members): TakenAnswer {
  if (isText(body['code']) && 'status' in body) return takeRefusal(shown, body)
  const {
    row: pointer,
    prolonged,
    place,
    side,
    modifiers_ignored,
    left_to_bill,
    adjustment,
    listed_with,
    ...row
  } = body
  const members = { place, side, modifiers_ignored, left_to_bill, adjustment, listed_with }
  const beside = Object.entries(members).filter(([, value]) => value !== undefined)
  return takePrice(shown, shown.takeBare(row, pointer, prolonged), Object.fromEntries(beside))
}

/** The proved content of answers. */
export const provedBy = (
  answers: readonly CheckedAnswer[],
): Pick<VerifiedAnswer, 'rows' | 'decisions' | 'lacking'> => ({
  rows: answers.flatMap(({ row, release }) => (row && release ? [{ row, release }] : [])),
  decisions: answers.flatMap(({ decision }) => decision ?? []),
  lacking: answers.flatMap(({ lacking }) => lacking),
})

export { isFresh, type ProvedRow, type VerifiedAnswer, type VerifyOptions, type View, viewedAt } from './body.ts'
export type { Fault, Verdict, VerdictClass } from './fault.ts'
export type { Decision } from './lookup/decision.ts'
export { openCheckpoint } from './note/checkpoint.ts'
export { parsePolicy, type TrustPolicy } from './note/policy.ts'
export type { Question }
