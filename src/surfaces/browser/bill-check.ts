// The check of a bill: a batch for each column of the sheet, each line of it the answer to its question.

import { answerOf, provedByAll, readBody, type VerifiedAnswer, type VerifyOptions } from '../../proof/body.ts'
import { noFacts } from '../../proof/facts.ts'
import { type FailedCheck, verdictOf } from '../../proof/fault.ts'
import { type BillQuestion, checkBatch } from '../../proof/list/batch.ts'
import type { TrustPolicy } from '../../proof/note/policy.ts'
import { withArithmetic } from '../../proof/whole/arithmetic-check.ts'

/** The verifier of batches alone: a page loads no more than it runs. */
const verifyBatch = (
  text: string,
  policy: TrustPolicy,
  { questions }: { questions: readonly BillQuestion[] },
  options: VerifyOptions = {},
): Promise<VerifiedAnswer | FailedCheck> =>
  verdictOf(async () => {
    const body = readBody(text)
    const facts = noFacts(policy, options.charts)
    const { shown } = await checkBatch(facts, body, questions)
    return answerOf(facts, body, provedByAll(shown), options)
  })

export const checkBill = withArithmetic(verifyBatch)
