// Disclosure rule 2: counts of closed windows, with noise that is drawn once. See docs/spec/disclosure.md.

import type { Ratio } from './laplace.ts'

/** What is protected: a case, or all that a person adds to one window. */
export type Unit = 'case' | 'person'

export interface Rule2 {
  version: string
  /** As published: of each of w, r, p and savings, for a unit in a window. */
  epsilon: string
  /** The scale of the noise when the unit is a case. For persons it is `cases_per_person` times that. */
  scales: { rate: Ratio; total: Ratio; amount: Ratio }
  /** The most cases of one person that a window counts. */
  cases_per_person: number
  /** The most that a case adds to the total, in steps of 50 dollars. */
  clip_50: number
  /** Figures need this many cases, and each side of a rate this many persons. */
  min_cases: number
  min_persons: number
  /** Counts are rounded down to this, rates to one part in this many, totals to this many dollars. */
  count_step: number
  rate_steps: number
  total_step: number
  /** A total is withheld below this, in steps of 50: one case could be a quarter of it, or two be two fifths (F3). */
  min_total_50: number
  /** From this many cases on a window is a month. Until then it is a quarter. */
  month_from_cases: number
  /** Of the statistics of a provider (P3, P4, P6). */
  provider_min_cases: number
}

/** A change of any member is a new version. */
export const RULE_2 = {
  version: '2.0.0',
  epsilon: '1',
  // A case of a steps adds min(a, 100) / 100 by way of the total and, below 40 steps, 3 / 5 by way of one amount cell:
  // at most 39/100 + 60/100, or 100/100. So savings cost epsilon 1 together.
  scales: { rate: { n: 1, d: 1 }, total: { n: 100, d: 1 }, amount: { n: 5, d: 3 } },
  cases_per_person: 3,
  clip_50: 100,
  min_cases: 50,
  min_persons: 11,
  count_step: 10,
  rate_steps: 100,
  total_step: 1000,
  min_total_50: 500,
  month_from_cases: 1000,
  provider_min_cases: 30,
} as const satisfies Rule2

/** The scale for a unit. What a person adds to a window is at most as many cases, each with its share. */
export const scaleFor = ({ n, d }: Ratio, unit: Unit, rule: Rule2): Ratio => ({
  n: unit === 'person' ? n * rule.cases_per_person : n,
  d,
})

/**
 * The fewest cases on a side of a rate. A person adds at most three cases to a window, so 33 cases of a window are of
 * 11 persons or more.
 */
export const minSide = (unit: Unit, rule: Rule2): number =>
  unit === 'person' ? rule.min_persons * rule.cases_per_person : rule.min_persons
