import { describe, expect, test } from 'bun:test'
import { effort } from '../../test/support/effort.ts'
import { published, testOnPublished } from '../../test/support/published-files.ts'
import { Problem } from '../problem.ts'
import { readSheet, sheetCount, shownNumber } from './xlsx.ts'
import { inlineRows, numbers, workbook, zip } from './zip-fixture.ts'

const rowsOf = (bytes: Uint8Array, at?: number): [number, ...string[]][] =>
  Array.from(readSheet(bytes, at).rows, ({ line, cells }) => [line, ...cells])

function refusalOf(bytes: Uint8Array): string {
  const spent = effort()
  try {
    rowsOf(bytes)
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    expect(spent()).toBeLessThan(1_500)
    return error.detail
  }
  return 'not refused'
}

describe('a worksheet', () => {
  test('has texts of every kind, by row number and column', () => {
    const strings =
      '<si><t>HCPCS</t></si><si><r><t>Pay</t></r><r><rPr><b/></rPr><t>ment</t></r><rPh sb="0" eb="1"><t>kana</t></rPh></si><si/><si><t xml:space="preserve"> a &amp; b &#65;&#x42; </t></si>'
    const sheet = `<row r="2" spans="1:3"><c r="A2" t="s"><v>0</v></c><c r="C2" t="s" s='4'><v>1</v></c></row>
      <row r="4"><c r="A4" t="s"><v>2</v></c></row>
      <row r="5"/>
      <row r="7"><c r="A7" t="inlineStr"><is><t>in</t></is></c><c r="B7"><v>67.260000000000005</v></c><c r="C7" t="str"><f>A1&lt;B1</f><v>cached</v></c><c r="D7" t="b"><v>1</v></c><c r="E7" t="s"><v>3</v></c></row>`
    expect(rowsOf(workbook(sheet, { strings }))).toEqual([
      [2, 'HCPCS', '', 'Payment'],
      [7, 'in', '67.260000000000005', 'cached', '1', ' a & b AB '],
    ])
  })

  test('need not number its rows and cells', () => {
    expect(rowsOf(workbook('<row><c><v>1</v></c><c><v>2</v></c></row><row><c><v>3</v></c></row>'))).toEqual([
      [1, '1', '2'],
      [2, '3'],
    ])
  })

  test('is known by its place among those that are visible, whatever their names', () => {
    const sheets =
      '<sheet name="A" state="hidden" r:id="rId9"/><sheet name="A" r:id="rId1"/><sheet name="A" r:id="rId3"/>'
    const bytes = workbook('<row><c><v>1</v></c></row>', { sheets, others: ['<row><c><v>2</v></c></row>'] })
    expect([sheetCount(bytes), readSheet(bytes).name, rowsOf(bytes)]).toEqual([2, 'A', [[1, '1']]])
    expect(rowsOf(bytes, 1)).toEqual([[1, '2']])
    expect(() => readSheet(bytes, 2)).toThrow(Problem)
    const lost = workbook('', { sheets: '<sheet name="A" r:id="rId9"/>' })
    expect(() => readSheet(lost)).toThrow(Problem) // it has no part of its own
  })
})

test('a number is what the workbook shows, not all the digits of its binary fraction', () => {
  const shown = {
    '67.260000000000005': '67.26',
    '16416.439999999999': '16416.44',
    '311.40499999999997': '311.405',
    '3.0000000000000001E-3': '0.003',
    '720': '720',
    '3710000': '3710000',
    '1E-9': '0.000000001',
    '00720.00': '720',
    'n/a': 'n/a',
    '': '',
  }
  for (const [text, expected] of Object.entries(shown)) expect([text, shownNumber(text)]).toEqual([text, expected])
})

describe('a workbook is refused', () => {
  const laughs = `<!DOCTYPE lolz [<!ENTITY a "ha">${'bcdefghij'
    .split('')
    .map((name, i) => `<!ENTITY ${name} "${`&${'abcdefghi'[i]};`.repeat(10)}">`)
    .join('')}]>`

  test('when it declares entities, or uses one', () => {
    expect(refusalOf(workbook('<row><c t="str"><v>&j;</v></c></row>', { prolog: laughs }))).toContain('document type')
    expect(refusalOf(workbook('<row><c t="str"><v>&j;</v></c></row>'))).toContain('uses an entity')
    expect(refusalOf(workbook('', { strings: '<si><t>&xxe;</t></si>' }))).toContain('uses an entity')
    expect(refusalOf(workbook('<row><c t="str"><v>a & b</v></c></row>'))).toContain('not well-formed')
    expect(refusalOf(workbook('<row><c t="str"><v>&#0;</v></c></row>'))).toContain('not well-formed')
  })

  test('when it is nested deeply, or not closed', () => {
    const letters = numbers(1)
    const deep = Array.from({ length: 100_000 }, () => `<x${letters(1e9)}>`).join('')
    expect(refusalOf(workbook(deep))).toBe('the workbook is nested too deeply')
    expect(refusalOf(workbook('<row><c></row>'))).toContain('not well-formed')
    expect(refusalOf(workbook('<row'))).toContain('not well-formed')
    expect(refusalOf(workbook('<row a="'))).toContain('not well-formed')
    expect(refusalOf(workbook('<!-- '))).toContain('not well-formed')
  })

  test('when another reader would see something else in it', () => {
    const row = '<row r="1"><c r="A1"><v>1</v></c></row>'
    const after = (more: string): string => `${row}</sheetData></worksheet>${more}<worksheet><sheetData>${row}`
    for (const sheet of [
      '<row r="1" r="2"><c><v>1</v></c></row>',
      `<row r='1' r="2"><c><v>1</v></c></row>`,
      '<row r="1"><c r="A1" r="B1"><v>1</v></c></row>',
      after(''),
      after('text'),
    ])
      expect([sheet, refusalOf(workbook(sheet))]).toEqual([sheet, expect.stringContaining('not well-formed')])
    for (const prolog of ['text', '<![CDATA[text]]>', '<x/>'])
      expect([prolog, refusalOf(workbook(row, { prolog }))]).toEqual([
        prolog,
        expect.stringContaining('not well-formed'),
      ])
    expect(refusalOf(workbook(row, { prolog: '<?xml version="1.0"?>\r\n<!-- a -->\n' }))).toBe('not refused')
  })

  test('when it is wider, longer or otherwise ordered than a price list', () => {
    expect(refusalOf(workbook(inlineRows([Array.from({ length: 20_000 }, (_, i) => String(i * 7919))])))).toContain(
      'too many columns',
    )
    expect(refusalOf(workbook('<row><c r="XFD1"><v>1</v></c></row>'))).toContain('too many columns')
    expect(refusalOf(workbook('<row r="2"/><row r="2"/>'))).toContain('out of order')
    expect(refusalOf(workbook('<row r="1048577"/>'))).toContain('out of order')
    expect(refusalOf(workbook('<row r="x"/>'))).toContain('out of order')
    expect(refusalOf(workbook('<row><c r="B1"/><c r="A1"/></row>'))).toContain('out of order')
    const noise = Array.from({ length: 300_000 }, (_, i) => ((i * 2_654_435_761) % 2 ** 32).toString(36)).join('')
    expect(refusalOf(workbook(`<row><c t="str"><v>${noise}</v></c></row>`))).toBe('a cell of the workbook is too long')
  })

  test('when its parts are missing or do not fit', () => {
    expect(refusalOf(zip([{ name: 'a.csv', data: 'x' }]))).toBe('the file is an archive, but not a workbook')
    expect(refusalOf(workbook('<row><c t="s"><v>7</v></c></row>'))).toContain('refers to a text that does not exist')
    expect(refusalOf(workbook('<row><c t="s"><v>-1</v></c></row>'))).toContain('refers to a text that does not exist')
    expect(refusalOf(workbook('', { sheets: '' }))).toContain('does not have the worksheet')
    const utf16 = new Uint8Array([0xff, 0xfe, 0x3c, 0])
    expect(refusalOf(zip([{ name: 'xl/workbook.xml', data: utf16, stored: true }]))).toContain('not written in UTF-8')
  })

  test('when a part is a bomb', () => {
    expect(refusalOf(workbook(`<row><c><v>${'0'.repeat(8_000_000)}</v></c></row>`))).toContain('100 times its size')
  })
})

const DMEPOS = ['cms-dmepos/DMEPOS26_JAN.xlsx']
testOnPublished('a workbook as CMS makes it is read whole', DMEPOS, async () => {
  const { name, rows } = readSheet(await Bun.file(published(DMEPOS[0] as string)).bytes())
  const read = [...rows]
  expect(name).toBe('DMEPOS26_Jan')
  expect(read.length).toBe(3_520)
  expect(read.at(-1)?.line).toBe(3_522)
  const header = read.findIndex(({ cells }) => cells[0] === 'HCPCS')
  expect([read[header]?.line, read[header]?.cells.length]).toEqual([7, 114])
  const amounts = read.slice(header + 1).flatMap(({ cells }) => cells.slice(7, 113))
  const raw = amounts.filter((text) => /\.[0-9]{3,}/.test(text))
  expect(raw.length).toBeGreaterThan(1_000)
  expect(raw.map(shownNumber).filter((text) => !/^[0-9]+(\.[0-9]{1,2})?$/.test(text))).toEqual([])
})
