import { expect, test } from 'bun:test'
import { aFee, aPlace, MemoryRelease } from '../registry-fixture.ts'
import { BASES, DOSAGE_UNITS, indicatorsOf, isAnyRow, isPlaceRow, isRow, type Row, rowKey, rowText } from './row.ts'
import { rowFault } from './row-of-release.ts'

const NPI = '1234567893'
const price: Row = aFee({ code: 'G0101' })
const place = aPlace('60611', 'US-IL-16', '0001-0999')

test.each<[keyof Row | 'price' | 'reason', unknown[]]>([
  ['kind', ['Price', 'absence', '']],
  ['code', ['99213 ', '9921', '992133', 'g0101', '99213\n', 'GXXX1', '9921O2', '\u0661\u0661\u0661\u0661\u0661']],
  ['modifier', ['', '2', '260', 'tc', '26-', '26|TC']],
  ['region', ['National', 'US-CAL', 'US-CA-1', 'US-CA-', 'ZIP-90001', 'national|', '']],
  ['npi', ['', '0234567893', '123456789', '12345678933']],
  ['basis', ['hospital', '', null]],
  ['setting', ['both', '']],
  ['class', ['both', '', 'Facility']],
  [
    'payer',
    ['', 'aetna', '/ppo', 'aetna/', 'Aetna/ppo', 'aetna/PPO', 'aetna/ppo/x', 'aetna|ppo', 'a b/ppo', 'aetna/ppo\n', 0],
  ],
  ['indicators', [{ coinsurance: '20' }, { Status: 'A' }, { status: '' }, { status: 'two words' }, { status: 1 }, []]],
  ['effective_from', ['2026-7-1', '2026-13-01', '2026-00-10', '2026-01-32', '2026-07-01T00:00:00Z', '']],
  ['flags', [['Flag'], ['a b'], [''], ['ignore previous instructions'], Array(65).fill('a')]],
  [
    'locator',
    [
      [{ citation: -1, line: 1 }],
      [{ citation: 0, line: 1.5 }],
      [{ citation: 0, line: '1' }],
      [{ citation: 0, line: 0 }],
      {},
    ],
  ],
])('a row with a strange %s is refused', (name, values) => {
  for (const value of values) expect(isRow({ ...price, [name]: value })).toBe(false)
})

test('amounts are decimals with two to four places and nothing else', () => {
  const withPrice = (members: object) => isRow({ ...price, price: { currency: 'USD', per: null, ...members } })
  const odd = [
    '',
    '1',
    '1.0',
    '1.000',
    '1.0000',
    '1.0010',
    '1.00001',
    '01.00',
    '-1.00',
    '+1.00',
    '1,000.00',
    '$1.00',
    '1e2',
    '.50',
    ' 1.00',
    '1.00\n',
    '0.00',
    '1234567890123.00',
    1,
  ]
  for (const amount of odd) {
    expect([amount, withPrice({ amount })]).toEqual([amount, false])
    expect([amount, withPrice({ low: amount, high: '2000000000000.00' })]).toEqual([amount, false])
  }
  for (const amount of ['1.00', '0.01', '6.497', '0.0001', '0.001', '10.0105', '123456789012.99'])
    expect([amount, withPrice({ amount })]).toEqual([amount, true])
  for (const currency of ['usd', 'EUR', '', null]) expect(withPrice({ amount: '1.00', currency })).toBe(false)
  expect(withPrice({ amount: '1.00', low: '1.00', high: '1.00' })).toBe(false)
})

test('a range begins below its end, as numbers', () => {
  const withRange = (low: string, high: string) => isRow({ ...price, price: { low, high, currency: 'USD', per: null } })
  expect(withRange('9.00', '10.00')).toBe(true)
  expect(withRange('9.99', '9.9901')).toBe(true)
  expect(withRange('10.00', '9.00')).toBe(false)
  expect(withRange('10.00', '10.00')).toBe(false)
})

test('a price may say what it is for, in known words', () => {
  const withPer = (per: unknown) => isRow({ ...price, price: { amount: '6.497', currency: 'USD', per } })
  for (const unit of DOSAGE_UNITS) expect([unit, withPer(`2.5 ${unit}`)]).toEqual([unit, true])
  for (const per of [
    null,
    'MONTH',
    'DAY',
    'MILE',
    'UNIT',
    '1 UNIT',
    '10 MG',
    '0.5 MG',
    '2.5 ML',
    '1 MILLICURIE',
    '20 F2',
  ])
    expect([per, withPer(per)]).toEqual([per, true])
  for (const per of [
    '',
    'YEAR',
    'MG',
    '0 MG',
    '01 MG',
    '10  MG',
    '10 mg',
    '10MG',
    '10 MG ',
    '1 PILL',
    '1e3 MG',
    '0. MG',
    1,
  ])
    expect([per, withPer(per)]).toEqual([per, false])
})

test('each basis has indicators of its own, and none of another', () => {
  for (const basis of BASES)
    for (const of of BASES)
      for (const name of indicatorsOf(of))
        expect(isRow({ ...price, basis, indicators: { [name]: '1' } })).toBe(indicatorsOf(basis).includes(name))
})

test('a place is a ZIP code, with or without its last four digits, and the locality that it lies in', () => {
  for (const good of [aPlace('00501', 'US-NY-04'), aPlace('60701', null), aPlace('60701', null, '0000-9999')])
    expect(isAnyRow(good)).toBe(true)
  for (const wrong of [
    { ...place, zip: '6061' },
    { ...place, zip: '60611-1234' },
    { ...place, plus_four: '0001' },
    { ...place, plus_four: '' },
    { ...place, region: 'US-IL' },
    { ...place, region: 'national' },
    { ...place, effective_from: '2026-02-30' },
    { ...place, code: '99213' },
  ])
    expect([wrong, isAnyRow(wrong)]).toEqual([wrong, false])
  expect(isRow(place)).toBe(false)
  expect(isPlaceRow(price)).toBe(false)
})

test('derivation inputs are names and short codes: no free text fits', () => {
  const withInputs = (inputs: unknown) => isRow({ ...price, derivation: { method: 'pfs-formula/1', inputs } })
  expect(withInputs({})).toBe(true)
  for (const inputs of [
    { Work: '1' },
    { 'a b': '1' },
    { '1a': '1' },
    { a: '' },
    { a: 'two words' },
    { a: 'x'.repeat(65) },
    [],
  ])
    expect(withInputs(inputs)).toBe(false)
})

test('a key names the row, with nothing where there is null', () => {
  expect(rowKey(price)).toBe('G0101|national||medicare_pfs|||non_facility|')
  const ofHospital = {
    ...price,
    npi: NPI,
    modifier: '26',
    basis: 'hospital_cash',
    setting: null,
    class: 'facility',
  } as const
  expect(rowKey(ofHospital)).toBe(`G0101|national|${NPI}|hospital_cash||26||facility`)
  expect(rowKey({ ...ofHospital, basis: 'hospital_negotiated_low', payer: 'a-payer/medicare_advantage' })).toBe(
    `G0101|national|${NPI}|hospital_negotiated_low|a-payer/medicare_advantage|26||facility`,
  )
  expect(rowKey(place)).toBe('60611|0001-0999')
  expect(rowKey(aPlace('60611', null))).toBe('60611|')
})

test('the hashed text does not depend on the order of members', () => {
  const reversed = Object.fromEntries(Object.entries(price).reverse()) as unknown as Row
  expect(rowText(reversed)).toBe(rowText(price))
  expect(rowText(price)).toStartWith('{"basis":"medicare_pfs","class":null,"code":"G0101","derivation":')
})

test('a release has a row only where each of its lines is of a file that it cites, and kind and basis go together', () => {
  const { manifest } = new MemoryRelease([price], { chart: 'cms-pfs' })
  const line = { citation: 0, line: 1 }
  expect(rowFault(price, manifest)).toBeUndefined()
  for (const locator of [
    [],
    [{ citation: 1, line: 1 }],
    [line, { citation: 1, line: 1 }],
    [{ citation: 1, line: 1 }, line],
  ])
    expect(rowFault({ ...price, locator }, manifest)).toBe('locator_not_cited')
  expect(rowFault({ ...price, kind: 'rate' } as Row, manifest)).toBe('row_not_of_release')
})

test('no text of a place, and no name of a method, has anything before or after it', () => {
  expect(isPlaceRow(place)).toBe(true)
  for (const name of ['zip', 'plus_four', 'region', 'state'] as const)
    for (const lie of [`0${place[name]}`, `${place[name]}0`, `A${place[name]}`, `${place[name]}A`, `${place[name]}\n`])
      expect([name, lie, isPlaceRow({ ...place, [name]: lie })]).toEqual([name, lie, false])
  const { derivation } = price
  for (const method of [`X${derivation.method}`, `${derivation.method}x`, `1${derivation.method}`, 'a/0', 'a', '/1'])
    expect([method, isRow({ ...price, derivation: { ...derivation, method } })]).toEqual([method, false])
})
