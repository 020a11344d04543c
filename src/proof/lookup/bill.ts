// The amounts of the lines of a bill, exactly.

import { amountText, tenThousandths } from '../price/money.ts'
import type { PricedRow } from '../price/row.ts'
import type { Adjustment } from './modifiers.ts'

/** The amount of a line, or the lowest and highest if a hospital lists several. */
export type LineAmount = { amount: string } | { low: string; high: string }

type PriceFacts = Pick<PricedRow, 'kind' | 'npi' | 'price' | 'flags'>

/** Whether the units of a bill are those of the price: services, or Medicare's units. A hospital's dosages are its own. */
export const countsUnits = ({ kind, npi, price, flags }: PriceFacts): boolean =>
  kind !== 'rate' && (npi === null || (price.per === null && !flags.includes('mixed_units')))

/**
 * The price of a line times its units, after a modifier has changed it. Null for a factor, and for a price by a hospital's
 * own unit, or by several: the units on a bill are others.
 */
export function extended(row: PriceFacts, adjustment: Adjustment | undefined, units: number): LineAmount | null {
  if (!countsUnits(row)) return null
  const { price } = row
  const times = (amount: string): string => amountText(tenThousandths(amount) * BigInt(units))
  if (adjustment) return { amount: times(adjustment.amount) }
  return 'amount' in price ? { amount: times(price.amount) } : { low: times(price.low), high: times(price.high) }
}

/** The most units of a line. */
export const MOST_UNITS = 999_999
/** How often a service is billed. */
export const isUnits = (units: unknown): units is number =>
  Number.isSafeInteger(units) && (units as number) > 0 && (units as number) <= MOST_UNITS

const AMOUNT = /^(0|[1-9][0-9]{0,11})\.[0-9]{2}([0-9]?[1-9])?$/
/** An amount on a bill, as it is written. */
export const isBilled = (amount: unknown): amount is string => typeof amount === 'string' && AMOUNT.test(amount)

export interface BillLine {
  basis: string
  /** Null for a line without an amount that can be added up. */
  extended: LineAmount | null
  billed: string | null
}
type PricedLine = BillLine & { extended: LineAmount }
export interface Total {
  basis: string
  lines: number
  low: string
  high: string
  /** The sum billed for these lines; null if a line does not state it. */
  billed: string | null
}
export interface Summary {
  lines: number
  priced: number
  totals: Total[]
}

/** Totals for each basis, never across them: a doctor's fee and a hospital's charge do not add up to a price. */
export function summaryOf(lines: readonly (BillLine | undefined)[]): Summary {
  const priced = lines.filter((line): line is PricedLine => line !== undefined && line.extended !== null)
  const bases = [...new Set(priced.map(({ basis }) => basis))].sort()
  return { lines: lines.length, priced: priced.length, totals: bases.map((basis) => totalOf(basis, priced)) }
}

function totalOf(basis: string, priced: readonly PricedLine[]): Total {
  const own = priced.filter((line) => line.basis === basis)
  const sum = (amountOf: (line: PricedLine) => string): string =>
    amountText(own.reduce((total, line) => total + tenThousandths(amountOf(line)), 0n))
  const end = (name: 'low' | 'high') => (line: PricedLine) =>
    'amount' in line.extended ? line.extended.amount : line.extended[name]
  const billed = own.every((line) => line.billed !== null) ? sum((line) => line.billed as string) : null
  return { basis, lines: own.length, low: sum(end('low')), high: sum(end('high')), billed }
}
