// Rule 2: the noise of a window, drawn once, and what is published from noised windows.

import type { ChangeReason, Move } from './disclosure.ts'
import type { Figure, Noise, WithheldReason } from './figure.ts'
import { type Dice, discreteLaplace } from './laplace.ts'
import { divideHalfEven } from './rounding.ts'
import { minSide, type Rule2, scaleFor, type Unit } from './rule-2.ts'
import { divideUp, medianEdges, rateError, root, roundUp, type Variance, varianceOf } from './standard-error.ts'
import { METRICS, type Metric } from './tally.ts'
import { CELLS, SCALE_OF, sumWindows, type WindowTally } from './window.ts'

/** Adds noise to every cell of a window. Whoever calls this stores the result: a window is never drawn again. */
export const drawWindow = (exact: WindowTally, unit: Unit, rule: Rule2, dice: Dice): WindowTally =>
  Object.fromEntries(
    CELLS.map((name) => [name, exact[name] + discreteLaplace(scaleFor(rule.scales[SCALE_OF[name]], unit, rule), dice)]),
  ) as WindowTally

/** From `low` dollars up to, but not including, `high`; null if there is no upper end. */
export interface MedianBand {
  low: string
  high: string | null
}

type NoisedFigure = Required<Figure>

export const noiseOf = (rule: Rule2): Noise => ({
  mechanism: 'discrete_laplace',
  epsilon: rule.epsilon,
  windows: 'disjoint',
})

/** The budget that a release spends on a figure, for a unit that it counts for the first time. */
export const spendOf = (metric: Metric, { epsilon }: Noise): string =>
  metric === 'w' || metric === 'r' || metric === 'p' || metric === 'savings_total' ? epsilon : '0'

/** Everything that stands after a release under rule 2. */
export interface NoisedFigures {
  rule_version: string
  unit: Unit
  of: Record<Metric, NoisedFigure>
  median_band: MedianBand | null
  /** Of both counts, in cases; null if both are withheld. */
  counts_standard_error: number | null
}

/** The input of the rule: the noised windows of the series, oldest first, and when the release is made. */
export interface NoisedWindows {
  as_of: string
  unit: Unit
  windows: readonly WindowTally[]
}

/**
 * Decides what is published from noised windows, given what stood before. It looks at noised numbers only, so whatever
 * it does costs no privacy. Every figure is decided at every release, and each gets an entry of the log.
 */
export function decide(
  { as_of, unit, windows }: NoisedWindows,
  previous: { rule_version: string; of: Record<Metric, Figure> } | undefined,
  rule: Rule2,
): { figures: NoisedFigures; moves: Move[] } {
  const sums = new Sums(windows, unit, rule)
  const of = Object.fromEntries(
    METRICS.map((metric): [Metric, NoisedFigure] => {
      const { value, reason, standard_error } = judge(metric, sums)
      return [metric, { value, standard_error, suppressed: reason !== null, reason, as_of }]
    }),
  ) as Record<Metric, NoisedFigure>
  const moves = METRICS.map((metric) => {
    const old = previous?.of[metric] ?? null
    return {
      metric,
      old,
      new: of[metric],
      reason: changeReason(old, of[metric], previous?.rule_version !== rule.version),
    }
  })
  const counted = of.cases_floor10.standard_error ?? of.settlements_floor10.standard_error
  const figures = {
    rule_version: rule.version,
    unit,
    of,
    median_band: sums.medianBand(),
    counts_standard_error: counted as number | null,
  }
  return { figures, moves }
}

function changeReason(old: Figure | null, now: Figure, newSeries: boolean): ChangeReason {
  if (!old) return 'initial'
  if (newSeries) return 'method_change'
  if (old.suppressed !== now.suppressed) return now.suppressed ? 'suppression_on' : 'suppression_off'
  return 'scheduled'
}

interface Judgement {
  value: number | string | null
  reason: WithheldReason | 'not_with_noise' | null
  standard_error: number | string | null
}

const withheld = (reason: Exclude<Judgement['reason'], null>): Judgement => ({
  value: null,
  reason,
  standard_error: null,
})

function judge(metric: Metric, sums: Sums): Judgement {
  switch (metric) {
    case 'w':
    case 'r':
    case 'p':
      return sums.rate(metric)
    case 'cases_floor10':
      return sums.count('r')
    case 'settlements_floor10':
      return sums.count('p')
    case 'savings_total':
      return sums.total()
    case 'savings_median':
      return withheld('not_with_noise')
  }
}

/** Sums of noised windows, and what may be said of them. A noised count can be below zero. */
class Sums {
  readonly of: WindowTally
  readonly #windows: number

  constructor(
    windows: readonly WindowTally[],
    readonly unit: Unit,
    readonly rule: Rule2,
  ) {
    this.of = sumWindows(windows)
    this.#windows = windows.length
  }

  rate(question: 'w' | 'r' | 'p'): Judgement {
    const { min_cases, rate_steps } = this.rule
    const yes = this.of[`${question}_yes`]
    const no = this.of[`${question}_no`]
    const side = minSide(this.unit, this.rule)
    const cases = yes + no
    if (cases < min_cases || yes < side || no < side) return withheld('small_cell')
    const value = divideHalfEven(rate_steps * yes, cases) / rate_steps
    return { value, reason: null, standard_error: rateError(yes, no, this.#variance('rate'), rate_steps) }
  }

  count(question: 'r' | 'p'): Judgement {
    const { min_cases, count_step } = this.rule
    const cases = this.#cases(question)
    if (cases < min_cases) return withheld('small_cell')
    const { over, under } = this.#variance('rate')
    const square = divideUp(2n * over, under) + divideUp(BigInt(count_step) ** 2n, 12n)
    return { value: cases - (cases % count_step), reason: null, standard_error: root(square) }
  }

  total(): Judgement {
    const { min_cases, min_total_50, total_step } = this.rule
    if (this.#cases('p') < min_cases) return withheld('small_cell')
    if (this.of.total_50 < min_total_50) return withheld('dominance')
    const dollars = divideHalfEven(this.of.total_50 * 50, total_step) * total_step
    const { over, under } = this.#variance('total')
    const square = divideUp(over * 2500n, under) + divideUp(BigInt(total_step) ** 2n, 12n)
    return { value: `${dollars}.00`, reason: null, standard_error: `${roundUp(root(square), 50)}.00` }
  }

  medianBand(): MedianBand | null {
    const settlements = this.#cases('p')
    if (settlements < this.rule.min_cases) return null
    const [low, high] = medianEdges(
      EDGES.map(([name, edge]) => [this.of[name], edge]),
      settlements,
      { cell: this.#variance('amount'), side: this.#variance('rate') },
    )
    return { low: `${low}.00`, high: high === null ? null : `${high}.00` }
  }

  #cases(question: 'r' | 'p'): number {
    return this.of[`${question}_yes`] + this.of[`${question}_no`]
  }

  #variance(kind: keyof Rule2['scales']): Variance {
    return varianceOf(scaleFor(this.rule.scales[kind], this.unit, this.rule), this.#windows)
  }
}

const EDGES = [
  ['under_500', 500],
  ['under_1000', 1000],
  ['under_2000', 2000],
] as const
