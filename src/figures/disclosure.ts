import { divideHalfEven } from './rounding.ts'
import {
  casesWith,
  difference,
  type Histogram,
  largest,
  METRICS,
  type Metric,
  size,
  sum,
  twiceMedian,
} from './tally.ts'

/** What decides whether a number may be shown. A change of any member is a new version. */
export const RULE = {
  version: '1.0.0',
  /** F1, F2. */
  min_cases: 50,
  min_cell: 11,
  count_step: 10,
  /** F3, in dollars and per cent. */
  total_step: 1000,
  median_step: 50,
  largest_share: 25,
  two_largest_share: 40,
  /** F5. */
  min_moved: 11,
  /** P4, P6. */
  provider_min_cases: 30,
} as const satisfies Rule

export interface Rule {
  version: string
  min_cases: number
  min_cell: number
  count_step: number
  total_step: number
  median_step: number
  largest_share: number
  two_largest_share: number
  min_moved: number
  provider_min_cases: number
}

export type Withheld = 'small_cell' | 'dominance'
export type Judged<T> = { value: T; reason: null } | { value: null; reason: Withheld }

/** One published figure. `suppressed` says that the value is withheld, not that it is zero. */
export interface Figure {
  value: number | string | null
  suppressed: boolean
  reason: Withheld | null
  as_of: string
}

/** A figure as it stands, and the cases it was last decided on. */
export interface Standing {
  figure: Figure
  basis: Histogram
}
export interface Standings {
  rule_version: string
  of: Record<Metric, Standing>
}

export interface Tallies {
  as_of: string
  of: Record<Metric, Histogram>
}

export type ChangeReason = 'initial' | 'scheduled' | 'method_change' | 'suppression_on' | 'suppression_off'
export interface Move {
  metric: Metric
  old: Figure | null
  new: Figure
  reason: ChangeReason
}

/**
 * What is published after these tallies, given what stood before: rules F1, F2, F3, F5 and F9. The
 * moves are everything the public can see change.
 */
export function decide(
  tallies: Tallies,
  previous: Standings | undefined,
  rule: Rule,
): { standings: Standings; moves: Move[] } {
  const moves: Move[] = []
  const decided = METRICS.map((metric) => {
    const before = previous?.of[metric]
    const standing = decideOne(metric, tallies, before, rule)
    if (standing.figure !== before?.figure) {
      const reason = changeReason(before?.figure, standing.figure, previous?.rule_version !== rule.version)
      moves.push({ metric, old: before?.figure ?? null, new: standing.figure, reason })
    }
    return [metric, standing] as const
  })
  const of = Object.fromEntries(decided) as Record<Metric, Standing>
  return { standings: { rule_version: rule.version, of }, moves }
}

function decideOne(metric: Metric, { as_of, of }: Tallies, before: Standing | undefined, rule: Rule): Standing {
  const basis = of[metric]
  if (before && !movesEnough(before.basis, basis, rule, isCount(metric))) return before
  const { value, reason } = judge(metric, basis, rule)
  // A figure that stays withheld stays silent: each sign that it had been looked at again would say that
  // cases were added on both sides, and enough of those pin the small cell that is being hidden.
  if (before && reason !== null && reason === before.figure.reason) return { figure: before.figure, basis }
  return { figure: { value, suppressed: reason !== null, reason, as_of }, basis }
}

function changeReason(old: Figure | undefined, now: Figure, newMethod: boolean): ChangeReason {
  if (!old) return 'initial'
  if (newMethod) return 'method_change'
  if (old.suppressed !== now.suppressed) return now.suppressed ? 'suppression_on' : 'suppression_off'
  return 'scheduled'
}

const isCount = (metric: Metric): boolean => metric === 'cases_floor10' || metric === 'settlements_floor10'

/**
 * F5: a figure moves only when enough of its own cases came or went, and not all with one answer: the
 * difference of two figures is a figure about those cases. A count asks nothing, so it cannot be unanimous.
 */
export function movesEnough(before: Histogram, after: Histogram, rule: Rule, count = false): boolean {
  const { cases, answers } = difference(before, after)
  return cases >= rule.min_moved && (count || answers > 1)
}

function judge(metric: Metric, basis: Histogram, rule: Rule): Judged<number | string> {
  switch (metric) {
    case 'w':
    case 'r':
    case 'p':
      return judgeRate(basis, rule)
    case 'cases_floor10':
    case 'settlements_floor10':
      return judgeCount(basis, rule)
    case 'savings_total':
      return judgeAmount(basis, rule, () => divideHalfEven(sum(basis) * 50, rule.total_step) * rule.total_step)
    case 'savings_median':
      return judgeAmount(
        basis,
        rule,
        () => divideHalfEven(medianCents(basis), rule.median_step * 100) * rule.median_step,
      )
  }
}

function judgeRate(basis: Histogram, rule: Rule): Judged<number> {
  const cases = size(basis)
  if (cases < rule.min_cases || hasSmallCell(basis, rule)) return { value: null, reason: 'small_cell' }
  return { value: divideHalfEven(100 * casesWith(basis, 1), cases) / 100, reason: null }
}

function judgeCount(basis: Histogram, rule: Rule): Judged<number> {
  const cases = size(basis)
  if (cases < rule.min_cases) return { value: null, reason: 'small_cell' }
  return { value: cases - (cases % rule.count_step), reason: null }
}

function judgeAmount(basis: Histogram, rule: Rule, dollars: () => number): Judged<string> {
  if (size(basis) < rule.min_cases) return { value: null, reason: 'small_cell' }
  const reason = amountWithheld(basis, rule)
  return reason ? { value: null, reason } : { value: `${dollars()}.00`, reason: null }
}

/** Both sides of a rate need enough cases: each is a cell, and one is the other subtracted from the whole. */
export const hasSmallCell = (basis: Histogram, rule: Rule): boolean =>
  casesWith(basis, 0) < rule.min_cell || casesWith(basis, 1) < rule.min_cell

/** F3: nobody who knows the largest cases may learn another from the sum, and enough cases must make it up. */
export function amountWithheld(basis: Histogram, rule: Rule): Withheld | undefined {
  if (size(basis) - casesWith(basis, 0) < rule.min_cell) return 'small_cell'
  const [first = 0, second = 0] = largest(basis, 2)
  const total = sum(basis)
  const dominated =
    first * 100 >= rule.largest_share * total || (first + second) * 100 >= rule.two_largest_share * total
  return dominated ? 'dominance' : undefined
}

/** The median of amounts in steps of $50. */
export const medianCents = (basis: Histogram): number => twiceMedian(basis) * 2500
