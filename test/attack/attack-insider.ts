// Someone who knows every case but one, with all its answers, and has every byte that was ever published.

import { decide, type FigureStates, type Tallies } from '../../src/figures/rule/disclosure.ts'
import type { Rule } from '../../src/figures/rule/figure.ts'
import { type Histogram, METRICS, type Metric, size, tally } from '../../src/figures/rule/tally.ts'
import type { Case } from './attack-ledger.ts'
import type { Dice } from './dice.ts'

/** One release that came out: what the rule was given and what stood afterwards. */
export interface Step {
  given: Tallies
  states: FigureStates
  /** Which of the cases that somebody is after were in the ledger. */
  present: ReadonlySet<Case>
}

const FEW = 11

/**
 * What is promised: a case that came, went or was changed together with fewer than ten others since a figure last moved
 * is not found out, whatever else is known. He tries what would have been published had its answer been another.
 */
export function foundAmongFew(
  given: Tallies,
  before: FigureStates | undefined,
  shown: FigureStates,
  rule: Rule,
  { below }: Dice,
): Metric[] {
  if (!before) return []
  return METRICS.filter((metric) => {
    const now = given.of[metric]
    const touched = touchedBetween(before.of[metric].basis, now)
    const answers = now.map(([answer]) => answer)
    if (touched === 0 || touched >= FEW || answers.length < 2) return false
    const from = below(answers.length)
    const to = (from + 1 + below(answers.length - 1)) % answers.length
    const changed = moved(now, answers[from] as number, answers[to] as number)
    if (touchedBetween(before.of[metric].basis, changed) >= FEW) return false
    const otherwise = decide({ ...given, of: { ...given.of, [metric]: changed } }, before, rule)
    return !sameFigure(otherwise.states, shown, metric)
  })
}

/** How often he tried, how often he knew by then, and how often it was this release that told him; by figure. */
export type Learned = Record<Metric, { tried: number; known: number; told: number }>
export const SIZES = ['under 300', 'under 1,000', 'up to 2,000'] as const
export type Shares = Record<(typeof SIZES)[number], Learned>

const sizeClass = (cases: number): (typeof SIZES)[number] =>
  cases < 300 ? 'under 300' : cases < 1000 ? 'under 1,000' : 'up to 2,000'

export const noShares = (): Shares =>
  Object.fromEntries(
    SIZES.map((each) => [each, Object.fromEntries(METRICS.map((metric) => [metric, { tried: 0, known: 0, told: 0 }]))]),
  ) as Shares

const isCount = (metric: Metric): boolean => metric.endsWith('_floor10')
const isAmount = (metric: Metric): boolean => metric.startsWith('savings_')

/**
 * What is not promised: how much he comes to know of one case over all the releases since it came. At each release, and
 * for each figure that counts the case, he asks whether any other answer would have led to the same bytes so far; of a
 * count, whether the case is in it at all.
 *
 * He is given the benefit of the doubt: he knows which figures count the case, and an amount is taken as known when
 * neither 50 dollars more nor 50 less would have done.
 */
export function learn(steps: readonly Step[], unknown: Case, rule: Rule, shares: Shares): void {
  const first = steps.findIndex(({ present }) => present.has(unknown))
  if (first < 0) return
  const answers = new Map(METRICS.map((metric) => [metric, tally([{ ...unknown, cases: 1 }], metric)[0]?.[0]]))
  const [more, less] = [1, -1].map((step) => Math.min(1000, Math.max(0, unknown.recovered_50 + step)))
  // Counts and the rest are tried apart: what a rate may say depends on the counts beside it.
  const otherwise: Alter = (metric, histogram, answer) => {
    if (isCount(metric)) return histogram
    return moved(histogram, answer, isAmount(metric) ? more : 1 - answer)
  }
  const lessOrNone: Alter = (metric, histogram, answer) => {
    if (isCount(metric)) return moved(histogram, answer, undefined)
    return isAmount(metric) ? moved(histogram, answer, less) : histogram
  }
  const since = steps.slice(first)
  const [one, other] = [otherwise, lessOrNone].map((alter) =>
    differing(since, steps[first - 1]?.states, unknown, answers, alter, rule),
  ) as [Set<Metric>[], Set<Metric>[]]
  const atAnEnd = unknown.recovered_50 === 0 || unknown.recovered_50 === 1000
  const isKnown = (metric: Metric, i: number): boolean => {
    const [a, b] = [one[i]?.has(metric) ?? false, other[i]?.has(metric) ?? false]
    if (isAmount(metric)) return atAnEnd ? a || b : a && b
    return isCount(metric) ? b : a
  }
  for (const [i, { given }] of since.entries())
    for (const metric of METRICS) {
      if (answers.get(metric) === undefined) continue
      const counted = shares[sizeClass(size(given.of.cases_floor10))][metric]
      counted.tried++
      if (!isKnown(metric, i)) continue
      counted.known++
      if (!isKnown(metric, i - 1)) counted.told++
    }
}

type Alter = (metric: Metric, histogram: Histogram, answer: number) => Histogram

/** Publishes again with one case altered while it was there, and says of which figures any byte so far came out otherwise. */
function differing(
  steps: readonly Step[],
  before: FigureStates | undefined,
  unknown: Case,
  answers: ReadonlyMap<Metric, number | undefined>,
  alter: Alter,
  rule: Rule,
): Set<Metric>[] {
  let states = before
  const found = new Set<Metric>()
  const altered = (of: Tallies['of'], metric: Metric): Histogram => {
    const answer = answers.get(metric)
    return answer === undefined ? of[metric] : alter(metric, of[metric], answer)
  }
  return steps.map(({ given, states: shown, present }) => {
    const of = present.has(unknown)
      ? (Object.fromEntries(METRICS.map((metric) => [metric, altered(given.of, metric)])) as Tallies['of'])
      : given.of
    states = decide({ ...given, of }, states, rule).states
    for (const metric of METRICS) if (!sameFigure(states, shown, metric)) found.add(metric)
    return new Set(found)
  })
}

const sameFigure = (one: FigureStates, other: FigureStates, metric: Metric): boolean => {
  const [a, b] = [one.of[metric].figure, other.of[metric].figure]
  return a.value === b.value && a.reason === b.reason && a.as_of === b.as_of
}

/** One case of a histogram with another answer, or gone. */
export function moved(histogram: Histogram, from: number, to: number | undefined): Histogram {
  const counts = new Map(histogram)
  counts.set(from, (counts.get(from) ?? 0) - 1)
  if (to !== undefined) counts.set(to, (counts.get(to) ?? 0) + 1)
  return [...counts].filter(([, n]) => n > 0).sort(([a], [b]) => a - b)
}

function touchedBetween(before: Histogram, now: Histogram): number {
  const shift = new Map(now)
  for (const [answer, n] of before) shift.set(answer, (shift.get(answer) ?? 0) - n)
  const sides = [...shift.values()]
  const added = sides.reduce((sum, n) => sum + Math.max(n, 0), 0)
  const removed = sides.reduce((sum, n) => sum + Math.max(-n, 0), 0)
  return Math.max(added, removed)
}
