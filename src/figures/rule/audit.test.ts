import { expect, test } from 'bun:test'
import { aCell } from '../fixture.ts'
import { audit, type PublicRelease } from './audit.ts'
import { decide, type FigureStates } from './disclosure.ts'
import { denominators, numerators, room } from './feasible.ts'
import { type Figure, RULE } from './figure.ts'
import { divideHalfEven } from './rounding.ts'
import { METRICS, type Metric, tallies } from './tally.ts'

const shown = (value: Figure['value'], as_of: string): Figure => ({ value, suppressed: false, reason: null, as_of })
const withheld = (reason: 'small_cell' | 'dominance', as_of: string): Figure => ({
  value: null,
  suppressed: true,
  reason,
  as_of,
})

/** A release in which all figures were decided on the same day, except for `change`. */
function release(as_of: string, decided: string, change: Partial<Record<Metric, Figure>> = {}): PublicRelease {
  const values = { w: 0.5, r: 0.5, p: 0.5, savings_total: '50000.00', savings_median: '500.00' }
  const counts = { cases_floor10: 100, settlements_floor10: 100 }
  const metrics = Object.fromEntries(
    METRICS.map((metric) => [metric, shown({ ...values, ...counts }[metric], decided)]),
  ) as Record<Metric, Figure>
  return { as_of, metrics: { ...metrics, ...change } }
}

test('every withheld figure, every held figure and every change is a cell of the audit', () => {
  expect(audit([], {}, RULE)).toEqual({ ok: true, cells: 0, pinned: [] })
  // Only the cell of the small providers.
  expect(audit([release('1', '1')], {}, RULE)).toMatchObject({ ok: true, cells: 1 })
  expect(audit([release('1', '1', { w: withheld('small_cell', '1') })], {}, RULE)).toMatchObject({ cells: 3 })
  expect(audit([release('1', '1'), release('2', '1')], {}, RULE)).toMatchObject({ cells: 7 + 1 })
  // Two sides of three rates, two counts and the total.
  expect(audit([release('1', '1'), release('2', '2')], {}, RULE)).toMatchObject({ cells: 6 + 2 + 1 + 1 })
})

test('the bands of large providers must leave eleven values for the others', () => {
  const left = (taken: number, decided = '1') => {
    const bands = { '11-29': taken }
    const { ok, pinned } = audit([release('1', decided)], bands, RULE)
    return ok || pinned.map(({ kind, values }) => [kind, values])
  }
  expect([left(9), left(10)]).toEqual([true, [['providers', 0]]])
  // A count that was held back may be ten cases behind.
  expect([left(10, '0'), left(11, '0')]).toEqual([[['providers', 10]], [['providers', -1]]])
})

test('the possible numerators of a rate are those that round to it and leave no small side', () => {
  for (const cases of [50, 80, 99, 200, 240])
    for (let points = 0; points <= 100; points++) {
      const fits = Array.from({ length: cases + 1 }, (_, yes) => yes).filter(
        (yes) => yes >= 11 && cases - yes >= 11 && divideHalfEven(100 * yes, cases) === points,
      )
      const { yes, no } = numerators(points / 100, { low: cases, high: cases }, RULE)
      const [low = Infinity, high = -Infinity] = [fits[0], fits.at(-1)]
      expect([cases, points, yes, no]).toEqual([cases, points, { low, high }, { low: cases - high, high: cases - low }])
    }
})

test('denominators follow from the counts, and each figure leaves as many values as its rule says', () => {
  const counts = { cases_floor10: { value: 100 }, settlements_floor10: { value: null } }
  expect((['w', 'r', 'p'] as const).map((metric) => denominators(metric, counts, RULE))).toEqual([
    { low: 50, high: 109 },
    { low: 100, high: 109 },
    { low: 50, high: 59 },
  ])
  const left = (metric: Metric, figure: Figure) => room(metric, figure, counts, RULE)
  expect(left('cases_floor10', shown(100, '1'))).toEqual([10])
  expect(left('settlements_floor10', withheld('small_cell', '1'))).toEqual([50])
  expect(left('savings_total', shown('50000.00', '1'))).toEqual([21])
  expect(left('savings_total', withheld('small_cell', '1'))).toEqual([11])
  expect(left('savings_total', withheld('dominance', '1'))).toEqual([Number.MAX_SAFE_INTEGER])
  expect(left('w', withheld('small_cell', '1'))).toEqual([11, 11])
})

test('fifty cases are enough, and the fewest values that were ever possible are remembered', () => {
  const after = (cases: number, previous?: FigureStates) =>
    decide(
      {
        as_of: '2026-11-03T00:00:00.000Z',
        last_batch_id: 1,
        last_correction_id: 0,
        of: tallies([aCell({ cases: cases / 2 }), aCell({ cases: cases / 2, certified_mail: 1, recovered_50: 9 })]),
      },
      previous,
      RULE,
    )
  const { states, decisions } = after(50)
  expect([states.of.cases_floor10.figure.value, states.of.savings_total.figure.value]).toEqual([50, '36000.00'])
  expect([decisions.p, after(48).decisions.p]).toEqual(['published', 'withheld'])
  const count = { ...states.of.cases_floor10, room: [3] }
  const next = after(200, { ...states, of: { ...states.of, cases_floor10: count } })
  expect([next.decisions.cases_floor10, next.states.of.cases_floor10.room]).toEqual(['published', [3]])
})
