import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { CODE } from '../findings.ts'
import { codeNumber, codeText } from './code-number.ts'

const character = fc.constantFrom(...'0123456789AZaz-_ \u00e9@[`{')
const text = fc.array(character, { minLength: 4, maxLength: 6 }).map((characters) => characters.join(''))

test('a text is a code as a number exactly where its shape says so', () => {
  fc.assert(
    fc.property(text, (each) => {
      const number = codeNumber(each)
      expect(number !== undefined).toBe(CODE.test(each.toUpperCase()))
      if (number !== undefined) expect(codeText(number)).toBe(each.toUpperCase())
    }),
    { numRuns: 5_000 },
  )
})

test('numbers are in the order of the codes', () => {
  const codes = ['00100', '0001U', '99213', '9999Z', 'A0001', 'G0101', 'Z9999']
  expect(codes.toSorted((a, b) => (codeNumber(a) as number) - (codeNumber(b) as number))).toEqual(codes.toSorted())
})
