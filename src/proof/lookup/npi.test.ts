import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { isNpi } from './npi.ts'

test('the example of the NPI standard is valid and its neighbour is not', () => {
  expect(isNpi('1234567893')).toBe(true)
  expect(isNpi('1234567890')).toBe(false)
})

test('exactly one check digit fits any nine digits', () => {
  fc.assert(
    fc.property(fc.constantFrom('1', '2'), fc.integer({ min: 0, max: 99_999_999 }), (first, rest) => {
      const stem = first + String(rest).padStart(8, '0')
      expect([...'0123456789'].filter((check) => isNpi(stem + check))).toHaveLength(1)
    }),
  )
})

test('other lengths, first digits and characters are refused', () => {
  for (const text of ['', '123456789', '12345678930', '3234567893', '123456789x', ' 1234567893', '1234567893\n'])
    expect(isNpi(text)).toBe(false)
  // One of these has the right check digit.
  for (const stem of ['323456789', '023456789', '12345678', '1234567890'])
    expect([...'0123456789'].filter((check) => isNpi(stem + check))).toEqual([])
})
