// The statistics of one provider under rule 2. They are counted in the windows of the figures, with their own noise.

import type { Judgement } from './figure.ts'
import { type Dice, discreteLaplace } from './laplace.ts'
import {
  type BandedRate,
  type CaseBand,
  caseBand,
  extremeOr,
  type ProviderFacts,
  type SavingsBand,
} from './provider.ts'
import { minSide, type Rule2, scaleFor, type Unit } from './rule-2.ts'
import { divideUp, medianEdges, rateError, root, varianceOf } from './standard-error.ts'
import { type OutcomeCell, WON_50 } from './tally.ts'

/** The cells of one provider. Every provider of the directory has them in every window, so that all look alike. */
export const PROVIDER_CELLS = [
  'won',
  'lost',
  'open',
  'peaceful',
  'escalated',
  'under_500',
  'under_2000',
  'under_10000',
] as const
export type ProviderCell = (typeof PROVIDER_CELLS)[number]
export type ProviderTally = Readonly<Record<ProviderCell, number>>

/** A case is in at most one cell of each question. So each question costs epsilon once, and a case costs three epsilon. */
export const PROVIDER_QUESTIONS = {
  cases: ['won', 'lost', 'open'],
  settlements: ['peaceful', 'escalated'],
  amounts: ['under_500', 'under_2000', 'under_10000'],
} as const satisfies Record<string, readonly ProviderCell[]>

const AMOUNT_CELLS = [
  ['under_500', 500],
  ['under_2000', 2000],
  ['under_10000', 10_000],
] as const

/** The cells that one case counts in. */
export function providerContribution(answers: Omit<OutcomeCell, 'cases'>): ProviderCell[] {
  const { closed, settled, certified_mail, recovered_50 } = answers
  const amount = AMOUNT_CELLS.find(([, edge]) => recovered_50 * 50 < edge)?.[0]
  const cells: ProviderCell[] = [closed === 0 ? 'open' : recovered_50 >= WON_50 ? 'won' : 'lost']
  if (settled === 1) cells.push(certified_mail === 1 ? 'escalated' : 'peaceful', ...(amount ? [amount] : []))
  return cells
}

export function tallyProvider(cells: Iterable<OutcomeCell>): ProviderTally {
  const tally = emptyTally()
  for (const cell of cells) for (const name of providerContribution(cell)) tally[name] += cell.cases
  return tally
}

/** Adds noise to every cell. The caller must store the result, because a window is drawn only once. */
export const drawProvider = (exact: ProviderTally, unit: Unit, rule: Rule2, dice: Dice): ProviderTally => {
  const scale = scaleFor(rule.scales.rate, unit, rule)
  return Object.fromEntries(
    PROVIDER_CELLS.map((name) => [name, exact[name] + discreteLaplace(scale, dice)]),
  ) as ProviderTally
}

/** Decides what is published about a provider, from its noised windows of the last eight quarters. */
export function decideProvider(windows: readonly ProviderTally[], unit: Unit, rule: Rule2): ProviderFacts {
  const sum = emptyTally()
  for (const window of windows) for (const name of PROVIDER_CELLS) sum[name] += window[name]
  const variance = varianceOf(scaleFor(rule.scales.rate, unit, rule), windows.length)
  const rate = (yes: number, no: number): Judgement<BandedRate> => {
    const side = minSide(unit, rule)
    if (yes + no < rule.provider_min_cases || yes < side || no < side) return SMALL
    return rateError(yes, no, variance, STEPS) > 1 / STEPS ? SMALL : extremeOr(yes, yes + no, STEPS)
  }
  return {
    band: { value: band(sum.won + sum.lost + sum.open, root(divideUp(3n * variance.over, variance.under)), rule) },
    win_rate: rate(sum.won, sum.lost),
    no_escalation_rate: rate(sum.peaceful, sum.escalated),
    median_savings_band: savings(),
  }

  function savings(): Judgement<SavingsBand> {
    const settlements = sum.peaceful + sum.escalated
    if (settlements < rule.provider_min_cases) return SMALL
    const cells = AMOUNT_CELLS.map(([name, edge]) => [sum[name], edge] as const)
    const [low, high] = medianEdges(cells, settlements, { cell: variance, side: variance })
    const value = BANDS.find((each) => each[0] === low && each[1] === high)?.[2]
    return value ? { value, reason: null } : SMALL
  }
}

/** Rates of providers have steps of 0.05, and are withheld if their error is larger than a step. */
const STEPS = 20
const SMALL = { value: null, reason: 'small_cell' } as const
const BANDS = [
  [0, 500, '<500'],
  [500, 2000, '500-1999'],
  [2000, 10_000, '2000-9999'],
  [10_000, null, '10000+'],
] as const

/**
 * The band of a noised count. More than ten cases are published only if there are more than ten without twice the
 * standard error: the noise of a provider without cases must not look like cases.
 */
const band = (cases: number, standard_error: number, rule: Rule2): CaseBand =>
  cases - 2 * standard_error < rule.min_persons ? '0-10' : caseBand(cases)

const emptyTally = (): Record<ProviderCell, number> =>
  Object.fromEntries(PROVIDER_CELLS.map((name) => [name, 0])) as Record<ProviderCell, number>
