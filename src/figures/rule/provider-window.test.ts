import { expect, test } from 'bun:test'
import { aCell } from '../fixture.ts'
import { discreteLaplace } from './laplace.ts'
import {
  decideProvider,
  drawProvider,
  PROVIDER_CELLS,
  PROVIDER_QUESTIONS,
  type ProviderTally,
  providerContribution,
  tallyProvider,
} from './provider-window.ts'
import { RULE_2 } from './rule-2.ts'

const nothing = { value: null, reason: 'small_cell' } as const
const sound = tallyProvider([
  aCell({ cases: 60, recovered_50: 30 }),
  aCell({ cases: 40, recovered_50: 5, certified_mail: 1 }),
])
const decided = (windows: Parameters<typeof decideProvider>[0], unit: 'case' | 'person' = 'case') =>
  decideProvider(windows, unit, RULE_2)

test('a case of a provider is in one cell of each question at most', () => {
  for (const closed of [0, 1])
    for (const settled of [0, closed])
      for (const recovered_50 of [0, 9, 10, 39, 40, 199, 200, 1000]) {
        const tally = tallyProvider([aCell({ closed, settled, recovered_50 })])
        for (const cells of Object.values(PROVIDER_QUESTIONS))
          expect(cells.reduce((sum, name) => sum + tally[name], 0)).toBeLessThanOrEqual(1)
        expect(tally.won + tally.lost + tally.open).toBe(1)
      }
})

test('a large provider has a band, rates and the band of its median', () => {
  expect(decided([sound])).toEqual({
    band: { value: '100-299' },
    win_rate: { value: 0.6, reason: null },
    no_escalation_rate: { value: 0.6, reason: null },
    median_savings_band: { value: '500-1999', reason: null },
  })
})

test('a count that could be noise alone stays in the lowest band', () => {
  const few = (won: number) => decided([{ ...tallyProvider([]), won }]).band.value
  expect([few(10), few(15), few(16), few(17), few(40)]).toEqual(['0-10', '0-10', '0-10', '11-29', '30-99'])
})

test('a rate is withheld if the noise of many windows makes it too uncertain', () => {
  const empty = Array.from({ length: 23 }, () => tallyProvider([]))
  expect(decided([sound, ...empty]).win_rate).toEqual(nothing)
  expect(decided([sound], 'person').win_rate).toEqual({ value: 0.6, reason: null })
  expect(decided([sound, ...empty], 'person')).toMatchObject({ win_rate: nothing, median_savings_band: nothing })
})

test('noise is drawn for every cell of a provider without a case', () => {
  // For each cell the size falls to zero, and the sign to plus.
  const falls = PROVIDER_CELLS.flatMap(() => [1, 0])
  const drawn = drawProvider(tallyProvider([]), 'case', RULE_2, (bound) =>
    bound === 1 ? 0 : (falls.shift() as number),
  )
  expect(falls).toEqual([])
  expect(drawn).toEqual(tallyProvider([]))
})

test('noise is added to the exact counts in the order in which it is drawn', () => {
  const dice = () => {
    let state = 3
    return (bound: number) => {
      state = (Math.imul(state, 1103515245) + 12345) >>> 0
      return (state >>> 8) % bound
    }
  }
  const again = dice()
  const drawn = PROVIDER_CELLS.map((name) => [name, sound[name] + discreteLaplace({ n: 1, d: 1 }, again)])
  expect(drawn.some(([name, count]) => sound[name as keyof ProviderTally] !== count)).toBe(true)
  expect(drawProvider(sound, 'case', RULE_2, dice())).toEqual(Object.fromEntries(drawn))
})

test('a case is counted by its answers, and an amount by the band that it is in', () => {
  const cellsOf = (given: Parameters<typeof aCell>[0]) => providerContribution(aCell(given))
  expect(cellsOf({ closed: 0, settled: 0, recovered_50: 20 })).toEqual(['open'])
  expect(cellsOf({ settled: 0, recovered_50: 9 })).toEqual(['lost'])
  expect(cellsOf({ recovered_50: 9 })).toEqual(['lost', 'peaceful', 'under_500'])
  expect(cellsOf({ recovered_50: 10, certified_mail: 1 })).toEqual(['won', 'escalated', 'under_2000'])
  expect(cellsOf({ recovered_50: 39 })).toEqual(['won', 'peaceful', 'under_2000'])
  expect(cellsOf({ recovered_50: 40 })).toEqual(['won', 'peaceful', 'under_10000'])
  expect(cellsOf({ recovered_50: 199 })).toEqual(['won', 'peaceful', 'under_10000'])
  expect(cellsOf({ recovered_50: 200 })).toEqual(['won', 'peaceful'])
})

/** The facts that follow from one window with these counts. */
const decidedOn = (given: Partial<ProviderTally>, more: readonly ProviderTally[] = []) =>
  decided([{ ...tallyProvider([]), ...given }, ...more])

test('a rate needs 30 cases, 11 on each side, and noise of no more than one step', () => {
  const rate = (won: number, lost: number, windows = 1) =>
    decidedOn({ won, lost }, Array(windows - 1).fill(tallyProvider([]))).win_rate.value
  expect([rate(15, 14), rate(15, 15)]).toEqual([null, 0.5])
  expect([rate(10, 30), rate(11, 30), rate(30, 10), rate(30, 11)]).toEqual([null, 0.25, null, 0.75])
  // The error is 0.05 with two windows, and larger with three.
  expect([rate(11, 20, 2), rate(11, 20, 3)]).toEqual([0.35, null])
})

test('open cases count for the band', () => {
  expect(decidedOn({ won: 20, lost: 10, open: 20 }).band.value).toBe('30-99')
})

test('the band of the median needs 30 settlements, and is withheld where it would reach over two', () => {
  const savings = (peaceful: number, under_500: number, under_2000 = 0) =>
    decidedOn({ peaceful, under_500, under_2000 }).median_savings_band
  expect(savings(29, 29)).toEqual(nothing)
  expect(savings(30, 30)).toEqual({ value: '<500', reason: null })
  expect(savings(100, 50, 50)).toEqual(nothing)
  expect(savings(100, 0, 50)).toEqual(nothing)
  expect(savings(100, 0, 0)).toEqual({ value: '10000+', reason: null })
})
