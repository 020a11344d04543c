import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { aPrice } from '../../proof/fixture.ts'
import type { Row } from '../../proof/price/row.ts'
import { COLUMNS } from './columns.ts'
import { parquet } from './parquet.ts'
import { readParquet } from './parquet-fixture.ts'
import { encodeStruct, int, listOf, long, struct, text } from './thrift.ts'

const aRow = (row: Partial<Row> = {}): Row =>
  aPrice({
    cpt: '99213',
    price: { amount: '95.19', currency: 'USD' },
    effective_from: '2026-07-01',
    derivation: { method: 'verbatim/1', inputs: { amount: '95.19' } },
    locator: [{ citation: 0, line: 7 }],
    ...(row as Partial<Row & { kind: 'price' }>),
  })

async function written(rows: readonly Row[], facts: Record<string, string> = {}): Promise<Uint8Array> {
  const pieces: Uint8Array[] = []
  const source = async function* () {
    yield* rows
  }
  for await (const piece of parquet(source(), facts)) pieces.push(piece)
  return Buffer.concat(pieces)
}

const cellsOf = (row: Row): Record<string, string | null> =>
  Object.fromEntries(COLUMNS.map(({ name, value }) => [name, value(row)]))

test('every cell can be read back, empty ones too', async () => {
  const rows = [
    aRow(),
    aRow({ modifier: '26', npi: '1234567893', price: { low: '0.05', high: '999999999999.99', currency: 'USD' } }),
    aRow({ setting: null, effective_from: '1969-12-31', flags: ['na_indicator', 'opps_cap'] }),
  ]
  const file = readParquet(await written(rows, { release_id: 'cms-pfs:RVU26C:1' }))
  expect(file.cells).toEqual(rows.map(cellsOf))
  expect(file).toMatchObject({ rows: 3, groups: 1, facts: { release_id: 'cms-pfs:RVU26C:1' } })
})

test('amounts are decimals and days are dates, so that no reader has to guess', async () => {
  const { columns } = readParquet(await written([aRow()]))
  const typeOf = (name: string) => columns.find((column) => column.name === name)
  expect(typeOf('amount')).toMatchObject({ physical: 2, converted: 5, optional: true })
  expect(typeOf('effective_from')).toMatchObject({ physical: 1, converted: 6, optional: false })
  expect(typeOf('cpt')).toMatchObject({ physical: 6, converted: 0, optional: false })
})

test('a release of more rows than a group holds has several groups, in order', async () => {
  const rows = Array.from({ length: 65_537 }, (_, i) => aRow({ locator: [{ citation: 0, line: i + 1 }] }))
  const file = readParquet(await written(rows))
  expect([file.rows, file.groups, file.cells.length]).toEqual([65_537, 2, 65_537])
  expect(file.cells.at(-1)?.['locator']).toBe('[{"citation":0,"line":65537}]')
})

test('a file without rows is a file', async () => {
  expect(readParquet(await written([]))).toMatchObject({ rows: 0, groups: 0, cells: [] })
})

test('whatever is empty and whatever is not, the cells come back', () =>
  fc.assert(
    fc.asyncProperty(
      fc.array(fc.record({ modifier: fc.option(fc.constantFrom('26', 'TC')), cents: fc.option(fc.nat(10 ** 9)) }), {
        maxLength: 300,
      }),
      async (drawn) => {
        const rows = drawn.map(({ modifier, cents }) =>
          cents === null
            ? aRow({ modifier, kind: 'absence', reason: 'bundled' } as Partial<Row>)
            : aRow({ modifier, price: { amount: (cents / 100).toFixed(2), currency: 'USD' } }),
        )
        expect(readParquet(await written(rows)).cells).toEqual(rows.map(cellsOf))
      },
    ),
    { numRuns: 60 },
  ))

test('thrift structs are the bytes of the compact protocol', () => {
  const value = struct(
    [1, int(-1)],
    [3, long(300)],
    [4, text('é')],
    [9, listOf('int', [int(1), int(2)])],
    [10, struct()],
  )
  expect(Buffer.from(encodeStruct(value)).toString('hex')).toBe('150126d8041802c3a9592502041c0000')
  const many = listOf(
    'int',
    Array.from({ length: 15 }, () => int(0)),
  )
  expect(Buffer.from(encodeStruct(struct([1, many]))).toString('hex')).toBe(`19f50f${'00'.repeat(15)}00`)
})
