// What a modifier on a bill line does to the amount of a Medicare schedule.

import { tenThousandths } from '../price/money.ts'
import { dollars } from '../price/physician-fee.ts'
import type { PricedRow } from '../price/row.ts'
import { matches, own } from '../shape.ts'

/**
 * Modifiers that change no payment: they say where, when or by whom, or that an edit does not apply.
 * Source: NCCI Policy Manual, chapter I, section E (anatomic, global surgery and other NCCI modifiers); Medicare Claims
 * Processing Manual, chapter 12, sections 40.2 and 190 (global surgery, telehealth), chapter 5, section 20 (therapy),
 * chapter 17, section 40 (JW, JZ), chapter 12, section 50 (AA, QZ: anesthesia that one performs alone; QS: monitored care), chapter
 * 30, section 50 (GA: the patient was told that it may not be paid), chapter 38, section 10 (CR: a disaster), chapter 11 (GV, GW:
 * patients of a hospice), chapter 32, section 69 (Q0, Q1: clinical trials); Medicare Benefit Policy Manual,
 * chapter 15, sections 240.1.3 (AT: chiropractors) and 290 (Q7, Q8, Q9: care of feet).
 */
export const isNeutral = matches(
  /^(2[457]|33|5[789]|7[679]|9[135]|A[AIT]|CR|E[1-4]|[FT][A1-9]|FQ|G[0ACNOPQTVW]|J[WZ]|KX|L[CDMT]|PT|Q[015-9SZ]|R[CIT]|X[EPSU])$/,
)

/** Both sides in one line are billed as 50, or as LT and RT: CMS pays them alike (chapter 12, section 40.7). */
export function withBothSides(modifiers: readonly string[]): readonly string[] {
  const sides = ['LT', 'RT']
  if (!sides.every((side) => modifiers.includes(side))) return modifiers
  return [...new Set([...modifiers.filter((modifier) => !sides.includes(modifier)), '50'])].sort()
}

interface AdjustmentRule {
  rule: string
  /** The indicator of the row that decides, and the factor for each of its values in thousandths; none: not paid so. */
  indicator: string
  factors: { readonly [value: string]: number }
}
const by = (indicator: string, factors: AdjustmentRule['factors'], name = indicator): AdjustmentRule => ({
  rule: `${name}/1`,
  indicator,
  factors,
})
const assisting = (factor: number, name?: string): AdjustmentRule => by('assistant', { 0: factor, 2: factor }, name)
const ASSISTANT = assisting(160)
/** Modifiers that change the amount by a fixed rule. Source: Medicare Claims Processing Manual, chapter 12, sections 20.4 and 40. */
const ADJUSTING: { readonly [modifier: string]: AdjustmentRule } = {
  50: by('bilateral', { 1: 1500, 2: 1000, 3: 2000 }),
  62: by('co_surgeon', { 1: 625, 2: 625 }, 'co-surgeon'),
  80: ASSISTANT,
  81: ASSISTANT,
  82: ASSISTANT,
  AS: assisting(136, 'assistant-non-physician'),
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
  const adjusting = own(ADJUSTING, modifier)
  const thousandths = adjusting && own(adjusting.factors, row.indicators[adjusting.indicator] ?? '')
  if (!thousandths || !('amount' in row.price)) return undefined
  const cents = (tenThousandths(row.price.amount) * BigInt(thousandths) + 50_000n) / 100_000n
  return { modifier, rule: adjusting.rule, factor: (thousandths / 1000).toFixed(3), amount: dollars(Number(cents)) }
}
