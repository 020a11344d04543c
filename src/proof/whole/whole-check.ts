// Everything that can be checked of an answer without the files that it cites: its proofs, that it answers what was
// asked, and its arithmetic.

import { parseJson } from '../canonical-json.ts'
import type { FailedCheck } from '../fault.ts'
import type { TrustPolicy } from '../note/policy.ts'
import { type DerivationFault, verifyDerivation } from '../price/derivation.ts'
import { rowKey } from '../price/row.ts'
import { type ProvedRow, type VerifiedAnswer, type VerifyOptions, verifyBody } from '../verify-lists.ts'
import { type Expected, standsAt } from './asked.ts'

/** A row whose amount, or reason, does not follow from its inputs. */
export interface WrongRow {
  ok: false
  reason: DerivationFault
  row: string
}

type Check<Answer> = (
  text: string,
  policy: TrustPolicy,
  asked: Expected,
  options?: VerifyOptions,
) => Promise<Answer | FailedCheck | WrongRow>

/** By a verifier of some kinds of bodies. The proofs first: what the arithmetic says counts only in what was published. */
export const wholeCheck =
  <Answer extends { ok: true; rows: readonly ProvedRow[] }>(
    verify: (text: string, policy: TrustPolicy, asked: never, options?: VerifyOptions) => Promise<Answer | FailedCheck>,
  ): Check<Answer> =>
  async (text, policy, { permalink, ...asked }, options) => {
    const proved = await verify(text, policy, asked as never, options)
    if (!proved.ok) return proved
    if (permalink && !standsAt(parseJson(text), permalink)) return { ok: false, reason: 'answers_another_question' }
    return wrongRow(proved.rows) ?? proved
  }

/** Of every kind of body that has a proof. */
export const checkWhole: Check<VerifiedAnswer> = /* @__PURE__ */ wholeCheck(verifyBody)

/** The first row that does not say what follows from its inputs. */
function wrongRow(rows: readonly ProvedRow[]): WrongRow | undefined {
  for (const { row } of rows) {
    const verdict = row.kind === 'place' ? { ok: true as const } : verifyDerivation(row)
    if (!verdict.ok) return { ...verdict, row: rowKey(row) }
  }
  return undefined
}
