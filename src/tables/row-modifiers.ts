// The modifiers that choose a row, and those without an amount, as docs/spec/tables/modifiers.json has them. No verifier needs them: any modifier that changes nothing else
// chooses a row.

import { type advice, by_report, not_covered, row } from '../../docs/spec/tables/modifiers.json'
import { byCode, type Modifier } from './modifiers.ts'

/** Facts known of an amount without a modifier, where there is none with it. */
export type Advice = keyof typeof advice

/** A modifier that has rows of its own, or with which no schedule states an amount. */
export interface RowModifier extends Modifier {
  /** The part of a diagnostic service that a row with it is for. */
  part?: 'professional' | 'technical'
  /** The service that the amount of a row with it is for, where the publisher does not say so. */
  per?: 'MONTH'
  advice?: Advice
}
export const ROW_MODIFIERS = byCode([...row, ...not_covered, ...by_report] as readonly RowModifier[])
