import { z } from 'zod'
import { ReadyAnswer, ready } from '../../operation.ts'
import { Problem } from '../../problem.ts'
import type { Proofs } from '../lookup/proofs.ts'

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

/** A row by its place, whether or not its release is still in force. */
export async function citeRow(proofs: Proofs, { release_id, index }: z.output<typeof RowQuery>): Promise<ReadyAnswer> {
  const release = proofs.view.releaseNamed(release_id)
  if (!release) throw new Problem('release_not_found')
  const [stored] = proofs.open(release).rowsAt(index, index + 1)
  if (!stored) throw new Problem('row_not_found')
  if (proofs.view.periodOf(release)) return new ReadyAnswer(proofs.citedText(release, stored))
  return ready(await proofs.citeWithdrawn(release, stored))
}
