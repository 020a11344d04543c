import { PROBLEMS, Problem } from '../../problem.ts'
import type { AbsenceProof, CitedRow } from '../../proof/price/row.ts'
import type { Proofs } from './proofs.ts'
import type { Found, Missing } from './reference.ts'

const LEFT_OUT =
  'the edition in force was loaded without this region, or there is no such locality: nothing is said of a price there'
const LEFT_OUT_ONLY = `${LEFT_OUT}; ask with region=national if the price for the whole country will do`
const NATIONAL_ONLY =
  'there is no price for this region; the code has one for the whole country: ask with region=national if that will do'

/** The price that was found with its proof, or a refusal that carries the proof that there is none. */
export async function answer(proofs: Proofs, found: Found): Promise<CitedRow & { kind: 'price' }> {
  const elsewhere = found.nationally ? { regions: ['national'] } : {}
  const detail = found.nationally ? NATIONAL_ONLY : undefined
  if (found.release === undefined) {
    const absence = await absenceProofs(proofs, found.missing)
    const members = { absence, ...elsewhere }
    if (found.leftOut) throw new Problem('region_not_covered', found.nationally ? LEFT_OUT_ONLY : LEFT_OUT, { members })
    throw new Problem('not_on_schedule', detail, { members })
  }
  const cited = await proofs.attach(found.release, found.stored)
  if (cited.kind === 'absence') throw absent(cited, detail, elsewhere)
  return cited
}

/** The reason, and which schedule gives it: another one may say nothing of the code, or not be in force that day. */
function absent(cited: CitedRow & { kind: 'absence' }, detail: string | undefined, elsewhere: object): Problem {
  const code = `absent_${cited.reason}` as const
  const says = `${PROBLEMS[code].title}. So says ${cited.proof.release.release_id}`
  return new Problem(code, detail ?? says, { members: { row: cited, ...elsewhere } })
}

export const absenceProofs = (proofs: Proofs, missing: readonly Missing[]): Promise<AbsenceProof[]> =>
  Promise.all(missing.map(({ release, prefix }) => proofs.ofAbsence(release, prefix)))
