import { describe, expect, test } from 'bun:test'
import { naiveCsv } from '../../../test/support/naive-table.ts'
import { published, testOnPublished } from '../../../test/support/published-files.ts'
import { inlineRows, workbook } from '../../files/zip-fixture.ts'
import { verifyDerivation } from '../../proof/price/derivation.ts'
import type { Row } from '../../proof/price/row.ts'
import type { Findings } from '../../registry/release/rules.ts'
import { readSource, type Source } from '../source.ts'
import { reader as anesthesia } from './anesthesia.ts'
import { checked, refusal, saying, source } from './fixture.ts'
import { readGpci } from './gpci.ts'
import { LOCALITIES } from './localities.ts'

const ONE = ['Contractor', 'Locality', 'Locality Name', 'National Anes CF of 20.3178']
const TWO = [
  ...['Contractor', 'Locality', 'Locality Name', 'Qualifying APM National Anes CF (with 2.5% increase) of 20.599835'],
  'Non-Qualifying APM National Anes CF (with 2.5% Increase)  of 20.49754',
]
const file = (...lines: string[][]) => source(lines, 'ANES2026.csv')

const changed = (given: Source, change: (text: string) => string): Source => {
  const text = change(given.text)
  return { ...given, text, sha256: `changed ${given.sha256}` }
}

describe('anesthesia factors', () => {
  test('are rates for one unit, of the national header and of each locality', () => {
    const { rows, edition, effective_from, cited } = anesthesia.open(
      [file(TWO, ['02102 ', '01 ', 'ALASKA*', '28.29 ', '28.15 '], ['', '', '', '', ''], ['* a note', '', '', '', ''])],
      {},
      new Map(),
    )
    expect([edition, effective_from]).toEqual(['ANES2026', '2026-01-01'])
    expect(rows.map((row) => [row.kind, row.code, row.region, saying(row), row.derivation.method])).toEqual([
      ['rate', '00000', 'US-AK-01', '28.15', 'verbatim/1'],
      ['rate', '00000', 'national', '20.50', 'rounded/1'],
    ])
    expect(['00000', '00810', '99213'].map((code) => anesthesia.finds(cited[0] as Source, code))).toEqual([
      true,
      true,
      false,
    ])
    const reread = anesthesia.reread()
    for (const row of rows) {
      expect(row).toMatchObject({ basis: 'medicare_anesthesia', price: { per: 'UNIT' } })
      expect([verifyDerivation(row), checked(reread, row, cited)]).toEqual([{ ok: true }, { ok: true }])
    }
  })

  test('are the same in the workbook, which has another header, and between tabs; of several forms one is taken', () => {
    const head = ['Contractor', 'Locality', 'Locality Name', 'Anes CF of 20.3178']
    const bytes = workbook(inlineRows([head, ['2102', '1', 'ALASKA', '27.859999999999999'], ['_x001A_']]))
    const book: Source = { file: 'ANES2025.xlsx', text: '', bytes, sha256: '', kind: 'xlsx' }
    const { rows, cited } = anesthesia.open([book], {}, new Map())
    expect(rows.map((row) => [row.region, saying(row), row.derivation.method])).toEqual([
      ['US-AK-01', '27.86', 'verbatim/1'],
      ['national', '20.3178', 'verbatim/1'],
    ])
    const reread = anesthesia.reread()
    for (const row of rows) expect(checked(reread, row, cited)).toEqual({ ok: true })
    const csv = file(ONE, ['02102 ', '01 ', 'ALASKA*', '27.86 '])
    const tabs = changed(csv, (text) => text.replaceAll(',', '\t'))
    expect(anesthesia.open([tabs], {}, new Map()).rows).toEqual(anesthesia.open([csv], {}, new Map()).rows)
    const used = (...given: Source[]) => anesthesia.open(given, {}, new Map()).cited[0]?.sha256
    expect([used(book, tabs, csv), used(book, tabs)]).toEqual([csv.sha256, tabs.sha256])
  })

  test('stay absences where they cannot be read, and are refused where the place or the year is not known', () => {
    const rejects: Findings = new Map()
    const { rows } = anesthesia.open([file(ONE, ['2102', '1', 'x', 'none'], ['MAC', 'x', 'x', '19.00'])], {}, rejects)
    expect(rows.map((row) => [row.region, saying(row)])).toEqual([
      ['US-AK-01', 'unreadable'],
      ['national', '20.3178'],
    ])
    expect([...rejects].map(([rule, { lines }]) => [rule, lines])).toEqual([
      ['R02', [2]],
      ['R03', [3]],
    ])
    const read = (...given: Parameters<typeof anesthesia.open>[0]) =>
      refusal(() => anesthesia.open(given, {}, new Map()))
    expect(read(file(ONE, ['02102', '09', 'x', '19.00']))).toStartWith('a factor is for a locality that is not known')
    expect(read({ ...file(ONE), file: 'factors.csv' })).toContain('--effective-from')
    expect(read(file(['x']))).toStartWith('this is not a list of anesthesia conversion factors')
    expect(read(file([...ONE, 'National Anes CF of 1']))).toContain('there twice')
    expect(read(file(ONE), file(ONE))).toContain('several')
    expect(read(file(['x']), file(['y']))).toContain('none of the files')
  })
})

const FILES = [
  ['2025', 'cms-pfs/2025-rvu25d/ANES2025.csv', 'cms-pfs/2025-rvu25d/GPCI2025.csv', 3, '20.3178'],
  ['2026', 'cms-pfs/2026-rvu26ar/ANES2026.csv', 'cms-pfs/2026-rvu26b/GPCI2026.csv', 4, '20.50'],
] as const

for (const [year, list, indices, column, national] of FILES)
  testOnPublished(`the factors of ${year} are those of its 109 localities`, [list, indices], async () => {
    const [given, gpci] = await Promise.all([readSource(published(list)), readSource(published(indices))])
    const { rows, cited } = anesthesia.open([given], {}, new Map())
    const localities = readGpci(gpci)
    expect(localities.map(({ region }) => region).sort()).toEqual([...LOCALITIES])
    const places = new Map(localities.map(({ mac, region }) => [`${mac} ${region.slice(-2)}`, region]))
    const expected = naiveCsv(given.text)
      .filter(([mac = '']) => /^[0-9]{5}$/.test(mac))
      .map((cells) => [places.get(`${cells[0]} ${cells[1]}`) ?? '', cells[column] ?? ''])
    expect(rows.map((row) => [row.region, saying(row)])).toEqual([...expected.sort(), ['national', national]])
    expect(rows.length).toBe(110)
    const reread = anesthesia.reread()
    for (const row of rows as Row[])
      expect([verifyDerivation(row), checked(reread, row, cited)]).toEqual([{ ok: true }, { ok: true }])
  })
