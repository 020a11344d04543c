// Everything that can be checked of an answer without the files that it cites: that it was published, that it answers the question,
// its arithmetic, and that it is what a permalink names.

import { parseJson } from '../canonical-json.ts'
import { type FailedCheck, failed } from '../fault.ts'
import type { TrustPolicy } from '../note/policy.ts'
import type { Members } from '../shape.ts'
import { type VerifiedAnswer, type VerifyOptions, verifyBody } from '../verify-lists.ts'
import { type ExpectedAnswer, standsAt } from './asked.ts'
import { kindOf } from './kind.ts'

/** Checks a body of any kind that has a proof. */
export async function checkWhole(
  text: string,
  policy: TrustPolicy,
  { permalink, changes, ...asked }: ExpectedAnswer,
  options?: VerifyOptions,
): Promise<VerifiedAnswer | FailedCheck> {
  const proved = await verifyBody(text, policy, asked, options)
  if (!proved.ok) return proved
  const body = parseJson(text) as Members
  const isOther = (permalink && !standsAt(body, permalink)) || (changes && kindOf(body) !== 'entries')
  return isOther ? failed('answers_another_question') : proved
}
