import { expect, test } from 'bun:test'
import { aRow } from '../registry-fixture.ts'
import { aBill, billAnswer, EVERY_CHART, registryWith, said, skippedOf } from './check-fixture.ts'

const NPI = '1234567893'
const own = (code: string, basis: string, amount: string) =>
  aRow({ code, basis, npi: NPI, class: 'facility', setting: 'outpatient', amount } as never)
const withFile = () => {
  const registry = registryWith(EVERY_CHART)
  const rows = [
    own('99284', 'hospital_gross', '2000.00'),
    own('99284', 'hospital_cash', '900.00'),
    own('85025', 'hospital_gross', '100.00'),
  ]
  registry.publish(rows, { chart: `hospital-mrf:${NPI}`, providers: [NPI], effective_to: '2027-06-30' })
  return registry
}
const at = (npi: string, ...lines: string[]) => ({ ...aBill('hospital', ...lines), npi })

test('a charge above the published one is found, by what it is above', async () => {
  const registry = withFile()
  expect((await said(registry, at(NPI, '99284 2187.00', '85025 x2 200.00'))).found).toEqual(['above_own_list rule 1'])
  const { body } = await billAnswer(registry, at(NPI, '99284 2187.00', '85025 x2 200.00'))
  expect(body['findings']).toMatchObject([{ amount_at_issue: '187.00' }])
  expect(body['sums']).toMatchObject({
    billed: '2387.00',
    hospital_gross: '2200.00',
    hospital_cash: '900.00',
    at_issue: '187.00',
  })
  expect(body['lines']).toMatchObject([
    { hospital_gross: { amount: '2000.00' }, hospital_cash: { amount: '900.00' } },
    {},
  ])
})

test('who pays without insurance is told of the cash price, and who has a payer is not', async () => {
  const registry = withFile()
  expect((await said(registry, at(NPI, '99284 1500.00'))).found).toEqual(['above_own_list ask 1'])
  expect((await said(registry, { ...at(NPI, '99284 1500.00'), payer: 'aetna/commercial' })).found).toEqual([])
})

test('a code that is not in the file, and a hospital without a file, are unchecked', async () => {
  const registry = withFile()
  expect(await skippedOf(registry, at(NPI, '80053 50.00'))).toContain(`above_own_list hospital-mrf:${NPI} no_price 1`)
  expect(await skippedOf(registry, at('1679576722', '99284 50.00'))).toContain(
    'above_own_list hospital-mrf no_edition 1',
  )
})

test('an allowed amount above the payer’s published rate is found, and a charge above it is a question', async () => {
  const registry = registryWith(EVERY_CHART)
  const rate = { ...own('99284', 'hospital_payer', '800.00'), payer: 'aetna/commercial' }
  registry.publish([rate as never, own('99284', 'hospital_gross', '3000.00')], {
    chart: `hospital-mrf:${NPI}`,
    providers: [NPI],
  })
  const asked = (line: object, payer = 'aetna/commercial') => ({
    ...at(NPI),
    payer,
    lines: [{ code: '99284', ...line }],
  })
  expect((await said(registry, asked({ billed: '2000.00', allowed: '887.27' }))).found).toEqual([
    'above_payer_rate rule 1',
  ])
  expect((await said(registry, asked({ billed: '2000.00', allowed: '800.00' }))).found).toEqual([])
  expect((await said(registry, asked({ billed: '2000.00' }))).found).toEqual(['above_payer_rate ask 1'])
  const { body } = await billAnswer(registry, asked({ allowed: '887.27' }))
  expect(body).toMatchObject({ lines: [{ payer: { amount: '800.00' } }], sums: { payer: '800.00', at_issue: '87.27' } })
  expect(await skippedOf(registry, asked({ billed: '9.00' }, 'uhc/commercial'))).toContain(
    `above_payer_rate hospital-mrf:${NPI} no_price 1`,
  )
})
