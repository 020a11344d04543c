import { describe, expect, test } from 'bun:test'
import { naiveCsv } from '../../../test/support/naive-table.ts'
import { published, testOnPublished } from '../../../test/support/published-files.ts'
import { inlineRows, workbook } from '../../files/zip-fixture.ts'
import { toHex } from '../../proof/bytes.ts'
import { verifyDerivation } from '../../proof/price/derivation.ts'
import { sha256 } from '../../proof/sha256.ts'
import type { Findings } from '../../registry/release/rules.ts'
import { readSource, type Source } from '../source.ts'
import { checked, refusal, saying, source } from './fixture.ts'
import { reader as surgeryCenter } from './surgery-center.ts'

const head = (multiple: string, quarter = 'July 2026'): string[] => [
  ...['HCPCS Code', '', 'Short Descriptor', multiple, `${quarter} Payment Indicator`, `${quarter}  Payment Weight  `],
  `${quarter} Payment Rate `,
]
const MULTIPLE = 'Subject to Multiple Procedure Discounting'
const aa = (lines: string[][], quarter?: string) =>
  source([['Addendum AA'], head(MULTIPLE, quarter), ...lines], 'one.csv')
const bb = (lines: string[][], quarter?: string) => source([['Addendum BB'], head('x', quarter), ...lines], 'two.csv')
const ONE = ['G0105', '', 'x', 'Y', 'A2', '2.0', '$1,128.87 ']
const TWO = ['J0002', '**', 'x', '', 'K2', '', '$7.50 ']
const brief = (given: Parameters<typeof surgeryCenter.open>[0], rejects: Findings = new Map()) =>
  surgeryCenter.open(given, {}, rejects).rows.map((row) => [row.code, saying(row), row.indicators, row.locator[0]])

describe('the addenda of surgery centers', () => {
  test('are one edition, each cited, whatever the order in which they are given', () => {
    const files = [bb([TWO, ['J0003', '', 'x', '', 'n1', '', '']]), aa([ONE])]
    for (const given of [files, files.toReversed()]) {
      const { rows, edition, effective_from, cited, line_total } = surgeryCenter.open(given, {}, new Map())
      expect([edition, effective_from, line_total]).toEqual(['ASC26Q3', '2026-07-01', 3])
      expect(cited.map(({ file }) => file)).toEqual(['one.csv', 'two.csv'])
      expect(rows.map((row) => [row.code, saying(row), row.indicators, row.locator])).toEqual([
        ['G0105', '1128.87', { payment_indicator: 'A2', multiple_procedure: 'Y' }, [{ citation: 0, line: 3 }]],
        ['J0002', '7.50', { payment_indicator: 'K2' }, [{ citation: 1, line: 3 }]],
        ['J0003', 'bundled', { payment_indicator: 'N1' }, [{ citation: 1, line: 4 }]],
      ])
      const reread = surgeryCenter.reread()
      for (const row of rows) expect([verifyDerivation(row), checked(reread, row, cited)]).toEqual([OK, OK])
    }
    expect(brief([bb([TWO])])).toMatchObject([['J0002', '7.50', {}, { citation: 0 }]])
  })

  test('that have other columns are not left out without a word, unless an archive holds them beside the others', () => {
    const given = bb([TWO])
    const changed = { ...given, text: given.text.replace('HCPCS Code', 'Billing Code'), sha256: 'changed' }
    const told = (...files: Source[]): string[] => {
      const rejects: Findings = new Map()
      expect(brief(files, rejects)).toHaveLength(1)
      return [...rejects.keys()]
    }
    expect(told(aa([ONE]), changed)).toEqual(['W11'])
    expect(told(aa([ONE]), { ...changed, archive: 'july.zip' })).toEqual([])
    expect(told(aa([ONE]))).toEqual([])
  })

  test('may be sheets of one workbook, each cited, beside sheets of other addenda', () => {
    const [one, two] = [ONE, TWO].map((line, i) => [['Addendum'], head(i === 0 ? MULTIPLE : 'x'), line])
    const sheets = ['BB', 'EE', 'AA'].map((name, i) => `<sheet name="${name}" r:id="rId${i === 0 ? 1 : i + 2}"/>`)
    const others = [[['Addendum EE'], ['HCPCS Code', 'Short Descriptor'], ['G0109', 'x']], one ?? []].map(inlineRows)
    const bytes = workbook(inlineRows(two ?? []), { sheets: sheets.join(''), others })
    const book: Source = { file: 'book.xlsx', bytes, text: '', sha256: toHex(sha256(bytes)), kind: 'xlsx' }
    const { rows, edition, cited } = surgeryCenter.open([book], {}, new Map())
    expect([edition, cited.map(({ file }) => file)]).toEqual(['ASC26Q3', ['book.xlsx', 'book.xlsx']])
    expect(rows.map((row) => [row.code, saying(row), row.locator])).toEqual([
      ['G0105', '1128.87', [{ citation: 0, line: 3 }]],
      ['J0002', '7.50', [{ citation: 1, line: 3 }]],
    ])
    // A stranger has the one file.
    const reread = surgeryCenter.reread()
    for (const row of rows) expect(checked(reread, row, [book, book])).toEqual(OK)
    expect(['G0105', 'J0002', 'G0109'].map((cpt) => surgeryCenter.finds(book, cpt))).toEqual([true, true, false])
  })

  test('have titles with a time in any of the ways in which CMS wrote it', () => {
    for (const time of [
      'Jan 2023',
      'Apr 2022',
      'April 2026',
      'CY 2021',
      'Final CY 2026',
      'March 9, 2024',
      'March 20, 2024',
    ])
      for (const given of [aa([ONE], time), bb([TWO], time)])
        expect([time, surgeryCenter.open([given], { effective_from: '2026-01-01' }, new Map()).rows.length]).toEqual([
          time,
          1,
        ])
    expect(surgeryCenter.open([bb([TWO], 'Jan 2023')], {}, new Map()).edition).toBe('ASC23Q1')
    expect(refusal(() => brief([bb([TWO], 'Final CY 2026')]))).toContain('give --effective-from')
    expect(refusal(() => brief([bb([TWO], 'Proposed CY 2027')]))).toContain('only proposed')
  })

  test('are refused where they are of two quarters, of one kind, or of another one', () => {
    const read = (...given: ReturnType<typeof aa>[]) => surgeryCenter.open(given, {}, new Map())
    expect(refusal(() => read(aa([ONE]), bb([TWO], 'October 2026')))).toContain('two different quarters')
    expect(refusal(() => read(bb([TWO]), bb([TWO])))).toContain('several files')
    expect(refusal(() => read(source([['a'], ['b']], 'x.csv')))).toContain('this is not an ASC Addendum AA or BB')
    expect(refusal(() => read(source([['a']], 'x.csv'), source([['b']], 'y.csv')))).toContain('none of the files')
  })

  test('keep a line whose indicator or rate cannot be read, and pay nothing for what is packaged', () => {
    const rejects: Findings = new Map()
    const lines = [
      ['G0101', '', 'x', 'Y', 'A2', '', 'free'],
      ['G0102*', '', 'x', 'Y', 'high', '', '$1.00'],
      ['G0103', '', 'x', 'Y', 'N1', '', '$1.00'],
      ['NOTE 1: x', '', '', '', '', '', ''],
      ['G01', '', 'x', 'Y', 'A2', '', '$1.00'],
    ]
    const rows = surgeryCenter.open([aa(lines)], {}, rejects).rows
    expect(rows.map((row) => [row.code, saying(row), verifyDerivation(row).ok])).toEqual([
      ['G0101', 'unreadable', true],
      ['G0102', 'unreadable', true],
      ['G0103', 'bundled', true],
    ])
    expect([...rejects].map(([rule, { lines: at }]) => [rule, at])).toEqual([
      ['R02', [3]],
      ['R03_field', [4]],
      ['R03', [7]],
    ])
  })

  test('state no price where the rate is blank or zero, and why, where the indicator says it', () => {
    const rejects: Findings = new Map()
    const said = [
      ...[
        ['A2', 'no_price_stated'],
        ['D1', 'bundled'],
        ['F4', 'paid_elsewhere'],
        ['J7', 'carrier_priced'],
      ],
      ...[
        ['K5', 'no_price_stated'],
        ['K7', 'carrier_priced'],
        ['L6', 'no_price_stated'],
        ['X5', 'not_valid'],
      ],
    ] as const
    for (const rate of ['', '$0.00 ', ' $- ', '0', '.', 'N/A']) {
      const lines = said.map(([indicator], i) => [`G010${i}`, '', 'x', '', indicator, '', rate])
      const { rows } = surgeryCenter.open([bb(lines)], {}, rejects)
      expect([rate, ...rows.map(saying)]).toEqual([rate, ...said.map(([, reason]) => reason)])
      for (const row of rows) expect(verifyDerivation(row)).toEqual(OK)
    }
    expect(rejects.size).toBe(0)
  })

  test('withhold what they state twice and differently', () => {
    const twice = [aa([ONE]), bb([['G0105', '', 'x', '', 'A2', '', '$9.00']])]
    const { rows, cited } = surgeryCenter.open(twice, {}, new Map())
    expect(rows.map(saying)).toEqual(['withheld_conflict'])
    expect(checked(surgeryCenter.reread(), rows[0] as never, cited)).toEqual(OK)
  })
})
const OK = { ok: true } as const

const ADDENDA = ['AA', 'BB'].map((each) => `cms-asc/2026-04-${each}.csv`)

testOnPublished('every code and rate of both addenda of April 2026 is in the release', ADDENDA, async () => {
  const given = await Promise.all(ADDENDA.map((file) => readSource(published(file))))
  const rejects: Findings = new Map()
  const { rows, edition, cited } = surgeryCenter.open(given, {}, rejects)
  expect([edition, rejects.size]).toEqual(['ASC26Q2', 0])
  const expected = given.flatMap(({ bytes }, citation) =>
    naiveCsv(new TextDecoder('windows-1252').decode(bytes))
      .filter(([code = '']) => /^[A-Z0-9]{5}$/.test(code))
      .map(([code, , , multiple = '', indicator = '', , rate = '']) => {
        const amount = rate.replaceAll(/[$, ]/g, '')
        return [code, indicator.toUpperCase(), amount, citation === 0 ? multiple : '']
      }),
  )
  const found = rows.map((row) => [
    ...[row.code, row.indicators['payment_indicator'], row.kind === 'absence' ? '' : saying(row)],
    row.indicators['multiple_procedure'] ?? '',
  ])
  expect(found).toEqual(expected.sort())
  // Counted by hand from the indicators, with the definitions that CMS publishes beside them.
  expect(
    Object.fromEntries(Map.groupBy(rows, (row) => (row.kind === 'absence' ? row.reason : row.kind))),
  ).toMatchObject(
    Object.fromEntries(
      Object.entries({ price: 5708, bundled: 1568, carrier_priced: 22, paid_elsewhere: 8, no_price_stated: 52 }).map(
        ([reason, length]) => [reason, { length }],
      ),
    ),
  )
  const [procedures, ancillary] = given
  const holding = [procedures, ancillary].map((each) => each && surgeryCenter.finds(each, '0331T'))
  expect(holding).toEqual([false, true])
  const reread = surgeryCenter.reread()
  for (const row of rows)
    if (!verifyDerivation(row).ok || !checked(reread, row, cited).ok) throw new Error(`does not follow: ${row.code}`)
})
