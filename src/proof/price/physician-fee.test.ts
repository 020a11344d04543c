import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { dollars, type Parts, physicianFeeCents } from './physician-fee.ts'

const NATIONAL: Parts = { work: '1.000', practice: '1.000', malpractice: '1.000' }

test('99213 of 2026 costs 95.19 in an office and 57.45 in a facility', () => {
  const rvu = { work: '1.30', malpractice: '0.09' }
  expect(dollars(physicianFeeCents({ ...rvu, practice: '1.46' }, NATIONAL, '33.4009'))).toBe('95.19')
  expect(dollars(physicianFeeCents({ ...rvu, practice: '0.33' }, NATIONAL, '33.4009'))).toBe('57.45')
})

test('an index applies to its own part, and nothing is rounded before the end', () => {
  const rvu = { work: '1.30', practice: '1.46', malpractice: '0.09' }
  // (1.30 x 1.044 + 1.46 x 1.188 + 0.09 x 0.742) x 33.4009 = 105.4954...
  const gpci = { work: '1.044', practice: '1.188', malpractice: '0.742' }
  expect(physicianFeeCents(rvu, gpci, '33.4009')).toBe(10550)
})

test('exactly half a cent is rounded up, and just under it down', () => {
  const rvu = { work: '0.01', practice: '0', malpractice: '0' }
  expect(physicianFeeCents(rvu, NATIONAL, '0.5')).toBe(1)
  expect(physicianFeeCents(rvu, NATIONAL, '0.4999')).toBe(0)
  expect(physicianFeeCents(rvu, NATIONAL, '1.5')).toBe(2)
  expect(physicianFeeCents(rvu, NATIONAL, '2.5')).toBe(3)
})

/** A decimal with up to `places` places, as text, and as a fraction over 10^places. */
const decimal = (most: number, places: number) =>
  fc.tuple(fc.bigInt({ min: 0n, max: BigInt(Math.round(most * 10 ** places)) }), fc.boolean()).map(([units, short]) => {
    const digits = String(units).padStart(places + 1, '0')
    const text = `${digits.slice(0, -places)}.${digits.slice(-places)}`
    return { text: short ? text.replace(/\.?0+$/, '') : text, units, over: 10n ** BigInt(places) }
  })

test('the fee is the rational sum, rounded once, half up', () => {
  // As real files have them, and as large as their format allows.
  const rvu = fc.oneof(decimal(200, 2), decimal(999_999.99, 2))
  const gpci = fc.oneof(decimal(3, 3), decimal(9.999, 3))
  const factors = fc.oneof(decimal(60, 4), decimal(9_999.9999, 4))
  fc.assert(
    fc.property(fc.tuple(rvu, rvu, rvu), fc.tuple(gpci, gpci, gpci), factors, (rvus, gpcis, factor) => {
      let [numerator, denominator] = [0n, 1n]
      for (const [i, { units, over }] of rvus.entries()) {
        const index = gpcis[i] as (typeof gpcis)[number]
        numerator = numerator * over * index.over + units * index.units * denominator
        denominator *= over * index.over
      }
      numerator *= factor.units * 100n
      denominator *= factor.over
      const whole = numerator / denominator
      const cents = 2n * (numerator % denominator) >= denominator ? whole + 1n : whole

      const parts = (values: readonly { text: string }[]): Parts => {
        const [work = '', practice = '', malpractice = ''] = values.map(({ text }) => text)
        return { work, practice, malpractice }
      }
      expect(physicianFeeCents(parts(rvus), parts(gpcis), factor.text)).toBe(Number(cents))
    }),
    { numRuns: 5_000 },
  )
})

test('the largest numbers that the file format can hold lose no cent', () => {
  const all = (text: string): Parts => ({ work: text, practice: text, malpractice: text })
  // 3 x 999999.99 x 9.999 x 9999.9999 = 299969994000.600029997
  expect(physicianFeeCents(all('999999.99'), all('9.999'), '9999.9999')).toBe(29_996_999_400_060)
})

test('short spellings mean the same number', () => {
  const long = physicianFeeCents({ work: '1.00', practice: '0.50', malpractice: '0.00' }, NATIONAL, '33.4000')
  expect(
    physicianFeeCents(
      { work: '1', practice: '0.5', malpractice: '0' },
      { work: '1', practice: '1.0', malpractice: '1' },
      '33.4',
    ),
  ).toBe(long)
})

test.each([
  '',
  '.5',
  '1.',
  '-1',
  '+1',
  '1e2',
  ' 1',
  '1 ',
  '1,000.00',
  '$1',
  'NA',
  '0x1',
  '1.2.3',
  '\u0661',
  '10000000',
])('%j is not a factor', (text) => {
  const ones = { work: '1', practice: '1', malpractice: '1' }
  expect(() => physicianFeeCents({ ...ones, work: text }, ones, '1')).toThrow(RangeError)
  expect(() => physicianFeeCents(ones, { ...ones, malpractice: text }, '1')).toThrow(RangeError)
  expect(() => physicianFeeCents(ones, ones, text)).toThrow(RangeError)
})

test('more places than the file format has are refused, not cut off', () => {
  const ones = { work: '1', practice: '1', malpractice: '1' }
  expect(() => physicianFeeCents({ ...ones, practice: '1.001' }, ones, '1')).toThrow(RangeError)
  expect(() => physicianFeeCents({ ...ones, practice: '1.000' }, ones, '1')).toThrow(RangeError)
  expect(() => physicianFeeCents(ones, { ...ones, work: '1.0001' }, '1')).toThrow(RangeError)
  expect(() => physicianFeeCents(ones, ones, '33.40091')).toThrow(RangeError)
})

test('cents become dollars with two places', () => {
  expect([0, 1, 10, 99, 100, 9519, 1234567].map(dollars)).toEqual([
    '0.00',
    '0.01',
    '0.10',
    '0.99',
    '1.00',
    '95.19',
    '12345.67',
  ])
})
