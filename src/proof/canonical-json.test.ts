import { expect, test } from 'bun:test'
import canonicalize from 'canonicalize'
import fc from 'fast-check'
import vectors from '../../test/vectors/canonical-json.json' with { type: 'json' }
import { canonical, JsonError, parseJson } from './canonical-json.ts'

/** JSON values whose numbers are not integers past 2^53, which the reader refuses. */
const json = fc.anything({
  key: fc.string({ unit: 'binary' }),
  values: [
    fc.constant(null),
    fc.boolean(),
    fc.maxSafeInteger(),
    fc.double({ noNaN: true, min: -(2 ** 52), max: 2 ** 52 }),
    fc.string({ unit: 'binary' }),
  ],
  maxDepth: 5,
})

function refusal(work: () => unknown): string {
  try {
    work()
  } catch (error) {
    if (error instanceof JsonError) return error.reason
    throw error
  }
  return 'accepted'
}

test.each(vectors.numbers)('the double $bits is written $text', ({ bits, text }) => {
  expect(canonical(Buffer.from(bits, 'hex').readDoubleBE())).toBe(text)
})

test.each(vectors.pairs)('canonical text, $name', ({ text, canonical: expected, strict }) => {
  expect(canonical(JSON.parse(text))).toBe(expected)
  expect(canonicalize(JSON.parse(text))).toBe(expected)
  if (strict) expect(canonical(parseJson(text))).toBe(expected)
  else expect(refusal(() => parseJson(text))).toBe('bad_number')
})

test('members sort by UTF-16 units, so U+1F600 comes before U+FB33', () => {
  expect(canonical({ '\ufb33': 1, '\u{1f600}': 2 })).toBe('{"\u{1f600}":2,"\ufb33":1}')
})

test('canonical text agrees with another implementation on random JSON, and reads back as the same value', () => {
  fc.assert(
    fc.property(fc.jsonValue({ stringUnit: 'binary' }), (value) => {
      expect(canonical(value)).toBe(canonicalize(value) as string)
    }),
  )
  fc.assert(fc.property(json, (value) => canonical(parseJson(canonical(value))) === canonical(value)))
})

test.each([
  ['NaN', Number.NaN, 'bad_number'],
  ['Infinity', Number.POSITIVE_INFINITY, 'bad_number'],
  ['a lone high surrogate', ['\ud800'], 'bad_string'],
  ['a lone low surrogate', '\udc00', 'bad_string'],
  ['a lone surrogate in a member name', { '\ud83d': 1 }, 'bad_string'],
  ['undefined', undefined, 'syntax'],
  ['a member that is undefined', { a: undefined }, 'syntax'],
  ['a hole in an array', new Array(1), 'syntax'],
  ['a function', { a: () => 1 }, 'syntax'],
  ['a symbol', [Symbol('a')], 'syntax'],
  ['a bigint', 1n, 'syntax'],
  ['a date', new Date(0), 'syntax'],
  ['a map', new Map([['a', 1]]), 'syntax'],
  ['bytes', Uint8Array.of(1), 'syntax'],
  ['a value with its own toJSON', { toJSON: () => 'other' }, 'syntax'],
])('there is no canonical text of %s', (_, value, reason) => {
  expect(refusal(() => canonical(value))).toBe(reason)
})

test('the reader agrees with JSON.parse on JSON without duplicate members', () => {
  fc.assert(
    fc.property(json, fc.constantFrom('', ' ', '\t', '\n  '), (value, indent) => {
      const text = JSON.stringify(value, null, indent)
      expect(canonical(parseJson(text))).toBe(canonical(JSON.parse(text)))
    }),
  )
})

test('on damaged JSON the reader never accepts what JSON.parse refuses, and never reads it differently', () => {
  const symbols = fc.constantFrom(...'{}[]":,\\u0189.eE+-tfn \n\u00a0\ud800')
  fc.assert(
    fc.property(json, fc.nat(), fc.nat(2), symbols, (value, position, removed, symbol) => {
      const text = JSON.stringify(value)
      const at = position % (text.length + 1)
      const damaged = text.slice(0, at) + symbol + text.slice(at + removed)
      if (refusal(() => parseJson(damaged)) !== 'accepted') return
      expect(canonical(parseJson(damaged))).toBe(canonical(JSON.parse(damaged)))
    }),
    { numRuns: 2000 },
  )
})

test.each([
  ['duplicate members', '{"a":1,"a":1}', 'duplicate_member'],
  ['duplicate members under different escapes', '{"a":1,"\\u0061":2}', 'duplicate_member'],
  ['duplicate members deep inside', '[{"x":{"":1,"b":2,"":3}}]', 'duplicate_member'],
  ['two __proto__ members', '{"__proto__":1,"__proto__":2}', 'duplicate_member'],
  ['a second value', '{} {}', 'trailing_data'],
  ['a trailing comma after the value', '1,', 'trailing_data'],
  ['a byte order mark', '\ufeff1', 'syntax'],
  ['nothing', '', 'syntax'],
  ['white space only', ' \n', 'syntax'],
  ['white space that JSON does not have', '\u00a01', 'syntax'],
  ['a trailing comma in an array', '[1,]', 'syntax'],
  ['a trailing comma in an object', '{"a":1,}', 'syntax'],
  ['a member name without quotes', '{a:1}', 'syntax'],
  ['single quotes', "'a'", 'syntax'],
  ['a comment', '/**/1', 'syntax'],
  ['a leading zero', '01', 'trailing_data'],
  ['a leading plus', '+1', 'syntax'],
  ['a bare point', '.5', 'syntax'],
  ['a point with nothing after it', '1.', 'trailing_data'],
  ['hexadecimal', '0x10', 'trailing_data'],
  ['NaN', 'NaN', 'syntax'],
  ['Infinity', 'Infinity', 'syntax'],
  ['an unknown escape', '"\\x41"', 'syntax'],
  ['a short escape', '"\\u12"', 'syntax'],
  ['a raw newline in a string', '"a\nb"', 'syntax'],
  ['a string that does not end', '"a', 'syntax'],
  ['an object that does not end', '{"a":1', 'syntax'],
  ['a lone surrogate', '"\\ud800"', 'bad_string'],
  ['surrogates in the wrong order', '"\\udc00\\ud800"', 'bad_string'],
  ['a lone surrogate in a member name', '{"\\udfff":1}', 'bad_string'],
  ['a raw lone surrogate', '"\ud800"', 'bad_string'],
  ['a number past the largest double', '1e400', 'bad_number'],
  ['an integer that a double cannot tell from its neighbour', '9007199254740993', 'bad_number'],
  ['a large integer with an exponent', '1e30', 'bad_number'],
])('the reader refuses %s', (_, text, reason) => {
  expect(refusal(() => parseJson(text))).toBe(reason)
})

test('nesting is allowed to the limit and no deeper, however long the text', () => {
  const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth)
  expect(refusal(() => parseJson(nested(32)))).toBe('accepted')
  expect(refusal(() => parseJson(nested(33)))).toBe('too_deep')
  expect(refusal(() => parseJson('{"a":'.repeat(33)))).toBe('too_deep')
  expect(refusal(() => parseJson(nested(1_000_000)))).toBe('too_deep')
  expect(refusal(() => parseJson('[[1]]', 2))).toBe('too_deep')
})

test('a member called __proto__ is only a member', () => {
  const read = parseJson('{"__proto__":{"admin":true},"constructor":1,"toString":2}') as Record<string, unknown>
  expect(Object.keys(read)).toEqual(['__proto__', 'constructor', 'toString'])
  expect(read['admin']).toBeUndefined()
  expect(Object.getPrototypeOf(read)).toBeNull()
  expect(canonical(read)).toBe('{"__proto__":{"admin":true},"constructor":1,"toString":2}')
  expect(({} as Record<string, unknown>)['admin']).toBeUndefined()
})

test('a refusal does not repeat the text', () => {
  for (const text of ['{"secret":1,"secret":2}', '"secret', 'secret'])
    expect(() => parseJson(text)).toThrow(expect.objectContaining({ message: expect.not.stringContaining('secret') }))
})
