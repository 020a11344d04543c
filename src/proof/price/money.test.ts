import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { type BillLine, extended, summaryOf } from '../lookup/bill.ts'
import { adjust, isAdjusting, isNeutral } from '../lookup/modifiers.ts'
import { aFee, aRow } from '../registry-fixture.ts'
import { amountText, compareAmounts, tenThousandths } from './money.ts'
import type { PricedRow } from './row.ts'

/** Amounts as rows have them, and what they are worth in hundredths of a cent, by another way. */
const amounts = fc.bigInt({ min: 1n, max: 9_999_999_999_999_999n }).map((value) => {
  const digits = value.toString().padStart(5, '0')
  const long = `${digits.slice(0, -4)}.${digits.slice(-4)}`
  return { value, text: long.endsWith('00') ? long.slice(0, -2) : long.replace(/0$/, '') }
})

test('amounts are exact: what is read is written again', () => {
  fc.assert(
    fc.property(amounts, ({ value, text }) => {
      expect(tenThousandths(text)).toBe(value)
      expect(amountText(value)).toBe(text)
    }),
    { numRuns: 1_000 },
  )
  expect(['0.00', '0.0001', '0.01', '6.497', '95.19', '720.00'].map(tenThousandths)).toEqual([
    0n,
    1n,
    100n,
    64_970n,
    951_900n,
    7_200_000n,
  ])
  expect([0n, 1n, 10n, 100n, 64_970n, 7_200_000n].map(amountText)).toEqual([
    '0.00',
    '0.0001',
    '0.001',
    '0.01',
    '6.497',
    '720.00',
  ])
})

test('amounts are compared as numbers', () => {
  fc.assert(
    fc.property(amounts, amounts, (a, b) => {
      expect(compareAmounts(a.text, b.text)).toBe(a.value < b.value ? -1 : a.value > b.value ? 1 : 0)
    }),
  )
  expect(compareAmounts('9.00', '10.00')).toBe(-1)
  expect(compareAmounts('9.0001', '9.00')).toBe(1)
})

const priced = (price: object): PricedRow =>
  aRow({ code: 'J0585', price: { currency: 'USD', per: null, ...price } }) as PricedRow

test('a line comes to its price times its units, without rounding', () => {
  expect(extended(priced({ amount: '6.497' }), undefined, 200)).toEqual({ amount: '1299.40' })
  expect(extended(priced({ amount: '0.0001' }), undefined, 3)).toEqual({ amount: '0.0003' })
  expect(extended(priced({ low: '10.00', high: '20.005' }), undefined, 2)).toEqual({ low: '20.00', high: '40.01' })
  expect(extended(priced({ amount: '95.19' }), undefined, Number.MAX_SAFE_INTEGER)).toEqual({
    amount: '857395297058794933.29',
  })
  const adjustment = { modifier: '50', rule: 'bilateral/1', factor: '1.500', amount: '142.79' }
  expect(extended(priced({ amount: '95.19' }), adjustment, 2)).toEqual({ amount: '285.58' })
})

test('units of a bill count what Medicare states its price for, and not the dosage of a hospital', () => {
  const dose = priced({ amount: '284.15', per: '100 ML' })
  expect(extended(dose, undefined, 2)).toEqual({ amount: '568.30' })
  expect(extended({ ...dose, npi: '1234567893' }, undefined, 2)).toBeNull()
  expect(extended({ ...dose, kind: 'rate' }, undefined, 2)).toBeNull()
  const plain = { ...dose, npi: '1234567893', price: { ...dose.price, per: null } }
  expect(extended(plain, undefined, 2)).not.toBeNull()
  expect(extended({ ...plain, flags: ['mixed_units'] }, undefined, 2)).toBeNull()
})

test('totals are the exact sums of their basis, and of no other', () => {
  const bases = ['medicare_pfs', 'medicare_clfs', 'hospital_cash']
  const line = fc.record({
    basis: fc.constantFrom(...bases),
    low: amounts,
    more: amounts,
    billed: fc.option(amounts),
    isRange: fc.boolean(),
    units: fc.integer({ min: 1, max: 1_000 }),
  })
  fc.assert(
    fc.property(fc.array(fc.option(line), { maxLength: 12 }), (lines) => {
      const bill = lines.map((each): BillLine | undefined => {
        if (!each) return undefined
        const price = each.isRange
          ? { low: each.low.text, high: amountText(each.low.value + each.more.value) }
          : { amount: each.low.text }
        return {
          basis: each.basis,
          extended: extended(priced(price), undefined, each.units),
          billed: each.billed?.text ?? null,
        }
      })
      const { totals, ...counted } = summaryOf(bill)
      const own = lines.filter((each) => each !== null)
      expect(counted).toEqual({ lines: lines.length, priced: own.length })
      expect(totals.map(({ basis }) => basis)).toEqual([...new Set(own.map(({ basis }) => basis))].sort())
      for (const total of totals) {
        const of = own.filter(({ basis }) => basis === total.basis)
        const sum = (value: (each: (typeof of)[number]) => bigint): string =>
          amountText(of.reduce((all, each) => all + value(each), 0n))
        expect(total.lines).toBe(of.length)
        expect(total.low).toBe(sum(({ low, units }) => low.value * BigInt(units)))
        expect(total.high).toBe(
          sum(({ low, more, isRange, units }) => (low.value + (isRange ? more.value : 0n)) * BigInt(units)),
        )
        expect(total.billed).toBe(of.every(({ billed }) => billed) ? sum(({ billed }) => billed?.value ?? 0n) : null)
      }
    }),
    { numRuns: 200 },
  )
})

const fee = (amount: string, indicators: Record<string, string>): PricedRow =>
  aFee({ code: '27447', amount, indicators }) as PricedRow

test.each([
  // Worked by hand: amount x factor, half a cent and more rounded up.
  ['50', { bilateral: '1' }, '95.19', '1.500', '142.79'], // 142.785
  ['50', { bilateral: '2' }, '95.19', '1.000', '95.19'],
  ['50', { bilateral: '3' }, '95.19', '2.000', '190.38'],
  ['62', { co_surgeon: '1' }, '1200.40', '0.625', '750.25'],
  ['62', { co_surgeon: '2' }, '95.19', '0.625', '59.49'], // 59.49375
  ['80', { assistant: '2' }, '1200.40', '0.160', '192.06'], // 192.064
  ['81', { assistant: '0' }, '95.19', '0.160', '15.23'], // 15.2304
  ['82', { assistant: '2' }, '0.01', '0.160', '0.00'], // 0.0016
  ['AS', { assistant: '2' }, '1200.40', '0.136', '163.25'], // 163.2544
  ['AS', { assistant: '0' }, '1.25', '0.136', '0.17'],
  ['80', { assistant: '2' }, '6.497', '0.160', '1.04'], // 1.03952
  ['80', { assistant: '2' }, '0.0313', '0.160', '0.01'], // 0.005008
])('modifier %s with %j makes %s times %s into %s', (modifier, indicators, amount, factor, expected) => {
  expect(adjust(fee(amount, indicators as unknown as Record<string, string>), modifier)).toMatchObject({
    modifier,
    factor,
    amount: expected,
  })
})

test.each([
  ['50', { bilateral: '0' }],
  ['50', { bilateral: '9' }],
  ['50', {}],
  ['50', { co_surgeon: '1' }],
  ['62', { co_surgeon: '0' }],
  ['62', { co_surgeon: '9' }],
  ['80', { assistant: '1' }],
  ['80', { assistant: '9' }],
  ['AS', { assistant: '1' }],
  ['25', { bilateral: '1' }],
  ['22', { bilateral: '1' }],
  ['50', { bilateral: 'constructor' }],
])('modifier %s is not paid with %j', (modifier, indicators) => {
  expect(adjust(fee('95.19', indicators as unknown as Record<string, string>), modifier)).toBeUndefined()
})

test('a range is not adjusted', () => {
  const row = { ...priced({ low: '1.00', high: '2.00' }), indicators: { bilateral: '1' } }
  expect(adjust(row, '50')).toBeUndefined()
})

test('a modifier is neutral, adjusts, or chooses a row, and never two of these', () => {
  const letters = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ'
  const all = [...letters].flatMap((a) => [...letters].map((b) => a + b))
  expect(all.filter(isAdjusting)).toEqual(
    '50 52 54 55 56 62 73 78 80 81 82 AS CO CQ CT FX FY KJ PN PO QK QX QY'.split(' '),
  )
  expect(all.filter((each) => isAdjusting(each) && isNeutral(each))).toEqual([])
  for (const each of ['25', '59', 'XE', 'RT', 'LT', 'T9', 'GP', '95', 'KX']) expect(isNeutral(each)).toBe(true)
  for (const each of ['26', 'TC', '53', 'RR', 'NU', 'UE', 'QW', '22', '51', '52', '54', '66', '__'])
    expect(isNeutral(each)).toBe(false)
})
