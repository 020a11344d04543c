// Conditions of an adjusted amount that no answer can know. Every page that shows the amount must state them.

import type { PricedRow } from '../price/row.ts'
import type { Adjustment } from './modifiers.ts'

/**
 * `documents`: paid only if documents show that a second surgeon or an assistant was needed. `specialties`: without
 * documents, if the two surgeons are of different specialties. Source: Medicare Claims Processing Manual, chapter 23,
 * addendum (MPFSDB record layout, ASST SURG and CO-SURG).
 */
export type Condition = 'documents' | 'specialties'

export function conditionOf(
  { indicators }: Pick<PricedRow, 'indicators'>,
  { rule }: Adjustment,
): Condition | undefined {
  if (rule.startsWith('assistant')) return indicators['assistant'] === '0' ? 'documents' : undefined
  if (rule !== 'co-surgeon/1') return undefined
  return indicators['co_surgeon'] === '1' ? 'documents' : 'specialties'
}

export const CONDITIONS: Readonly<Record<Condition, string>> = {
  documents: 'Medicare pays it only if documents show that the second person was medically necessary.',
  specialties: 'Medicare pays it without further documents only if the two surgeons are of different specialties.',
}
