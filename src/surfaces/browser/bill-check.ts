// The check of a bill: a batch for each column of the sheet, each line of it the answer to its question.

import { factsOf, readBody, type VerifiedAnswer, type VerifyOptions, viewOf } from '../../proof/body.ts'
import { type FailedCheck, verdictOf } from '../../proof/fault.ts'
import { type BillQuestion, checkBatch } from '../../proof/list/batch.ts'
import type { TrustPolicy } from '../../proof/note/policy.ts'
import { provedBy } from '../../proof/verify.ts'

/** The verifier of batches alone: a page loads no more than it runs. */
export const checkBill = (
  text: string,
  policy: TrustPolicy,
  { questions }: { questions: readonly BillQuestion[] },
  options: VerifyOptions = {},
): Promise<VerifiedAnswer | FailedCheck> =>
  verdictOf(async () => {
    const { about: _, ...body } = readBody(text)
    const { evidence, answers } = await checkBatch(body, questions, (shown) => factsOf(body, shown, policy, options))
    return { ok: true, ...provedBy(answers), ...viewOf(evidence) }
  })
