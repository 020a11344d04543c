import { z } from 'zod'
import { withMembers } from '../../json-text.ts'
import { ReadyAnswer } from '../../operation.ts'
import { Problem } from '../../problem.ts'
import { AnswerProof, marksOf } from '../lookup/answer-proof.ts'
import type { Proofs } from '../lookup/proofs.ts'
import type { EntryProofs } from './entry-proofs.ts'

export const RowQuery = z.strictObject({
  release_id: z
    .string()
    .max(120)
    .regex(/^[A-Za-z0-9._:-]+$/)
    .meta({ description: 'the name of a release', examples: ['cms-pfs:RVU26C:1'] }),
  index: z.coerce
    .number()
    .int()
    .min(0)
    .max(Number.MAX_SAFE_INTEGER)
    .meta({ description: 'The place of the row in the release', examples: [0] }),
})

/** A row by its place, whether or not its release is still in force: of one that is not, its entry in the log is shown. */
export async function citeRow(
  proofs: Proofs,
  log: EntryProofs,
  { release_id, index }: z.output<typeof RowQuery>,
): Promise<ReadyAnswer> {
  const { view } = proofs
  const release = view.releaseNamed(release_id)
  if (!release) throw new Problem('release_not_found')
  const [stored] = proofs.open(release).rowsAt(index, index + 1)
  if (!stored) throw new Problem('row_not_found')
  const proof = new AnswerProof(proofs)
  const row = proof.pointer(release, stored)
  const entries = view.placeOf(release) === undefined ? await log.entries(view, [release.log_index]) : undefined
  const { reason, recorded_at } = view.withdrawals.get(release_id)?.entry ?? {}
  return new ReadyAnswer(
    withMembers(stored.body, {
      row,
      ...marksOf(release),
      proof: proof.member(entries),
      ...(reason && { about: { withdrawn: { reason, recorded_at } } }),
    }),
  )
}
