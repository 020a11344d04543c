// The reasons that the service gives and that its operator names, as docs/spec/tables/reasons.json has them. No verifier needs them.

import { moves, overrides, refusals, rollbacks } from '../../docs/spec/tables/reasons.json'
import { frozen } from './frozen.ts'
import type { Reason } from './reasons.ts'

/** Why a lookup has no answer, beside the absences. */
export type RefusalReason = keyof typeof refusals
/** Why a limit was set aside. */
export type OverrideReason = keyof typeof overrides
/** Why another file speaks for a provider. */
export type MoveReason = keyof typeof moves
/** Why the end of a history was given up. */
export type RollbackReason = keyof typeof rollbacks

export const REFUSALS: Readonly<Record<RefusalReason, Reason>> = frozen(refusals)

// Words of ours only: they stand in the log or in a manifest for ever.
export const OVERRIDE_REASONS = frozen(Object.keys(overrides) as OverrideReason[])
export const MOVE_REASONS = frozen(Object.keys(moves) as MoveReason[])
export const ROLLBACK_REASONS = frozen(Object.keys(rollbacks) as RollbackReason[])
