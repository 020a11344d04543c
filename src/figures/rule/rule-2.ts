// Disclosure rule 2: counts of closed windows, with noise that is drawn once. See docs/spec/disclosure.md. This file has
// its thresholds, the exact count of one window, the noise, and the decision on noised windows.

import type { ChangeReason, Move } from './disclosure.ts'
import type { Figure, Noise, WithheldReason } from './figure.ts'
import { type Dice, discreteLaplace, type Ratio } from './laplace.ts'
import { divideHalfEven } from './rounding.ts'
import { divideUp, medianEdges, rateError, root, roundUp, type Variance, varianceOf } from './standard-error.ts'
import { casesWith, type Histogram, METRICS, type Metric, type OutcomeCell, WON_50 } from './tally.ts'

/** The thing that noise protects: a case, or all that a person adds to one window. */
export type Unit = 'case' | 'person'

export interface Rule2 {
  version: string
  /** The published budget of each of w, r, p and savings, for a unit in a window. */
  epsilon: string
  /** The scale of the noise if the unit is a case. For persons it is `cases_per_person` times as large. */
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
  /** A total is withheld below this, in steps of 50: one case could be a quarter of it, or two cases two fifths (F3). */
  min_total_50: number
  /** A window is a month from this many cases on, and a quarter below. */
  month_from_cases: number
  /** For the statistics of a provider (P3, P4, P6). */
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

/** The scale for a unit. A person adds at most `cases_per_person` cases to a window, each with its own share. */
export const scaleFor = ({ n, d }: Ratio, unit: Unit, rule: Rule2): Ratio => ({
  n: unit === 'person' ? n * rule.cases_per_person : n,
  d,
})

/**
 * The fewest cases on a side of a rate. A person adds at most three cases to a window, so 33 cases of a window come from
 * 11 persons or more.
 */
export const minSide = (unit: Unit, rule: Rule2): number =>
  unit === 'person' ? rule.min_persons * rule.cases_per_person : rule.min_persons

/** The counts of a window. Figures are computed from their sums and from nothing else. */
export const CELLS = [
  'w_no',
  'w_yes',
  'r_no',
  'r_yes',
  'p_no',
  'p_yes',
  'under_500',
  'under_1000',
  'under_2000',
  'total_50',
] as const
export type Cell = (typeof CELLS)[number]
export type WindowTally = Readonly<Record<Cell, number>>

/** The four questions that a case answers, and the cells of each. Each question costs epsilon once. */
export const QUESTION_CELLS = {
  w: ['w_no', 'w_yes'],
  r: ['r_no', 'r_yes'],
  p: ['p_no', 'p_yes'],
  savings: ['under_500', 'under_1000', 'under_2000', 'total_50'],
} as const satisfies Record<string, readonly Cell[]>

/** The scale of the noise of each cell. */
export const SCALE_OF: Record<Cell, keyof Rule2['scales']> = {
  w_no: 'rate',
  w_yes: 'rate',
  r_no: 'rate',
  r_yes: 'rate',
  p_no: 'rate',
  p_yes: 'rate',
  under_500: 'amount',
  under_1000: 'amount',
  under_2000: 'amount',
  total_50: 'total',
}

/** The cells of settlements by amount, in steps of 50: each counts amounts below its edge and not below the edge before. */
const AMOUNT_CELLS = [
  ['under_500', 10],
  ['under_1000', 20],
  ['under_2000', 40],
] as const

/** The counts that one case adds to its window: at most one cell of each question, and the total. */
export function contribution(answers: Omit<OutcomeCell, 'cases'>, rule: Rule2): Partial<WindowTally> {
  const { closed, settled, recurring, certified_mail, recovered_50 } = answers
  const amount = AMOUNT_CELLS.find(([, edge]) => recovered_50 < edge)?.[0]
  return {
    [recurring === 1 ? 'r_yes' : 'r_no']: 1,
    ...(closed === 1 && { [recovered_50 >= WON_50 ? 'w_yes' : 'w_no']: 1 }),
    ...(settled === 1 && {
      [certified_mail === 1 ? 'p_no' : 'p_yes']: 1,
      ...(amount && { [amount]: 1 }),
      total_50: Math.min(recovered_50, rule.clip_50),
    }),
  }
}

/** The exact tally of a window. Cases that a correction or deletion subtracts have negative counts. */
export function tallyWindow(cells: Iterable<OutcomeCell>, rule: Rule2): WindowTally {
  const tally = emptyTally()
  for (const cell of cells) {
    const one = contribution(cell, rule)
    for (const name of CELLS) tally[name] += (one[name] ?? 0) * cell.cases
  }
  return tally
}

/** The tally of old cases that were removed while figures were exact. */
export function tallyCarried(of: Partial<Record<Metric, Histogram>>, rule: Rule2): WindowTally {
  const settlements = of.savings_total ?? []
  const answers = { closed: 1, settled: 1, recurring: 0, certified_mail: 0 }
  const amounts = tallyWindow(
    settlements.map(([recovered_50, cases]) => ({ ...answers, recovered_50, cases })),
    rule,
  )
  const sides = (['w', 'r', 'p'] as const).flatMap((question) => [
    [`${question}_no`, casesWith(of[question] ?? [], 0)],
    [`${question}_yes`, casesWith(of[question] ?? [], 1)],
  ])
  return { ...amounts, ...(Object.fromEntries(sides) as Partial<WindowTally>) }
}

/** Windows do not overlap, so a figure about all of them is their sum. */
export function sumWindows(windows: Iterable<WindowTally>): WindowTally {
  const sum = emptyTally()
  for (const window of windows) for (const name of CELLS) sum[name] += window[name]
  return sum
}

const emptyTally = (): Record<Cell, number> =>
  Object.fromEntries(CELLS.map((name) => [name, 0])) as Record<Cell, number>

/** Counts the changes of each person in one window, up to the limit. */
export class PersonLimit {
  readonly #taken = new Map<number, number>()

  constructor(readonly most: number) {}

  /** Counts changes of a person, and returns how many of them are within the limit. */
  take(person: number, changes = 1): number {
    const before = this.#taken.get(person) ?? 0
    const taken = Math.min(changes, this.most - before)
    if (taken > 0) this.#taken.set(person, before + taken)
    return taken
  }
}

/** Adds noise to every cell of a window. The caller must store the result, because a window is drawn only once. */
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

/** The budget that a release spends on a figure, for each unit that it counts for the first time. */
export const spendOf = (metric: Metric, { epsilon }: Noise): string =>
  metric === 'w' || metric === 'r' || metric === 'p' || metric === 'savings_total' ? epsilon : '0'

/** All figures after a release under rule 2. */
export interface NoisedFigures {
  rule_version: string
  unit: Unit
  of: Record<Metric, NoisedFigure>
  median_band: MedianBand | null
  /** The error of both counts, in cases; null if both are withheld. */
  counts_standard_error: number | null
}

/** The input of the rule: the noised windows of the series, oldest first, and when the release is made. */
interface NoisedWindows {
  as_of: string
  unit: Unit
  windows: readonly WindowTally[]
}

/**
 * Decides what is published from noised windows, given the figures before. It reads noised numbers only, so it costs no
 * privacy. Every figure is decided at every release, and each gets an entry of the log.
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

interface NoisedJudgement {
  value: number | string | null
  reason: WithheldReason | 'not_with_noise' | null
  standard_error: number | string | null
}

const withheld = (reason: Exclude<NoisedJudgement['reason'], null>): NoisedJudgement => ({
  value: null,
  reason,
  standard_error: null,
})

function judge(metric: Metric, sums: Sums): NoisedJudgement {
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

/** Sums of noised windows and the figures that follow from them. A noised count can be negative. */
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

  rate(question: 'w' | 'r' | 'p'): NoisedJudgement {
    const { min_cases, rate_steps } = this.rule
    const yes = this.of[`${question}_yes`]
    const no = this.of[`${question}_no`]
    const side = minSide(this.unit, this.rule)
    const cases = yes + no
    if (cases < min_cases || yes < side || no < side) return withheld('small_cell')
    const value = divideHalfEven(rate_steps * yes, cases) / rate_steps
    return { value, reason: null, standard_error: rateError(yes, no, this.#variance('rate'), rate_steps) }
  }

  count(question: 'r' | 'p'): NoisedJudgement {
    const { min_cases, count_step } = this.rule
    const cases = this.#cases(question)
    if (cases < min_cases) return withheld('small_cell')
    const { over, under } = this.#variance('rate')
    const square = divideUp(2n * over, under) + divideUp(BigInt(count_step) ** 2n, 12n)
    return { value: cases - (cases % count_step), reason: null, standard_error: root(square) }
  }

  total(): NoisedJudgement {
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
