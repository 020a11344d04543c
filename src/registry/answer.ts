import { Problem } from '../problem.ts'
import type { CitedRow } from '../proof/row.ts'
import type { Proofs } from './proofs.ts'
import type { Found } from './reference.ts'

const NATIONAL_ONLY =
  'there is no price for this region; the code has one for the whole country: ask with region=national if that will do'

/** The price that was found with its proof, or a refusal that carries the proof that there is none. */
export async function answer(proofs: Proofs, found: Found): Promise<CitedRow & { kind: 'price' }> {
  const elsewhere = found.nationally ? { regions: ['national'] } : {}
  const detail = found.nationally ? NATIONAL_ONLY : undefined
  if (found.release === undefined) {
    const absence = await Promise.all(found.missing.map(({ release, prefix }) => proofs.ofAbsence(release, prefix)))
    throw new Problem('not_on_schedule', detail, { members: { absence, ...elsewhere } })
  }
  const cited = await proofs.attach(found.release, found.stored)
  if (cited.kind === 'absence')
    throw new Problem(`absent_${cited.reason}`, detail, { members: { row: cited, ...elsewhere } })
  return cited
}
