import { expect, test } from 'bun:test'
import { type FiguresState, isFiguresState } from './figures.ts'
import { aNoisedState, aState, aStateOfNothing, firstRelease } from './figures-fixture.ts'
import { figuresFaults } from './figures-replay.ts'

const NEXT = { release_id: '2026-12-01.1', as_of: '2026-12-01T00:00:00.000Z', recorded_at: '2026-12-01T00:00:01.000Z' }

/** A log with one release, and the state of a second one at which nothing moved. */
const logOf = (first: Partial<FiguresState>, second: Partial<FiguresState> = {}): object[] => {
  const state = aState(first)
  return [aStateOfNothing(), ...firstRelease(1, state), { ...state, ...NEXT, ...second }]
}
const good = logOf({})
const last = good.length - 1

test('a log whose entries follow has no fault, and one that does not end with a state has', () => {
  expect(figuresFaults(good)).toEqual([])
  expect(figuresFaults(good.slice(0, 3))).toEqual([3])
})

test('a change before the first state, with a member more, or of another time than its release, does not follow', () => {
  const [, one, two] = good as [object, Record<string, unknown>, Record<string, unknown>]
  expect(figuresFaults([{ ...one, seq: 0 }, ...good])).toContain(0)
  expect(figuresFaults(good.with(1, { ...one, more: 1 }))).toContain(1)
  expect(figuresFaults(good.with(1, { ...one, seq: 2 }))).toContain(1)
  const other = '2026-10-06T00:00:02.000Z'
  expect(figuresFaults(good.with(2, { ...two, released_at: other, new_as_of: other }))).toContain(2)
  expect(figuresFaults(good.with(2, { ...two, release_id: '2026-10-06.2' }))).toContain(2)
})

test('a state says what stands: no other value of the same time, and nothing that was marked loses its mark', () => {
  const { metrics } = aState()
  expect(figuresFaults(logOf({}, { metrics: { ...metrics, w: { ...metrics.w, value: 0.49 } } }))).toEqual([last])
  expect(figuresFaults(logOf({ exact: true }, { exact: true }))).toEqual([])
  const { exact: _, ...unmarked } = { ...aState({ exact: true }), ...NEXT }
  expect(figuresFaults([...logOf({ exact: true }).slice(0, -1), unmarked])).toEqual([last])
  expect(figuresFaults(logOf({ data_class: 'sample' }, { data_class: 'sample' }))).toEqual([])
  expect(figuresFaults(logOf({ data_class: 'sample' }, { data_class: 'published' }))).toEqual([last])
  expect(figuresFaults(logOf({}, { release_id: aState().release_id }))).toEqual([last])
})

test('an amount of a state is a number of cents and nothing beside it', () => {
  const { metrics } = aState()
  const stating = (value: string) =>
    aState({ metrics: { ...metrics, savings_total: { ...metrics.savings_total, value } } })
  expect(isFiguresState(stating('126000.00'))).toBe(true)
  for (const value of ['x126000.00', '126000.00x', '126000.00\n', '-1.00', '126000', '1.0', '.00'])
    expect([value, isFiguresState(stating(value))]).toEqual([value, false])
})

test('a first release may begin with noise, though its changes do not name every count', () => {
  const state = aNoisedState({ cases_floor10: null, settlements_floor10: null, counts_standard_error: null })
  const changes = firstRelease(1, state).slice(0, -3)
  expect(figuresFaults([aStateOfNothing(), ...changes, state])).toEqual([])
})

test('a change says since when the old value stood and that the new one stands from its release on, and comes once', () => {
  const { metrics } = aState()
  const state = aState({ metrics: { ...metrics, w: { ...metrics.w, value: 0.5, as_of: NEXT.as_of } }, ...NEXT })
  const change = {
    ...(good[1] as object),
    ...{ seq: last, release_id: NEXT.release_id, released_at: NEXT.as_of, metric: 'w' },
    ...{ old: 0.48, new: 0.5, old_as_of: aState().as_of, new_as_of: NEXT.as_of, reason: 'release' },
  }
  const faults = (...changes: object[]) => figuresFaults([...good.slice(0, last), ...changes, state])
  expect(faults(change)).toEqual([])
  expect(faults({ ...change, old_as_of: NEXT.as_of })).toContain(last)
  expect(faults({ ...change, new_as_of: '2026-12-01T00:00:00.001Z' })).toContain(last)
  const again = { ...change, seq: last + 1, old: 0.5, old_as_of: NEXT.as_of }
  expect(faults(change, again)).toEqual([last + 1])
})
