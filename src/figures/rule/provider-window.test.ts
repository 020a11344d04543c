import { expect, test } from 'bun:test'
import { aCell } from '../fixture.ts'
import { decideProvider, drawProvider, PROVIDER_CELLS, PROVIDER_QUESTIONS, tallyProvider } from './provider-window.ts'
import { RULE_2 } from './rule-2.ts'

const nothing = { value: null, reason: 'small_cell' } as const
const sound = tallyProvider([
  aCell({ cases: 60, recovered_50: 30 }),
  aCell({ cases: 40, recovered_50: 5, certified_mail: 1 }),
])
const told = (windows: Parameters<typeof decideProvider>[0], unit: 'case' | 'person' = 'case') =>
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
  expect(told([sound])).toEqual({
    band: { value: '100-299' },
    win_rate: { value: 0.6, reason: null },
    no_escalation_rate: { value: 0.6, reason: null },
    median_savings_band: { value: '500-1999', reason: null },
  })
})

test('noise that could be all there is makes no cases', () => {
  const few = (won: number) => told([{ ...tallyProvider([]), won }]).band.value
  expect([few(10), few(15), few(16), few(17), few(40)]).toEqual(['0-10', '0-10', '0-10', '11-29', '30-99'])
})

test('a rate that the noise of many windows blurs is withheld', () => {
  const empty = Array.from({ length: 23 }, () => tallyProvider([]))
  expect(told([sound, ...empty]).win_rate).toEqual(nothing)
  expect(told([sound], 'person').win_rate).toEqual({ value: 0.6, reason: null })
  expect(told([sound, ...empty], 'person')).toMatchObject({ win_rate: nothing, median_savings_band: nothing })
})

test('every cell is drawn, also of a provider without a case', () => {
  // For each cell: no step away from zero, and then a plus.
  const falls = PROVIDER_CELLS.flatMap(() => [1, 0])
  const drawn = drawProvider(tallyProvider([]), 'case', RULE_2, (bound) =>
    bound === 1 ? 0 : (falls.shift() as number),
  )
  expect(falls).toEqual([])
  expect(drawn).toEqual(tallyProvider([]))
})
