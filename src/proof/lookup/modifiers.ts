// The effect of a modifier on the amount of a Medicare schedule: none, a factor, a part of the fee, or a row of its own.
// docs/spec/tables/modifiers.json says which has which, with the source of each.

import {
  ANY_LINE_MODIFIERS,
  BOTH_SIDES,
  COLUMN_MODIFIERS,
  FACTOR_MODIFIERS,
  type FactorCase,
  NEUTRAL_MODIFIERS,
  WHOLE_BILL_MODIFIERS,
} from '../../tables/modifiers.ts'
import { tenThousandths } from '../price/money.ts'
import { dollars } from '../price/physician-fee.ts'
import type { PricedRow } from '../price/row.ts'
import { own } from '../shape.ts'

/** Whether a modifier changes no payment. */
export const isNeutral = (modifier: unknown): boolean => NEUTRAL_MODIFIERS.has(modifier)

/** The modifiers that say of a hospital's line only what any line of the code is, such as TC of imaging. */
export const ofAnyLine = (code: string): string[] =>
  ANY_LINE_MODIFIERS.flatMap(({ modifier, for: codes }) => (codes.test(code) ? [modifier] : []))

/** Whether a modifier changes no payment on the price lists that its rule is not for, or of the part that it is not about. */
export const isSometimesNeutral = (modifier: unknown): boolean => {
  const { otherwise, cases = [] } = FACTOR_MODIFIERS.get(modifier) ?? {}
  return otherwise === 'neutral' || cases.some(({ part }) => part !== undefined)
}

/** Whether the other lines of the bill decide what a modifier changes: the lookup answers without it, and says so. */
export const isOfWholeBill = (modifier: unknown): boolean => WHOLE_BILL_MODIFIERS.has(modifier)

/** Both sides in one line are billed as 50, or as LT and RT: CMS pays them alike. */
export function withBothSides(modifiers: readonly string[]): readonly string[] {
  const sides = BOTH_SIDES.modifiers
  if (!sides.every((side) => modifiers.includes(side))) return modifiers
  return [...new Set([...modifiers.filter((modifier) => !sides.includes(modifier)), BOTH_SIDES.count_as])].sort()
}

/** Whether a modifier changes the amount by a fixed rule. */
export const isAdjusting = (modifier: string): boolean =>
  FACTOR_MODIFIERS.has(modifier) || COLUMN_MODIFIERS.has(modifier)

/** The indicator that decides about a modifier which changes the amount. */
export const decidedBy = (modifier: string): string | undefined =>
  FACTOR_MODIFIERS.get(modifier)?.cases.find(({ indicator }) => indicator)?.indicator

/** Whether the row has the indicator that decides about the modifier. Only the physician schedules print them. */
export const isDecidedBy = ({ indicators }: Pick<PricedRow, 'indicators'>, modifier: string): boolean =>
  indicators[decidedBy(modifier) ?? ''] !== undefined

/** The modifier of the part of a service that alone is changed, where the row is for the whole service. */
export const partOf = (row: PricedRow, modifier: string): string | undefined =>
  row.modifier === null && row.indicators['pc_tc'] === WITH_PARTS
    ? casesFor(row, modifier).find(({ part }) => part !== undefined)?.part
    : undefined
/** Services that have a professional and a technical part, by the indicator `pc_tc` of the physician schedule. */
const WITH_PARTS = '1'
const TECHNICAL_ALONE = '3'

export interface Adjustment {
  modifier: string
  rule: string
  factor: string
  /** The amount of the part that alone is changed; left out where all of it is. */
  part?: string
  amount: string
}

/** The class that a modifier has on the price list of a row, where its rule is not for that list. */
export function otherwiseOn(row: PricedRow, modifier: string): 'neutral' | 'by_report' | undefined {
  const cases = casesFor(row, modifier)
  if (cases.length === 0) return FACTOR_MODIFIERS.get(modifier)?.otherwise
  // A row for another part of the service than the one that is changed.
  return cases.every(({ part }) => part !== undefined && row.modifier !== null && row.modifier !== part)
    ? 'neutral'
    : undefined
}

const casesFor = ({ basis, code }: Pick<PricedRow, 'basis' | 'code'>, modifier: string): readonly FactorCase[] =>
  (FACTOR_MODIFIERS.get(modifier)?.cases ?? []).filter(
    ({ bases, codes }) => bases.includes(basis) && (codes?.includes(code) ?? true),
  )

/**
 * The amount with a modifier on a day, rounded half up to the cent; undefined if the row forbids it. `part` is the amount of the part
 * that alone is changed. Without a day, the first of the rules of all days that fits `factor`.
 */
export function adjust(
  row: PricedRow,
  modifier: string,
  { day, part, factor: stated }: { day?: string; part?: string | undefined; factor?: unknown } = {},
): Adjustment | undefined {
  const { rule } = FACTOR_MODIFIERS.get(modifier) ?? COLUMN_MODIFIERS.get(modifier) ?? {}
  if (rule === undefined || !('amount' in row.price)) return undefined
  const isOf = (factor: string): boolean => stated === undefined || factor === stated
  const factor = factorsOf(row, modifier, day).find(isOf)
  if (factor === undefined || (partOf(row, modifier) === undefined) !== (part === undefined)) return undefined
  const thousandths = BigInt(factor.replace('.', ''))
  const whole = tenThousandths(row.price.amount)
  const changed = part === undefined ? whole : tenThousandths(part)
  const exact = (whole - changed) * 1000n + changed * thousandths
  const cents = (exact + 50_000n) / 100_000n
  return { modifier, rule, factor, ...(part !== undefined && { part }), amount: dollars(Number(cents)) }
}

/** The factors that a row allows, by the day of service. */
function factorsOf(row: PricedRow, modifier: string, day: string | undefined): string[] {
  const column = COLUMN_MODIFIERS.get(modifier)
  if (column) return sharesOf(row, column.columns)
  return casesFor(row, modifier)
    .filter(({ from = '', to = '9999' }) => day === undefined || (from <= day && day <= to))
    .filter(({ part }) => part === undefined || isOfPart(row, part))
    .flatMap(
      ({ factor, factors = {}, indicator = '' }) => factor ?? own(factors, row.indicators[indicator] ?? '') ?? [],
    )
}

/** Whether a row has the part: it is the part, or the whole of a service with two parts, or of one that has no other part. */
const isOfPart = ({ modifier, indicators }: PricedRow, part: string): boolean =>
  modifier === part || (modifier === null && [WITH_PARTS, TECHNICAL_ALONE].includes(indicators['pc_tc'] ?? ''))

/** The sum of shares in hundredths, as a factor; none if the row states none of them. */
function sharesOf({ indicators }: PricedRow, columns: readonly string[]): string[] {
  const shares = columns.map((name) => indicators[name] ?? '')
  if (!shares.every((share) => SHARE.test(share))) return []
  const sum = shares.reduce((total, share) => total + Number(share.replace('.', '')), 0)
  return sum > 0 && sum <= 100 ? [`${Math.floor(sum / 100)}.${String(sum % 100).padStart(2, '0')}0`] : []
}
const SHARE = /^[01]\.\d\d$/
