import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { anAbsence, aPrice } from '../../../test/support/builders.ts'
import { columnsOf } from '../../proof/export/columns.ts'
import type { AnyRow, PricedRow } from '../../proof/price/row.ts'
import { parquet } from './parquet.ts'
import { readParquet } from './parquet-fixture.ts'
import { encodeStruct, int, listOf, long, struct, text } from './thrift.ts'

const aRow = (row: Partial<PricedRow> = {}): PricedRow =>
  aPrice({
    cpt: '99213',
    price: { amount: '95.19', currency: 'USD', per: null },
    effective_from: '2026-07-01',
    derivation: { method: 'verbatim/1', inputs: { amount: '95.19' } },
    locator: [{ citation: 0, line: 7 }],
    ...row,
  })

async function written(
  rows: readonly AnyRow[],
  facts: Record<string, string> = {},
  chart = 'cms-pfs',
): Promise<Uint8Array> {
  const pieces: Uint8Array[] = []
  const source = async function* () {
    yield* rows
  }
  for await (const piece of parquet(source(), columnsOf(chart), facts)) pieces.push(piece)
  return Buffer.concat(pieces)
}

const cellsOf = (row: AnyRow, chart = 'cms-pfs'): Record<string, string | null> =>
  Object.fromEntries(columnsOf(chart).map(({ name, value }) => [name, value(row)]))

test('every cell can be read back, empty ones too', async () => {
  const rows = [
    aRow(),
    aRow({
      modifier: '26',
      npi: '1234567893',
      price: { low: '0.05', high: '999999999999.99', currency: 'USD', per: '10 MG' },
    }),
    aRow({
      class: 'professional',
      indicators: { status: 'A' },
      price: { amount: '0.003', currency: 'USD', per: null },
    }),
    aRow({ setting: null, effective_from: '1969-12-31', flags: ['partial', 'opps_cap'] }),
  ]
  const file = readParquet(await written(rows, { release_id: 'cms-pfs:RVU26C:1' }))
  expect(file.cells).toEqual(rows.map((row) => cellsOf(row)))
  expect(file).toMatchObject({ rows: 4, groups: 1, facts: { release_id: 'cms-pfs:RVU26C:1' } })
})

test('amounts are decimals and days are dates, so that no reader has to guess', async () => {
  const { columns } = readParquet(await written([aRow()]))
  const typeOf = (name: string) => columns.find((column) => column.name === name)
  expect(typeOf('amount')).toMatchObject({ physical: 2, converted: 5, optional: true, scale: 4 })
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
            ? anAbsence({ modifier, reason: 'bundled' })
            : aRow({ modifier, price: { amount: (cents / 100).toFixed(2), currency: 'USD', per: null } }),
        )
        expect(readParquet(await written(rows)).cells).toEqual(rows.map((row) => cellsOf(row)))
      },
    ),
    { numRuns: 60 },
  ))

test('places have columns of their own', async () => {
  const place = {
    kind: 'place' as const,
    state: 'IL',
    effective_from: '2026-01-01',
    locator: [{ citation: 0, line: 2 }],
  }
  const rows = [
    { ...place, zip: '60611', plus_four: null, region: 'US-IL-16' },
    { ...place, zip: '60612', plus_four: '0001-0999', region: null },
  ]
  const file = readParquet(await written(rows, {}, 'zip-locality'))
  expect(file.cells).toEqual(rows.map((row) => cellsOf(row, 'zip-locality')))
  expect(file.cells[1]).toMatchObject({ zip: '60612', plus_four: '0001-0999', region: null })
})

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
