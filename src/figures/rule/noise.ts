// Differential privacy (F10): integer noise, sampled exactly from uniform bytes. No logarithm, no fraction, no float.

import { type FigureState, type FigureStates, judgeCount, judgeRate, type Move, type Tallies } from './disclosure.ts'
import type { Figure, Rule } from './figure.ts'
import { divideHalfEven } from './rounding.ts'
import { casesWith, type Histogram, METRICS, type Metric, size, sum } from './tally.ts'

/** Bytes from a source that nobody can predict. */
export type Random = (bytes: number) => Uint8Array

/** A positive fraction, exactly. */
export interface Ratio {
  n: bigint
  d: bigint
}

/** What is published about the noise, with the figures. */
export interface Noise {
  mechanism: 'discrete_laplace'
  /** As it was given, per metric and release. */
  epsilon: string
  windows: 'disjoint'
}

/** `0.5` is one half: at most six decimals, above zero and at most ten. */
export function parseEpsilon(text: string): Ratio | undefined {
  const match = /^([0-9]{1,2})(?:\.([0-9]{1,6}))?$/.exec(text)
  if (!match) return undefined
  const decimals = match[2] ?? ''
  const epsilon = { n: BigInt(`${match[1]}${decimals}`), d: 10n ** BigInt(decimals.length) }
  return epsilon.n > 0n && epsilon.n <= 10n * epsilon.d ? epsilon : undefined
}

/** Uniform below `bound`, by rejection: all values are exactly equally likely. */
export function uniform(bound: bigint, random: Random): bigint {
  const bits = bound.toString(2).length
  const bytes = Math.ceil(bits / 8)
  const mask = (1n << BigInt(bits)) - 1n
  for (;;) {
    const drawn = random(bytes).reduce((number, byte) => (number << 8n) | BigInt(byte), 0n) & mask
    if (drawn < bound) return drawn
  }
}

const bernoulli = (n: bigint, d: bigint, random: Random): boolean => uniform(d, random) < n

/** True with probability exp(-n/d), for n/d in [0, 1]: Canonne, Kamath and Steinke (2020), algorithm 1. */
export function bernoulliExp(n: bigint, d: bigint, random: Random): boolean {
  let k = 1n
  while (bernoulli(n, d * k, random)) k++
  return k % 2n === 1n
}

/**
 * An integer z with probability proportional to exp(-|z| / scale): algorithm 2 of the same paper. With
 * scale = sensitivity / epsilon it makes a count epsilon-differentially private.
 */
export function discreteLaplace(scale: Ratio, random: Random): number {
  const { n: t, d: s } = scale
  for (;;) {
    const u = uniform(t, random)
    if (!bernoulliExp(u, t, random)) continue
    let v = 0n
    while (bernoulliExp(1n, 1n, random)) v++
    const magnitude = (u + t * v) / s
    const negative = bernoulli(1n, 2n, random)
    if (negative && magnitude === 0n) continue
    return Number(negative ? -magnitude : magnitude)
  }
}

/** The most that one case can add to a total: the top code, in steps of 50 dollars. */
const MOST_50 = 1000n

/**
 * The tallies of one window with noise. Each case answers each of the four questions once: w, r and p put it in one
 * of two cells, so each cell is drawn with sensitivity 1; savings add at most the top code. Counts are sums of noised
 * cells and cost nothing. A median cannot be built this way and is left out.
 */
export function noised(of: Record<Metric, Histogram>, epsilon: Ratio, random: Random): Record<Metric, Histogram> {
  const scale = (sensitivity: bigint): Ratio => ({ n: epsilon.d * sensitivity, d: epsilon.n })
  const draw = (true_count: number, sensitivity = 1n): number =>
    true_count + discreteLaplace(scale(sensitivity), random)
  const rate = (metric: 'w' | 'r' | 'p'): Histogram =>
    [0, 1].map((answer) => [answer, draw(casesWith(of[metric], answer))])
  const r = rate('r')
  const p = rate('p')
  return {
    w: rate('w'),
    r,
    p,
    savings_total: [[draw(sum(of.savings_total), MOST_50), 1]],
    savings_median: [],
    cases_floor10: [[1, size(r)]],
    settlements_floor10: [[1, size(p)]],
  }
}

/** Windows do not overlap, so a figure about all of them is the sum of the published windows. */
export const addWindow = (
  before: Record<Metric, Histogram> | undefined,
  window: Record<Metric, Histogram>,
): Record<Metric, Histogram> => {
  if (!before) return window
  const added = (metric: Metric): Histogram =>
    metric === 'savings_total'
      ? [[sum(before[metric]) + sum(window[metric]), 1]]
      : window[metric].map(([answer, cases]) => [answer, cases + casesWith(before[metric], answer)])
  return Object.fromEntries(METRICS.map((metric) => [metric, added(metric)])) as Record<Metric, Histogram>
}

/**
 * What is published from noised tallies: F1 and F2 applied to the noised values. Nothing is held back, because that
 * would depend on the true cases and reveal them. Every figure is decided at every release and gets an entry with its
 * spend.
 */
export function decideNoised(
  tallies: Tallies,
  previous: FigureStates | undefined,
  rule: Rule,
): { states: FigureStates; moves: Move[] } {
  const moves: Move[] = []
  const of = {} as Record<Metric, FigureState>
  for (const metric of METRICS) {
    const figure: Figure = { ...judgeNoised(metric, tallies.of, rule), as_of: tallies.as_of }
    const old = previous?.of[metric].figure ?? null
    moves.push({ metric, old, new: figure, reason: old ? 'scheduled' : 'initial' })
    of[metric] = { figure, basis: tallies.of[metric], batch_id: tallies.last_batch_id, room: [] }
  }
  return { states: { rule_version: rule.version, of }, moves }
}

function judgeNoised(metric: Metric, of: Record<Metric, Histogram>, rule: Rule): Omit<Figure, 'as_of'> {
  const judged = (() => {
    if (metric === 'savings_median') return { value: null, reason: 'not_with_noise' as const }
    if (metric === 'cases_floor10' || metric === 'settlements_floor10') return judgeCount(of[metric], rule)
    if (metric !== 'savings_total') return judgeRate(of[metric], rule)
    if (size(of.settlements_floor10) < rule.min_cases) return { value: null, reason: 'small_cell' as const }
    const dollars = divideHalfEven(Math.max(0, sum(of.savings_total)) * 50, rule.total_step) * rule.total_step
    return { value: `${dollars}.00`, reason: null }
  })()
  return { ...judged, suppressed: judged.reason !== null }
}

/** The privacy budget that one release spends per case and metric: the three questions and the savings. */
export const spendOf = (metric: Metric, { epsilon }: Noise): string =>
  metric === 'w' || metric === 'r' || metric === 'p' || metric === 'savings_total' ? epsilon : '0'
