import { expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import fc from 'fast-check'
import { anAbsence, aPrice } from '../../../test/support/builders.ts'
import { temporaryFolder } from '../../../test/support/harness.ts'
import { openParquet } from '../../files/parquet.ts'
import { columnsOf } from '../../proof/export/columns.ts'
import { tableRows } from '../../proof/export/table-rows.ts'
import { type AnyRow, type PricedRow, rowText } from '../../proof/price/row.ts'
import { parquet } from './parquet.ts'

const aRow = (row: Partial<PricedRow> = {}): PricedRow =>
  aPrice({
    code: '99213',
    price: { amount: '95.19', currency: 'USD', per: null },
    effective_from: '2026-07-01',
    derivation: { method: 'verbatim/1', inputs: { amount: '95.19' } },
    locator: [{ citation: 0, line: 7 }],
    ...row,
  })

async function written(rows: Iterable<AnyRow>, facts = {}, chart = 'cms-pfs'): Promise<Buffer> {
  const source = async function* () {
    yield* rows
  }
  return Buffer.concat(await Array.fromAsync(parquet(source(), columnsOf(chart), facts)))
}
const readBack = (file: Uint8Array): Promise<(string | undefined)[]> => Array.fromAsync(tableRows(openParquet(file)))

test('every row can be read back, empty cells too', async () => {
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
    anAbsence({ reason: 'bundled' }),
  ]
  const file = await written(rows, { release_id: 'cms-pfs:RVU26C:1' })
  expect(await readBack(file)).toEqual(rows.map(rowText))
  expect(openParquet(file).facts).toEqual([['release_id', 'cms-pfs:RVU26C:1']])
})

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
  expect(await readBack(await written(rows, {}, 'zip-locality'))).toEqual(rows.map(rowText))
})

test('a release of more rows than a group holds has several groups, in order', async () => {
  const rows = Array.from({ length: 16_385 }, (_, i) => aRow({ locator: [{ citation: 0, line: i + 1 }] }))
  expect(await readBack(await written(rows))).toEqual(rows.map(rowText))
  expect(await readBack(await written([]))).toEqual([])
})

test('whatever is empty and whatever is not, the rows come back', () =>
  fc.assert(
    fc.asyncProperty(
      fc.array(fc.record({ modifier: fc.option(fc.constantFrom('26', 'TC')), cents: fc.option(fc.nat(10 ** 9)) }), {
        maxLength: 300,
      }),
      async (drawn) => {
        const rows = drawn.map(({ modifier, cents }) =>
          cents === null
            ? anAbsence({ modifier, reason: 'bundled' })
            : aRow({ modifier, price: { amount: ((cents + 1) / 100).toFixed(2), currency: 'USD', per: null } }),
        )
        expect(await readBack(await written(rows))).toEqual(rows.map(rowText))
      },
    ),
    { numRuns: 60 },
  ))

test('DuckDB reads amounts as decimals and days as dates, and every cell as it is', async () => {
  using folder = temporaryFolder()
  const file = join(folder.path, 'rows.parquet')
  const rows = [
    aRow(),
    aRow({ modifier: '26', price: { low: '0.05', high: '999999999999.9999', currency: 'USD', per: null } }),
  ]
  writeFileSync(file, await written(rows, { release_id: 'x' }))
  const connection = await (await DuckDBInstance.create(':memory:')).connect()
  const ask = async (sql: string) =>
    (await connection.runAndReadAll(sql.replace('FILE', `read_parquet('${file}')`))).getRowsJson()
  const types = new Map((await ask('DESCRIBE SELECT * FROM FILE')).map(([name, type]) => [name, type]))
  expect([types.get('amount'), types.get('effective_from'), types.get('code')]).toEqual([
    'DECIMAL(16,4)',
    'DATE',
    'VARCHAR',
  ])
  expect(await ask('SELECT code, modifier, amount, low, high, effective_from, locator FROM FILE')).toEqual([
    ['99213', null, '95.1900', null, null, '2026-07-01', '[{"citation":0,"line":7}]'],
    ['99213', '26', null, '0.0500', '999999999999.9999', '2026-07-01', '[{"citation":0,"line":7}]'],
  ])
})
