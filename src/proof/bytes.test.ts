import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { concat, equalBytes, fromBase64, fromUtf8, portableBase64, toBase64, toHex, utf8 } from './bytes.ts'

const bytes = fc.uint8Array({ maxLength: 200 })

test('every byte string survives base64, and has only that one spelling', () => {
  fc.assert(
    fc.property(bytes, (original) => {
      const text = toBase64(original)
      expect(text).toBe(Buffer.from(original).toString('base64'))
      expect(portableBase64(original)).toBe(text)
      expect(fromBase64(text)).toEqual(original)
    }),
  )
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom(...'AQgw+/=9z'), maxLength: 12 }), (text) => {
      const read = fromBase64(text)
      if (read) expect(toBase64(read)).toBe(text)
    }),
  )
})

test.each([
  ['no padding', 'AA'],
  ['half the padding', 'AA='],
  ['too much padding', 'AAAA===='],
  ['padding alone', '===='],
  ['padding inside', 'AA==AAAA'],
  ['bits left over', 'AB=='],
  ['more bits left over', 'AAB='],
  ['the URL alphabet', '_-8='],
  ['a space', 'AA ='],
  ['a newline at the end', 'AAAA\n'],
  ['text that is not ASCII', 'AAA\u00e9'],
])('base64 with %s is refused', (_, text) => {
  expect(fromBase64(text)).toBeUndefined()
})

test('base64 of more bytes than fit one call is whole', () => {
  const large = new Uint8Array(100_001).map((_, i) => i % 251)
  expect(fromBase64(toBase64(large))).toEqual(large)
  expect(portableBase64(large)).toBe(toBase64(large))
})

test('hex is lowercase with two digits for every byte', () => {
  expect(toHex(Uint8Array.of(0, 10, 171, 255))).toBe('000aabff')
})

test.each([
  ['a stray continuation', [0x80]],
  ['an overlong slash', [0xc0, 0xaf]],
  ['a surrogate', [0xed, 0xa0, 0x80]],
  ['a cut character', [0xe2, 0x82]],
  ['a code point past the last', [0xf4, 0x90, 0x80, 0x80]],
])('UTF-8 with %s is refused', (_, malformed) => {
  expect(() => fromUtf8(Uint8Array.from(malformed))).toThrow()
})

test('text survives UTF-8, a byte order mark included', () => {
  fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => fromUtf8(utf8(text)) === text))
  expect(fromUtf8(Uint8Array.of(0xef, 0xbb, 0xbf, 0x41))).toBe('\ufeffA')
})

test('bytes join and compare as Buffer has it', () => {
  fc.assert(
    fc.property(bytes, bytes, (a, b) => {
      expect(concat(a, b)).toEqual(new Uint8Array(Buffer.concat([a, b])))
      expect(equalBytes(a, b)).toBe(Buffer.compare(a, b) === 0)
      expect(equalBytes(a, a.slice())).toBe(true)
    }),
  )
})

test('a mark of byte order is a part of the text that it stands before', () => {
  expect(fromUtf8(Uint8Array.of(0xef, 0xbb, 0xbf, 0x61))).toBe('\ufeffa')
})
