import { leavesDoubt, room } from './feasible.ts'
import type { Figure, Judgement, Rule, WithheldReason } from './figure.ts'
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

/** The published figure, and the cases it was last decided on. */
export interface FigureState {
  figure: Figure
  basis: Histogram
  /** The last file of the ledger that was counted. */
  batch_id: number
  /** For each count behind this figure, the fewest values that published figures ever left possible. */
  room: readonly number[]
}
export interface FigureStates {
  rule_version: string
  of: Record<Metric, FigureState>
}

/** The input of the rule: counts of the ledger and nothing else. */
export interface Tallies {
  as_of: string
  last_batch_id: number
  /** The last file that corrected or deleted cases; 0 if there is no such file. */
  last_correction_id: number
  of: Record<Metric, Histogram>
}

export type ChangeReason =
  | 'initial'
  | 'scheduled'
  | 'correction'
  | 'method_change'
  | 'suppression_on'
  | 'suppression_off'
export interface Move {
  metric: Metric
  old: Figure | null
  new: Figure
  reason: ChangeReason
}

/** The decision about a figure. `held_…` and `silent` make no log entry, so outsiders cannot tell them apart. */
export type Decision = 'published' | 'withheld' | 'held_few' | 'held_alike' | 'held_pinned' | 'silent'

/**
 * Decides what is published from these tallies, given the decisions before: rules F1, F2, F3, F5, F6 and F9. `moves` are
 * all changes that the public sees.
 */
export function decide(
  tallies: Tallies,
  previous: FigureStates | undefined,
  rule: Rule,
): { states: FigureStates; moves: Move[]; decisions: Record<Metric, Decision> } {
  const moves: Move[] = []
  const decisions = {} as Record<Metric, Decision>
  const of = {} as Record<Metric, FigureState>
  // Counts come first: what a rate reveals depends on the published count of its denominator.
  for (const metric of [...METRICS].sort((a, b) => Number(isCount(b)) - Number(isCount(a)))) {
    const before = previous?.of[metric]
    const counts = { cases_floor10: of.cases_floor10?.figure, settlements_floor10: of.settlements_floor10?.figure }
    const { decision, state } = decideOne(metric, tallies, before, counts, rule)
    decisions[metric] = decision
    of[metric] = state
  }
  for (const metric of METRICS) {
    const old = previous?.of[metric]
    const { figure } = of[metric]
    if (figure === old?.figure) continue
    const corrected = tallies.last_correction_id > (old?.batch_id ?? 0)
    const reason = changeReason(old?.figure, figure, previous?.rule_version !== rule.version, corrected)
    moves.push({ metric, old: old?.figure ?? null, new: figure, reason })
  }
  return { states: { rule_version: rule.version, of }, moves, decisions }
}

function decideOne(
  metric: Metric,
  { as_of, of, last_batch_id }: Tallies,
  before: FigureState | undefined,
  counts: { cases_floor10: Figure | undefined; settlements_floor10: Figure | undefined },
  rule: Rule,
): { decision: Decision; state: FigureState } {
  const basis = of[metric]
  const held = before && heldBack(before.basis, basis, rule, isCount(metric))
  if (before && held) return { decision: held, state: before }
  const { value, reason } = judge(metric, basis, rule)
  // A figure that stays withheld makes no entry: each entry would show that cases were added on both sides, and enough
  // such entries would reveal the small cell.
  if (before && reason !== null && reason === before.figure.reason)
    return { decision: 'silent', state: { ...before, basis, batch_id: last_batch_id } }
  const figure: Figure = { value, suppressed: reason !== null, reason, as_of }
  const { cases_floor10 = figure, settlements_floor10 = figure } = counts
  const left = room(metric, figure, { cases_floor10, settlements_floor10 }, rule)
  if (before && !leavesDoubt(left, before.room, rule)) return { decision: 'held_pinned', state: before }
  const narrowest = left.map((values, i) => Math.min(values, before?.room[i] ?? values))
  const state = { figure, basis, batch_id: last_batch_id, room: narrowest }
  return { decision: reason === null ? 'published' : 'withheld', state }
}

function changeReason(old: Figure | undefined, now: Figure, newMethod: boolean, corrected: boolean): ChangeReason {
  if (!old) return 'initial'
  if (newMethod) return 'method_change'
  if (old.suppressed !== now.suppressed) return now.suppressed ? 'suppression_on' : 'suppression_off'
  // Every figure that changes has this reason, so that nobody learns which ones the correction touched.
  return corrected ? 'correction' : 'scheduled'
}

const isCount = (metric: Metric): boolean => metric === 'cases_floor10' || metric === 'settlements_floor10'

/**
 * Holds a figure back (F5, F6) unless enough of its own cases were added, removed or changed, and not all in the same way:
 * the difference of two figures is a figure about just those cases. In a count all cases are alike, so only their number
 * matters.
 */
export function heldBack(
  before: Histogram,
  after: Histogram,
  rule: Rule,
  count = false,
): 'held_few' | 'held_alike' | undefined {
  const { cases, alike } = difference(before, after)
  if (cases < rule.min_moved) return 'held_few'
  return alike && !count ? 'held_alike' : undefined
}

function judge(metric: Metric, basis: Histogram, rule: Rule): Judgement<number | string> {
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

function judgeRate(basis: Histogram, rule: Rule): Judgement<number> {
  const cases = size(basis)
  if (cases < rule.min_cases || hasSmallCell(basis, rule)) return { value: null, reason: 'small_cell' }
  return { value: divideHalfEven(rule.rate_steps * casesWith(basis, 1), cases) / rule.rate_steps, reason: null }
}

function judgeCount(basis: Histogram, rule: Rule): Judgement<number> {
  const cases = size(basis)
  if (cases < rule.min_cases) return { value: null, reason: 'small_cell' }
  return { value: cases - (cases % rule.count_step), reason: null }
}

function judgeAmount(basis: Histogram, rule: Rule, dollars: () => number): Judgement<string> {
  if (size(basis) < rule.min_cases) return { value: null, reason: 'small_cell' }
  const reason = amountWithheld(basis, rule)
  return reason ? { value: null, reason } : { value: `${dollars()}.00`, reason: null }
}

/** Both sides of a rate need enough cases: each is a cell, and each follows from the other and the total. */
export const hasSmallCell = (basis: Histogram, rule: Rule): boolean =>
  casesWith(basis, 0) < rule.min_cell || casesWith(basis, 1) < rule.min_cell

/** Withholds a sum (F3) of too few cases, and a sum that would reveal a case to a reader who knows the largest ones. */
export function amountWithheld(basis: Histogram, rule: Rule): WithheldReason | undefined {
  if (size(basis) - casesWith(basis, 0) < rule.min_cell) return 'small_cell'
  const [first = 0, second = 0] = largest(basis, 2)
  const total = sum(basis)
  const dominated =
    first * 100 >= rule.largest_share * total || (first + second) * 100 >= rule.two_largest_share * total
  return dominated ? 'dominance' : undefined
}

/** The median of amounts in steps of $50. */
export const medianCents = (basis: Histogram): number => twiceMedian(basis) * 2500
