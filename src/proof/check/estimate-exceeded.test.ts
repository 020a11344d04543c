import { expect, test } from 'bun:test'
import { aBill, billAnswer, registryWith, said } from './check-fixture.ts'

const registry = registryWith({})
const against = (estimate: string) => ({ ...aBill('hospital', '99284 900.00', '85025 100.00'), totals: { estimate } })

test('a bill of 400 or more above the estimate may be disputed, and one of less may not', async () => {
  expect((await said(registry, against('600.01'))).found).toEqual([])
  expect((await said(registry, against('600.00'))).found).toEqual(['estimate_exceeded rule '])
  const { body } = await billAnswer(registry, against('250.00'))
  expect(body['findings']).toMatchObject([
    { amount_at_issue: '750.00', says: expect.stringContaining('within 120 days of the bill (45 CFR 149.620)') },
  ])
})
