import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { effort } from '../../test/support/effort.ts'
import { broken, mrfJson } from '../ingest/hospital/fixture.ts'
import { Problem } from '../problem.ts'
import { utf8 } from '../proof/bytes.ts'
import { JsonReader } from './json-stream.ts'
import { FUZZ_RUNS, numbers } from './zip-fixture.ts'

interface Read {
  items: [number, unknown][]
  malformed: number[]
  /** The malformed items. */
  texts: string[]
  members: Record<string, unknown>
  found: boolean
}

function read(text: string | Uint8Array, chunk = 1_000_000): Read {
  const items: Read['items'] = []
  const malformed: number[] = []
  const texts: string[] = []
  const reader = new JsonReader('list', new Set(['day', 'ids']), {
    item: (value, ordinal) => items.push([ordinal, value]),
    malformed: (ordinal, text) => {
      malformed.push(ordinal)
      texts.push(text)
    },
  })
  const bytes = typeof text === 'string' ? utf8(text) : text
  for (let at = 0; at < bytes.length; at += chunk) reader.push(bytes.slice(at, at + chunk))
  reader.end()
  return { items, malformed, texts, members: Object.fromEntries(reader.members), found: reader.found }
}

const refusal = (text: string | Uint8Array, chunk?: number): string => {
  try {
    read(text, chunk)
  } catch (error) {
    if (error instanceof Problem) return error.detail
    throw error
  }
  return 'read'
}

test('items come one at a time, and wanted members are found anywhere', () => {
  const text =
    '\ufeff{"x":{"list":[{"no":1}],"day":"no"},"list":[{"a":"}]\\"{"},\n{"b":[1,{"c":2}]}],"day":"2026","ids":["1","2"]}\n'
  for (const chunk of [1, 2, 3, 1_000])
    expect(read(text, chunk)).toEqual({
      items: [
        [1, { a: '}]"{' }],
        [2, { b: [1, { c: 2 }] }],
      ],
      malformed: [],
      texts: [],
      members: { day: '2026', ids: ['1', '2'] },
      found: true,
    })
})

test('a wanted member that comes twice is refused, because readers differ in which of the two they use', () => {
  expect(refusal('{"list":[{"a":1}],"list":[{"a":2}]}')).toMatch(/list twice/)
  expect(refusal('{"day":1,"list":[],"DAY":2}')).toMatch(/day twice/)
  expect(refusal('{"x":1,"list":[],"x":2}')).toBe('read')
})

test('an item that is not an object is reported with its index', () => {
  expect(read('{"list":[{"a":1},null,"{",[2],7 , {"a":2}]}')).toMatchObject({
    items: [
      [1, { a: 1 }],
      [6, { a: 2 }],
    ],
    malformed: [2, 3, 4, 5],
  })
})

test('errors outside the items are refused as by a strict reader', () => {
  const wrong = [
    '{"list":[{"a":1}{"a":2}]}',
    '{"list":[{"a":1},,{"a":2}]}',
    '{"list":[{"a":1},]}',
    '{"list":[,{"a":1}]}',
    '{"list":[7 7]}',
    '{"list":[nul]}',
    '{"list":[{"a":1} x]}',
    '{"list":[],}',
    '{"list":[] "day":"2026"}',
    '{"day":"2026" "list":[]}',
    '{"day":2026-01-01,"list":[]}',
    '{"x":NaN,"list":[]}',
    '{\'x\':1,"list":[]}',
    '{x:1,"list":[]}',
    '{"x":[1,],"list":[]}',
    '{"x":{"y" 1},"list":[]}',
    '{"x":"a\nb","list":[]}',
    '{"x":01,"list":[]}',
    '{"x":"\\x","list":[]}',
    '{"list":[{"a":1}],"x":tru}',
  ]
  for (const text of wrong)
    for (const chunk of [1, 7, 1_000]) {
      expect(() => JSON.parse(text)).toThrow()
      expect([text, refusal(text, chunk)]).toEqual([text, expect.stringMatching(/not valid: ask the publisher/)])
    }
  expect(refusal('\ufeff {"x":[1, {"y":"\\u00e9"}],"list":[ ] , "z":null} \n')).toBe('read')
})

test('an item that is not valid JSON inside is reported alone, with its text', () => {
  const text = '{"list":[{"a":Infinity},{"a":1},{"b" 2}]}'
  for (const chunk of [1, 7, 1_000]) {
    expect(read(text, chunk)).toMatchObject({ items: [[2, { a: 1 }]], malformed: [1, 3] })
    expect(read(text, chunk).texts).toEqual(['{"a":Infinity}', '{"b" 2}'])
  }
})

test('an item in which only numbers are missing, or texts have line ends, is read', () => {
  const text = '{"list":[{"a":NaN,"b":[NaN , "NaN \\" NaN"]},\n{"c":"x\ty\r\nz\u0000","d":NaN}]}'
  for (const chunk of [1, 7, 1_000])
    expect(read(text, chunk)).toMatchObject({
      items: [
        [1, { a: null, b: [null, 'NaN " NaN'] }],
        [2, { c: 'x y  z ', d: null }],
      ],
      malformed: [],
    })
  expect(read('{"list":[{"a":-NaN},{"a":NaN1},{NaN:1},{"a":"\t\\x"}]}').malformed).toEqual([1, 2, 3, 4])
})

test('an object without the list, or with something else in its place, has no items', () => {
  expect(read('{"day":"2026"}')).toMatchObject({ found: false, items: [] })
  expect(read('{"list":{"a":1}}')).toMatchObject({ found: false, items: [] })
})

describe('a file that is not one object is refused with a reason', () => {
  const deep = '['.repeat(40)
  const refusals: [string, string, RegExp][] = [
    ['a list', '[{"a":1}]', /not one object/],
    ['one object per line', '{"a":1}\n{"a":2}\n', /one JSON object after another/],
    ['text after the end', '{"list":[]} more', /goes on after its end/],
    ['a file cut short', '{"list":[{"a":1},{"b"', /ends in the middle/],
    ['nothing', '  ', /empty/],
    ['brackets that do not fit', '{"list":[{"a":1]}}', /brackets/],
    ['deep nesting in an item', `{"list":[{"a":1},${deep}`, /more than 32 deep \(item 2\)/],
    ['deep nesting elsewhere', `{"x":${deep}`, /more than 32 deep/],
    ['an endless text', `{"list":[{"a":"${'x'.repeat(2 << 20)}`, /longer than 1 MiB/],
    ['an endless name', `{"${'x'.repeat(3_000_000)}`, /longer than 1 MiB|too large/],
    ['an endless item', `{"list":[[${'"x",'.repeat(5 << 20)}`, /too large \(item 1\)/],
    ['an endless member', `{"ids":[${'"x",'.repeat(1 << 20)}`, /too large/],
    ['endless other members', `{"x":[${'"xxxxxxxx",'.repeat(1 << 22)}`, /too large/],
    ['other members that are long enough to fill the memory', `{"x":[${'[],'.repeat(1 << 21)}`, /too large/],
  ]
  test.each(refusals)('%s', (_, text, sentence) => {
    expect(refusal(text)).toMatch(sentence)
  })
})

test('however the bytes arrive, the items are those that JSON.parse finds', () => {
  const value = fc.jsonValue({ maxDepth: 4, stringUnit: fc.constantFrom('a', '"', '\\', '{', ']', '\u20ac', '\n') })
  const item = fc.dictionary(fc.string({ maxLength: 4 }), value)
  fc.assert(
    fc.property(
      fc.array(item, { maxLength: 6 }),
      fc.integer({ min: 1, max: 11 }),
      fc.boolean(),
      (list, chunk, pretty) => {
        const text = JSON.stringify({ before: [list], list, day: 'x' }, null, pretty ? 1 : 0)
        const expected = JSON.parse(text) as { list: unknown[] }
        expect(read(text, chunk).items).toEqual(expected.list.map((each, i) => [i + 1, each]))
      },
    ),
    { numRuns: 300 },
  )
})

test('no mutated file crashes the reader or takes it too long', () => {
  const below = numbers(2)
  const charge = { code: 'G0101', gross: '12.34', rates: ['1', '2.50'] }
  const text = mrfJson([charge, charge], { words: 'a "b",\n\\c' }).replace('standard_charge_information', 'list')
  for (let run = 0; run < FUZZ_RUNS; run++) {
    const bytes = broken(text, below)
    const spent = effort()
    try {
      read(bytes, 1 + below(300))
    } catch (error) {
      if (!(error instanceof Problem)) throw error
    }
    expect(spent()).toBeLessThan(3_000)
  }
})
