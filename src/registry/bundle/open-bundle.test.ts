import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { utf8 } from '../../proof/bytes.ts'
import { canonical } from '../../proof/canonical-json.ts'
import { KEY_PARTS, MAX_LEAF_BYTES } from '../../proof/price/row.ts'
import { packTile, TileWriter } from '../file/bundle.ts'
import { OpenBundle } from './open-bundle.ts'
import { MOST_STORED_BYTES, NewWords, readWords, type StoredWords } from './words.ts'

interface KeyedText {
  key: string
  body: string
}

/** Rows as a file has them: bundle after bundle, and the words that all of them are read with. */
function packed(rows: readonly KeyedText[]): { words: StoredWords; bundles: Uint8Array[] } {
  const words = new NewWords()
  const bundles: Uint8Array[] = []
  for (let i = 0; i < rows.length; i += 256) {
    const text = new TileWriter(words)
    for (const row of rows.slice(i, i + 256)) text.add(row)
    const { bytes, ends } = packTile(text.text(), 0, words)
    for (const { hashes, rows: end } of ends) bundles.push(bytes.slice(hashes, end))
  }
  return { words: words.since({ shapes: 0, words: 0 }), bundles }
}

function readBack({ words, bundles }: ReturnType<typeof packed>): KeyedText[] {
  const known = readWords(words)
  return bundles.flatMap((rows) => {
    const bundle = OpenBundle.from({ rows, hashes: new Uint8Array() }, known)
    return Array.from({ length: bundle.size }, (_, i) => ({ key: bundle.key(i), body: bundle.body(i) }))
  })
}

const size = (rows: ReturnType<typeof packed>): number =>
  rows.bundles.reduce((sum, { length }) => sum + length, rows.words.shapes.length + rows.words.words.length)

const word = fc.constantFrom(
  '',
  'A',
  '26',
  'null',
  '"',
  '\\',
  'é',
  '漢字',
  '😀',
  ' | ',
  '},"kind":"',
  '0.537',
  '{',
  ':',
  '\u0001',
)
const scalar = fc.oneof(
  word,
  fc.string({ unit: 'binary', maxLength: 6 }),
  fc.integer(),
  fc.boolean(),
  fc.constant(null),
)
/** Of few shapes, or each of its own. */
const object = fc.oneof(
  fc.record({
    cpt: word,
    modifier: fc.oneof(word, fc.constant(null)),
    price: fc.record({ amount: word }),
    list: fc.array(scalar),
  }),
  fc.dictionary(word, fc.oneof(scalar, fc.array(scalar), fc.dictionary(word, scalar))),
)
const noZero = (text: string): string => text.replaceAll('\0', '')
const body = fc.oneof(
  {
    weight: 4,
    arbitrary: object.map((value) => canonical(JSON.parse(JSON.stringify(value).replaceAll(/\\ud[89a-f]../gi, '')))),
  },
  // Not JSON at all, or cut short.
  { weight: 1, arbitrary: fc.string({ unit: 'binary' }).map(noZero) },
  { weight: 1, arbitrary: fc.tuple(object, fc.nat(40)).map(([value, end]) => JSON.stringify(value).slice(0, end)) },
)
const key = fc.oneof(
  fc
    .array(fc.constantFrom('', 'A', '26', '0.537', 'n', '"', '"A"'), { minLength: 1, maxLength: 12 })
    .map((parts) => parts.join('|')),
  fc.string({ unit: fc.constantFrom('0', 'A', '|', '~', '"') }),
)

test('whatever the rows and their keys are, they come back byte for byte', () => {
  fc.assert(
    fc.property(fc.array(fc.record({ key, body }), { minLength: 1, maxLength: 300 }), (rows) => {
      const sound = rows.map((row) => ({ ...row, body: new TextDecoder().decode(utf8(row.body)) }))
      expect(readBack(packed(sound))).toEqual(sound)
    }),
    { numRuns: 200 },
  )
})

/** A schedule in which a row is like the one before it, as most are. */
function scheduleOf(codes: number, places: number): KeyedText[] {
  return Array.from({ length: codes * places * 2 }, (_, i) => {
    const [code, place] = [Math.floor(i / (2 * places)), Math.floor(i / 2) % places]
    const parts = {
      cpt: String(10_000 + code),
      region: `US-${place + 100}`,
      npi: null,
      modifier: code % 3 === 0 ? '26' : null,
      basis: 'medicare_pfs',
      setting: i % 2 === 0 ? 'facility' : 'non_facility',
      class: null,
    }
    const factors = { gpci: (0.5 + place / 1000).toFixed(3), rvu: (code / 100).toFixed(2), year: 2026 }
    const row = { ...parts, factors, price: { amount: ((1 + code) * (7 + place)).toFixed(2), currency: 'USD' } }
    return { key: KEY_PARTS.map((part) => parts[part] ?? '').join('|'), body: canonical(row) }
  })
}

test('rows of a schedule take a tenth of their room, and their keys none', () => {
  const rows = scheduleOf(40, 60)
  const made = packed(rows)
  expect(readBack(made)).toEqual(rows)
  expect(size(made)).toBeLessThan(rows.reduce((sum, row) => sum + row.body.length, 0) / 10)
  const unnamed = packed(rows.map((row) => ({ ...row, key: `${row.key}|more` })))
  expect(size(unnamed) - size(made)).toBeGreaterThan(rows.length)
})

test('rows with more values than a shape can have, and as long as a row can be, come back', () => {
  const many = canonical(Array.from({ length: 3_000 }, (_, i) => i))
  const long = `{"a":"${'é'.repeat((MAX_LEAF_BYTES - 8) / 2)}"}`
  const rows = [many, long, many, '[]', long].map((text, i) => ({ key: `K${i}`, body: text }))
  expect(readBack(packed(rows))).toEqual(rows)
})

/** What is read of changed bytes: rows that nobody has published, which their hashes tell, or none. */
function reads(made: ReturnType<typeof packed>): number {
  try {
    return readBack(made).reduce((most, row) => Math.max(most, row.body.length), 0)
  } catch (error) {
    if (error instanceof RangeError) return 0
    throw error
  }
}

test('bytes that were flipped, cut or swapped are refused, or are rows no longer than any', () => {
  const made = packed(scheduleOf(4, 20))
  const parts = [made.words.shapes, made.words.words, ...made.bundles]
  const change = fc.record({
    part: fc.nat(parts.length - 1),
    at: fc.nat(),
    to: fc.nat(255),
    cut: fc.boolean(),
    with: fc.nat(),
  })
  fc.assert(
    fc.property(fc.array(change, { minLength: 1, maxLength: 4 }), (changes) => {
      const changed: Uint8Array[] = parts.map((bytes) => bytes.slice())
      for (const each of changes) {
        const bytes = changed[each.part] as Uint8Array
        bytes[each.at % bytes.length] = each.to
        if (each.cut) changed[each.part] = bytes.slice(0, each.at % bytes.length)
        if (each.with % 5 === 0) changed[each.part] = changed[each.with % changed.length] as Uint8Array
      }
      const [shapes, words, ...bundles] = changed as [Uint8Array, Uint8Array, ...Uint8Array[]]
      expect(reads({ words: { shapes, words }, bundles })).toBeLessThanOrEqual(MAX_LEAF_BYTES)
    }),
    { numRuns: 1_500 },
  )
})

test('a small bundle that names a long value again and again is refused before it is put together', () => {
  const value = `"${'x'.repeat(16_000)}"`
  const words = new NewWords()
  for (let i = 0; i < 2; i++) {
    const bytes = utf8(`{"a":${value}}K`)
    words.learn(bytes, { start: 0, end: bytes.length - 1, keyStart: bytes.length - 1, keyEnd: bytes.length })
  }
  const known = readWords(words.since({ shapes: 0, words: 0 }))
  expect(known.count).toBeGreaterThan(0)
  // A shape of its own with 240 gaps, all of which are this value; its key is one of them.
  const shape = [240, 1, ...Array.from({ length: 241 }, () => 0), 1, 0]
  const rows = Uint8Array.from([1, 250, ...shape, ...Array.from({ length: 240 }, () => 0)])
  const bundle = OpenBundle.reader(known)({ rows, hashes: rows })
  expect(() => bundle.body(0)).toThrow('a row is too long')
  expect(() => bundle.key(0)).toThrow('a key is too long')
  expect(() => OpenBundle.from({ rows, hashes: rows }, known)).toThrow('a key is too long')
})

test('words that are too many, or too large, are refused', () => {
  const shapes = Uint8Array.from([0, 1, 123, 1, 0])
  const none = new Uint8Array()
  expect(readWords({ shapes, words: none }).shapes).toHaveLength(1)
  const times = (bytes: Uint8Array, count: number) => Buffer.concat(Array.from({ length: count }, () => bytes))
  expect(() => readWords({ shapes: times(shapes, 251), words: none })).toThrow('too many shapes')
  expect(() => readWords({ shapes: none, words: times(Uint8Array.from([1, 65]), 20_000) })).toThrow('too many words')
  for (const wrong of [
    [241, 1],
    [1, 0],
    [0, 1, 123, 0],
    [0, 1, 123, 1, 9],
    [0, 200, 1],
  ])
    expect(() => readWords({ shapes: Uint8Array.from(wrong), words: none })).toThrow(RangeError)
  expect(MOST_STORED_BYTES).toBeLessThan(512 * 1024)
})
