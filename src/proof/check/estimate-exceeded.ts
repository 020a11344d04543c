// The rule `estimate_exceeded`: a bill far above the good faith estimate. 45 CFR 149.620.

import { ESTIMATE } from '../../tables/bill-rules.ts'
import { amountText, tenThousandths } from '../price/money.ts'
import { sumOf } from './arithmetic.ts'
import type { Claim } from './claim.ts'
import type { Outcome } from './finding.ts'

/** Compares the bill's total, or the sum of its lines, with the estimate. */
export function estimateExceeded({ bill }: Claim): Outcome {
  const { totals, lines } = bill
  const billed = totals.billed ?? sumOf(lines, 'billed')
  const { estimate } = totals
  const excess = billed === undefined || estimate === undefined ? 0n : billed - estimate
  if (estimate === undefined || excess < tenThousandths(ESTIMATE.exceeded_by)) return { findings: [], skips: [] }
  return {
    findings: [
      {
        rule: 'estimate_exceeded',
        variant: 'exceeded',
        lines: [],
        denies: [],
        atIssue: new Map(),
        ofBill: excess,
        words: { estimate: amountText(estimate), excess: amountText(excess) },
        evidence: [],
      },
    ],
    skips: [],
  }
}
