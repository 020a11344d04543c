import { decide, drawWindow, RULE_2, sumWindows, tallyWindow, type WindowTally } from '../src/figures/rule/rule-2.ts'
import { cellOf, type OutcomeCell } from '../src/figures/rule/tally.ts'
import { systemDice } from '../src/figures/window/dice.ts'
import { dice } from '../test/attack/dice.ts'
import type { Line } from './measure.ts'

const SIZES = [80, 200, 600, 1500, 1_000_000] as const
/** A ledger that began this quarter, and one that is a year old. */
const QUARTERS = [1, 4] as const
const DRAWS = 25
/** Of large ledgers one is enough. */
const ledgersOf = (cases: number): number => Math.min(40, Math.ceil(100_000 / cases))
const METRICS = ['w', 'r', 'p', 'savings_total'] as const
type Metric = (typeof METRICS)[number]

/**
 * How far figures are from exact ones, as the mean distance over many ledgers and draws: by noise alone, and as they are
 * published, rounded and with clipped amounts. Every number here is invented.
 */
export async function figureErrors(): Promise<Line[]> {
  return SIZES.flatMap((cases) => QUARTERS.map((quarters) => line(cases, quarters)))
}

function line(cases: number, quarters: number): Line {
  const noise = new Errors()
  const whole = new Errors()
  for (let seed = 1; seed <= ledgersOf(cases); seed++) {
    const windows = aLedger(seed, cases, quarters)
    const exact = exactFigures(windows.flat())
    const tallies = windows.map((cells) => tallyWindow(cells, RULE_2))
    const clipped = ratesOf(sumWindows(tallies))
    for (let draw = 0; draw < DRAWS; draw++) {
      const drawn = tallies.map((tally) => drawWindow(tally, 'case', RULE_2, random))
      const { of } = decide({ as_of: '', unit: 'case', windows: drawn }, undefined, RULE_2).figures
      noise.add(ratesOf(sumWindows(drawn)), clipped)
      whole.add(Object.fromEntries(METRICS.map((metric) => [metric, numberOf(of[metric].value)])), exact)
    }
  }
  const many = cases.toLocaleString('en-US')
  return {
    what: `${many} cases in ${quarters} ${quarters === 1 ? 'quarter' : 'quarters'}: error of w, r, p, total`,
    figure: `noise ${noise.text}`,
    beside: `as published ${whole.text}, in ${whole.share} % of draws`,
  }
}

const numberOf = (value: number | string | null): number | null => (value === null ? null : Number(value))

/** Mean distances. Of a total in per cent of it. */
class Errors {
  readonly #sums = new Map(METRICS.map((metric) => [metric, 0]))
  #tried = 0
  #counted = 0

  add(found: Partial<Record<Metric, number | null>>, exact: Record<Metric, number>): void {
    this.#tried++
    const values = METRICS.map((metric) => found[metric] ?? null)
    if (values.includes(null)) return
    this.#counted++
    METRICS.forEach((metric, i) => {
      const error = Math.abs((values[i] as number) - exact[metric])
      const share = metric === 'savings_total' ? error / exact[metric] : error
      this.#sums.set(metric, (this.#sums.get(metric) ?? 0) + share)
    })
  }

  get text(): string {
    const [w, r, p, total] = METRICS.map((metric) => (this.#sums.get(metric) ?? 0) / this.#counted) as number[]
    return `${[w, r, p].map((mean) => mean?.toFixed(4)).join(' ')} ${(100 * (total ?? 0)).toFixed(1)} %`
  }

  /** How often all four were published. */
  get share(): string {
    return ((100 * this.#counted) / this.#tried).toFixed(0)
  }
}

const ratesOf = (tally: WindowTally): Record<Metric, number> => {
  const rate = (question: 'w' | 'r' | 'p'): number =>
    tally[`${question}_yes`] / (tally[`${question}_yes`] + tally[`${question}_no`])
  return { w: rate('w'), r: rate('r'), p: rate('p'), savings_total: tally.total_50 }
}

const random = systemDice()
/** Cases by quarter. Most are closed and settled; amounts are mostly below 4,000 dollars, and one in a hundred far above. */
function aLedger(seed: number, cases: number, quarters: number): OutcomeCell[][] {
  const { below, chance } = dice(seed)
  return Array.from({ length: quarters }, () => {
    const counts = new Map<number, number>()
    for (let n = Math.round(cases / quarters); n > 0; n--) {
      const closed = Number(chance(0.9))
      const settled = closed && Number(chance(0.8))
      const recovered_50 = chance(0.01) ? 100 + below(100) : chance(0.6) ? 10 + below(70) : below(10)
      const packed = (closed * 8 + settled * 4 + Number(chance(0.3)) * 2 + Number(chance(0.4))) * 1001 + recovered_50
      counts.set(packed, (counts.get(packed) ?? 0) + 1)
    }
    return [...counts].map(([packed, n]) => cellOf(packed, n))
  })
}

function exactFigures(cells: readonly OutcomeCell[]): Record<Metric, number> {
  const count = (among: (cell: OutcomeCell) => boolean): number =>
    cells.reduce((sum, cell) => sum + (among(cell) ? cell.cases : 0), 0)
  const settlements = cells.filter(({ settled }) => settled === 1)
  return {
    w: count(({ closed, recovered_50 }) => closed === 1 && recovered_50 >= 10) / count(({ closed }) => closed === 1),
    r: count(({ recurring }) => recurring === 1) / count(() => true),
    p:
      count(({ settled, certified_mail }) => settled === 1 && certified_mail === 0) /
      count((cell) => cell.settled === 1),
    savings_total: settlements.reduce((sum, cell) => sum + cell.recovered_50 * 50 * cell.cases, 0),
  }
}
