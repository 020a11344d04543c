// The modifiers that change no payment, and those that multiply an amount, as docs/spec/tables/modifiers.json has them.

import { any_line, both_sides, factor, neutral } from '../../docs/spec/tables/modifiers.json'
import { frozen } from './frozen.ts'

export interface Modifier {
  modifier: string
  /** Its meaning in words of ours: descriptions of CPT belong to the AMA. Published modules have neither this nor the source. */
  is: string
  source: string
}

/** A modifier by which an amount is multiplied. */
export interface FactorModifier extends Modifier {
  rule: string
  /** The indicator of the row that decides. */
  indicator: string
  /** The factor for each value of the indicator; with any other value the modifier is not allowed. */
  factors: { readonly [value: string]: string }
}

export const byCode = <Entry extends Modifier>(list: readonly Entry[]): ReadonlyMap<unknown, Entry> =>
  new Map(frozen(list).map((entry) => [entry.modifier, entry]))

export const NEUTRAL_MODIFIERS = byCode<Modifier>(neutral)
export const FACTOR_MODIFIERS = byCode(factor as readonly FactorModifier[])

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
