import { expect, test } from 'bun:test'
import { CHARTS as FACTS, PLACE_CHART } from '../proof/price/charts.ts'
import { CHARTS, chartTable } from './charts.ts'

test('every schedule that a verifier knows has one entry, and no other', () => {
  expect(Object.keys(chartTable()).sort()).toEqual(Object.keys(FACTS).sort())
  expect(chartTable()).toMatchObject(
    Object.fromEntries(Object.entries(FACTS).map(([chart, { bases }]) => [chart, { bases }])),
  )
})

test('a chart without bases states no prices, and is the one of places', () => {
  const others = CHARTS.filter(({ bases }) => bases.length === 0)
  expect(others).toMatchObject([{ chart: PLACE_CHART, breaker: null, comparable: null, rowRules: 'none' }])
})
