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

function isRefused(work: () => unknown): boolean {
  try {
    work()
  } catch (error) {
    if (error instanceof JsonError) return true
    throw error
  }
  return false
}

test.each(vectors.numbers)('the double $bits is written $text', ({ bits, text }) => {
  expect(canonical(Buffer.from(bits, 'hex').readDoubleBE())).toBe(text)
})

test.each(vectors.pairs)('canonical text, $name', ({ text, canonical: expected, strict }) => {
  expect(canonical(JSON.parse(text))).toBe(expected)
  expect(canonicalize(JSON.parse(text))).toBe(expected)
  if (strict) expect(canonical(parseJson(text))).toBe(expected)
  else expect(isRefused(() => parseJson(text))).toBe(true)
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
  ['NaN', Number.NaN],
  ['Infinity', Number.POSITIVE_INFINITY],
  ['a lone high surrogate', ['\ud800']],
  ['a lone low surrogate', '\udc00'],
  ['a lone surrogate in a member name', { '\ud83d': 1 }],
  ['undefined', undefined],
  ['a member that is undefined', { a: undefined }],
  ['a hole in an array', new Array(1)],
  ['a function', { a: () => 1 }],
  ['a symbol', [Symbol('a')]],
  ['a bigint', 1n],
  ['a date', new Date(0)],
  ['a map', new Map([['a', 1]])],
  ['bytes', Uint8Array.of(1)],
  ['a value with its own toJSON', { toJSON: () => 'other' }],
])('there is no canonical text of %s', (_, value) => {
  expect(isRefused(() => canonical(value))).toBe(true)
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
      if (isRefused(() => parseJson(damaged))) return
      expect(canonical(parseJson(damaged))).toBe(canonical(JSON.parse(damaged)))
    }),
    { numRuns: 2000 },
  )
})

/** JSON text in which the member that `twice` picks, counted from the first, stands twice. */
function withTwice(value: unknown, twice: number): { text: string; members: number } {
  let members = 0
  const write = (each: unknown): string => {
    if (Array.isArray(each)) return `[${each.map(write).join(', ')}]`
    if (typeof each !== 'object' || each === null) return JSON.stringify(each)
    return `{${Object.entries(each)
      .flatMap(([name, member]) => {
        const isPicked = members++ === twice
        const text = `${JSON.stringify(name)} :${write(member)}`
        return isPicked ? [text, text] : text
      })
      .join(',')}}`
  }
  return { text: write(value), members }
}

test('a member that stands twice is refused wherever it is, and colons in texts are no members', () => {
  const value = fc.dictionary(fc.string({ unit: fc.constantFrom('a', ':', '"', '\\', '{') }), json, { minKeys: 1 })
  fc.assert(
    fc.property(value, fc.nat(), (object, position) => {
      const { text, members } = withTwice(object, -1)
      expect(canonical(parseJson(text))).toBe(canonical(JSON.parse(text)))
      expect(isRefused(() => parseJson(withTwice(object, position % members).text))).toBe(true)
    }),
  )
})

test.each([
  ['duplicate members', '{"a":1,"a":1}'],
  ['duplicate members under different escapes', '{"a":1,"\\u0061":2}'],
  ['duplicate members deep inside', '[{"x":{"":1,"b":2,"":3}}]'],
  ['two __proto__ members', '{"__proto__":1,"__proto__":2}'],
  ['a second value', '{} {}'],
  ['a trailing comma after the value', '1,'],
  ['a byte order mark', '\ufeff1'],
  ['nothing', ''],
  ['white space only', ' \n'],
  ['white space that JSON does not have', '\u00a01'],
  ['a trailing comma in an array', '[1,]'],
  ['a trailing comma in an object', '{"a":1,}'],
  ['a member name without quotes', '{a:1}'],
  ['single quotes', "'a'"],
  ['a comment', '/**/1'],
  ['a leading zero', '01'],
  ['a leading plus', '+1'],
  ['a bare point', '.5'],
  ['a point with nothing after it', '1.'],
  ['hexadecimal', '0x10'],
  ['NaN', 'NaN'],
  ['Infinity', 'Infinity'],
  ['an unknown escape', '"\\x41"'],
  ['a short escape', '"\\u12"'],
  ['a raw newline in a string', '"a\nb"'],
  ['a string that does not end', '"a'],
  ['an object that does not end', '{"a":1'],
  ['a lone surrogate', '"\\ud800"'],
  ['surrogates in the wrong order', '"\\udc00\\ud800"'],
  ['a lone surrogate in a member name', '{"\\udfff":1}'],
  ['a raw lone surrogate', '"\ud800"'],
  ['a number past the largest double', '1e400'],
  ['an integer that a double cannot tell from its neighbour', '9007199254740993'],
  ['a large integer with an exponent', '1e30'],
])('the reader refuses %s', (_, text) => {
  expect(isRefused(() => parseJson(text))).toBe(true)
})

test('nesting is allowed to the limit and no deeper, however long the text', () => {
  const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth)
  expect(isRefused(() => parseJson(nested(32)))).toBe(false)
  expect(isRefused(() => parseJson(nested(33)))).toBe(true)
  expect(isRefused(() => parseJson('{"a":'.repeat(33)))).toBe(true)
  expect(isRefused(() => parseJson(nested(1_000_000)))).toBe(true)
  expect(isRefused(() => parseJson('[[1]]', 2))).toBe(true)
})

test('a member called __proto__ is only a member', () => {
  const read = parseJson('{"__proto__":{"admin":true},"constructor":1,"toString":2}') as Record<string, unknown>
  expect(Object.keys(read)).toEqual(['__proto__', 'constructor', 'toString'])
  expect(read['admin']).toBeUndefined()
  expect(canonical(read)).toBe('{"__proto__":{"admin":true},"constructor":1,"toString":2}')
  expect(({} as Record<string, unknown>)['admin']).toBeUndefined()
})

test('a refusal does not repeat the text', () => {
  for (const text of ['{"secret":1,"secret":2}', '"secret', 'secret'])
    expect(() => parseJson(text)).toThrow(expect.objectContaining({ message: expect.not.stringContaining('secret') }))
})

test('a string of millions of escapes hides no member, and a second one of its name is still found', () => {
  const text = JSON.stringify({ a: '\n"'.repeat(5_000_000), b: ':' })
  expect(Object.keys(parseJson(text) as object)).toEqual(['a', 'b'])
  expect(() => parseJson(text.replace('"b":":"', '"a":":"'))).toThrow(JsonError)
})

test('values that JSON cannot hold are refused wherever they are, also behind members out of order', () => {
  const hole = [{ b: 1, a: 1 }, 1]
  delete hole[1]
  for (const value of [
    { b: 1, a: 1, '\ud800': 1 },
    { b: 1, a: '\ud800' },
    hole,
    { b: 1, a: [undefined] },
    { b: 1, a: () => 1 },
  ])
    expect(() => canonical(value)).toThrow('json_malformed')
  expect(canonical({ 10: 1, 9: 2, b: { d: 1, c: [] } })).toBe('{"10":1,"9":2,"b":{"c":[],"d":1}}')
})
