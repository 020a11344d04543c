// The effect of a modifier on the amount of a Medicare schedule: none, a factor, or a row of its own.

import { tenThousandths } from '../price/money.ts'
import { dollars } from '../price/physician-fee.ts'
import type { PricedRow } from '../price/row.ts'
import { own, words } from '../shape.ts'

/**
 * Modifiers that change no payment. Sources, by chapter and section: NCCI is the NCCI Policy Manual for Medicare, MCPM the
 * Medicare Claims Processing Manual, MBPM the Medicare Benefit Policy Manual.
 */
export const NEUTRAL_MODIFIERS: readonly { codes: string; meaning: string; source: string }[] = [
  { codes: 'E1 E2 E3 E4', meaning: 'eyelid', source: 'NCCI I.E' },
  { codes: 'FA F1 F2 F3 F4 F5 F6 F7 F8 F9', meaning: 'finger', source: 'NCCI I.E' },
  { codes: 'TA T1 T2 T3 T4 T5 T6 T7 T8 T9', meaning: 'toe', source: 'NCCI I.E' },
  { codes: 'LC LD LM RC RI', meaning: 'coronary artery', source: 'NCCI I.E' },
  { codes: 'LT RT', meaning: 'side of the body', source: 'NCCI I.E' },
  {
    codes: '24 25 57 58 79',
    meaning: 'apart from the surgery or visit of that time',
    source: 'NCCI I.E, MCPM 12.40.2',
  },
  { codes: '27 59 XE XP XS XU', meaning: 'apart from another service of that day', source: 'NCCI I.E' },
  { codes: '76 77 91', meaning: 'done again', source: 'NCCI I.E' },
  { codes: '93 95 FQ G0 GQ GT', meaning: 'telehealth', source: 'MCPM 12.190' },
  { codes: 'GN GO GP KX', meaning: 'therapy', source: 'MCPM 5.20' },
  { codes: 'AA QS QZ', meaning: 'anesthesia: by whom', source: 'MCPM 12.50' },
  { codes: 'GC', meaning: 'teaching physician', source: 'MCPM 12.100' },
  { codes: 'AI', meaning: 'principal physician of a stay', source: 'MCPM 12.30.6' },
  { codes: 'Q5 Q6', meaning: 'substitute physician', source: 'MCPM 1.30.2' },
  { codes: 'JW JZ', meaning: 'drug discarded, or none', source: 'MCPM 17.40' },
  { codes: '33 PT', meaning: 'prevention or screening', source: 'MCPM 18' },
  { codes: 'GA', meaning: 'the patient was told that it may not be paid', source: 'MCPM 30.50' },
  { codes: 'CR', meaning: 'disaster', source: 'MCPM 38.10' },
  { codes: 'GV GW', meaning: 'patient of a hospice', source: 'MCPM 11' },
  { codes: 'Q0 Q1', meaning: 'clinical trial', source: 'MCPM 32.69' },
  { codes: 'AT', meaning: 'chiropractor', source: 'MBPM 15.240.1.3' },
  { codes: 'Q7 Q8 Q9', meaning: 'care of feet', source: 'MBPM 15.290' },
]
const NEUTRAL = new Set<unknown>(NEUTRAL_MODIFIERS.flatMap(({ codes }) => words(codes)))
export const isNeutral = (modifier: unknown): boolean => NEUTRAL.has(modifier)

const BOTH_SIDES = ['LT', 'RT']
/** Both sides in one line are billed as 50, or as LT and RT: CMS pays them alike (MCPM 12.40.7). */
export function withBothSides(modifiers: readonly string[]): readonly string[] {
  if (!BOTH_SIDES.every((side) => modifiers.includes(side))) return modifiers
  return [...new Set([...modifiers.filter((modifier) => !BOTH_SIDES.includes(modifier)), '50'])].sort()
}

interface AdjustmentRule {
  rule: string
  /** The indicator of the row that decides. */
  indicator: string
  /** The factor for each value of the indicator; with any other value the modifier is not allowed. */
  factors: { readonly [value: string]: string }
}
const ASSISTANT: AdjustmentRule = {
  rule: 'assistant/1',
  indicator: 'assistant',
  factors: { 0: '0.160', 2: '0.160' },
}
/** Modifiers that change the amount by a fixed rule. Source: MCPM 12.20.4 and 12.40. */
const ADJUSTING: { readonly [modifier: string]: AdjustmentRule } = {
  50: { rule: 'bilateral/1', indicator: 'bilateral', factors: { 1: '1.500', 2: '1.000', 3: '2.000' } },
  62: { rule: 'co-surgeon/1', indicator: 'co_surgeon', factors: { 1: '0.625', 2: '0.625' } },
  80: ASSISTANT,
  81: ASSISTANT,
  82: ASSISTANT,
  AS: { rule: 'assistant-non-physician/1', indicator: 'assistant', factors: { 0: '0.136', 2: '0.136' } },
}
export const isAdjusting = (modifier: string): boolean => Object.hasOwn(ADJUSTING, modifier)

/** Whether the row has the indicator that decides about the modifier. Only the physician schedules print them. */
export const isDecidedBy = ({ indicators }: Pick<PricedRow, 'indicators'>, modifier: string): boolean => {
  const adjusting = own(ADJUSTING, modifier)
  return adjusting !== undefined && indicators[adjusting.indicator] !== undefined
}

export interface Adjustment {
  modifier: string
  rule: string
  factor: string
  amount: string
}

/** Rounded half up to the cent; undefined if the row's indicator forbids the modifier. */
export function adjust(row: PricedRow, modifier: string): Adjustment | undefined {
  const adjusting = own(ADJUSTING, modifier)
  if (!adjusting || !('amount' in row.price)) return undefined
  const factor = own(adjusting.factors, row.indicators[adjusting.indicator] ?? '')
  if (factor === undefined) return undefined
  const thousandths = BigInt(factor.replace('.', ''))
  const cents = (tenThousandths(row.price.amount) * thousandths + 50_000n) / 100_000n
  return { modifier, rule: adjusting.rule, factor, amount: dollars(Number(cents)) }
}
