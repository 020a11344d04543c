import { describe, expect, test } from 'bun:test'
import { type Bits, diceOf, laplaceTry, type Ratio } from '../../../src/figures/rule/laplace.ts'
import { PROVIDER_CELLS, PROVIDER_QUESTIONS, providerContribution } from '../../../src/figures/rule/provider-window.ts'
import {
  CELLS,
  type Cell,
  contribution,
  decide,
  QUESTION_CELLS,
  RULE_2,
  type Rule2,
  SCALE_OF,
  scaleFor,
  tallyWindow,
  type Unit,
  type WindowTally,
} from '../../../src/figures/rule/rule-2.ts'
import type { OutcomeCell } from '../../../src/figures/rule/tally.ts'
import { aChange } from './ledger.ts'
import {
  type Between,
  fraction,
  isBetween,
  isWithin,
  minus,
  nothing,
  PARTS,
  part,
  plus,
  powerOf,
  times,
  toNumber,
} from './powers-of-e.ts'

// The privacy budget by exact computation. A cell that is x comes out as y with probability proportional to
// e^(-|y - x| / scale), so the ratio of two ledgers is a power of e whose exponent is a whole number of 300ths.

/** What one unit more in a cell costs, in 300ths of epsilon 1. */
function costOf(name: Cell, unit: Unit, rule: Rule2): number {
  const { n, d } = scaleFor(rule.scales[SCALE_OF[name]], unit, rule)
  if ((PARTS * d) % n !== 0) throw new RangeError('the scale needs smaller parts')
  return (PARTS * d) / n
}

type Question = keyof typeof QUESTION_CELLS
const QUESTIONS = Object.keys(QUESTION_CELLS) as Question[]

/** The largest exponent by which two windows can differ, for each question and in all. */
function distance(one: Partial<WindowTally>, other: Partial<WindowTally>, unit: Unit, rule: Rule2 = RULE_2) {
  const of = (cells: readonly Cell[]): number =>
    cells.reduce((sum, name) => sum + Math.abs((one[name] ?? 0) - (other[name] ?? 0)) * costOf(name, unit, rule), 0)
  return { of: QUESTIONS.map((question) => of(QUESTION_CELLS[question])), all: of(CELLS) }
}

/** Every case that the ledger can hold, without those that count alike. */
const EVERY_CASE: OutcomeCell[] = [0, 1].flatMap((closed) =>
  (closed === 1 ? [0, 1] : [0]).flatMap((settled) =>
    [0, 1].flatMap((recurring) =>
      (settled === 1 ? [0, 1] : [0]).flatMap((certified_mail) =>
        [0, 1, 9, 10, 19, 20, 39, 40, 99, 100, 1000].map((recovered_50) =>
          aChange({ closed, settled, recurring, certified_mail, recovered_50 }),
        ),
      ),
    ),
  ),
)
const added = (each: OutcomeCell): Partial<WindowTally> => contribution(each, RULE_2)
const EMPTY = tallyWindow([], RULE_2)

describe('the budget', () => {
  test('of a case that is added or not is epsilon 1 for each question and 4 in all, and no less', () => {
    const costs = EVERY_CASE.map((each) => distance(added(each), EMPTY, 'case'))
    for (const { of } of costs) for (const cost of of) expect(cost).toBeLessThanOrEqual(PARTS)
    expect(Math.max(...costs.map(({ all }) => all))).toBe(4 * PARTS)
  })

  test('of the answers of a case is 2 for each question and 8 in all, and 1.6 for what was saved', () => {
    const worst = QUESTIONS.map(() => 0)
    for (const one of EVERY_CASE)
      for (const other of EVERY_CASE)
        distance(added(one), added(other), 'case').of.forEach((cost, i) => {
          worst[i] = Math.max(worst[i] as number, cost)
        })
    expect(worst).toEqual([2 * PARTS, 2 * PARTS, 2 * PARTS, 1.6 * PARTS])
  })

  test('of a person with three cases or changes is epsilon 1 for each question and window, and 4 in all', () => {
    const kinds = [...new Map(EVERY_CASE.map((each) => [JSON.stringify(added(each)), each])).values()]
    let most = 0
    for (const [i, one] of kinds.entries())
      for (const [j, two] of kinds.entries())
        for (const three of j >= i ? kinds.slice(j) : []) {
          const window = tallyWindow([one, two, three], RULE_2)
          const { of, all } = distance(window, EMPTY, 'person')
          most = Math.max(most, all)
          if (of.some((cost) => cost > PARTS)) expect([one, two, three]).toEqual([])
        }
    expect(most).toBe(4 * PARTS)
    // A case that was taken back counts like one that was added: a correction is two changes, and costs no more.
    const [old, corrected] = [aChange({ closed: 1, cases: -1 }), aChange({ closed: 1, recovered_50: 20 })]
    expect(distance(tallyWindow([old, corrected], RULE_2), EMPTY, 'person').of).toEqual([200, 0, 0, 0])
  })

  test('of a case that names a provider is 3 more', () => {
    const costs = EVERY_CASE.map((each) => {
      const cells = providerContribution(each)
      for (const question of Object.values(PROVIDER_QUESTIONS))
        expect(cells.filter((name) => (question as readonly string[]).includes(name)).length).toBeLessThanOrEqual(1)
      return cells.length
    })
    expect(Math.max(...costs)).toBe(3)
    expect(PROVIDER_CELLS).toHaveLength(Object.values(PROVIDER_QUESTIONS).flat().length)
  })
})

interface Neighbours {
  metric: keyof ReturnType<typeof decide>['figures']['of'] | 'median_band'
  /** The cells that the figure is computed from, and how far from the truth each is followed. */
  reach: Partial<Record<Cell, number>>
  rule: Rule2
  /** At least this share of all that can come out is looked at. */
  covers: number
}

/** The probability of everything that can be published as one figure, under each of two ledgers. */
function outputs(one: WindowTally, other: WindowTally, { metric, reach, rule }: Neighbours) {
  const cells = Object.entries(reach) as [Cell, number][]
  const of = new Map<string, [Between, Between]>()
  const follow = (i: number, seen: WindowTally, exponents: readonly [number, number]): void => {
    const [name, far] = cells[i] ?? []
    if (name === undefined || far === undefined) {
      const { figures } = decide({ as_of: '', unit: 'case', windows: [seen] }, undefined, rule)
      const shown = JSON.stringify(metric === 'median_band' ? figures.median_band : figures.of[metric])
      const [here, there] = of.get(shown) ?? [nothing, nothing]
      of.set(shown, [plus(here, powerOf(exponents[0])), plus(there, powerOf(exponents[1]))])
      return
    }
    const cost = costOf(name, 'case', rule)
    for (let y = one[name] - far; y <= one[name] + far; y++)
      follow(i + 1, { ...seen, [name]: y }, [
        exponents[0] + cost * Math.abs(y - one[name]),
        exponents[1] + cost * Math.abs(y - other[name]),
      ])
  }
  follow(0, one, [0, 0])
  return of
}

/** How much of all that can be drawn is followed: of each cell all but 2 q^(far + 1) / (1 + q). */
const covered = ({ reach, rule }: Neighbours): number =>
  (Object.entries(reach) as [Cell, number][]).reduce((share, [name, far]) => {
    const q = Math.exp(-costOf(name, 'case', rule) / PARTS)
    return share * (1 - (2 * q ** (far + 1)) / (1 + q))
  }, 1)

/** Near its thresholds, so that a case decides whether anything is published. */
const ledger = (): WindowTally =>
  tallyWindow(
    [
      { ...aChange({ closed: 1, settled: 1, recurring: 1, recovered_50: 8 }), cases: 11 },
      { ...aChange({ closed: 1, settled: 1, certified_mail: 1, recovered_50: 15 }), cases: 39 },
    ],
    RULE_2,
  )

describe('what is published of two small ledgers that differ in one case is as likely, within the budget', () => {
  // With less noise there is less to follow. What is compared is the same: the budget follows from the scales.
  const lessNoise: Rule2 = {
    ...RULE_2,
    clip_50: 2,
    min_total_50: 98,
    total_step: 100,
    scales: { rate: { n: 1, d: 1 }, total: { n: 2, d: 1 }, amount: { n: 5, d: 3 } },
  }
  const littleNoise: Rule2 = {
    ...RULE_2,
    scales: { rate: { n: 1, d: 2 }, total: { n: 100, d: 1 }, amount: { n: 1, d: 2 } },
  }
  const pair = (question: 'w' | 'r' | 'p') => ({ [`${question}_yes`]: 24, [`${question}_no`]: 24 })
  const compared: Neighbours[] = [
    { metric: 'w', reach: pair('w'), rule: RULE_2, covers: 0.999_999_999 },
    { metric: 'r', reach: pair('r'), rule: RULE_2, covers: 0.999_999_999 },
    { metric: 'p', reach: pair('p'), rule: RULE_2, covers: 0.999_999_999 },
    { metric: 'cases_floor10', reach: pair('r'), rule: RULE_2, covers: 0.999_999_999 },
    { metric: 'settlements_floor10', reach: pair('p'), rule: RULE_2, covers: 0.999_999_999 },
    { metric: 'savings_total', reach: { p_yes: 8, p_no: 8, total_50: 24 }, rule: lessNoise, covers: 0.999 },
    {
      metric: 'median_band',
      reach: { p_yes: 3, p_no: 3, under_500: 3, under_1000: 3, under_2000: 3 },
      rule: littleNoise,
      covers: 0.997,
    },
  ]
  const cases: [string, OutcomeCell[]][] = [
    ['one more', [aChange({ closed: 1, settled: 1, recurring: 1, recovered_50: 15 })]],
    [
      'another answer to every question',
      [
        aChange({ closed: 1, settled: 1, certified_mail: 1, recovered_50: 15, cases: -1 }),
        aChange({ closed: 1, settled: 1, recurring: 1, recovered_50: 0 }),
      ],
    ],
  ]
  for (const figure of compared)
    for (const [what, changes] of cases)
      test(`${figure.metric}: ${what}`, () => {
        const one = figure.rule === RULE_2 ? ledger() : { ...ledger(), total_50: 98 }
        const change = tallyWindow(changes, figure.rule)
        const other = Object.fromEntries(CELLS.map((name) => [name, one[name] + change[name]])) as WindowTally
        const read = Object.keys(figure.reach) as Cell[]
        const budget = read.reduce((sum, name) => sum + Math.abs(change[name]) * costOf(name, 'case', figure.rule), 0)
        const published = outputs(one, other, figure)
        expect(published.size).toBeGreaterThan(1)
        expect(covered(figure)).toBeGreaterThan(figure.covers)
        for (const [shown, [here, there]] of published) {
          expect([shown, isWithin(here, there, budget)]).toEqual([shown, true])
          expect([shown, isWithin(there, here, budget)]).toEqual([shown, true])
        }
        // And it is not much less that it costs. (Counts do not change with the answers.)
        const little = Math.floor(budget / 5)
        const isMuchLess = [...published.values()].every(
          ([here, there]) => isWithin(there, here, little) && isWithin(here, there, little),
        )
        if (what === 'one more') expect(isMuchLess).toBe(false)
      })
})

class OutOfBits extends Error {}

/**
 * Runs a sampler on every string of so many bits, and counts what comes out of each. Where a string is too short, what
 * comes out is open. All probabilities are whole numbers of 2^-depth.
 */
function everyString<T>(sample: (bits: Bits) => T, depth: number): { of: Map<T, number>; open: number } {
  const of = new Map<T, number>()
  let open = 0
  for (let string = 0; string < 2 ** depth; ) {
    let used = 0
    let drawn: T | undefined
    let isOpen = false
    try {
      drawn = sample((count) => {
        if (used + count > depth) throw new OutOfBits()
        used += count
        return Math.floor(string / 2 ** (depth - used)) % 2 ** count
      })
    } catch (error) {
      if (!(error instanceof OutOfBits)) throw error
      isOpen = true
      used = depth
    }
    // All strings that begin alike lead to the same.
    const alike = 2 ** (depth - used)
    if (isOpen) open += alike
    else of.set(drawn as T, (of.get(drawn as T) ?? 0) + alike)
    string += alike
  }
  return { of, open }
}

describe('the sampler draws each number exactly as often as it should, over all strings of bits', () => {
  const DEPTH = 20
  const scales: Ratio[] = [
    { n: 1, d: 1 },
    { n: 3, d: 1 },
    { n: 5, d: 3 },
  ]
  for (const scale of scales)
    test(`for scale ${scale.n}/${scale.d}`, () => {
      const { of, open } = everyString((bits) => laplaceTry(scale, diceOf(bits)), DEPTH)
      const all = 2 ** DEPTH
      expect(open / all).toBeLessThan(0.3)
      const { n: t, d: s } = scale
      for (let z = -2; z <= 2; z++) {
        // (1 - 1/e) / 2t times the sum of e^(-x/t) over the x that are divided down to |z|. Dice of t are used once.
        let sum = nothing
        for (let x = Math.abs(z) * s; x < (Math.abs(z) + 1) * s; x++) sum = plus(sum, powerOf((x * PARTS) / t))
        const exact = part(minus(sum, times(sum, powerOf(PARTS))), 1, 2 * t)
        const found = of.get(z) ?? 0
        expect([z, isBetween(exact, fraction(found, all), fraction(found + open, all))]).toEqual([z, true])
        expect(found).toBe(of.get(-z) ?? 0)
        expect(found / all).toBeGreaterThan(0.5 * toNumber(exact))
      }
    })
})
