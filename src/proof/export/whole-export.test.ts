import { expect, test } from 'bun:test'
import { anAbsence, aPrice } from '../../../test/support/builders.ts'
import { openParquet } from '../../files/parquet.ts'
import { parquet } from '../../registry/export/parquet.ts'
import { toBase64, utf8 } from '../bytes.ts'
import { canonical } from '../canonical-json.ts'
import type { Manifest } from '../price/release.ts'
import type { AnyRow } from '../price/row.ts'
import { GrowingTree, leafHash } from '../tree/merkle.ts'
import { columnsNamed, columnsOf } from './columns.ts'
import { csvRows } from './csv-rows.ts'
import { isExport } from './format.ts'
import type { ExportTable } from './table-rows.ts'
import { isWholeExport, treeOfExport } from './whole-export.ts'

const usd = (price: object) => ({ price: { currency: 'USD', per: null, ...price } as never })
const PRICES: AnyRow[] = [
  aPrice({ code: '00100', ...usd({ amount: '95.19' }), effective_from: '1969-12-31' }),
  aPrice({ code: '99213', modifier: '26', ...usd({ low: '0.05', high: '999999999999.9999', per: '10 MG' }) }),
  aPrice({ code: '99214', setting: null, flags: ['partial', 'opps_cap'], ...usd({ amount: '0.003' }) }),
  anAbsence({ code: '99215', reason: 'bundled' }),
]
const aStated = { code: '80053', effective_from: '2026-10-01', locator: [{ citation: 0, line: 7 }] }
const PLACES = ['1234', null].map((plus_four, i) => ({
  kind: 'place',
  zip: '94102',
  plus_four,
  region: plus_four && 'US-CA-05',
  state: 'CA',
  effective_from: '2026-10-01',
  locator: [{ citation: 0, line: i + 2 }],
})) as unknown as AnyRow[]

const EDITS: Readonly<Record<string, AnyRow>> = {
  'ncci-mue-dme': { ...aStated, kind: 'limit', units: 90_000, adjudication: 3, rationale: 3 },
  'ncci-ptp-outpatient': { ...aStated, kind: 'edits', edits: [['80048', 0, '2019-01-01', null, 11]] },
  'ncci-add-on': { ...aStated, kind: 'add_on', primaries: [['CCCCC', 2, '2019-01-01', '2026-01-01', 1]] },
}

const treeOf = (rows: readonly AnyRow[]) => {
  const tree = new GrowingTree()
  for (const row of rows) tree.add(leafHash(utf8(canonical(row))))
  return { row_count: tree.size, rows_root: toBase64(tree.root) }
}
const quoted = (cell: string): string => (/[",]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell)
const csvOf = (rows: readonly AnyRow[], chart: string): string =>
  [
    columnsOf(chart).map(({ name }) => name),
    ...rows.map((row) => columnsOf(chart).map(({ value }) => value(row) ?? '')),
  ]
    .map((cells) => `${cells.map(quoted).join(',')}\r\n`)
    .join('')
async function parquetOf(rows: readonly AnyRow[], chart: string, facts = {}): Promise<ExportTable> {
  const source = async function* () {
    yield* rows
  }
  return openParquet(Buffer.concat(await Array.fromAsync(parquet(source(), columnsOf(chart), facts))))
}

test('in every format an export has the root of its release', async () => {
  for (const [chart, rows] of [
    ['cms-pfs', PRICES],
    ['zip-locality', PLACES],
    ...Object.entries(EDITS).map(([chart, row]) => [chart, [row]] as const),
  ] as const) {
    const lines = rows.map((row) => `${canonical(row)}\n`).join('')
    for (const content of [lines, csvOf(rows, chart), await parquetOf(rows, chart, { release_id: 'x' })])
      expect(await treeOfExport(content)).toEqual(treeOf(rows))
    for (const text of [lines, csvOf(rows, chart), 'PAR1\u0015']) expect(isExport(text)).toBe(true)
  }
  for (const text of ['', '{"basis":"x"}', '{"basis":"x","proof":{}}\n', '{\n', 'code', 'cpt,', '{"data":[]}\n'])
    expect([text, isExport(text)]).toEqual([text, false])
})

test('places that were exported before they had all of their columns are read for ever', async () => {
  const listed = PLACES.map((row, i) => ({ ...row, rural: i === 0 }))
  const inArea = PLACES.map((row, i) => ({ ...row, bidding_area: i === 0 ? null : 'CBA-0A1B2C3D' }))
  for (const rows of [listed, inArea]) expect(await treeOfExport(csvOf(rows, 'zip-locality'))).toEqual(treeOf(rows))
  const without = (rows: readonly AnyRow[], ...names: string[]): string => {
    const columns = columnsOf('zip-locality').filter(({ name }) => !names.includes(name))
    const cells = [columns.map(({ name }) => name), ...rows.map((row) => columns.map(({ value }) => value(row) ?? ''))]
    return cells.map((line) => `${line.map(quoted).join(',')}\r\n`).join('')
  }
  expect(await treeOfExport(without(PLACES, 'rural', 'bidding_area'))).toEqual(treeOf(PLACES))
  expect(await treeOfExport(without(listed, 'bidding_area'))).toEqual(treeOf(listed))
  expect(await treeOfExport(without(inArea, 'bidding_area'))).not.toEqual(treeOf(inArea))
  expect(await treeOfExport(without(listed, 'rural'))).toBeUndefined()
})

test('a table that says anything beside its rows is none', async () => {
  const good = csvOf(PRICES, 'cms-pfs')
  const lies = [
    good.replace('95.19', '95.20'),
    // An amount beside an absence, and a reason beside a price: the row that was hashed has neither.
    good.replace(/(99215,.*absence,),/, '$195.19,'),
    good.replace(/(00100,.*95\.19,,,USD,,),/, '$1bundled,'),
    // A column more, a second one of the same name, one less, and columns in another order.
    good.replaceAll('\r\n', ',1\r\n'),
    good.replaceAll('\r\n', ',amount\r\n'),
    good.replace(',locator\r\n', '\r\n'),
    good.replace('amount,low', 'low,amount'),
    // JSON that says a thing twice, and a number written in another way.
    good.replace(/\{""/, '{""a"":""1"",""a"":""1"",""'),
    good.replace('95.19', '095.19'),
    good.replace('95.19', ' 95.19'),
    // A cell beside those of one row, which no column names.
    good.replace('\r\n99213', ',free\r\n99213'),
    `${good}99216\r\n`,
    `${good}\r\n`,
    good.slice(0, -2),
    good.split('\r\n').toSpliced(2, 1).join('\r\n'),
  ]
  for (const lie of lies) {
    expect(lie).not.toBe(good)
    expect(await treeOfExport(lie)).not.toEqual(treeOf(PRICES))
  }
})

test('a table whose cells are not those that the rows make is none', async () => {
  const good = await parquetOf(PRICES, 'cms-pfs')
  const amount = good.names.indexOf('amount')
  const changed = (change: (cells: readonly (string | number | bigint | null)[]) => typeof cells): ExportTable => ({
    ...good,
    async *rows(columns) {
      for await (const cells of good.rows(columns)) yield change(cells)
    },
  })
  const isSame = async (table: ExportTable): Promise<boolean> =>
    Bun.deepEquals(await treeOfExport(table), treeOf(PRICES))
  expect(await isSame(changed((cells) => cells))).toBe(true)
  for (const lie of [
    changed((cells) => cells.with(amount, 951_900n)),
    changed((cells) => cells.with(amount, null)),
    changed((cells) => [...cells, 'more']),
    changed((cells) => cells.slice(0, -1)),
    { ...good, names: good.names.toReversed() },
    { ...good, names: [...good.names, 'more'] },
  ])
    expect(await isSame(lie)).toBe(false)
  const failing: ExportTable = {
    ...good,
    async *rows(columns) {
      yield* good.rows(columns)
      throw new RangeError('damaged')
    },
  }
  expect(await treeOfExport(failing)).toBeUndefined()
})

test('a table that says two things of its release under one name, or anything else of it, is no export of it', async () => {
  const release = { ...treeOf(PRICES), release_id: 'cms-pfs:R1:1' } as Manifest
  const { release_id, rows_root } = release
  const good = await parquetOf(PRICES, 'cms-pfs', { release_id, rows_root })
  expect(await isWholeExport(good, release)).toBe(true)
  for (const fact of [
    ['release_id', release_id],
    ['release_id', 'cms-pfs:R2:1'],
    ['edition', 'R1'],
    ['manifest', '{}'],
  ] as const)
    expect(await isWholeExport({ ...good, facts: [...good.facts, fact] }, release)).toBe(false)
  expect(await isWholeExport({ ...good, facts: [['release_id', 'cms-pfs:R2:1']] }, release)).toBe(false)
})

test('the columns of a table are ours to the last, and two tables that are read in turns are read as they are', () => {
  const names = columnsOf('cms-pfs').map(({ name }) => name)
  expect(columnsNamed(names)).toBe(columnsOf('cms-pfs'))
  for (const other of [[...names, 'more'], names.slice(0, -1), []]) expect(columnsNamed(other)).toBeUndefined()
  const [prices, places] = [csvOf(PRICES, 'cms-pfs'), csvOf(PLACES, 'zip-locality')]
  const [one, other] = [csvRows(prices), csvRows(places)]
  const inTurns = PLACES.flatMap(() => [one.next().value, other.next().value])
  const expected = PLACES.flatMap((place, i) => [canonical(PRICES[i]), canonical(place)])
  expect(inTurns).toEqual(expected)
  // Something that is not a row ends the table: nothing after it is read.
  expect([...csvRows(`${places}"\r\n${places}`)]).toEqual([...PLACES.map((place) => canonical(place)), undefined])
})
