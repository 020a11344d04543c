// What a modifier on a bill line does to the amount of a Medicare schedule.

import { tenThousandths } from '../price/money.ts'
import { dollars } from '../price/physician-fee.ts'
import type { PricedRow } from '../price/row.ts'
import { words } from '../shape.ts'

/**
 * Modifiers that change no payment: they say where, when or by whom, or that an edit does not apply.
 * Source: NCCI Policy Manual, chapter I, section E (anatomic, global surgery and other NCCI modifiers); Medicare Claims
 * Processing Manual, chapter 12, sections 40.2 and 190 (global surgery, telehealth), chapter 5, section 20 (therapy),
 * chapter 17, section 40 (JW, JZ).
 */
const NEUTRAL = words(
  '24 25 27 57 58 59 76 77 79 91 XE XS XP XU RT LT LC LD LM RC RI E1 E2 E3 E4 FA F1 F2 F3 F4 F5 F6 F7 F8 F9 ' +
    'TA T1 T2 T3 T4 T5 T6 T7 T8 T9 GN GO GP GT 93 95 KX 33 PT AI GC Q5 Q6 JW JZ',
)

/** Both sides in one line are billed as 50, or as LT and RT: CMS pays them alike (chapter 12, section 40.7). */
export function withBothSides(modifiers: readonly string[]): readonly string[] {
  const sides = ['LT', 'RT']
  if (!sides.every((side) => modifiers.includes(side))) return modifiers
  return [...new Set([...modifiers.filter((modifier) => !sides.includes(modifier)), '50'])].sort()
}

export const isNeutral = (modifier: string): boolean => NEUTRAL.includes(modifier)

interface AdjustmentRule {
  rule: string
  /** The indicator of the row that decides, and the factor for each of its values; none: not paid so. */
  indicator: string
  factors: { readonly [value: string]: string }
}
const ASSISTANT = (rule: string, factor: string): AdjustmentRule => ({
  rule,
  indicator: 'assistant',
  factors: { 0: factor, 2: factor },
})
/** Modifiers that change the amount by a fixed rule. Source: Medicare Claims Processing Manual, chapter 12, sections 20.4 and 40. */
const ADJUSTING: { readonly [modifier: string]: AdjustmentRule } = {
  50: { rule: 'bilateral/1', indicator: 'bilateral', factors: { 1: '1.500', 2: '1.000', 3: '2.000' } },
  62: { rule: 'co-surgeon/1', indicator: 'co_surgeon', factors: { 1: '0.625', 2: '0.625' } },
  80: ASSISTANT('assistant/1', '0.160'),
  81: ASSISTANT('assistant/1', '0.160'),
  82: ASSISTANT('assistant/1', '0.160'),
  AS: ASSISTANT('assistant-non-physician/1', '0.136'),
}
export const isAdjusting = (modifier: string): boolean => Object.hasOwn(ADJUSTING, modifier)

/** Whether the row has the indicator that decides about the modifier. Only the physician schedules print them. */
export const isDecidedBy = ({ indicators }: Pick<PricedRow, 'indicators'>, modifier: string): boolean =>
  indicators[ADJUSTING[modifier]?.indicator ?? ''] !== undefined

export interface Adjustment {
  modifier: string
  rule: string
  factor: string
  amount: string
}

/** The amount with the modifier, rounded half up to the cent; undefined where the row's indicator forbids it. */
export function adjust(row: PricedRow, modifier: string): Adjustment | undefined {
  const adjusting = isAdjusting(modifier) ? ADJUSTING[modifier] : undefined
  const value = (adjusting && row.indicators[adjusting.indicator]) ?? ''
  const factor = adjusting && Object.hasOwn(adjusting.factors, value) ? adjusting.factors[value] : undefined
  if (!adjusting || factor === undefined || !('amount' in row.price)) return undefined
  const thousandths = BigInt(factor.replace('.', ''))
  const cents = (tenThousandths(row.price.amount) * thousandths + 50_000n) / 100_000n
  return { modifier, rule: adjusting.rule, factor, amount: dollars(Number(cents)) }
}
