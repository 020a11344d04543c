import { expect, test } from 'bun:test'
import { CHARTS as FACTS, factsOf, HOSPITAL_FACTS, PLACE_CHART } from '../proof/price/charts.ts'
import { CHARTS } from './charts.ts'

test('what a verifier knows of the charts is what the table says', () => {
  const priced = CHARTS.filter(({ bases }) => bases.length > 0)
  const schedules = priced.filter(({ perProvider }) => !perProvider)
  expect(schedules.map(({ chart }) => chart).sort()).toEqual(Object.keys(FACTS).sort())
  for (const { chart, perProvider, bases, speaks, settings } of priced) {
    const facts = perProvider ? HOSPITAL_FACTS : factsOf(chart)
    expect([chart, facts?.bases, facts?.speaks]).toEqual([chart, bases, speaks])
    // A row that cannot be read may have no setting in any chart.
    const known = new Set([...(facts?.settings ?? []), null])
    expect([chart, settings.filter((setting) => !known.has(setting))]).toEqual([chart, []])
    expect([chart, facts?.settings.every((setting) => settings.includes(setting))]).toEqual([chart, true])
  }
})

test('a chart without bases states no prices, and is the one of places', () => {
  const others = CHARTS.filter(({ bases }) => bases.length === 0)
  expect(others).toMatchObject([{ chart: PLACE_CHART, breaker: null, comparable: null, rowRules: 'none' }])
})
