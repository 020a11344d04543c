// The rule `bill_above_statement`: the bill asks more of the patient than the insurer's statement says, line by line.

import { amountText } from '../price/money.ts'
import { sumOf } from './arithmetic.ts'
import type { Claim } from './claim.ts'
import type { Outcome } from './finding.ts'

/** Compares the patient's total with the sum of the lines, where every line states the patient's part. */
export function billAboveStatement({ bill }: Claim): Outcome {
  const { totals, lines } = bill
  const sum = sumOf(lines, 'patient')
  if (totals.patient === undefined || sum === undefined || totals.patient <= sum) return { findings: [], skips: [] }
  return {
    findings: [
      {
        rule: 'bill_above_statement',
        variant: 'asked',
        lines: [],
        denies: [],
        atIssue: new Map(),
        ofBill: totals.patient - sum,
        words: { stated: amountText(totals.patient), sum: amountText(sum) },
        evidence: [],
      },
    ],
    skips: [],
  }
}
