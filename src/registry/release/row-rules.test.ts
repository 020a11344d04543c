import { expect, test } from 'bun:test'
import { aPrice } from '../../../test/support/builders.ts'
import { verifyDerivation } from '../../proof/price/derivation.ts'
import { isRow, type Price, type Row } from '../../proof/price/row.ts'
import { comparables } from '../charts.ts'
import { applyRules, type Comparison } from './row-rules.ts'
import type { Findings } from './rules.ts'

const NPI = '1234567893'
const usd = (amount: string): Price => ({ amount, currency: 'USD', per: null })
const range = (low: string, high: string): Price => ({ low, high, currency: 'USD', per: null })
const hospital = (row: Parameters<typeof aPrice>[0] = {}) =>
  aPrice({ basis: 'hospital_cash', setting: 'outpatient', npi: NPI, ...row })

const beside = (medicare: readonly Row[] = [], peers: readonly (readonly Row[])[] = []): Comparison => ({
  medicare: async () => medicare.map((row) => ({ row, release_id: 'cms-opps:2026-Q4:2' })),
  peers: async () => peers,
  comparable: comparables(),
})

async function apply(rows: readonly Row[], comparison = beside()): Promise<{ rows: Row[]; findings: Findings }> {
  const findings: Findings = new Map()
  const out: Row[] = []
  for await (const row of applyRules(rows, comparison, findings)) out.push(row)
  return { rows: out, findings }
}
const failed = (findings: Findings): Record<string, number> =>
  Object.fromEntries([...findings].filter(([, { count }]) => count > 0).map(([id, { count }]) => [id, count]))

test.each([
  ['19.99', { R04: 1 }],
  ['20.00', {}],
  ['1000.00', {}],
  ['1000.01', { R04: 1 }],
  ['5000.00', { R04: 1 }],
  ['5000.01', { R05: 1 }],
  ['5.00', { R04: 1 }],
  ['4.99', { R05: 1 }],
])('an outpatient price of %s beside Medicare\u2019s 100.00 gives %j', async (amount, expected) => {
  const medicare = [aPrice({ price: usd('100.00') })]
  const { rows, findings } = await apply([hospital({ price: usd(amount) })], beside(medicare))
  expect(failed(findings)).toEqual(expected)
  const kept = rows[0] as Row
  expect(isRow(kept)).toBe(true)
  expect(kept).toMatchObject({ kind: 'price', price: { amount } })
  const far = 'R05' in expected
  expect(kept.flags).toEqual(far ? ['far_from_medicare'] : [])
  expect(kept.indicators).toEqual(
    far ? { compared_release: 'cms-opps:2026-Q4:2', compared_amount: '100.00' } : ({} as typeof kept.indicators),
  )
  expect(verifyDerivation({ ...kept, derivation: { method: 'verbatim/1', inputs: { amount } } })).toEqual({ ok: true })
})

test('a price is compared with Medicare\u2019s payment to hospitals first, then the laboratory\u2019s, then the physician\u2019s', async () => {
  const opps = aPrice({ basis: 'medicare_opps', setting: 'outpatient', price: usd('1.00') })
  const clfs = aPrice({ basis: 'medicare_clfs', setting: null, price: usd('100.00') })
  const pfs = aPrice({ price: usd('100.00') })
  const price = hospital({ price: usd('100.00') })
  expect(failed((await apply([price], beside([pfs, clfs, opps]))).findings)).toEqual({ R05: 1 })
  expect(failed((await apply([price], beside([pfs, clfs]))).findings)).toEqual({})
})

const opps = (code: string, amount: string, per: string | null = null) =>
  aPrice({ code, basis: 'medicare_opps', setting: 'outpatient', price: { ...usd(amount), per } })

test('a drug in the unit that Medicare pays by, and one each of a service, are compared', async () => {
  const drug = hospital({ code: 'J1885', price: { ...usd('90.00'), per: '15 MG' } })
  expect(failed((await apply([drug], beside([opps('J1885', '1.00', '15 MG')]))).findings)).toEqual({ R05: 1 })
  const each = hospital({ price: { ...usd('90.00'), per: '1 EA' } })
  expect(failed((await apply([each], beside([opps('G0101', '1.00')]))).findings)).toEqual({ R05: 1 })
})

test('a range with one end far from Medicare\u2019s price is flagged and keeps both', async () => {
  const row = hospital({ price: range('100.00', '5000.01') })
  const { rows } = await apply([row], beside([opps('G0101', '100.00')]))
  expect(rows).toMatchObject([{ kind: 'price', price: row.price, flags: ['far_from_medicare'] }])
})

test('a rate outside the stated lowest and highest is counted', async () => {
  const rows = [
    hospital({ basis: 'hospital_negotiated_high', price: usd('10.00') }),
    hospital({ basis: 'hospital_negotiated_low', price: usd('5.00'), flags: ['rate_outside_range'] }),
  ]
  const { rows: kept, findings } = await apply(rows)
  expect([kept, failed(findings)]).toEqual([rows, { R08: 1 }])
})

test.each([
  ['an inpatient price', hospital({ setting: 'inpatient', price: usd('9000.00') }), aPrice({ price: usd('1.00') })],
  [
    'a price with another modifier',
    hospital({ modifier: 'TC', price: usd('9000.00') }),
    aPrice({ price: usd('1.00') }),
  ],
  [
    'a doctor\u2019s charge beside what hospitals are paid',
    hospital({ class: 'professional', price: usd('9000.00') }),
    aPrice({ basis: 'medicare_opps', setting: 'outpatient', price: usd('1.00') }),
  ],
  ['a facility fee', hospital({ price: usd('9000.00') }), aPrice({ price: usd('1.00'), setting: 'facility' })],
  ['a drug without a unit', hospital({ code: 'J1885', price: usd('9000.00') }), opps('J1885', '1.00')],
  [
    'a drug in another unit',
    hospital({ code: 'J1885', price: { ...usd('9000.00'), per: '10 ML' } }),
    opps('J1885', '1.00', '15 MG'),
  ],
  ['amounts for different units', hospital({ price: usd('9000.00'), flags: ['mixed_units'] }), opps('G0101', '1.00')],
  ['a service by the milliliter', hospital({ price: { ...usd('9000.00'), per: '5 ML' } }), opps('G0101', '1.00')],
  ['an unlisted service', hospital({ code: '64999', price: usd('9000.00') }), opps('64999', '1.00')],
  [
    'an add-on',
    hospital({ price: usd('9000.00') }),
    aPrice({ price: usd('1.00'), indicators: { global_days: 'ZZZ' } }),
  ],
])('%s has nothing to be compared with', async (_, row, medicare) => {
  const { findings } = await apply([row], beside([medicare]))
  expect(failed(findings)).toEqual({})
  expect(findings.has('R04')).toBe(false)
})

test('an amount over a million is counted and served, whatever stands beside it', async () => {
  const large = hospital({ price: range('5.00', '1000000.01') })
  const { rows, findings } = await apply([large])
  expect(rows).toEqual([large])
  expect(failed(findings)).toEqual({ R05: 1 })
  expect(failed((await apply([hospital({ price: usd('1000000.00') })])).findings)).toEqual({})
})

test('a gross charge is never withheld', async () => {
  const gross = hospital({ basis: 'hospital_gross', price: usd('50000.00') })
  const { rows } = await apply([gross], beside([aPrice({ price: usd('1.00') })]))
  expect(rows).toMatchObject([{ kind: 'price', price: gross.price, flags: ['far_from_medicare'] }])
})

test('what Medicare pays is never withheld, however much it is', async () => {
  const therapy = aPrice({ code: 'J1411', basis: 'medicare_opps', setting: 'outpatient', price: usd('3500000.00') })
  expect((await apply([therapy])).rows).toEqual([therapy])
})

test('less than a dollar is flagged, but not for a drug', async () => {
  const cheap = ['G0101', 'J3301', '90658', '99213'].map((code) => hospital({ code, price: usd('0.99') }))
  const { findings } = await apply(cheap)
  expect(failed(findings)).toEqual({ R06: 2 })
  expect(findings.get('R06')).toMatchObject({ evaluated: 2, lines: [1, 1] })
})

test('a price far from that of eleven others is flagged, and ten are too few', async () => {
  const peers = Array.from({ length: 11 }, (_, i) => [hospital({ price: usd(`${100 + i}.00`) })])
  const far = hospital({ price: usd('300.00') })
  expect(failed((await apply([far], beside([], peers))).findings)).toEqual({ R07: 1 })
  expect(failed((await apply([hospital({ price: usd('110.00') })], beside([], peers))).findings)).toEqual({})
  expect((await apply([far], beside([], peers.slice(1)))).findings.has('R07')).toBe(false)
  const otherwise = peers.map(([row]) => [{ ...(row as Row), setting: null } as Row])
  expect((await apply([far], beside([], otherwise))).findings.has('R07')).toBe(false)
})

test('cash above gross is flagged, in each setting by itself', async () => {
  const rows = [
    hospital({ setting: 'inpatient', price: usd('50.00') }),
    hospital({ setting: 'outpatient', price: usd('150.00') }),
    hospital({ basis: 'hospital_gross', setting: 'inpatient', price: usd('100.00') }),
    hospital({ basis: 'hospital_gross', setting: 'outpatient', price: usd('100.00') }),
  ]
  const { rows: kept, findings } = await apply(rows)
  expect(kept).toEqual(rows)
  expect(failed(findings)).toEqual({ R08: 1 })
  expect(findings.get('R08')?.keys).toEqual([`G0101|national|${NPI}|hospital_cash|||outpatient|`])
})

test('a lowest negotiated price above the highest takes both away', async () => {
  const rows = [
    hospital({ basis: 'hospital_cash', price: usd('30.00') }),
    hospital({ basis: 'hospital_negotiated_high', price: usd('10.00') }),
    hospital({ basis: 'hospital_negotiated_low', price: usd('20.00') }),
  ]
  const { rows: kept, findings } = await apply(rows)
  expect(kept.map((row) => (row.kind === 'absence' ? row.reason : 'priced'))).toEqual([
    'priced',
    'withheld_conflict',
    'withheld_conflict',
  ])
  expect(failed(findings)).toEqual({ R08_min_max: 2 })
  for (const row of kept.slice(1)) expect(verifyDerivation(row)).toEqual({ ok: true })
})

test('ranges that only cross are flagged and served', async () => {
  const rows = [
    hospital({ basis: 'hospital_negotiated_high', price: range('15.00', '40.00') }),
    hospital({ basis: 'hospital_negotiated_low', price: range('10.00', '50.00') }),
  ]
  const { rows: kept, findings } = await apply(rows)
  expect(kept).toEqual(rows)
  expect(failed(findings)).toEqual({ R08: 1 })
})

test('samples are capped and counts are not', async () => {
  const rows = Array.from({ length: 30 }, (_, i) => hospital({ code: String(10_000 + i), price: usd('0.50') }))
  const { findings } = await apply(rows)
  expect(findings.get('R06')).toMatchObject({ count: 30, evaluated: 30 })
  expect(findings.get('R06')?.keys).toHaveLength(5)
  expect(findings.get('R06')?.lines).toHaveLength(20)
})
