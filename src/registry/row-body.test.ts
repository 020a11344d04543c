import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { aPrice } from '../../test/builders.ts'
import { utf8 } from '../proof/bytes.ts'
import { leafHash } from '../proof/merkle.ts'
import { BASES, type Row, rowKey, rowText, SETTINGS } from '../proof/row.ts'
import { bodyHasKey, leafHashOfBody } from './row-body.ts'

const row: fc.Arbitrary<Row> = fc
  .record({
    cpt: fc.constantFrom('99213', '99214', 'G0101', '0001F'),
    region: fc.constantFrom('national', 'US-CA-18', 'US-CA-05'),
    npi: fc.constantFrom(null, '1234567893', '1999999992'),
    modifier: fc.constantFrom(null, '26', 'TC', '26-TC'),
    basis: fc.constantFrom(...BASES),
    setting: fc.constantFrom(null, ...SETTINGS),
  })
  .map((key) => ({ ...aPrice(), ...key }) as Row)

test('a body has the key that is made of it, and no other', () => {
  fc.assert(
    fc.property(row, row, (one, other) => {
      expect(bodyHasKey(rowText(one), rowKey(one))).toBe(true)
      expect(bodyHasKey(rowText(one), rowKey(other))).toBe(rowKey(one) === rowKey(other))
    }),
    { numRuns: 2_000 },
  )
})

test('a body that is spelled in another way is read before it is judged', () => {
  const one = aPrice() as Row
  expect(bodyHasKey(JSON.stringify(one), rowKey(one))).toBe(true)
  expect(bodyHasKey(JSON.stringify({ ...one, cpt: '99999' }), rowKey(one))).toBe(false)
})

test('the leaf hash of a body is that of its bytes, and a body that is too large has none', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 300 }), (text) => {
      expect(leafHashOfBody(text)).toEqual(leafHash(utf8(text)))
    }),
  )
  expect(() => leafHashOfBody('x'.repeat(16_385))).toThrow(RangeError)
  expect(() => leafHashOfBody('\u20ac'.repeat(8_000))).toThrow(RangeError)
})
