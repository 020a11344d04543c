// Why a row states that there is no price, as docs/spec/tables/reasons.json has it.

import { absences } from '../../docs/spec/tables/reasons.json'
import { frozen } from './frozen.ts'

export type AbsenceReason = keyof typeof absences

export interface Reason {
  /** One sentence for people. Published modules are without it. */
  says: string
}
export const ABSENCES: Readonly<Record<AbsenceReason, Reason>> = frozen(absences)
export const ABSENCE_REASONS = frozen(Object.keys(absences) as [AbsenceReason, ...AbsenceReason[]])
