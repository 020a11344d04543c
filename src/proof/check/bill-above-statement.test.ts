import { expect, test } from 'bun:test'
import { billAnswer, DAY, registryWith, said } from './check-fixture.ts'

const lines = [
  { code: '99284', billed: '500.00', patient: '150.00' },
  { code: '85025', billed: '50.00', patient: '10.00' },
]
const registry = registryWith({})
const asking = (patient: string) => ({ kind: 'hospital', day: DAY, lines, totals: { patient } }) as const

test('a bill that asks more than the lines of the statement is a question', async () => {
  expect((await said(registry, asking('160.00'))).found).toEqual([])
  expect((await said(registry, asking('100.00'))).found).toEqual([])
  expect((await said(registry, asking('210.00'))).found).toEqual(['bill_above_statement ask '])
  expect((await billAnswer(registry, asking('210.00'))).body['sums']).toMatchObject({ at_issue: '50.00' })
})
