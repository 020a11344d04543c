// Decisions of the rule of the lookup.

import type { PlaceRow, PricedRow, Row } from '../price/row.ts'
import type { Adjustment } from './modifiers.ts'

/** The steps of the rule, as docs/spec/lookup.md numbers them. */
const STEPS = ['R1', 'R2', 'R3', 'R4', 'R5', 'R6', 'R7', 'R8', 'R9', 'R10', 'R11'] as const
export type Step = (typeof STEPS)[number]
export const isStep = (value: unknown): value is Step => STEPS.some((step) => step === value)

export type Absence = Extract<Row, { kind: 'absence' }>
export interface PriceDecision {
  outcome: 'price'
  chart: string
  row: PricedRow
  /** Modifiers that change no payment. */
  ignored: string[]
  /** Modifiers whose effect the other lines of the bill decide. */
  left: string[]
  /** The modifier under which alone a hospital states the price of the plain code. */
  listedWith?: string
  adjustment?: Adjustment
}
/** Why there is no price, and the step that says so. */
export type Refusal = { rule: Step } & (
  | { outcome: 'absent'; chart: string; row: Absence }
  | { outcome: 'modifier_not_allowed'; chart: string; row: PricedRow; modifier: string }
  | { outcome: 'modifier_not_priced' }
  | { outcome: 'no_edition'; charts: string[] }
  | { outcome: 'region_ambiguous' | 'region_not_covered'; chart: string }
  | { outcome: 'unknown_zip' | 'unknown_provider' | 'not_on_schedule' }
  | { outcome: 'payer_not_listed' | 'payer_ambiguous' }
)
export type Decision = PriceDecision | Refusal

export interface Choice {
  decision: Decision
  /** The row of the ZIP code, where the question has one and it was looked at. */
  place: PlaceRow | undefined
}
