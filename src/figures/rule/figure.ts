// The form of a published figure, and the thresholds of disclosure rule 1.

/** Whether the cases behind it are real or invented for a demonstration. */
export type DataClass = 'published' | 'sample'

/** Rule 1: exact figures, shown or withheld by thresholds. A change of any member is a new version. */
export const RULE = {
  version: '1.0.0',
  /** F1, F2. */
  min_cases: 50,
  min_cell: 11,
  count_step: 10,
  rate_steps: 100,
  /** F3, in dollars and per cent. */
  total_step: 1000,
  median_step: 50,
  largest_share: 25,
  two_largest_share: 40,
  /** F5. */
  min_moved: 11,
  min_values: 11,
  /** P4, P6. */
  provider_min_cases: 30,
} as const satisfies Rule

export interface Rule {
  version: string
  min_cases: number
  min_cell: number
  count_step: number
  rate_steps: number
  total_step: number
  median_step: number
  largest_share: number
  two_largest_share: number
  min_moved: number
  min_values: number
  provider_min_cases: number
}

export type WithheldReason = 'small_cell' | 'dominance'
export type Judgement<T> = { value: T; reason: null } | { value: null; reason: WithheldReason }

/** One published figure. `suppressed` says that the value is withheld, not that it is zero. */
export interface Figure {
  value: number | string | null
  suppressed: boolean
  reason: WithheldReason | 'not_with_noise' | null
  as_of: string
  /** The error of a value with noise, in its unit. Null if the value is withheld; absent without noise. */
  standard_error?: number | string | null
}

/** The facts about the noise that are published with the figures. */
export interface Noise {
  mechanism: 'discrete_laplace'
  /** For each figure; `unit` says what it protects. */
  epsilon: string
  windows: 'disjoint'
}
