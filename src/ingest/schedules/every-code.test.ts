// A release has what its file has: a code of a published file is in the rows that are made of it. The
// files are read here in the simplest way there is, so that the readers are not checked by themselves.

import { expect } from 'bun:test'
import { readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import { isLong } from '../../../test/support/long.ts'
import { published, testOnPublished } from '../../../test/support/published-files.ts'
import { readSheet } from '../../files/xlsx.ts'
import { type AnyRow, isOfPrices, rowKey } from '../../proof/price/row.ts'
import { chartOf } from '../../registry/charts.ts'
import { unreadableIn } from '../../registry/release/rules.ts'
import { ROW_MODIFIERS } from '../../tables/row-modifiers.ts'
import { READERS } from '../readers.ts'
import { readSource } from '../source.ts'
import { findsCode } from '../source-check.ts'

const CODE = /^([0-9]{4}[0-9A-Z]|[A-Z][0-9]{4})$/

/** Lines and commas: a code stands before any text that could hold either. */
function codesIn(file: string, column: number): Set<string> {
  const bytes = readFileSync(published(file))
  const lines = file.endsWith('.xlsx')
    ? Array.from(readSheet(bytes).rows, ({ cells }) => cells)
    : (file.endsWith('.gz') ? gunzipSync(bytes) : bytes)
        .toString('latin1')
        .split('\n')
        .map((line) => (file.includes('.txt') ? [line.slice(0, 5)] : line.split(',')))
  const first = lines.map((cells) => (cells[column] ?? '').replaceAll(/[^!-~]|"/g, ''))
  return new Set(first.filter((cell) => CODE.test(cell)))
}

const GPCI25 = 'cms-pfs/2025-rvu25d/GPCI2025.csv'
const GPCI26 = 'cms-pfs/2026-rvu26b/GPCI2026.csv'
/** The chart, the file with codes, the column of the code, the files beside it, and how many codes there are. */
const FILES = [
  ['cms-pfs', 'cms-pfs/2025-rvu25d/PPRRVU2025_Oct.csv.gz', 0, [GPCI25], '2025-10-01'],
  ['cms-clfs', 'cms-clfs/CLFS_2025_Q2V1.csv', 1, [], '2025-04-01'],
  ['cms-opps', 'cms-opps/addendum_b_2026-04_softek_conversion.csv.gz', 0, [], '2026-04-01'],
] as const
/** Stories ask the lookup for every code of most of these. */
const LONG_FILES = [
  ['cms-pfs', 'cms-pfs/2025-rvu25d/PPRRVU2025_Oct.txt.gz', 0, [GPCI25], '2025-10-01'],
  ['cms-pfs', 'cms-pfs/2026-rvu26ar/PPRRVU2026_Jan_nonQPP.csv.gz', 0, [GPCI26], '2026-01-01'],
  ['cms-pfs-qpp', 'cms-pfs/2026-rvu26ar/PPRRVU2026_Jan_QPP.csv.gz', 0, [GPCI26], '2026-01-01'],
  ['cms-pfs', 'cms-pfs/2026-rvu26c/PPRRVU2026_Jul_nonQPP.csv.gz', 0, [GPCI26], '2026-07-01'],
  ['cms-clfs', 'cms-clfs/PUF_CLFS_CY2026_Q2V1.csv', 1, [], '2026-04-01'],
  ['cms-opps', 'cms-opps/opps_addendum_b_2025.xlsx', 0, [], '2025-01-01'],
  ['cms-opps', 'cms-opps/addendum_b_2025-10.csv.gz', 0, [], '2025-10-01'],
] as const

for (const [chart, file, column, beside, effective_from] of [...FILES, ...(isLong ? LONG_FILES : [])])
  testOnPublished(
    `no code of ${file} is missing from its release, and none of its modifiers from the table`,
    [file, ...beside],
    async () => {
      const paths = [file, ...beside].map(published)
      const rejects = new Map()
      const options = { edition: 'TEST', effective_from, ...(beside.length > 0 ? { regions: ['national'] } : {}) }
      const reading = await READERS[chart]?.read(paths, options, rejects)
      expect(reading?.line_total).toBeGreaterThan(chartOf(chart)?.leastLines ?? 0)
      const made = new Set<string>()
      const modifiers = new Set<string>()
      for await (const row of reading?.rows ?? []) {
        if (!isOfPrices(row)) continue
        made.add(row.code)
        for (const modifier of row.modifier?.split('-') ?? []) modifiers.add(modifier)
      }
      expect([...modifiers].filter((modifier) => !ROW_MODIFIERS.has(modifier))).toEqual([])
      const stated = codesIn(file, column)
      expect(stated.size).toBeGreaterThan(1_900)
      expect([...stated].filter((code) => !made.has(code))).toEqual([])
      expect([...made].filter((code) => !stated.has(code))).toEqual([])
      expect(unreadableIn(rejects)).toBeLessThan(2)
      const source = await readSource(published(file))
      const [some] = stated
      expect([some ?? '', 'Z9999'].map((code) => findsCode(source, chart, code))).toEqual([true, false])
    },
  )

const OCTOBER = 'cms-opps/addendum_b_2025-10.csv.gz'
testOnPublished('three decimals, a price below a cent and a stray byte are read as they stand', [OCTOBER], async () => {
  const { rows } = (await READERS['cms-opps']?.read([published(OCTOBER)], {}, new Map())) ?? { rows: [] }
  const told = new Map<string, unknown>()
  for await (const row of rows)
    if ('code' in row && 'basis' in row) told.set(row.code, row.kind === 'absence' ? row.reason : row.price)
  expect(told.get('J0585')).toEqual({ amount: '6.497', currency: 'USD', per: null })
  expect(told.get('J2002')).toEqual({ amount: '0.003', currency: 'USD', per: null })
  expect(told.get('A4341')).toBe('bundled')
})

const QPP = ['cms-pfs/2026-rvu26ar/PPRRVU2026_Jan_QPP.csv.gz', GPCI26]
testOnPublished('the file for qualifying participants is the chart cms-pfs-qpp and no other', QPP, async () => {
  const paths = QPP.map(published)
  const reading = await READERS['cms-pfs-qpp']?.read(paths, { regions: ['national'] }, new Map())
  expect(reading?.effective_from).toBe('2026-01-01')
  let price: AnyRow | undefined
  for await (const row of reading?.rows ?? [])
    if (rowKey(row) === '99213|national||medicare_pfs_qpp|||non_facility|') price = row
  expect(price).toMatchObject({
    basis: 'medicare_pfs_qpp',
    price: { amount: '95.67' },
    indicators: { status: 'A', global_days: 'XXX' },
    derivation: { inputs: { conversion_factor: '33.5675', conversion_factor_kind: 'qualifying_apm' } },
  })
  expect(READERS['cms-pfs']?.read(paths, {}, new Map())).rejects.toMatchObject({
    detail: 'the PPRRVU file is for qualifying APM participants: load it as cms-pfs-qpp',
  })
})
