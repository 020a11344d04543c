// A verifier, with the arithmetic of every proved row checked too.

import { parseJson } from '../canonical-json.ts'
import type { FailedCheck } from '../fault.ts'
import type { TrustPolicy } from '../note/policy.ts'
import { type DerivationFault, verifyDerivation } from '../price/derivation.ts'
import { rowKey } from '../price/row.ts'
import type { ProvedRow, VerifyOptions } from '../verify.ts'
import { type ExpectedAnswer, standsAt } from './asked.ts'

/** A row whose amount, or reason, does not follow from its inputs. */
export interface WrongRow {
  ok: false
  reason: DerivationFault
  row: string
}

export type AnswerCheck<Answer> = (
  text: string,
  policy: TrustPolicy,
  asked: ExpectedAnswer,
  options?: VerifyOptions,
) => Promise<Answer | FailedCheck | WrongRow>

/**
 * Adds the check of arithmetic, and of a permalink, to a verifier of some kinds of bodies. The proofs go first: the
 * arithmetic counts only for rows that were published.
 */
export const withArithmetic =
  <Answer extends { ok: true; rows: readonly ProvedRow[] }>(
    verify: (text: string, policy: TrustPolicy, asked: never, options?: VerifyOptions) => Promise<Answer | FailedCheck>,
  ): AnswerCheck<Answer> =>
  async (text, policy, { permalink, ...asked }, options) => {
    const proved = await verify(text, policy, asked as never, options)
    if (!proved.ok) return proved
    if (permalink && !standsAt(parseJson(text), permalink)) return { ok: false, reason: 'answers_another_question' }
    return findWrongRow(proved.rows) ?? proved
  }

/** Finds the first row that does not say what follows from its inputs. */
function findWrongRow(rows: readonly ProvedRow[]): WrongRow | undefined {
  for (const { row } of rows) {
    if (row.kind === 'place') continue
    const verdict = verifyDerivation(row)
    if (!verdict.ok) return { ...verdict, row: rowKey(row) }
  }
  return undefined
}
