import { expect, test } from 'bun:test'
import { losses, type Results } from './results.ts'

const results = (value: number, lowerIsBetter?: true): Results => ({
  part: {
    machine: 'any',
    lines: [{ what: '', figure: '', beside: '', ratio: { name: 'a', value, ...(lowerIsBetter && { lowerIsBetter }) } }],
  },
})

test('a ratio that fell by more than a third is a loss, and one that fell by less is not', () => {
  expect(losses(results(0.9), results(0.59))).toEqual([{ name: 'a', was: 0.9, is: 0.59 }])
  expect(losses(results(0.9), results(0.61))).toEqual([])
  expect(losses(results(0.9), results(5))).toEqual([])
})

test('where less is better, a ratio that rose by half and more is a loss', () => {
  expect(losses(results(0.6, true), results(0.95, true))).toHaveLength(1)
  expect(losses(results(0.6, true), results(0.85, true))).toEqual([])
})

test('a ratio that was never committed is compared with nothing', () => {
  expect(losses({}, results(0.1))).toEqual([])
})
