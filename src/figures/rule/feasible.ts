// Counts that are possible for an outsider who knows the published figures.

import type { Figure, Rule } from './figure.ts'
import type { Metric } from './tally.ts'

/** A range of whole numbers, both ends included. */
interface ValueRange {
  low: number
  high: number
}

/** The two counts published with a figure: they limit every denominator. */
export type Counts = Record<'cases_floor10' | 'settlements_floor10', Pick<Figure, 'value'>>

/** How many numbers a range has. */
const countValues = ({ low, high }: ValueRange): number => Math.max(0, high - low + 1)

/** How many values at each end of a wide range are tested. The values in between leave more possibilities. */
const ENDS = 50

/**
 * The possible denominators of a rate. A count that was held back may be up to ten cases behind. The range ignores that,
 * so it is never wider than what an outsider has to consider.
 */
export function denominators(metric: 'w' | 'r' | 'p', counts: Counts, rule: Rule): ValueRange {
  const base = (name: keyof Counts): number => Math.max((counts[name].value as number | null) ?? 0, rule.min_cases)
  const all = { low: base('cases_floor10'), high: base('cases_floor10') + rule.count_step - 1 }
  const settled = { low: base('settlements_floor10'), high: base('settlements_floor10') + rule.count_step - 1 }
  if (metric === 'r') return all
  if (metric === 'p') return settled
  // Closed cases have no published count: they are at least the settlements and at most all cases.
  return { low: Math.min(settled.low, all.low), high: all.high }
}

/** The least and the most cases on one side of a published rate, over all the denominators it can have. */
export function numerators(rate: number, among: ValueRange, rule: Rule): { yes: ValueRange; no: ValueRange } {
  const points = Math.round(rate * rule.rate_steps)
  const yes = { low: Number.POSITIVE_INFINITY, high: Number.NEGATIVE_INFINITY }
  const no = { low: Number.POSITIVE_INFINITY, high: Number.NEGATIVE_INFINITY }
  for (const cases of testedValues(among)) {
    const { low, high } = roundsTo(points, cases, rule)
    if (low > high) continue
    yes.low = Math.min(yes.low, low)
    yes.high = Math.max(yes.high, high)
    no.low = Math.min(no.low, cases - high)
    no.high = Math.max(no.high, cases - low)
  }
  return { yes, no }
}

function* testedValues({ low, high }: ValueRange): Generator<number> {
  for (let n = low; n <= high; n++) {
    if (n === low + ENDS) n = Math.max(n, high - ENDS)
    yield n
  }
}

/** The numerators over `cases` that round half-even to this many steps and leave no small cell. */
function roundsTo(points: number, cases: number, rule: Rule): ValueRange {
  const unit = 2 * rule.rate_steps
  const from = (2 * points - 1) * cases
  const to = (2 * points + 1) * cases
  const tieCounts = points % 2 === 0
  const low = Math.ceil(from / unit) + (from % unit === 0 && !tieCounts ? 1 : 0)
  const high = Math.floor(to / unit) - (to % unit === 0 && !tieCounts ? 1 : 0)
  return { low: Math.max(low, rule.min_cell), high: Math.min(high, cases - rule.min_cell) }
}

/**
 * How many values are possible for each count behind a figure, given the figure and the two counts. For the change of a
 * count between two figures there are one fewer than both together.
 */
export function room(metric: Metric, { value, reason }: Figure, counts: Counts, rule: Rule): number[] {
  switch (metric) {
    case 'w':
    case 'r':
    case 'p': {
      if (value === null) return [rule.min_cell, rule.min_cell]
      const { yes, no } = numerators(value as number, denominators(metric, counts, rule), rule)
      return [countValues(yes), countValues(no)]
    }
    case 'cases_floor10':
    case 'settlements_floor10':
      return [value === null ? rule.min_cases : rule.count_step]
    case 'savings_total':
      if (value === null) return [reason === 'small_cell' ? rule.min_cell : Number.MAX_SAFE_INTEGER]
      return [Math.floor(rule.total_step / 50) + 1]
    case 'savings_median':
      return []
  }
}

/** Whether every change between two figures with these numbers of values keeps enough possible values. */
export const leavesDoubt = (one: readonly number[], other: readonly number[], rule: Rule): boolean =>
  one.every((left, i) => left + (other[i] ?? 0) - 1 >= rule.min_values)
