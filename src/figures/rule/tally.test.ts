import { expect, test } from 'bun:test'
import { aCell } from '../fixture.ts'
import { diceOf } from './laplace.ts'
import { contribution, RULE_2 } from './rule-2.ts'
import { medianEdges } from './standard-error.ts'
import { addTallies, cellOf, difference, largest, tallies, tally } from './tally.ts'

test('a cell is unpacked from the number that the store groups by', () => {
  const cell = { closed: 1, settled: 0, recurring: 1, certified_mail: 0, recovered_50: 999, cases: 4 }
  expect(cellOf(0b1010 * 1001 + 999, 4)).toEqual(cell)
  expect(cellOf(0b0101 * 1001, 1)).toEqual(aCell({ closed: 0, settled: 1, certified_mail: 1, recovered_50: 0 }))
})

test('a tally has no answers with zero cases, and joined tallies stay in the order of answers', () => {
  expect(tally([aCell({ cases: 0 }), aCell({ cases: 3, recovered_50: 5 })], 'savings_total')).toEqual([[5, 3]])
  const one = tallies([aCell({ cases: 2, recovered_50: 30 })])
  const other = tallies([aCell({ cases: 1, recovered_50: 30 }), aCell({ cases: 4, recovered_50: 7 })])
  expect(addTallies(one, other).savings_total).toEqual([
    [7, 4],
    [30, 3],
  ])
  expect(addTallies(one, {}).savings_total).toEqual(one.savings_total)
})

test('cases are alike only if each of them may have changed in the same way', () => {
  const from = (no: number, yes: number) =>
    difference(
      [
        [0, 5],
        [1, 5],
      ],
      [
        [0, no],
        [1, yes],
      ],
    )
  expect(from(3, 7)).toEqual({ cases: 2, alike: true })
  expect(from(3, 9)).toEqual({ cases: 4, alike: false })
  expect(from(5, 9)).toEqual({ cases: 4, alike: true })
  expect(from(7, 9)).toEqual({ cases: 6, alike: false })
  expect(from(5, 5)).toEqual({ cases: 0, alike: true })
})

test('the largest answers are repeated for each case, up to the limit', () => {
  const basis = [
    [1, 5],
    [2, 1],
  ] as const
  expect([largest(basis, 3), largest(basis, 1), largest([[3, 10]], 2)]).toEqual([[2, 1, 1], [2], [3, 3]])
})

test('a case is won from 500 dollars on', () => {
  const won = (recovered_50: number) => contribution(aCell({ recovered_50 }), RULE_2).w_yes
  expect([won(9), won(10), won(11)]).toEqual([undefined, 1, 1])
})

test('dice have from one to 2^30 sides', () => {
  const dice = diceOf((count) => 2 ** count - 1)
  expect([dice(1), dice(2), dice(2 ** 30)]).toEqual([0, 1, 2 ** 30 - 1])
  for (const bound of [0, 0.5, -1, 2 ** 30 + 1]) expect(() => dice(bound)).toThrow(RangeError)
})

test('a median is on a side of an edge if it is more than twice the standard error away', () => {
  const variance = { cell: { over: 3n, under: 1n }, side: { over: 5n, under: 1n } }
  const edges = (counts: readonly [number, number][], all: number) => medianEdges(counts, all, variance)
  // Twice the error is ten for the first edge, and twelve for the second.
  expect([edges([[20, 1]], 30), edges([[20, 1]], 29)]).toEqual([
    [0, null],
    [0, 1],
  ])
  expect([edges([[20, 1]], 50), edges([[20, 1]], 51)]).toEqual([
    [0, null],
    [1, null],
  ])
  const two: [number, number][] = [
    [0, 1],
    [40, 2],
  ]
  expect([edges(two, 68), edges(two, 67)]).toEqual([
    [1, null],
    [1, 2],
  ])
})
