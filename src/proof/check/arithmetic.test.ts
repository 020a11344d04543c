import { expect, test } from 'bun:test'
import type { StatedBill } from './bill.ts'
import { aBill, billAnswer, DAY, registryWith, said } from './check-fixture.ts'

const registry = registryWith({})
const ofBill = (bill: Partial<StatedBill> & Pick<StatedBill, 'lines'>) =>
  ({ kind: 'hospital', day: DAY, ...bill }) as const
const lines = [
  { revenue_code: '0250', billed: '98.10', allowed: '50.00', patient: '10.00' },
  { revenue_code: '0270', billed: '212.00', allowed: '60.00', patient: '20.00' },
]
const amountsOf = async (bill: StatedBill) => {
  const { body } = await billAnswer(registry, bill)
  return (body['findings'] as { rule: string; amount_at_issue?: string }[]).map((each) => each.amount_at_issue)
}

test('a total that is not the sum of its lines is a question, and the difference is at issue', async () => {
  const totals = { billed: '310.10', allowed: '110.00', patient: '30.00' }
  expect((await said(registry, ofBill({ lines, totals }))).found).toEqual([])
  const more = ofBill({ lines, totals: { ...totals, billed: '410.10' } })
  expect((await said(registry, more)).found).toEqual(['arithmetic ask '])
  expect(await amountsOf(more)).toEqual(['100.00'])
  // Where less is asked nothing is at issue, and the paper is wrong all the same.
  expect(await amountsOf(ofBill({ lines, totals: { ...totals, allowed: '100.00' } }))).toEqual([undefined])
})

test('a total is not compared where a line does not state its part', async () => {
  const bill = ofBill({
    lines: [...lines, { revenue_code: '0637' }].slice(0, 2).concat({ code: '99284' } as never),
    totals: { billed: '1.00' },
  })
  expect((await said(registry, bill)).found).toEqual([])
})

test('a part is never more than its whole', async () => {
  const line = { revenue_code: '0250', billed: '100.00', allowed: '120.00', patient: '130.00' }
  expect((await said(registry, ofBill({ lines: [line] }))).found).toEqual([
    'arithmetic ask 1',
    'arithmetic ask 1',
    'arithmetic ask 1',
  ])
})

test('one code has one price for a unit', async () => {
  const bill = aBill('hospital', '96375 x2 200.00', '96375-59 x1 150.00', '96375-59 x3 300.00')
  expect((await said(registry, bill)).found).toEqual(['arithmetic ask 2+3'])
  expect(await amountsOf(bill)).toEqual(['50.00'])
})
