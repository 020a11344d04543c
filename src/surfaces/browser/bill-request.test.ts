import { expect, test } from 'bun:test'
import { A_CLAIM_835, A_COPIED_TEXT, A_CSV, an835, an837, anEob, anItem, LINES_837 } from '../../statement/fixture.ts'
import { type BillRequest, readStatement } from '../../statement/statement.ts'
import { billIn, requestWith, tableText } from './bill-request.ts'

const NO_FIELDS = { place: '', day: '', npi: '', kind: '', payer: '', type: '', estimate: '' }
const read = async (...texts: string[]) => {
  const bill = billIn(await Promise.all(texts.map((text) => readStatement(text))))
  if ('refused' in bill) throw new Error(bill.refused)
  return bill
}

test('the lines that are shown before they are sent are read again as the same lines and totals', async () => {
  const papers = [JSON.stringify(anEob()), an837(LINES_837), an835(A_CLAIM_835), A_CSV, A_COPIED_TEXT]
  for (const paper of papers) {
    const { request } = await read(paper)
    const { request: again } = await read(tableText(request))
    expect([again.lines, again.totals]).toEqual([request.lines, request.totals])
  }
})

test("an insurer's statement and an estimate stand beside the bill, line by line where code and day are the same", async () => {
  const bill = 'Code,Mod,Units,Billed,Day\n99213,25,1,300.00,2026-05-14\n80053,,1,50.00,2026-05-14\nTotal,,,350.00,'
  const estimate = anEob({ resourceType: 'Claim', use: 'predetermination', total: { value: 100 } })
  const { request } = await read(bill, JSON.stringify(anEob()), JSON.stringify(estimate))
  expect(request.lines).toEqual([
    {
      code: '99213',
      modifiers: ['25'],
      day: '2026-05-14',
      units: '1',
      billed: '300.00',
      allowed: '95.19',
      patient: '19.04',
    },
    { code: '80053', day: '2026-05-14', units: '1', billed: '50.00' },
  ])
  expect(request.totals).toEqual({ billed: '350.00', estimate: '100.00' })
})

test('where the bill has a line twice, the statement is given to neither', async () => {
  const bill = 'Code,Mod,Units,Billed,Day\n99213,25,1,300.00,2026-05-14\n99213,25,1,300.00,2026-05-14'
  const { request } = await read(bill, JSON.stringify(anEob({ item: [anItem()] })))
  expect(request.lines.map(({ allowed }) => allowed)).toEqual([undefined, undefined])
})

test('the fields of the form complete the request, and say what they do not take', () => {
  const request: BillRequest = { lines: [{ code: '99213' }] }
  const fields = { ...NO_FIELDS, place: 'Atlanta, GA 30322', day: '2026-05-14', kind: 'hospital', estimate: '$1,000' }
  expect(requestWith(request, fields)).toEqual({
    lines: [{ code: '99213' }],
    kind: 'hospital',
    region: '30322',
    day: '2026-05-14',
    totals: { estimate: '1000.00' },
  })
  const refusals: [object, RegExp][] = [
    [{}, /has no day/],
    [{ day: '2026-05-14', place: 'Springfield' }, /not a ZIP code/],
    [{ day: '2026-05-14', estimate: 'much' }, /not dollars/],
  ]
  for (const [changes, sentence] of refusals)
    expect(requestWith(request, { ...NO_FIELDS, ...changes })).toEqual({ refused: expect.stringMatching(sentence) })
})
