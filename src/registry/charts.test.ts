import { expect, test } from 'bun:test'
import { CHARTS as FACTS, HOSPITAL_LIST, kindOfRows, PLACE_CHART } from '../proof/price/charts.ts'
import { CHARTS, chartTable } from './charts.ts'

test('every schedule that a verifier knows has one entry, and no other', () => {
  expect(Object.keys(chartTable()).sort()).toEqual(Object.keys(FACTS).sort())
  expect(chartTable()).toMatchObject(
    Object.fromEntries(Object.entries(FACTS).map(([chart, { bases }]) => [chart, { bases }])),
  )
})

test('a chart without bases states no prices, and says what its rows are', () => {
  const others = CHARTS.filter(({ bases }) => bases.length === 0)
  expect(others.map(({ chart }) => chart)).toEqual(expect.arrayContaining([PLACE_CHART, HOSPITAL_LIST, 'ncci-add-on']))
  for (const { chart, comparable, rowRules } of others)
    expect([chart, kindOfRows(chart) !== undefined, comparable, rowRules]).toEqual([chart, true, null, 'none'])
})
