import { openCheckpoint, type TrustPolicy } from '../proof/verify-lists.ts'
import { checkWhole } from '../proof/whole/whole-check.ts'
import { questionOf, type ReferenceQuery } from './lookup/query.ts'
import type { Verification } from './verification.ts'

/** What anyone can check with the published verifier, under the keys that this service signs with. */
export async function verification(
  text: string,
  policy: TrustPolicy,
  question: ReferenceQuery | undefined,
  today: string,
): Promise<Verification> {
  if (question) questionOf(question, today)
  const asked = question
    ? { question: { ...question, as_of: question.as_of ?? today } }
    : { anyQuestion: true as const }
  const refused = { rows: 0, question_checked: question !== undefined, origin: null, log_size: null }
  const verdict = await checkWhole(text, policy, asked)
  if (!verdict.ok) return { verified: false, reason: verdict.reason, ...refused }
  const opened = await openCheckpoint(verdict.checkpoint, policy)
  const { origin, size } = opened.ok ? opened.head : { origin: null, size: null }
  return {
    verified: true,
    reason: null,
    rows: verdict.rows.length,
    question_checked: question !== undefined,
    origin,
    log_size: size,
  }
}
