// Why a release was taken out of force, as docs/spec/tables/reasons.json has it.

import { withdrawals } from '../../docs/spec/tables/reasons.json'
import { frozen } from './frozen.ts'

export type WithdrawalReason = keyof typeof withdrawals
export const WITHDRAWAL_REASONS = frozen(Object.keys(withdrawals) as WithdrawalReason[])
