// The effect of a modifier on the amount of a Medicare schedule: none, a factor, or a row of its own.
// docs/spec/tables/modifiers.json says which has which, with the source of each.

import { ANY_LINE_MODIFIERS, BOTH_SIDES, FACTOR_MODIFIERS, NEUTRAL_MODIFIERS } from '../../tables/modifiers.ts'
import { tenThousandths } from '../price/money.ts'
import { dollars } from '../price/physician-fee.ts'
import type { PricedRow } from '../price/row.ts'
import { own } from '../shape.ts'

/** Whether a modifier changes no payment. */
export const isNeutral = (modifier: unknown): boolean => NEUTRAL_MODIFIERS.has(modifier)

/** The modifiers that say of a hospital's line only what any line of the code is, such as TC of imaging. */
export const ofAnyLine = (code: string): string[] =>
  ANY_LINE_MODIFIERS.flatMap(({ modifier, for: codes }) => (codes.test(code) ? [modifier] : []))

/** Both sides in one line are billed as 50, or as LT and RT: CMS pays them alike. */
export function withBothSides(modifiers: readonly string[]): readonly string[] {
  const sides = BOTH_SIDES.modifiers
  if (!sides.every((side) => modifiers.includes(side))) return modifiers
  return [...new Set([...modifiers.filter((modifier) => !sides.includes(modifier)), BOTH_SIDES.count_as])].sort()
}

/** Whether a modifier changes the amount by a fixed rule. */
export const isAdjusting = (modifier: string): boolean => FACTOR_MODIFIERS.has(modifier)

/** The indicator that decides about a modifier which changes the amount. */
export const decidedBy = (modifier: string): string | undefined => FACTOR_MODIFIERS.get(modifier)?.indicator

/** Whether the row has the indicator that decides about the modifier. Only the physician schedules print them. */
export const isDecidedBy = ({ indicators }: Pick<PricedRow, 'indicators'>, modifier: string): boolean =>
  indicators[decidedBy(modifier) ?? ''] !== undefined

export interface Adjustment {
  modifier: string
  rule: string
  factor: string
  amount: string
}

/** Rounded half up to the cent; undefined if the row's indicator forbids the modifier. */
export function adjust(row: PricedRow, modifier: string): Adjustment | undefined {
  const adjusting = FACTOR_MODIFIERS.get(modifier)
  if (!adjusting || !('amount' in row.price)) return undefined
  const factor = own(adjusting.factors, row.indicators[adjusting.indicator] ?? '')
  if (factor === undefined) return undefined
  const thousandths = BigInt(factor.replace('.', ''))
  const cents = (tenThousandths(row.price.amount) * thousandths + 50_000n) / 100_000n
  return { modifier, rule: adjusting.rule, factor, amount: dollars(Number(cents)) }
}
