import { expect, test } from 'bun:test'
import { inlineRows, workbook } from '../../files/zip-fixture.ts'
import { toHex, utf8 } from '../../proof/bytes.ts'
import { isRow } from '../../proof/price/row.ts'
import { sha256 } from '../../proof/sha256.ts'
import type { Findings } from '../../registry/release/rules.ts'
import type { Source } from '../source.ts'
import { checked, refusal } from './fixture.ts'
import { reader as laboratory } from './laboratory.ts'
import { reader as outpatient } from './outpatient.ts'

const DATED = { effective_from: '2026-10-01' }
const source = (...lines: string[]): Source => {
  const text = lines.join('\n')
  return { file: 'CLFS.csv', text, bytes: utf8(text), sha256: toHex(sha256(utf8(text))), kind: 'text' }
}

test('a description may hold any delimiter: how cells are parted is shown by the header', () => {
  for (const [delimiter, others] of [
    [',', ['~', '|', '\t']],
    ['~', [',', '|', '\t']],
    ['|', [',', '~', '\t']],
  ] as const)
    for (const other of others) {
      const line = (...cells: string[]): string => cells.join(delimiter)
      const words = `a ${other} b ${other} c ${other} "d`
      const given = source(
        line(`A title ${other} of ${other} many ${other} parts`),
        line('YEAR', 'HCPCS', 'MOD', 'INDICATOR', 'RATE', 'SHORTDESC'),
        line('2026', 'G0001', '', 'N', '12.50', delimiter === ',' ? `"${words.replaceAll('"', '""')}"` : words),
      )
      const rows = laboratory.open([given], DATED, new Map()).rows
      expect([delimiter, other, rows.map(({ code }) => code)]).toEqual([delimiter, other, ['G0001']])
    }
})

test('a number with more digits than a row can state is refused alone', () => {
  const zeros = '0'.repeat(80)
  const [ofLaboratory, ofOutpatient]: [Findings, Findings] = [new Map(), new Map()]
  const rates = ['12.50', `12.50${zeros}`, `${zeros}12.50`]
  const clfs = rates.map((rate, i) => `2026,G000${i},,N,${rate},x`)
  const opps = [...rates, `12.505${zeros}`].map((rate, i) => `G000${i},J2,${rate}`)
  const rows = [
    ...laboratory.open([source('YEAR,HCPCS,MOD,INDICATOR,RATE,SHORTDESC', ...clfs)], DATED, ofLaboratory).rows,
    ...outpatient.open([source('HCPCS Code,SI,Payment Rate', ...opps)], DATED, ofOutpatient).rows,
  ]
  expect(rows.every(isRow)).toBe(true)
  expect(rows.map((row) => [row.code, row.kind])).toEqual([
    ['G0000', 'price'],
    ['G0001', 'absence'],
    ['G0002', 'absence'],
    ['G0000', 'price'],
    ['G0001', 'absence'],
    ['G0002', 'absence'],
    ['G0003', 'absence'],
  ])
  expect([ofLaboratory.get('R02')?.count, ofOutpatient.get('R02')?.count]).toEqual([2, 3])
})

test('text with tabs is read as spreadsheets write it, and as programs do that quote nothing', () => {
  const head = ['HCPCS Code', 'Short Descriptor', 'SI', 'Payment Rate']
  const given = source(
    '"Addendum B',
    ' in ""two"" lines"\t\t\t',
    head.join('\t'),
    'G0001\t"a, b"\tJ2\t"$1,128.87 "',
    'G0002\t"a ""b"""\tJ2\t$7.50',
    'G0003\t"a" wide\tJ2\t$8.50',
    'G0004\t2" wide\tJ2\t"12,345.678"',
  )
  const rows = outpatient.open([given], DATED, new Map()).rows
  expect(rows.map((row) => [row.code, row.kind === 'price' && row.price, row.locator[0]?.line])).toEqual(
    [
      ['G0001', '1128.87', 4],
      ['G0002', '7.50', 5],
      ['G0003', '8.50', 6],
      ['G0004', '12345.678', 7],
    ].map(([cpt, amount, line]) => [cpt, { amount, currency: 'USD', per: null }, line] as never),
  )
})

const HEAD = ['HCPCS Code', 'SI', 'Payment Rate']
const LINES = [HEAD, ['G0001', 'J2', '12.50']]
const book = (...sheets: (readonly (readonly string[])[])[]): Source => {
  const [first = '', ...others] = sheets.map(inlineRows)
  const names = sheets.map((_, i) => `<sheet name="Sheet ${i}" r:id="rId${i === 0 ? 1 : i + 2}"/>`)
  const bytes = workbook(first, { sheets: names.join(''), others })
  return { file: 'book.xlsx', bytes, text: '', sha256: toHex(sha256(bytes)), kind: 'xlsx' }
}
const open = (given: Source) => outpatient.open([given], DATED, new Map())

test('the sheet of a workbook that has the table is found, and only if there is no other', () => {
  const notes = [['What this is'], ['x', 'y']]
  for (const given of [book(LINES), book(notes, LINES), book(LINES, notes)]) {
    const { rows, cited } = open(given)
    expect(rows.map(({ code, locator }) => [code, locator])).toEqual([['G0001', [{ citation: 0, line: 2 }]]])
    expect(rows.map((row) => checked(outpatient.reread(), row, cited))).toEqual([{ ok: true }])
  }
  expect(refusal(() => open(book(LINES, notes, LINES)))).toContain('several sheets of the workbook')
  expect(refusal(() => open(book(notes, notes)))).toContain('this is not an OPPS Addendum B')
  expect(refusal(() => open(book(LINES, ...Array.from({ length: 50 }, () => notes))))).toContain('too many worksheets')
})

test('rates that were only proposed are refused', () => {
  const line = 'G0001,J2,12.50'
  const titled = (title: string) => () => open(source(title, HEAD.join(), line))
  expect(refusal(titled('Addendum B.-Proposed OPPS Payment by HCPCS Code for CY 2027'))).toContain('only proposed')
  expect(refusal(() => open({ ...source(HEAD.join(), line), name: '2027_NPRM_Addendum_B.csv' }))).toContain('proposed')
  expect(refusal(titled('Addendum B.-Final OPPS Payment by HCPCS Code for CY 2027'))).toBe('loaded')
  expect(refusal(titled(`"${'A notice, '.repeat(20)} of what was proposed"`))).toBe('loaded')
})

test('a file that was cut off is refused, and one whose last line has no end is not', () => {
  const head = 'HCPCS Code,SI,Payment Rate,Copayment,Note'
  const lines = ['G0001,J2,12.50,,', 'G0002,J2,"1,234.56",,', 'G0003,J2,34.56,,']
  const whole = [head, ...lines].join('\n')
  for (const delimiter of [',', '\t', '~']) {
    const text = delimiter === ',' ? whole : whole.replaceAll('"1,234.56"', '1234.56').replaceAll(',', delimiter)
    expect(open(source(text)).rows.length).toBe(3)
    for (let lost = 3; lost < 'G0003,J2,34.56,,'.length; lost++)
      expect([delimiter, lost, refusal(() => open(source(text.slice(0, -lost))))]).toEqual([
        delimiter,
        lost,
        'the file ends in the middle of a record: download it again (line 4)',
      ])
  }
})
