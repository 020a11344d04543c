// The modifiers that change no payment, and those that change an amount by a fixed rule, as docs/spec/tables/modifiers.json has them.

import { any_line, both_sides, column, factor, neutral, whole_bill } from '../../docs/spec/tables/modifiers.json'
import type { Basis } from './charts.ts'
import { frozen } from './frozen.ts'

export interface Modifier {
  modifier: string
  /** Its meaning in words of ours: descriptions of CPT belong to the AMA. Published modules have neither this nor the source. */
  is: string
  source: string
}

/** The amounts that a factor is for. */
export interface FactorCase {
  bases: readonly Basis[]
  /** The days of service, first and last. */
  from?: string
  to?: string
  /** The codes; all if it is left out. */
  codes?: readonly string[]
  /** The modifier of the part of a service that alone is changed. */
  part?: string
  factor?: string
  /** In place of `factor`: the indicator of the row that decides, and the factor for each of its values. */
  indicator?: string
  factors?: { readonly [value: string]: string }
}

/** A modifier by which an amount is multiplied. */
export interface FactorModifier extends Modifier {
  rule: string
  cases: readonly FactorCase[]
  /** The class that it has on price lists of other bases. Left out, it is not allowed there. */
  otherwise?: 'neutral' | 'by_report'
}

/** A modifier that leaves a part of a surgical fee: the sum of shares that the row states. */
export interface ColumnModifier extends Modifier {
  rule: string
  /** The indicators of the row that have the shares. */
  columns: readonly string[]
}

export const byCode = <Entry extends Modifier>(list: readonly Entry[]): ReadonlyMap<unknown, Entry> =>
  new Map(frozen(list).map((entry) => [entry.modifier, entry]))

export const NEUTRAL_MODIFIERS = byCode<Modifier>(neutral)
export const FACTOR_MODIFIERS = byCode(factor as readonly FactorModifier[])
export const COLUMN_MODIFIERS = byCode<ColumnModifier>(column)
/** The amount of a line with one of these depends on the other lines of the bill. */
export const WHOLE_BILL_MODIFIERS = byCode<Modifier>(whole_bill)

/** A modifier that says of a hospital's line only what any line of such a code is: the plain code is answered by it. */
export interface AnyLineModifier extends Modifier {
  /** The codes, as a pattern for the whole code. */
  for: string
}
export const ANY_LINE_MODIFIERS: readonly { modifier: string; for: RegExp }[] = (
  frozen(any_line) as readonly AnyLineModifier[]
).map(({ modifier, for: codes }) => ({ modifier, for: new RegExp(codes) }))

/** The modifiers of both sides of the body: together they are billed and paid as one other. */
export const BOTH_SIDES: { readonly modifiers: readonly string[]; readonly count_as: string } = frozen(both_sides)
