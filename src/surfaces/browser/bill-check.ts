// The check of a bill as the service answers it, and its verification in the page.

import { factsOf, readBody, type VerifiedAnswer, type VerifyOptions, viewOf } from '../../proof/body.ts'
import type { StatedBill } from '../../proof/check/bill.ts'
import { checkBillAnswer } from '../../proof/check/checked-bill.ts'
import { type FailedCheck, verdictOf } from '../../proof/fault.ts'
import type { TrustPolicy } from '../../proof/note/policy.ts'
import type { Manifest } from '../../proof/price/release.ts'
import { provedBy } from '../../proof/verify.ts'

export interface RowPlace {
  release: number
  index: number
}
export interface Figure {
  amount?: string
  low?: string
  high?: string
  row: RowPlace
}
export interface CheckedLine {
  line: number
  code?: string
  units: string
  billed?: string
  medicare?: { basis?: string; amount?: string; absent?: string; none?: string; row?: RowPlace }
  hospital_gross?: Figure
  hospital_cash?: Figure
  hospital_negotiated_low?: Figure
  hospital_negotiated_high?: Figure
  payer?: Figure
  by_rules?: { amount: string }
}
export interface BillFinding {
  rule: string
  certainty: 'rule' | 'unless' | 'ask'
  lines: number[]
  amount_at_issue?: string
  says: string
  ask: string
  evidence?: RowPlace[]
}
/** The part of an answer that the page shows: only what a verifier proves. */
export interface BillCheck {
  side: { kind: string; why: string }
  lines: CheckedLine[]
  findings: BillFinding[]
  skipped: { rule: string; chart: string; day: string; why?: string; lines: number[] }[]
  prolonged?: { chart: string; publisher_until: string }[]
  sums: {
    billed?: string
    medicare?: { listed: string; at_most: string; by_rules: string }
    hospital_gross?: string
    hospital_cash?: string
    payer?: string
    at_issue: string
  }
  proof?: { releases?: { release: Manifest }[] }
}

/** The verifier of checked bills alone: a page loads no more than it runs. */
export const verifyCheck = (
  text: string,
  policy: TrustPolicy,
  request: StatedBill,
  options: VerifyOptions = {},
): Promise<VerifiedAnswer | FailedCheck> =>
  verdictOf(async () => {
    const { about: _, ...body } = readBody(text)
    const { evidence, answers } = await checkBillAnswer(body, request, (shown) => factsOf(body, shown, policy, options))
    return { ok: true, ...provedBy(answers), ...viewOf(evidence) }
  })
