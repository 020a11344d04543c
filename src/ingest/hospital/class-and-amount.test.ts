import { expect, test } from 'bun:test'
import { toHex, utf8 } from '../../proof/bytes.ts'
import { verifyDerivation } from '../../proof/price/derivation.ts'
import type { Row } from '../../proof/price/row.ts'
import { sha256 } from '../../proof/sha256.ts'
import { citation, type Source } from '../source.ts'
import { findsCode, sourceCheck } from '../source-check.ts'
import { loaded, short } from './fixture.ts'

const HEAD = [
  'hospital_name,last_updated_on,version,type_2_npi',
  'A Hospital,2026-01-01,3.0.0,1234567893',
  'description,code|1,code|1|type,code|2,code|2|type,setting,billing_class,modifiers,standard_charge|gross,standard_charge|discounted_cash,standard_charge|min,standard_charge|max,payer_name,plan_name,standard_charge|negotiated_dollar',
]
const csv = (...lines: string[]): string => [...HEAD, ...lines, ''].join('\n')
const sourceOf = (text: string): Source => {
  const bytes = utf8(text)
  return { file: 'a.csv', bytes, text, sha256: toHex(sha256(bytes)), kind: 'text' }
}

/** The rows of a file, each of which follows from its inputs and is found again in it. */
async function checked(text: string): Promise<Row[]> {
  const { rows } = await loaded(text)
  const source = sourceOf(text)
  const check = sourceCheck([source])
  const cited = [citation(source, 'x', { url: '', retrieved_at: '2026-10-01T00:00:00Z' })]
  for (const row of rows) {
    expect([short(row), verifyDerivation(row)]).toEqual([short(row), { ok: true }])
    expect([short(row), check(row, cited)]).toEqual([short(row), { ok: true }])
  }
  return rows
}

test('a revenue code of professional fees makes a charge a doctor\u2019s, unless the file says the class itself', async () => {
  const rows = await checked(
    csv(
      'x,G0101,HCPCS,0981,RC,outpatient,,,10.00,,,,,,',
      'x,G0101,HCPCS,0450,RC,outpatient,,,20.00,,,,,,',
      'x,G0101,HCPCS,0960,RC,outpatient,facility,,30.00,,,,,,',
      'x,G0102,HCPCS,960,RC,outpatient,both,,40.00,,,,,,',
    ),
  )
  expect(rows.map(short)).toEqual([
    'G0101||gross|outpatient 20.00',
    'G0101||gross|outpatient|facility 30.00',
    'G0101||gross|outpatient|professional 10.00',
    'G0102||gross|outpatient|professional 40.00',
  ])
})

test('up to four decimals stand as they are, and more are rounded half up with the number that was stated', async () => {
  const rows = await checked(
    csv(
      'x,G0101,HCPCS,,,outpatient,,,6.497,0.0031,,,,,',
      'x,G0102,HCPCS,,,outpatient,,,140.20951,0.00512,,,,,',
      // A double that a spreadsheet printed with all its digits is the number that it had.
      'x,G0103,HCPCS,,,outpatient,,,67.260000000000005,,,,,,',
      // 10.004 is stated as it is, and 10.00499999 is rounded to less.
      'x,G0104,HCPCS,,,outpatient,,,10.004,,,,,,',
      'x,G0104,HCPCS,,,outpatient,,,10.00499999,,,,,,',
      'x,G0105,HCPCS,,,outpatient,,,,,,,P,Q,12.34567',
      'x,G0105,HCPCS,,,outpatient,,,,,,,P,R,12.3',
    ),
  )
  const told = rows.map(({ code, basis, derivation, ...row }) => [
    `${code} ${basis.replace('hospital_', '')}`,
    derivation.method,
    derivation.inputs,
    'price' in row ? row.price : undefined,
  ])
  const usd = { currency: 'USD', per: null }
  expect(told as unknown[]).toEqual([
    ['G0101 cash', 'verbatim/1', { amount: '0.0031' }, { amount: '0.0031', ...usd }],
    ['G0101 gross', 'verbatim/1', { amount: '6.497' }, { amount: '6.497', ...usd }],
    ['G0102 cash', 'rounded/1', { amount: '0.00512' }, { amount: '0.01', ...usd }],
    ['G0102 gross', 'rounded/1', { amount: '140.20951' }, { amount: '140.21', ...usd }],
    ['G0103 gross', 'verbatim/1', { amount: '67.26' }, { amount: '67.26', ...usd }],
    ['G0104 gross', 'range/1', { low: '10.00499999', high: '10.004' }, { low: '10.00', high: '10.004', ...usd }],
    ['G0105 negotiated_high', 'greatest-rate/1', { amount: '12.34567' }, { amount: '12.35', ...usd }],
    ['G0105 negotiated_low', 'least-rate/1', { amount: '12.30' }, { amount: '12.30', ...usd }],
  ])
})

test('an amount that cannot be read is said to be there, or marks the price under its key as partial', async () => {
  const text = csv(
    'x,G0101,HCPCS,,,outpatient,,,call us,5.00,,,,,',
    'x,G0101,HCPCS,,,outpatient,,,,999999999,,,,,',
    'x,G0102,HCPCS,,,somewhere,,,7.00,,,,,,',
    'x,G0103,HCPCS,,,outpatient,,see notes,8.00,,,,,,',
    'x,G0104,HCPCS,,,outpatient,,,,,,,P,Q,varies',
  )
  expect((await checked(text)).map((row) => [short(row), row.derivation.inputs['rule'], row.locator[0]?.line])).toEqual(
    [
      ['G0101||cash|outpatient 5.00 partial', undefined, 4],
      ['G0101||gross|outpatient unreadable', 'R02', 4],
      ['G0102||gross| unreadable', 'R03', 6],
      ['G0103||gross|outpatient unreadable', 'R03', 7],
      ['G0104||negotiated_high|outpatient unreadable', 'R02', 8],
      ['G0104||negotiated_low|outpatient unreadable', 'R02', 8],
    ],
  )
  const source = sourceOf(text)
  const found = ['G0102', 'G0104', 'G0105'].map((code) => findsCode(source, 'hospital-mrf:1234567893', code))
  expect(found).toEqual([true, true, false])
})

test('a code without any amount in dollars is in the release, as a price that is not stated', async () => {
  const text = csv(
    // A percentage or a formula stands in columns that are not read; here the lines have nothing else.
    'x,G0101,HCPCS,,,outpatient,,,,,,,P,plan,',
    'x,G0101,HCPCS,,,outpatient,,,,,,,Q,plan,',
    'x,G0102,HCPCS,,,outpatient,,,,,,,P,plan,',
    'x,G0102,HCPCS,,,outpatient,,,9.00,,,,Q,plan,',
    'x,G0102,HCPCS,,,inpatient,,,,,,,P,plan,',
    'x,G0103,HCPCS,,,outpatient,,?,,,,,P,plan,',
    'x,G0104,HCPCS,,,outpatient,,,,,,,P,plan,7.00',
    'x,G0104,HCPCS,,,outpatient,,,,,,,Q,plan,',
  )
  const rows = await checked(text)
  expect(rows.map((row) => [short(row), row.locator[0]?.line])).toEqual([
    ['G0101||negotiated_low|outpatient no_price_stated', 4],
    ['G0102||gross|outpatient 9.00', 7],
    ['G0102||negotiated_low|inpatient no_price_stated', 8],
    ['G0103||negotiated_low|outpatient unreadable', 9],
    ['G0104||negotiated_high|outpatient 7.00', 10],
    ['G0104||negotiated_low|outpatient 7.00', 10],
  ])
  // It cannot be said of a code that has an amount somewhere else in the file, nor with another line.
  const source = sourceOf(text)
  const cited = [citation(source, 'x', { url: '', retrieved_at: '2026-10-01T00:00:00Z' })]
  const [none] = rows as [Row]
  const check = sourceCheck([source])
  expect(check({ ...none, locator: [{ citation: 0, line: 5 }] }, cited).ok).toBe(false)
  expect(check({ ...none, code: 'G0102', locator: [{ citation: 0, line: 6 }] }, cited).ok).toBe(false)
  expect(check({ ...none, code: 'G0105' }, cited).ok).toBe(false)
  for (const cpt of ['G0101', 'G0103']) expect(findsCode(source, 'hospital-mrf:1234567893', cpt)).toBe(true)
})
