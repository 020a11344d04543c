// Everything that can be checked of an answer without the files that it cites: its proofs, that it answers the question,
// and its arithmetic.

import { type VerifiedAnswer, verifyBody } from '../verify-lists.ts'
import { type AnswerCheck, withArithmetic } from './arithmetic-check.ts'

/** Checks a body of any kind that has a proof. */
export const checkWhole: AnswerCheck<VerifiedAnswer> = withArithmetic(verifyBody)
