import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { aPrice } from '../../../test/support/builders.ts'
import { canonical } from '../../proof/canonical-json.ts'
import { KEY_PARTS, type Row, rowKey } from '../../proof/price/row.ts'
import { packTile, TileWriter } from '../file/bundle.ts'
import { OpenBundle } from './open-bundle.ts'
import { findRow, rowsAround } from './row-search.ts'
import { NewWords, readWords } from './words.ts'

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
