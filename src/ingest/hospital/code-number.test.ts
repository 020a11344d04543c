import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { CODE } from '../findings.ts'
import { amongAll, codeNumber, codeText, numberOfCode } from './code-number.ts'

const character = fc.constantFrom(...'0123456789AZaz-_ \u00e9@[`{')
const text = fc.array(character, { minLength: 4, maxLength: 6 }).map((characters) => characters.join(''))

test('a text is a code as a number exactly where its shape says so', () => {
  fc.assert(
    fc.property(text, (each) => {
      const number = codeNumber(each)
      expect(number !== undefined).toBe(CODE.test(each.toUpperCase()))
      if (number !== undefined) expect(codeText(amongAll(number))).toBe(each.toUpperCase())
    }),
    { numRuns: 5_000 },
  )
})

test('numbers are in the order of the codes', () => {
  const codes = [
    ...[
      '00100',
      '0001U',
      '99213',
      '9999Z',
      'A0001',
      'A9999',
      'B0001',
      'D9999',
      'E0001',
      'G0101',
      'N9999',
      'P0001',
      'Z9999',
    ],
    ...[
      'APC-0001',
      'APC-9999',
      'APR-001',
      'APR-001.0',
      'APR-001.4',
      'APR-002',
      'DRG-001',
      'DRG-999',
      'RC-0001',
      'RC-9999',
    ],
    ...['NDC-00000000001', 'NDC-99999999999'],
  ]
  expect(codes.map((code) => codeText(numberOfCode(code)))).toEqual(codes)
  expect(codes.toSorted((a, b) => numberOfCode(a) - numberOfCode(b))).toEqual(codes.toSorted())
})
