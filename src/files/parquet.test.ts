import { expect, test } from 'bun:test'
import { gunzipSync, gzipSync } from 'node:zlib'
import { ByteWriter, type ColumnSource, ParquetWriter, type SchemaElement } from 'hyparquet-writer'
import { openParquet, type ParquetColumn, type ParquetValue, schemaOf } from './parquet.ts'

const COLUMNS: readonly ParquetColumn[] = [
  { name: 'code', type: 'text', optional: false },
  { name: 'note', type: 'text', optional: true },
  { name: 'from', type: 'day', optional: false },
  { name: 'amount', type: 'decimal', optional: true },
]
const ROWS: ParquetValue[][] = [
  ['00100', null, -1, 951900n],
  ['99213', '\ufeffé', 20_000, 9_999_999_999_999_999n],
  ['99214', '', 0, null],
]

interface Lie {
  columns?: readonly ParquetColumn[]
  schema?: (schema: SchemaElement[]) => SchemaElement[]
  options?: Partial<ColumnSource>
  writer?: Partial<ConstructorParameters<typeof ParquetWriter>[0]>
  facts?: [string, string][]
  rows?: readonly ParquetValue[][]
  firstGroup?: number
  pageSize?: number
}

function fileOf({
  columns = COLUMNS,
  schema,
  options,
  writer,
  facts = [],
  rows = ROWS,
  firstGroup = 2,
  pageSize = 1_048_576,
}: Lie = {}): Uint8Array {
  const bytes = new ByteWriter()
  const stated = schemaOf(columns)
  const file = new ParquetWriter({
    writer: bytes,
    schema: schema?.(stated) ?? stated,
    statistics: false,
    kvMetadata: facts.map(([key, value]) => ({ key, value })),
    ...writer,
  })
  for (const group of [rows.slice(0, firstGroup), rows.slice(firstGroup)])
    file.write({
      columnData: columns.map(({ name }, i) => ({
        name,
        data: group.map((row) => row[i]),
        offsetIndex: false,
        ...options,
      })),
      rowGroupSize: group.length,
      pageSize,
    })
  file.finish()
  return bytes.getBytes()
}

const rowsOf = async (file: Uint8Array): Promise<unknown> => Array.fromAsync(openParquet(file).rows(COLUMNS))
/** Why a file is refused; undefined if it is read. */
const refusal = (file: Uint8Array): Promise<string | undefined> =>
  rowsOf(file).then(
    () => undefined,
    (error: Error) => error.message,
  )

test('every cell is read as it was written, exact amounts and empty cells too', async () => {
  expect(await rowsOf(fileOf())).toEqual(ROWS)
  const { names, facts } = openParquet(
    fileOf({
      facts: [
        ['release_id', 'a'],
        ['release_id', 'b'],
      ],
    }),
  )
  expect(names).toEqual(['code', 'note', 'from', 'amount'])
  expect(facts).toEqual([
    ['release_id', 'a'],
    ['release_id', 'b'],
  ])
  expect(await rowsOf(fileOf({ rows: [] }))).toEqual([])
})

test('a file that is compressed by gzip is read where the platform can do so at once', async () => {
  const compressors = { GZIP: (page: Uint8Array) => new Uint8Array(gzipSync(page)) }
  const file = fileOf({ writer: { codec: 'GZIP', compressors } })
  const table = openParquet(file, (page, size) => gunzipSync(page, { maxOutputLength: size }))
  expect(await Array.fromAsync(table.rows(COLUMNS))).toEqual(ROWS)
  expect(await refusal(file)).toContain('unsupported compression codec')
})

test('a file in which another reader could find something else is refused', async () => {
  const changed = (at: number, change: Partial<SchemaElement>) => (schema: SchemaElement[]) =>
    schema.map((element, i) => (i === at ? { ...element, ...change } : element))
  const lies: Record<string, Lie> = {
    'another scale': { schema: changed(4, { scale: 0 }) },
    'another precision': { schema: changed(4, { precision: 18 }) },
    'a logical type': { schema: changed(1, { logical_type: { type: 'JSON' } }) },
    'another kind of text': { schema: changed(1, { converted_type: 'JSON' }) },
    'a column that may be empty': { schema: changed(1, { repetition_type: 'OPTIONAL' }) },
    'another name': { columns: COLUMNS.map((column, i) => (i === 1 ? { ...column, name: 'remark' } : column)) },
    'columns in another order': {
      columns: COLUMNS.toReversed(),
      rows: ROWS.map((row) => row.toReversed()),
    },
    statistics: { options: { statistics: true } },
    'an index of pages': { options: { offsetIndex: true }, pageSize: 1 },
    'an index of columns': { options: { offsetIndex: true, columnIndex: true }, pageSize: 1 },
    'a filter': { options: { bloomFilter: true } },
  }
  for (const [what, lie] of Object.entries(lies))
    expect([what, (await refusal(fileOf(lie)))?.startsWith('not a table of this form')]).toEqual([what, true])
  const many = Array.from({ length: 65_537 }, () => ['00100', null, 0, null])
  expect(await refusal(fileOf({ rows: [...many, ...ROWS], firstGroup: 65_537 }))).toContain('too many rows')
})

test('bytes that belong to no column, and files that end too soon, are refused', async () => {
  const good = Buffer.from(fileOf())
  const end = good.length - 8 - good.readUInt32LE(good.length - 8)
  for (const file of [
    Buffer.concat([good.subarray(0, end), Buffer.from('hidden'), good.subarray(end)]),
    Buffer.concat([good.subarray(0, 4), Buffer.from('hidden'), good.subarray(4)]),
    good.subarray(0, -1),
    good.subarray(0, 20),
    Buffer.alloc(0),
  ])
    expect(await refusal(file)).toBeString()
})

test('texts must be UTF-8, and a page that claims to be much larger than it is makes nothing large', async () => {
  const text = fileOf({ writer: { codec: 'UNCOMPRESSED' }, rows: [['AAAA', null, 0, null]] })
  const damaged = Buffer.from(text)
  damaged[damaged.indexOf('AAAA')] = 0xff
  expect(await refusal(damaged)).toBeString()
  const compressors = { GZIP: () => new Uint8Array(10) }
  const claim = fileOf({
    writer: { codec: 'GZIP', compressors },
    rows: [['A'.repeat(20_000), null, 0, null]],
  })
  let unpacked = 0
  const table = openParquet(claim, (_, size) => {
    unpacked = Math.max(unpacked, size)
    return new Uint8Array(size)
  })
  await expect(table.rows(COLUMNS).next()).rejects.toThrow('too large')
  expect(unpacked).toBeLessThan(20_000)
})
