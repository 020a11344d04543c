import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { effort } from '../../test/support/effort.ts'
import { isLong } from '../../test/support/long.ts'
import { broken, tallCsv, wideCsv } from '../ingest/hospital/fixture.ts'
import { Problem } from '../problem.ts'
import { utf8 } from '../proof/bytes.ts'
import { CsvReader } from './csv-stream.ts'
import { FUZZ_RUNS, numbers } from './zip-fixture.ts'

interface Read {
  records: [number, ...string[]][]
  malformed: number[]
}

/** All records with their lines, read in chunks of the given size. */
function read(text: string | Uint8Array, chunk = 1_000_000): Read {
  const found: Read = { records: [], malformed: [] }
  const reader = new CsvReader({
    record: (at) => found.records.push([at.line, ...Array.from({ length: at.cells }, (_, cell) => at.text(cell))]),
    torn: ({ line }) => found.malformed.push(line),
  })
  const bytes = typeof text === 'string' ? utf8(text) : text
  for (let at = 0; at < bytes.length; at += chunk) reader.push(bytes.subarray(at, at + chunk))
  reader.end()
  return found
}
const records = (text: string | Uint8Array) => read(text).records

test('cells are separated by commas and records by line ends, whichever kind the file has', () => {
  const expected = [
    [1, 'a', 'b', ''],
    [2, 'c', '', 'd'],
  ]
  for (const end of ['\n', '\r\n', '\r'])
    for (const last of [end, ''])
      expect(records(['a,b,', 'c,,d'].join(end) + last)).toEqual(expected as Read['records'])
})

test('a quoted cell holds commas, quotes and line ends, and the next line is counted right', () => {
  expect(records('"a, ""b""\r\nc",1\n2,"3"\n')).toEqual([
    [1, 'a, "b"\r\nc', '1'],
    [3, '2', '3'],
  ])
  expect(records(' "a,b" ,c\r\n"",""\r\n')).toEqual([
    [1, 'a,b', 'c'],
    [2, '', ''],
  ])
})

test('a quote or a lone CR inside a plain cell is only a character', () => {
  expect(records('5" needle,6"\na\rb,c\n')).toEqual([
    [1, '5" needle', '6"'],
    [2, 'a\rb', 'c'],
  ])
})

test('a blank line is a record of one empty cell, and the old end-of-text mark ends no file before its end', () => {
  expect(records('a\n\nb\n\u001a')).toEqual([
    [1, 'a'],
    [2, ''],
    [3, 'b'],
  ])
  expect(records('a\n\u001ab,c\nd\n\u001a\n')).toEqual([
    [1, 'a'],
    [2, 'b', 'c'],
    [3, 'd'],
  ])
})

test('a record with wrong quotes is reported alone, with its line', () => {
  const { records: found, malformed } = read('a,b\n"c"d,e\nf,"g\nh,i\n"j",k\nl,"m\n')
  expect(malformed).toEqual([2, 3, 6])
  expect(found).toEqual([
    [1, 'a', 'b'],
    [4, 'h', 'i'],
    [5, 'j', 'k'],
  ])
})

describe('what no price list has is refused with the line', () => {
  const refusals: [string, string, RegExp][] = [
    ['a line of over two mebibytes', `a\n${'x'.repeat(9 << 20)}`, /longer than 2 MiB \(line 2\)/],
    ['a line of over two mebibytes that ends', `${'x'.repeat(3 << 20)}\na`, /longer than 2 MiB/],
    ['twenty thousand columns', `a\n${','.repeat(20_000)}\n`, /more than 16384 columns \(line 2\)/],
    ['a NUL byte', 'a,b\nc\0d,e\n', /NUL/],
  ]
  test.each(refusals)('%s', (_, text, sentence) => {
    expect(() => read(text)).toThrow(Problem)
    try {
      read(text)
    } catch (error) {
      expect((error as Problem).detail).toMatch(sentence)
    }
  })
})

test('an unclosed quote before many megabytes costs one record', () => {
  const rest = 'x,y\n'.repeat(1_000_000)
  const { records: found, malformed } = read(`a,"b\n${rest}`)
  expect([found.length, malformed]).toEqual([1_000_000, [1]])
  expect(found.at(-1)).toEqual([1_000_001, 'x', 'y'])
})

test('a file of wrong quotes takes no more than linear time', () => {
  const cell = `${'x'.repeat(120)}","`
  const hostile = `"${`${cell}\n`.repeat(60_000)}"z`
  const spent = effort()
  expect(() => read(hostile)).toThrow(Problem)
  expect(spent()).toBeLessThan(5_000)
})

test('16,384 columns are read, and cells beyond the end of a record are empty', () => {
  const [found] = records(`${Array.from({ length: 16_384 }, (_, i) => i).join(',')}\n`)
  expect([found?.length, found?.[16_384]]).toEqual([16_385, '16383'])
  const reader = new CsvReader({
    record: (at) => expect([at.text(5), at.text(-1), at.isBlank(5), at.plainCents(5)]).toEqual(['', '', true, 0]),
    torn: () => {},
  })
  reader.push(utf8('a,b\n'))
  reader.end()
})

test('an amount in plain digits is read in cents, and everything else is left to be read as text', () => {
  const cents = (text: string): number | undefined => {
    let found: number | undefined = -1
    const reader = new CsvReader({
      record: (at) => {
        found = at.plainCents(0)
      },
      torn: () => {},
    })
    reader.push(utf8(`${text},\n`))
    reader.end()
    return found
  }
  expect(['12', '12.3', '12.34', '"0.05"', ' 7. ', '', '  '].map(cents)).toEqual([1200, 1230, 1234, 5, 700, 0, 0])
  for (const text of ['12.345', '.5', '-1', '$5', '0', '0.00', '999999', '999999.99', '1e3', '1234567890'])
    expect([text, cents(text)]).toEqual([text, undefined])
})

test('a quote that does not close takes nothing from an amount', () => {
  expect(records('a,\t"12345,b\n')).toEqual([[1, 'a', '"12345', 'b']])
})

test('bytes that are not UTF-8 do not matter', () => {
  expect(records(Uint8Array.of(0x92, 0x2c, 0x39, 0x0a, 0xff, 0x2c, 0x38))).toEqual([
    [1, '\u0092', '9'],
    [2, '\u00ff', '8'],
  ])
})

test('however the bytes arrive, the records are the same', () => {
  const cell = fc.oneof(fc.constantFrom('', 'a', '"', ' ', '\n', '\r\n', '""', ','), fc.string({ maxLength: 6 }))
  fc.assert(
    fc.property(fc.array(cell, { maxLength: 60 }), fc.integer({ min: 1, max: 9 }), (parts, chunk) => {
      const text = parts.join(',').replaceAll('\0', '')
      expect(read(text, chunk)).toEqual(read(text))
    }),
    { numRuns: isLong ? 300 : 80 },
  )
})

test('records that are written by the rules are read back', () => {
  const cell = fc
    .string({ maxLength: 8, unit: fc.constantFrom('a', '1', ',', '"', '\n', ' ', '|') })
    .map((text) => text.trim())
  fc.assert(
    fc.property(fc.array(fc.array(cell, { minLength: 2, maxLength: 4 }), { minLength: 1, maxLength: 8 }), (rows) => {
      const text = rows.map((cells) => cells.map((each) => `"${each.replaceAll('"', '""')}"`).join(',')).join('\n')
      expect(records(text).map(([, ...cells]) => cells)).toEqual(rows)
    }),
    { numRuns: isLong ? 500 : 120 },
  )
})

test('lines that begin like the one before are read like any other', () => {
  const quoted = fc.string({ maxLength: 12, unit: fc.constantFrom('a', '1', ',', '"', '\n', ' ') })
  const cell = fc.oneof(
    quoted.map((text) => `"${text.replaceAll('"', '""')}"`),
    fc.constantFrom('', 'a', 'aaaaaaaa', 'aaaaaaaaaaaaaaaab', 'a"b', ' "c"', '1.50'),
  )
  const line = fc.record({ keep: fc.nat(6), rest: fc.array(cell, { minLength: 1, maxLength: 4 }) })
  fc.assert(
    fc.property(fc.array(line, { minLength: 2, maxLength: 8 }), (lines) => {
      let cells: string[] = []
      const texts = lines.map(({ keep, rest }) => {
        cells = [...cells.slice(0, keep), ...rest, 'end']
        return cells.join(',')
      })
      // A line of one cell shares no cells with its neighbours.
      const alone = records(texts.join('\n-\n')).filter((_, i) => i % 2 === 0)
      const together = records(texts.join('\n'))
      expect(together.map(([, ...each]) => each)).toEqual(alone.map(([, ...each]) => each))
      expect(together.map(([at], i) => at + i)).toEqual(alone.map(([at]) => at))
    }),
    { numRuns: isLong ? 1_000 : 200 },
  )
})

test('no mutated file crashes the reader or takes it too long', () => {
  const below = numbers(1)
  const charge = { code: 'G0101', gross: '12.34', rates: ['1', '2.50', '3'] }
  const seeds = [tallCsv([charge, charge], { words: 'a "b",\nc' }), wideCsv([charge, charge])]
  for (let run = 0; run < FUZZ_RUNS; run++) {
    const bytes = broken(seeds[run % 2] as string, below)
    const spent = effort()
    try {
      const { records: found } = read(bytes, 1 + below(300))
      for (const [i, [at]] of found.entries()) expect(at).toBeGreaterThan(found[i - 1]?.[0] ?? 0)
    } catch (error) {
      if (!(error instanceof Problem)) throw error
    }
    expect(spent()).toBeLessThan(3_000)
  }
})
