// The same insider against figures with noise. He knows every case but one; he is beaten if whatever was published
// could have come out under every other answer of that one, and hardly less often.

import type { FigureStates } from '../../src/figures/rule/disclosure.ts'
import type { Rule } from '../../src/figures/rule/figure.ts'
import { addWindow, decideNoised, noised, type Random, type Ratio } from '../../src/figures/rule/noise.ts'
import { casesWith, type Histogram, METRICS, type Metric, sum, tallies, tally } from '../../src/figures/rule/tally.ts'
import { moved } from './attack-insider.ts'
import { aLedger, type Case, cellsOf } from './attack-ledger.ts'
import { dice } from './dice.ts'

const RELEASES = 24
const RATES = ['r', 'p', 'w'] as const
/** The most that one case can add to a total, in steps of 50 dollars. */
const TOP = 1000

export interface NoisedWorld {
  /** How often the insider tried: once for each release, case and figure. */
  tried: number
  /** What could not have been published had the case been otherwise. */
  impossible: Metric[]
  /** The largest ratio of the two probabilities, as a power of e^epsilon, over all releases together. */
  answers: number
  presence: number
}

interface Weakened {
  /** Nothing is drawn. */
  silent?: boolean
  /** Each release draws the whole ledger again. */
  cumulative?: boolean
}

/** One ledger over 24 releases with noise, and one unknown case in each of its windows. */
export function simulateNoised(seed: number, epsilon: Ratio, rule: Rule, weakened: Weakened = {}): NoisedWorld {
  const { cases, live } = aLedger(seed)
  const roll = dice(seed + 2_000_000)
  const random: Random = (n) => Uint8Array.from({ length: n }, () => roll.below(256))
  const world: NoisedWorld = { tried: 0, impossible: [], answers: 0, presence: 0 }
  const spent = new Map<Case, Spent>()
  let published: Record<Metric, Histogram> | undefined
  let states: FigureStates | undefined
  for (let n = 1; n <= RELEASES; n++) {
    live(n)
    const window = weakened.cumulative ? [...cases] : cases.filter(({ joined }) => joined === n)
    const truth = tallies(cellsOf(window))
    const drawn = noised(truth, epsilon, weakened.silent ? draws(zeros, epsilon) : random)
    const before = weakened.cumulative ? undefined : published
    const publish = (of: Record<Metric, Histogram>) =>
      decideNoised(
        { as_of: `release ${n}`, last_batch_id: n, last_correction_id: 0, of: addWindow(before, of) },
        states,
        rule,
      ).states
    const shown = publish(drawn)
    const one = window[roll.below(Math.max(1, window.length))]
    if (one && !spent.has(one)) spent.set(one, { answers: new Map(), presence: new Map() })
    for (const [unknown, toll] of spent) {
      if (!window.includes(unknown)) continue
      const otherwise = alternative(truth, unknown)
      const needed = needs(otherwise, drawn)
      const again =
        weakened.silent && needed.some((z) => z !== 0)
          ? undefined
          : publish(noised(otherwise, epsilon, draws(needed, epsilon)))
      for (const metric of METRICS) {
        world.tried++
        const same = again && JSON.stringify(again.of[metric].figure) === JSON.stringify(shown.of[metric].figure)
        if (!same) world.impossible.push(metric)
      }
      charge(toll.answers, truth, otherwise, drawn)
      charge(toll.presence, truth, tallies(cellsOf(window.filter((each) => each !== unknown))), drawn)
    }
    published = addWindow(before, drawn)
    states = shown
  }
  for (const { answers, presence } of spent.values()) {
    world.answers = Math.max(world.answers, ...[...answers.values()].map(Math.abs))
    world.presence = Math.max(world.presence, ...[...presence.values()].map(Math.abs))
  }
  return world
}

interface Spent {
  answers: Map<Metric, number>
  presence: Map<Metric, number>
}

/** The window had every answer of one case been another; of its amount, the one farthest away. */
function alternative(of: Record<Metric, Histogram>, unknown: Case): Record<Metric, Histogram> {
  const own = (metric: Metric): number | undefined => tally([{ ...unknown, cases: 1 }], metric)[0]?.[0]
  const changed = { ...of }
  for (const metric of [...RATES, 'savings_total'] as const) {
    const answer = own(metric)
    if (answer === undefined) continue
    const other = metric === 'savings_total' ? (answer > TOP / 2 ? 0 : TOP) : 1 - answer
    changed[metric] = moved(of[metric], answer, other)
  }
  return changed
}

/** What must be drawn for these cases to publish what was published, in the order in which it is drawn. */
const needs = (of: Record<Metric, Histogram>, drawn: Record<Metric, Histogram>): number[] => [
  ...RATES.flatMap((metric) =>
    [0, 1].map((answer) => casesWith(drawn[metric], answer) - casesWith(of[metric], answer)),
  ),
  sum(drawn.savings_total) - sum(of.savings_total),
]

/**
 * An integer z is drawn with probability proportional to exp(-epsilon |z| / sensitivity): between two windows the
 * logarithm of the ratio, in units of epsilon, is the sum of what the sizes of the numbers differ by.
 */
function charge(
  toll: Map<Metric, number>,
  truth: Record<Metric, Histogram>,
  otherwise: Record<Metric, Histogram>,
  drawn: Record<Metric, Histogram>,
): void {
  const [was, would] = [needs(truth, drawn), needs(otherwise, drawn)]
  const weight = (i: number): number => (Math.abs(would[i] as number) - Math.abs(was[i] as number)) / (i < 6 ? 1 : TOP)
  for (const [i, metric] of RATES.entries())
    toll.set(metric, (toll.get(metric) ?? 0) + weight(2 * i) + weight(2 * i + 1))
  toll.set('savings_total', (toll.get('savings_total') ?? 0) + weight(6))
}

const zeros = [0, 0, 0, 0, 0, 0, 0]

/**
 * Bytes that lead the real sampler to these numbers, one after the other: that there are such bytes is what it
 * means that a number can be drawn. Follows algorithms 1 and 2 of Canonne, Kamath and Steinke (2020).
 */
export function draws(numbers: readonly number[], epsilon: Ratio): Random {
  const bytes = numbers.flatMap((z, i) => bytesFor(z, { n: epsilon.d * (i < 6 ? 1n : BigInt(TOP)), d: epsilon.n }))
  let at = 0
  return (n) => {
    if (at + n > bytes.length) throw new Error('more is drawn than was meant')
    at += n
    return Uint8Array.from(bytes.slice(at - n, at))
  }
}

function bytesFor(z: number, { n: t, d: s }: Ratio): number[] {
  const wanted = BigInt(Math.abs(z)) * s
  const [u, v] = [wanted % t, wanted / t]
  const script = [...uniform(u, t), ...uniform(t - 1n, t)]
  for (let i = 0n; i < v; i++) script.push(...uniform(0n, 1n), ...uniform(0n, 2n), ...uniform(2n, 3n))
  return [...script, ...uniform(0n, 1n), ...uniform(1n, 2n), ...uniform(z < 0 ? 0n : 1n, 2n)]
}

/** The bytes of one uniform draw below a bound. */
function uniform(value: bigint, bound: bigint): number[] {
  const length = Math.ceil(bound.toString(2).length / 8)
  return Array.from({ length }, (_, i) => Number((value >> BigInt(8 * (length - 1 - i))) & 255n))
}
