// The rules of a bill, as docs/spec/tables/bill-rules.json has them: modifiers, factors and sentences.

import {
  comprehensive,
  estimate,
  packaging,
  pair_modifiers,
  parts_reduced,
  ranked,
  repeat_modifiers,
  roles,
  rules,
  session_modifiers,
  therapy,
} from '../../docs/spec/tables/bill-rules.json'
import { frozen } from './frozen.ts'

export type BillRule = keyof typeof rules

/** One way in which a rule finds something. */
export interface Variant {
  certainty: 'rule' | 'unless' | 'ask'
  /** The sentence of a finding. A word in braces is replaced by that of the finding. */
  text: string
  /** A question to the billing office. */
  ask: string
}

/** How a rule is told. Published modules are without title and source. */
export interface RuleEntry {
  title: string
  /** Paragraphs for patients. */
  says: readonly string[]
  source: string
  variants: { readonly [variant: string]: Variant }
}

export const RULE_ENTRIES: Readonly<Record<BillRule, RuleEntry>> = frozen(
  rules as Readonly<Record<BillRule, RuleEntry>>,
)
export const BILL_RULES = frozen(Object.keys(rules) as [BillRule, ...BillRule[]])

/** Modifiers by which two codes of a pair are apart: by place of the body, by time, or by the service itself. */
export const PAIR_MODIFIERS: {
  readonly of_place: readonly string[]
  readonly of_time: readonly string[]
  readonly of_service: readonly string[]
} = frozen(pair_modifiers.modifiers)
/** Modifiers that say that a service was done more than once. */
export const REPEAT_MODIFIERS: readonly string[] = frozen(repeat_modifiers.modifiers)
/** Modifiers that say that a service was in another session of the same day. */
export const SESSION_MODIFIERS: readonly string[] = frozen(session_modifiers.modifiers)

/** Modifiers that the rules ask for, by what they say. */
export const ROLES: Readonly<Record<keyof typeof roles.modifiers, readonly string[]>> = frozen(roles.modifiers)

export interface Ranking {
  /** The factor of those after the first. */
  second: string
  /** From one more on, the contractor decides. */
  most?: number
}
export const RANKINGS: Readonly<Record<keyof typeof ranked, Ranking>> = frozen(ranked)

/** The factors of the second and later services, by the first day on which they hold. */
export interface PartsReduced {
  variant: string
  by_day: readonly { from: string; technical: string; professional: string }[]
}
export const PARTS_REDUCED: { readonly [indicator: string]: PartsReduced } = frozen(parts_reduced)
export const THERAPY = frozen(therapy)

/** The statuses that are paid as part of others on the claim; of all others if it names none. */
export interface Packaging {
  variant: string
  beside?: readonly string[]
}
export const PACKAGING: { readonly [status: string]: Packaging } = frozen(packaging)
/** The status that takes everything of its claim, and those that it leaves. */
export const COMPREHENSIVE: { readonly status: string; readonly keeps: readonly string[] } = frozen(comprehensive)

export const ESTIMATE = frozen(estimate)
