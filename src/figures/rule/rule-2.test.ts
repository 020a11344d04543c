import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { aCell } from '../fixture.ts'
import { type Dice, discreteLaplace } from './laplace.ts'
import { replayNoised } from './replay.ts'
import { divideHalfEven } from './rounding.ts'
import {
  CELLS,
  contribution,
  decide,
  drawWindow,
  noiseOf,
  PersonLimit,
  QUESTION_CELLS,
  RULE_2,
  SCALE_OF,
  scaleFor,
  spendOf,
  tallyWindow,
  type Unit,
  type WindowTally,
} from './rule-2.ts'
import { divideUp, root } from './standard-error.ts'
import { METRICS, type OutcomeCell } from './tally.ts'

const FIRST = '2026-11-03T00:00:00.000Z'
const SECOND = '2027-01-05T00:00:00.000Z'

const published = (windows: readonly WindowTally[], unit: Unit = 'case') =>
  decide({ as_of: FIRST, unit, windows }, undefined, RULE_2).figures
const counted = (...cells: OutcomeCell[]): WindowTally => tallyWindow(cells, RULE_2)

/** Dice that fall the same way each time, and are fair enough for tests. */
const repeatable = (seed: number): Dice => {
  let state = seed
  return (bound) => {
    state = (Math.imul(state, 1103515245) + 12345) >>> 0
    return (state >>> 8) % bound
  }
}

/** Half won, half by certified mail, half recurring. */
const sound = counted(
  aCell({ cases: 100, recurring: 1, certified_mail: 1, recovered_50: 8 }),
  aCell({ cases: 100, recovered_50: 30 }),
)

const anyCase = fc.record({
  closed: fc.integer({ min: 0, max: 1 }),
  settled: fc.integer({ min: 0, max: 1 }),
  recurring: fc.integer({ min: 0, max: 1 }),
  certified_mail: fc.integer({ min: 0, max: 1 }),
  recovered_50: fc.integer({ min: 0, max: 1000 }),
})

describe('the contribution of a case to its window', () => {
  test('costs epsilon 1 for each question, whatever its answers', () => {
    fc.assert(
      fc.property(anyCase, (answers) => {
        const adds = contribution({ ...answers, settled: Math.min(answers.settled, answers.closed) }, RULE_2)
        for (const cells of Object.values(QUESTION_CELLS)) {
          const cost = cells.reduce((sum, name) => {
            const { n, d } = RULE_2.scales[SCALE_OF[name]]
            return sum + ((adds[name] ?? 0) * d) / n
          }, 0)
          expect(cost).toBeLessThanOrEqual(1)
        }
      }),
    )
  })

  test('is at most 5,000 dollars of the total', () => {
    expect(counted(aCell({ recovered_50: 1000 })).total_50).toBe(100)
  })

  test('is taken back by a case that counts negative, and nothing is left of it', () => {
    const twice = counted(aCell(), aCell({ cases: -1 }))
    expect(new Set(Object.values(twice))).toEqual(new Set([0]))
  })

  test('counts each case in the denominators that it belongs to', () => {
    expect(counted(aCell({ closed: 0, settled: 0 }))).toMatchObject({
      r_no: 1,
      w_no: 0,
      w_yes: 0,
      p_yes: 0,
      total_50: 0,
    })
    expect(counted(aCell({ settled: 0, recovered_50: 9 }))).toMatchObject({ w_no: 1, p_yes: 0, under_500: 0 })
    expect(counted(aCell({ recovered_50: 39 }))).toMatchObject({ w_yes: 1, p_yes: 1, under_2000: 1, total_50: 39 })
    expect(counted(aCell({ recovered_50: 40 }))).toMatchObject({ under_500: 0, under_1000: 0, under_2000: 0 })
  })
})

test('a person counts with at most three cases a window', () => {
  const limit = new PersonLimit(RULE_2.cases_per_person)
  expect([7, 7, 8, 7, 7, 8].map((person) => limit.take(person))).toEqual([1, 1, 1, 1, 0, 1])
  expect(limit.take(9, 5)).toBe(3)
})

test('every cell of a window gets its own noise, three times as much for persons as for cases', () => {
  const dice = repeatable(5)
  const again = repeatable(5)
  for (const unit of ['case', 'person'] as const)
    expect(drawWindow(sound, unit, RULE_2, dice)).toEqual(
      Object.fromEntries(
        CELLS.map((name) => {
          const { n, d } = RULE_2.scales[SCALE_OF[name]]
          const scale = { n: unit === 'person' ? 3 * n : n, d }
          expect(scaleFor({ n, d }, unit, RULE_2)).toEqual(scale)
          return [name, sound[name] + discreteLaplace(scale, again)]
        }),
      ) as WindowTally,
    )
})

describe('a figure', () => {
  test('is computed from the sum of the windows, and has a standard error', () => {
    const { of, median_band, counts_standard_error } = published([sound, sound])
    expect(of.w).toEqual({ value: 0.5, standard_error: 0.005, suppressed: false, reason: null, as_of: FIRST })
    expect(of.cases_floor10).toMatchObject({ value: 400, standard_error: 5 })
    expect(of.savings_total).toMatchObject({ value: '380000.00', standard_error: '10050.00' })
    expect(of.savings_median).toMatchObject({ value: null, reason: 'not_with_noise', standard_error: null })
    expect(median_band).toEqual({ low: '0.00', high: '2000.00' })
    expect(counts_standard_error).toBe(5)
  })

  test('of persons has three times the noise, and needs three times the cases on each side', () => {
    expect(published([sound], 'person').of.w).toMatchObject({ value: 0.5, standard_error: 0.016 })
    const thin = counted(aCell({ cases: 32 }), aCell({ cases: 168, certified_mail: 1 }))
    expect(published([thin], 'person').of.p).toMatchObject({ value: null, reason: 'small_cell' })
    expect(published([thin], 'case').of.p).toMatchObject({ value: 0.16, reason: null })
  })

  test('is withheld below 50 cases, and below 11 on a side', () => {
    const p = (yes: number, no: number) => published([{ ...sound, p_yes: yes, p_no: no }]).of.p.value
    expect([p(24, 25), p(25, 25), p(-2, 90)]).toEqual([null, 0.5, null])
    expect([p(10, 90), p(90, 10), p(11, 89), p(89, 11)]).toEqual([null, null, 0.11, 0.89])
    const { of, median_band } = published([{ ...sound, p_yes: 25, p_no: 25, under_500: 50 }])
    expect([of.settlements_floor10.value, of.savings_total.value]).toEqual([50, '190000.00'])
    expect(median_band).toEqual({ low: '0.00', high: '500.00' })
    const few = published([{ ...sound, p_yes: 24, p_no: 25, under_500: 50 }])
    expect([few.of.settlements_floor10.value, few.of.savings_total.reason]).toEqual([null, 'small_cell'])
    expect(few.median_band).toBeNull()
  })

  test('about amounts is withheld where one case could be a quarter of the total, or two be two fifths', () => {
    const total = (total_50: number) => published([{ ...sound, total_50 }]).of.savings_total
    expect(total(499)).toMatchObject({ value: null, reason: 'dominance', standard_error: null })
    expect(total(500)).toMatchObject({ value: '25000.00', reason: null })
    expect(total(-3)).toMatchObject({ value: null })
  })

  test('of a ledger with nothing in it is withheld, like any other small number', () => {
    const { of, median_band, counts_standard_error } = published([])
    expect(METRICS.map((metric) => of[metric].value)).toEqual(METRICS.map(() => null))
    expect([median_band, counts_standard_error]).toEqual([null, null])
  })
})

describe('the band of the median', () => {
  const band = (under_500: number, under_1000: number, under_2000: number) =>
    published([{ ...sound, under_500, under_1000, under_2000 }]).median_band

  test('is narrow where the noise leaves no doubt', () => {
    expect(band(180, 5, 5)).toEqual({ low: '0.00', high: '500.00' })
    expect(band(20, 150, 5)).toEqual({ low: '500.00', high: '1000.00' })
    expect(band(5, 5, 5)).toEqual({ low: '2000.00', high: null })
  })

  test('reaches over an edge that the median may be on either side of', () => {
    expect(band(100, 80, 0)).toEqual({ low: '0.00', high: '1000.00' })
    expect(band(20, 20, 60)).toEqual({ low: '1000.00', high: null })
  })
})

describe('after the first release', () => {
  const first = published([sound])
  const next = (windows: WindowTally[], rule_version = first.rule_version) =>
    decide({ as_of: SECOND, unit: 'case', windows }, { ...first, rule_version }, RULE_2).moves

  test('every figure is decided at every release, and each is an entry', () => {
    const moves = next([sound, sound])
    expect(moves.map(({ metric }) => metric)).toEqual([...METRICS])
    expect(moves.every(({ reason, old }) => reason === 'scheduled' && old?.as_of === FIRST)).toBe(true)
  })

  test('the first entries of a series say that the method changed, unless nothing was published before', () => {
    expect(next([sound], '1.0.0').every(({ reason }) => reason === 'method_change')).toBe(true)
    const { moves } = decide({ as_of: FIRST, unit: 'case', windows: [sound] }, undefined, RULE_2)
    expect(moves.every(({ reason }) => reason === 'initial')).toBe(true)
  })

  test('a figure that is shown from now on says so', () => {
    const before = decide({ as_of: FIRST, unit: 'case', windows: [] }, undefined, RULE_2).figures
    const { moves } = decide({ as_of: SECOND, unit: 'case', windows: [sound] }, before, RULE_2)
    expect(moves.find(({ metric }) => metric === 'w')?.reason).toBe('suppression_off')
    expect(moves.find(({ metric }) => metric === 'savings_median')?.reason).toBe('scheduled')
  })

  test('a figure that is withheld from now on says so, and no entry speaks of corrections', () => {
    const back = Object.fromEntries(CELLS.map((name) => [name, name.startsWith('p') ? -90 : 0])) as WindowTally
    expect(next([sound, back]).find(({ metric }) => metric === 'p')?.reason).toBe('suppression_on')
  })
})

test('a square root is rounded up, however large', () => {
  expect([0n, 1n, 2n, 4n, 5n, 10n ** 24n].map(root)).toEqual([0, 1, 2, 2, 3, 1e12])
  fc.assert(
    fc.property(fc.bigInt({ min: 1n, max: 10n ** 24n }), (square) => {
      const found = BigInt(root(square))
      expect(found * found >= square && (found - 1n) ** 2n < square).toBe(true)
    }),
  )
})

test('four figures spend the budget, and what follows from them spends nothing', () => {
  const noise = noiseOf(RULE_2)
  expect(METRICS.filter((metric) => spendOf(metric, noise) === '1')).toEqual(['w', 'r', 'p', 'savings_total'])
  expect(METRICS.filter((metric) => spendOf(metric, noise) === '0')).toHaveLength(METRICS.length - 4)
})

test('a release that says anything else than its windows is found, and the order of its members means nothing', () => {
  const figures = published([sound])
  const faultsOf = (change: Partial<typeof figures>) =>
    replayNoised({
      release_id: 'r',
      as_of: FIRST,
      unit: 'case',
      windows: [sound],
      published: { ...figures, ...change },
    })
  expect(faultsOf({})).toEqual([])
  for (const metric of METRICS) {
    const turned = Object.fromEntries(Object.entries(figures.of[metric]).reverse()) as typeof figures.of.w
    expect(faultsOf({ of: { ...figures.of, [metric]: turned } })).toEqual([])
    const lie = { ...figures.of[metric], value: 0.123 }
    expect(faultsOf({ of: { ...figures.of, [metric]: lie } })).toEqual([
      `figures release r: ${metric} differs from what the rule decides on its windows`,
    ])
  }
  expect(faultsOf({ median_band: null })).toHaveLength(1)
  expect(faultsOf({ rule_version: '1.0.0', counts_standard_error: 1 })).toHaveLength(2)
})

test('numbers are divided to the nearest, ties to even, and only counts by a positive number', () => {
  expect([1, 2, 3, 5, 6, 7].map((n) => divideHalfEven(n, 2))).toEqual([0, 1, 2, 2, 3, 4])
  expect([4, 5, 7, 8].map((n) => divideHalfEven(n, 3))).toEqual([1, 2, 2, 3])
  expect(divideHalfEven(0, 1)).toBe(0)
  for (const [n, d] of [
    [1.5, 2],
    [1, 1.5],
    [-1, 2],
    [1, 0],
    [1, -2],
    [2 ** 53, 1],
    [1, Number.NaN],
  ] as const)
    expect(() => divideHalfEven(n, d)).toThrow(RangeError)
  expect([divideUp(4n, 2n), divideUp(5n, 2n), divideUp(0n, 3n)]).toEqual([2n, 3n, 0n])
})
