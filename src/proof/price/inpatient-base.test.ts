import { expect, test } from 'bun:test'
import { inpatientBaseCents } from './inpatient-base.ts'

const AMOUNTS = { labor: '4000.10', nonlabor: '2500.20', capital: '500.30' }

test('the base rate of a stay is the weight times the operating amount, and times the capital rate, each to the cent', () => {
  expect(inpatientBaseCents({ ...AMOUNTS, weight: '1.0000' })).toEqual({ operating: 650_030, capital: 50_030 })
  // 6500.30 x 1.9289 is 12538.42867, and 500.30 x 1.9289 is 965.02867.
  expect(inpatientBaseCents({ ...AMOUNTS, weight: '1.9289' })).toEqual({ operating: 1_253_843, capital: 96_503 })
})

test('half a cent is rounded up, and the largest numbers of the form stay exact', () => {
  const half = { labor: '0.00', nonlabor: '1.00', capital: '1.00', weight: '0.0050' }
  expect(inpatientBaseCents(half)).toEqual({ operating: 1, capital: 1 })
  expect(inpatientBaseCents({ ...half, weight: '0.0049' })).toEqual({ operating: 0, capital: 0 })
  const largest = { labor: '999999.99', nonlabor: '999999.99', capital: '999999.99', weight: '999.9999' }
  expect(inpatientBaseCents(largest)).toEqual({
    operating: Number((199_999_998n * 9_999_999n + 5_000n) / 10_000n),
    capital: Number((99_999_999n * 9_999_999n + 5_000n) / 10_000n),
  })
})

test('a number that is no decimal of the tables is refused', () => {
  for (const weight of ['1', '1.00000', '-1.0000', '', '1,0000'])
    expect(() => inpatientBaseCents({ ...AMOUNTS, weight })).toThrow(RangeError)
})
