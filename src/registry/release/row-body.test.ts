import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { aPrice } from '../../../test/support/builders.ts'
import { utf8 } from '../../proof/bytes.ts'
import {
  type AnyRow,
  BASES,
  CLASSES,
  isRow,
  type PricedRow,
  type Row,
  rowKey,
  rowText,
  SETTINGS,
} from '../../proof/price/row.ts'
import { leafHash } from '../../proof/tree/merkle.ts'
import { bodyHasKey, bodyOf, leafHashOfBody } from './row-body.ts'

const row: fc.Arbitrary<Row> = fc
  .record({
    cpt: fc.constantFrom('99213', '99214', 'G0101', '0001F'),
    region: fc.constantFrom('national', 'US-CA-18', 'US-CA-05'),
    npi: fc.constantFrom(null, '1234567893', '1999999992'),
    modifier: fc.constantFrom(null, '26', 'TC', '26-TC'),
    basis: fc.constantFrom(...BASES),
    setting: fc.constantFrom(null, ...SETTINGS),
    class: fc.constantFrom(null, ...CLASSES),
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

test('a key with a part too many, or too few, is the key of no body', () => {
  const key = rowKey(aPrice() as Row)
  const body = rowText(aPrice() as Row)
  expect(bodyHasKey(body, key)).toBe(true)
  for (const other of [`${key}|`, `${key}|x`, key.slice(0, -1), `|${key}`]) expect(bodyHasKey(body, other)).toBe(false)
})

test('the text of a row that was checked is its canonical text', () => {
  const inputs = fc.dictionary(fc.stringMatching(/^[a-z][a-z0-9_]{0,8}$/), fc.stringMatching(/^[A-Za-z0-9.,_-]{1,20}$/))
  const flags = fc.array(fc.constantFrom('partial', 'opps_cap'), { maxLength: 2 })
  const range = { low: '1.00', high: '12.505', currency: 'USD', per: '10 MG' } as const
  fc.assert(
    fc.property(row, inputs, flags, fc.nat(2), (base, given, raised, form) => {
      const derivation = { method: 'verbatim/1', inputs: given }
      const locator = [{ citation: 0, line: 7 }, ...(form > 0 ? [{ citation: 1, line: 12 }] : [])]
      const {
        price,
        kind: _,
        ...key
      } = {
        ...(base as PricedRow),
        indicators: base.basis.startsWith('medicare_pfs') ? { status: 'A', pc_tc: '0' } : {},
      }
      const made: Row =
        form === 2
          ? { ...key, kind: 'absence', reason: 'bundled', derivation, flags: raised, locator }
          : {
              ...key,
              kind: form === 1 ? 'rate' : 'price',
              price: form === 1 ? range : price,
              derivation,
              flags: raised,
              locator,
            }
      expect(isRow(made)).toBe(true)
      expect(bodyOf(made)).toBe(rowText(made))
    }),
    { numRuns: 2_000 },
  )
})

test('a place has a body and a key too', () => {
  const place: AnyRow = {
    kind: 'place',
    zip: '60611',
    plus_four: null,
    region: 'US-IL-16',
    state: 'IL',
    effective_from: '2026-01-01',
    locator: [{ citation: 0, line: 7 }],
  }
  expect(bodyOf(place)).toBe(rowText(place))
  expect(bodyHasKey(bodyOf(place), '60611|')).toBe(true)
  expect(bodyHasKey(bodyOf(place), '60612|')).toBe(false)
  expect(bodyHasKey(bodyOf({ ...place, plus_four: '0001-0999' }), '60611|0001-0999')).toBe(true)
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
