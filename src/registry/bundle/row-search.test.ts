import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { anAbsence, aPrice } from '../../../test/support/builders.ts'
import { canonical } from '../../proof/canonical-json.ts'
import { KEY_PARTS, type Row, rowKey } from '../../proof/price/row.ts'
import { packTile, TileWriter } from '../file/bundle.ts'
import { BundleCursor, OWN } from './bundle-cursor.ts'
import { ByteWriter } from './byte-stream.ts'
import { OpenBundle, ROW_ROOM } from './open-bundle.ts'
import { PlacedBundle } from './placed-bundle.ts'
import { LONG_WORD, NEW_SHAPE, NEW_VALUE } from './row-packer.ts'
import { type Around, RowFinder } from './row-search.ts'
import { type RowShape, shapeFrom, writeShape } from './row-shape.ts'
import { rowText } from './row-values.ts'
import { NewWords, readWords, type Words } from './words.ts'

/** All rows in bundles, as a file has them that has many such rows before them: what comes twice is a word then. */
function bundlesOf(rows: readonly Row[]): OpenBundle[] {
  const words = new NewWords()
  for (const row of [...rows, ...rows]) new TileWriter(words).add({ key: rowKey(row), body: canonical(row) })
  const text = new TileWriter(words)
  for (const row of rows) text.add({ key: rowKey(row), body: canonical(row) })
  const { bytes, ends } = packTile(text.text(), 0, words)
  const known = readWords(words.since({ shapes: 0, words: 0 }))
  return ends.map(({ hashes, rows }) =>
    OpenBundle.from({ rows: bytes.slice(hashes, rows), hashes: new Uint8Array() }, known),
  )
}

const finders = new WeakMap<Words, RowFinder>()

/** One for all bundles of a file, as in a service. */
function finderOf({ values: { words } }: OpenBundle): RowFinder {
  const finder = finders.get(words) ?? new RowFinder(words)
  finders.set(words, finder)
  return finder
}

const findIn = (finder: RowFinder, packed: Uint8Array, [code, ...parts]: readonly string[]): number =>
  finder.find(PlacedBundle.of({ rows: packed, hashes: new Uint8Array() }), code as string, parts)

const findRow = (bundle: OpenBundle, parts: readonly string[]): number =>
  findIn(finderOf(bundle), bundle.values.packed, parts)

function rowsAround(bundle: OpenBundle, row: number): Around | undefined {
  expect(findRow(bundle, partsOf(bundle.key(row)))).toBe(row)
  return finderOf(bundle).around()
}

const row = fc.record({
  cpt: fc.constantFrom('99213', '99214', '70450', 'J1100', 'G0101'),
  region: fc.constantFrom('national', 'US-CA-05', 'US-CA-18', 'US-NY-01'),
  modifier: fc.constantFrom(null, '26', 'TC', '53'),
  setting: fc.constantFrom('facility', 'non_facility') as fc.Arbitrary<'facility' | 'non_facility'>,
})
const rowsOf = fc
  .uniqueArray(row, { minLength: 1, maxLength: 60, selector: (each) => JSON.stringify(each) })
  .map((list) => list.map((each) => aPrice(each)).sort((a, b) => (rowKey(a) < rowKey(b) ? -1 : 1)))

const partsOf = (key: string): string[] => key.split('|')

test('a row is found by the parts of its key, and no other one', () => {
  fc.assert(
    fc.property(rowsOf, row, (rows, other) => {
      for (const bundle of bundlesOf(rows)) {
        const keys = Array.from({ length: bundle.size }, (_, i) => bundle.key(i))
        for (const [i, key] of keys.entries()) expect(findRow(bundle, partsOf(key))).toBe(i)
        const asked = rowKey(aPrice(other))
        expect(findRow(bundle, partsOf(asked))).toBe(keys.indexOf(asked))
      }
    }),
    { numRuns: 300 },
  )
})

test('the rows around one are those of its code and place, and what tells them apart has the same marks in all bundles', () => {
  let seen = 0
  fc.assert(
    fc.property(rowsOf, (rows) => {
      const meant = new Map<string, string>()
      for (const bundle of bundlesOf(rows)) {
        const keys = Array.from({ length: bundle.size }, (_, i) => partsOf(bundle.key(i)))
        for (const [i, [cpt, region]] of keys.entries()) {
          const found = rowsAround(bundle, i)
          if (!found) continue
          seen++
          const isHere = ([code, place]: string[]): boolean => code === cpt && place === region
          expect([found.from, found.to]).toEqual([keys.findIndex(isHere), keys.findLastIndex(isHere) + 1])
          const marks = found.marks.slice(0, found.size).join()
          const rest = [i - found.from, ...keys.slice(found.from, found.to).map((key) => key.slice(2).join('|'))].join()
          expect(meant.get(marks) ?? rest).toBe(rest)
          meant.set(marks, rest)
        }
      }
    }),
    { numRuns: 300 },
  )
  expect(seen).toBeGreaterThan(300)
})

test('a row that was found is written as it is, and says whether it is a price on a day', () => {
  const dates = fc.constantFrom('2026-01-01', '2026-04-01', '2026-07-01')
  fc.assert(
    fc.property(
      rowsOf,
      fc.infiniteStream(dates),
      fc.infiniteStream(fc.boolean()),
      dates,
      (rows, days, isOther, day) => {
        const dated = rows.map((each) => {
          const effective_from = days.next().value as string
          const { cpt, region, modifier, setting } = each
          return isOther.next().value
            ? anAbsence({ cpt, region, modifier, setting, effective_from })
            : { ...each, effective_from }
        })
        for (const bundle of bundlesOf(dated))
          for (let i = 0; i < bundle.size; i++) {
            const finder = finderOf(bundle)
            expect(findIn(finder, bundle.values.packed, partsOf(bundle.key(i)))).toBe(i)
            const isAlso = finder.isPriceOn(day)
            finder.around()
            const out = Buffer.alloc(ROW_ROOM)
            const text = out.toString('utf8', 0, finder.write(rowText(out), 0))
            expect(text).toBe(bundle.body(i))
            const { kind, effective_from } = JSON.parse(text)
            expect(isAlso).toBe(kind === 'price' && effective_from <= day)
          }
      },
    ),
    { numRuns: 300 },
  )
})

/** The same rows with each word written now as this one and now as that, of a file that has all of them twice. */
function twice({ values: { words, packed }, size }: OpenBundle, isOther: () => boolean): OpenBundle {
  const stored = Array.from({ length: words.count }, (_, i) => words.room.slice(words.starts[i], words.starts[i + 1]))
  const out = new ByteWriter()
  for (const word of [...stored, ...stored]) out.text(word, 0, word.length)
  const both = { ...readWords({ shapes: new Uint8Array(), words: out.bytes() }), shapes: words.shapes }
  const cursor = new BundleCursor(words)
  const rows = new ByteWriter()
  cursor.open(packed, 0, packed.length)
  rows.number(size)
  const shapes: RowShape[] = []
  for (let row = 0; row < size; row++) {
    const { values } = cursor.next()
    rows.number(words.shapes.indexOf(cursor.shape))
    if (shapes.includes(cursor.shape)) for (let i = 0; i < values; i += 8) rows.room[rows.at++] = 255
    shapes.push(cursor.shape)
    for (let i = 0; i < values; i++) {
      const number = cursor.numbers[i] as number
      if (number < OWN) writeWord(rows, isOther() ? number + words.count : number)
      else {
        rows.room[rows.at++] = NEW_VALUE
        const place = 2 * (number - OWN)
        rows.text(packed, cursor.values.places[place] as number, cursor.values.places[place + 1] as number)
      }
    }
  }
  return OpenBundle.from({ rows: rows.bytes(), hashes: new Uint8Array() }, both)
}

function writeWord(out: ByteWriter, number: number): void {
  out.reserve(2)
  if (number >= LONG_WORD) out.room[out.at++] = LONG_WORD + ((number - LONG_WORD) >> 8)
  out.room[out.at++] = number < LONG_WORD ? number : (number - LONG_WORD) & 255
}

test('the rows around one are the same where a file has its words twice, and its rows name now this one and now that', () => {
  let seen = 0
  fc.assert(
    fc.property(rowsOf, fc.infiniteStream(fc.boolean()), (rows, isOther) => {
      for (const once of bundlesOf(rows)) {
        const bundle = twice(once, () => isOther.next().value as boolean)
        const keys = Array.from({ length: bundle.size }, (_, i) => bundle.key(i))
        expect(keys).toEqual(Array.from({ length: once.size }, (_, i) => once.key(i)))
        const places = keys.map((key) => partsOf(key).slice(0, 2).join('|'))
        for (const [i, place] of places.entries()) {
          const found = rowsAround(bundle, i)
          if (!found) continue
          seen++
          expect([found.from, found.to]).toEqual([places.indexOf(place), places.lastIndexOf(place) + 1])
        }
      }
    }),
    { numRuns: 100 },
  )
  expect(seen).toBeGreaterThan(100)
})

test('rows that stand in a file for nothing but their key are not looked at', () => {
  const words = new NewWords()
  const text = new TileWriter(words)
  for (const key of ['10001|', '10002|']) text.add({ key, body: `{"key":"${key}"}` })
  const { bytes, ends } = packTile(text.text(), 0, words)
  const [end] = ends
  const bundle = OpenBundle.from(
    { rows: bytes.slice(end?.hashes, end?.rows), hashes: new Uint8Array() },
    readWords(words.since({ shapes: 0, words: 0 })),
  )
  expect(findRow(bundle, ['10001', '', ...KEY_PARTS.slice(2).map(() => '')])).toBe(-1)
})

test('a bundle that ends where the size of a value should stand is none, whatever stands behind it in its page', () => {
  const words = readWords({ shapes: Uint8Array.from([1, 1, 65, 0, 1, 0]), words: new Uint8Array() })
  const read = (page: number[], end: number): void => {
    const cursor = new BundleCursor(words)
    cursor.open(Uint8Array.from(page), 0, end)
    cursor.next()
  }
  read([1, 0, NEW_VALUE, 0], 4)
  for (const page of [
    [1, 0, NEW_VALUE],
    [1, 0, NEW_VALUE, 0],
    [1, 0, NEW_VALUE, 200, 1, 9, 9],
  ])
    expect(() => read(page, 3)).toThrow(RangeError)
})

/** A bundle of one row, whose text is divided anew at its modifier: so much of it is the value, and the rest belongs to the shape. */
function dividedAt(row: Row, size: number): OpenBundle {
  const text = canonical(row)
  const values = KEY_PARTS.map((part) => {
    const at = text.lastIndexOf(`"${part}":`) + part.length + 3
    const length = part === 'modifier' ? size : JSON.stringify(row[part]).length
    return { part, at, length }
  }).sort((a, b) => a.at - b.at)
  const [ends, filled]: [number[], string[]] = [[], []]
  let [pieces, from] = ['', 0]
  for (const { at, length } of values) {
    pieces += text.slice(from, at)
    ends.push(pieces.length)
    filled.push(text.slice(at, at + length))
    from = at + length
  }
  pieces += text.slice(from)
  const key = KEY_PARTS.map((part) => values.findIndex((value) => value.part === part))
  const shape = shapeFrom(Buffer.from(pieces), [...ends, pieces.length], key)
  expect(shape.hasOwnKey).toBe(true)
  const out = new ByteWriter()
  for (const number of [1, NEW_SHAPE]) out.room[out.at++] = number
  writeShape(out, shape)
  for (const value of filled) {
    out.room[out.at++] = NEW_VALUE
    out.text(Buffer.from(value), 0, value.length)
  }
  const bundle = OpenBundle.from(
    { rows: out.bytes(), hashes: new Uint8Array() },
    readWords({ shapes: new Uint8Array(), words: new Uint8Array() }),
  )
  expect(bundle.body(0)).toBe(text)
  return bundle
}

test('a value that is cut off in the middle of its text is no part of a key: the same row would be found under another one', () => {
  const row = aPrice({ cpt: '70450', modifier: '26-59' })
  const keyWith = (modifier: string | null): string[] => partsOf(rowKey({ ...row, modifier }))
  const whole = dividedAt(row, '"26-59"'.length)
  expect(findRow(whole, keyWith('26-59'))).toBe(0)
  for (let size = 0; size < '"26-59"'.length; size++)
    for (const modifier of [null, '26', '26-5', '26-59'])
      expect([size, modifier, findRow(dividedAt(row, size), keyWith(modifier))]).toEqual([size, modifier, -1])
})

test('whatever stands in a bundle, a row is found under its own key only, and as it is read otherwise', () => {
  let [found, refused] = [0, 0]
  const change = fc.record({ at: fc.nat(), byte: fc.integer({ min: 0, max: 255 }) })
  fc.assert(
    fc.property(rowsOf, fc.array(change, { minLength: 1, maxLength: 2 }), (rows, changes) => {
      for (const once of bundlesOf(rows)) {
        const packed = once.values.packed.slice()
        for (const { at, byte } of changes) packed[at % packed.length] = byte
        const whole = attempt(() => OpenBundle.from({ rows: packed, hashes: new Uint8Array() }, once.values.words))
        const finder = finderOf(once)
        for (let i = 0; i < once.size; i++) {
          const key = once.key(i)
          const row = attempt(() => findIn(finder, packed, partsOf(key)))
          if (row === undefined) refused++
          if (row === undefined || row < 0 || !whole) continue
          found++
          expect(whole.key(row)).toBe(key)
          const out = Buffer.alloc(ROW_ROOM)
          const text = attempt(() => out.toString('utf8', 0, finder.write(rowText(out), 0)))
          expect(text).toBe(attempt(() => whole.body(row)))
        }
      }
    }),
    { numRuns: 500 },
  )
  expect(found).toBeGreaterThan(50)
  expect(refused).toBeGreaterThan(500)
})

/** Undefined where a bundle is none. */
function attempt<T>(read: () => T): T | undefined {
  try {
    return read()
  } catch (error) {
    expect(error).toBeInstanceOf(RangeError)
    return undefined
  }
}
