import { expect, test } from 'bun:test'
import type { Period } from '../price/release.ts'
import { nameOf, stateOf } from '../price/timeline.ts'
import { MemoryRelease } from '../registry-fixture.ts'
import { checkRuns, findPeriod, reachesEnds } from './timeline-proof.ts'

const period = (chart: string, from: string, to: string, release = 'r'): Period => ({ chart, from, to, release })

/** The fault of a whole timeline that its signer has put in this order. */
function faultOf(...periods: Period[]): string | undefined {
  const run = { from: 0, periods, left_path: [], right_path: [] }
  try {
    checkRuns([run], stateOf({ periods, providers: [] }, '2026-01-01T00:00:00Z'))
    return undefined
  } catch (error) {
    return (error as Error).message
  }
}

test('periods may last a day, stand in the order of charts and days, and share no day', () => {
  const [first, next] = [period('a', '2026-01-01', '2026-03-31'), period('a', '2026-04-01', '2026-06-30')]
  expect(faultOf(first, next, period('b', '2026-01-01', '2026-12-31'))).toBeUndefined()
  expect(faultOf(period('a', '2026-01-01', '2026-01-01'))).toBeUndefined()
  for (const lie of [
    [period('a', '2026-01-02', '2026-01-01')],
    [first, period('a', '2026-03-31', '2026-06-30')],
    [next, first],
    [first, first],
    [period('b', '2026-01-01', '2026-12-31'), first],
  ])
    expect([lie, faultOf(...lie)]).toEqual([lie, 'leaves_contradict'])
})

test('a period that names a release and is not of it is a lie', () => {
  const { manifest } = new MemoryRelease([], { chart: 'cms-pfs' })
  const { effective_from, effective_to } = manifest
  const placed = (to: string, from = effective_from) => [
    { index: 3, period: period('cms-pfs', from, to, nameOf(manifest)) },
  ]
  expect(findPeriod(placed(effective_to), manifest)?.index).toBe(3)
  expect(findPeriod([{ index: 3, period: period('cms-pfs', effective_from, effective_to) }], manifest)).toBeUndefined()
  expect(() => findPeriod(placed('2099-12-31'), manifest)).toThrow('release_not_in_force')
  expect(() => findPeriod(placed(effective_to, '2020-01-01'), manifest)).toThrow('release_not_in_force')
})

test('nothing reaches both ends of a timeline that has periods', () => {
  expect(reachesEnds([], undefined, 0)).toEqual([true, true])
  expect(reachesEnds([], 'a', 3)).toEqual([false, false])
  const run = ['a', 'b', 'c'].map((chart, i) => ({ index: i + 1, period: period(chart, '2026-01-01', '2026-12-31') }))
  expect(reachesEnds(run, undefined, 5)).toEqual([false, false])
  expect(reachesEnds(run, 'b', 5)).toEqual([true, true])
  expect(reachesEnds(run, 'a', 5)).toEqual([false, true])
  expect(reachesEnds(run.slice(0, 2), undefined, 3)).toEqual([false, true])
})
