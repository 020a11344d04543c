import { describe, expect, test } from 'bun:test'
import { published, testOnPublished } from '../../../test/support/published-files.ts'
import { inlineRows, workbook } from '../../files/zip-fixture.ts'
import { Problem } from '../../problem.ts'
import { readSource, type Source } from '../source.ts'
import { findUnknownLocality, gpciYear, isGpciFile, isLocalityCount, readGpci } from './gpci.ts'

const source = (...lines: string[]): Source => {
  const text = lines.join('\r\n')
  return { file: 'any.csv', text, bytes: new TextEncoder().encode(text), sha256: '' }
}
const MAC = 'Medicare Administrative Contractor (MAC),State,Locality Number,Locality Name'
const HEADS = {
  2025: `${MAC},2025 PW GPCI (with 1.0 Floor),2025 PE GPCI,2025 MP GPCI`,
  2026: `${MAC},2026 PW GPCI (without 1.0 Floor),2026 PW GPCI (with 1.0 Floor),2026 PE GPCI,2026 MP GPCI`,
  later: `${MAC},2026 PW GPCI (with 1.0 Floor)***,2026 PE GPCI,2026 MP GPCI`,
  bare: `${MAC},2023 PW GPCI,2023 PE GPCI,2023 MP GPCI`,
}
const NOTES = ['"MAC Assignments as of a day",,,', ',,,', '*A floor of 1.5.', '**A floor of 1.0, and "12345" as a word']
const refusal = (...lines: string[]): string => {
  try {
    readGpci(source(...lines))
  } catch (error) {
    if (error instanceof Problem) return error.detail
    throw error
  }
  return 'read'
}

describe('a GPCI file', () => {
  test('has its columns found by name, with and without a column for the floor', () => {
    const read = (head: string, row: string) => readGpci(source('A TITLE,,', ',,', head, row, ...NOTES))
    const alaska = { region: 'US-AK-01', mac: '02102', line: 4 }
    expect(read(HEADS[2025], '02102,AK,01,SOMEWHERE*,1.5,1.081,0.592')).toEqual([
      {
        ...alaska,
        gpci: { work: '1.5', practice: '1.081', malpractice: '0.592' },
        indices: { work: 1_500, practice: 1_081, malpractice: 592 },
        work_floor: 'with_floor',
      },
    ])
    const floored = {
      ...alaska,
      gpci: { work: '1.000', practice: '0.86', malpractice: '1' },
      indices: { work: 1_000, practice: 860, malpractice: 1_000 },
      work_floor: 'with_floor',
    }
    expect(read(HEADS[2026], '02102,AK,01,SOMEWHERE**,0.988,1.000,0.86,1') as unknown).toEqual([floored])
    expect(read(HEADS.later, '02102,AK,01,SOMEWHERE,1.000,0.86,1') as unknown).toEqual([floored])
  })

  test('may have tabs between its cells, as the text of 2026 has', () => {
    const row = '01212,HI,01,"HAWAII, GUAM",0.998,1.000,1.137,0.579'
    const csv = source('A TITLE,,,', ',,,', HEADS[2026], row, ...NOTES)
    const tabbed = (text: string): string => text.replaceAll(/,(?! )/g, '\t')
    const tabs = source(
      'A TITLE\t\t\t',
      '\t\t\t',
      tabbed(HEADS[2026]),
      tabbed(row),
      '"MAC Assignments, as of a day"\t\t\t',
    )
    expect([isGpciFile(tabs), gpciYear(tabs)]).toEqual([true, 2026])
    expect(readGpci(tabs)).toEqual(readGpci(csv))
  })

  test('that does not say whether the floor was applied shows it', () => {
    const rows = ['10112,AL,00,ONE,1.000,0.8,0.5', '02102,AK,01,TWO,1.5,1.0,0.5']
    expect(readGpci(source(HEADS.bare, ...rows)).map(({ work_floor }) => work_floor)).toEqual(
      rows.map(() => 'with_floor'),
    )
    const below = [...rows, '03102,AZ,00,THREE,0.991,1.0,0.5']
    expect(readGpci(source(HEADS.bare, ...below)).map(({ work_floor }) => work_floor)).toEqual(
      below.map(() => 'without_floor'),
    )
  })

  test('as a workbook, or with other words in its header, says the same', () => {
    const head = HEADS[2025]
      .split(',')
      .map((title) => title.replace(' (MAC)', '').replace('Locality Number', 'Locality\nNumber'))
    const row = ['2102', 'AK', '01', 'SOMEWHERE*', '1.5', '1.081', '0.59199999999999997']
    const bytes = workbook(inlineRows([['A TITLE'], head, row, ['*A floor of 1.5.']]))
    const book: Source = { file: 'GPCI2025.xlsx', text: '', bytes, sha256: '', kind: 'xlsx' }
    expect([isGpciFile(book), gpciYear(book)]).toEqual([true, 2025])
    const [locality] = readGpci(source(HEADS[2025], row.join(',').replace('0.59199999999999997', '0.592')))
    expect(readGpci(book) as unknown).toEqual([{ ...locality, line: 3 }])
    const worded = HEADS[2025].replace('PW', 'Work').replace('PE', 'Practice Expense').replace('MP', 'PLI')
    expect(readGpci(source(worded, row.join(',').replace('0.59199999999999997', '0.592')))[0]?.gpci).toEqual(
      locality?.gpci as never,
    )
  })

  test('has its year by its columns, its title or its name', () => {
    const named = (file: string, ...lines: string[]): Source => ({ ...source(...lines), file })
    expect(gpciYear(named('x.csv', HEADS[2026]))).toBe(2026)
    expect(gpciYear(named('x.txt', 'ADDENDUM E. FINAL CY 2024 GEOGRAPHIC PRACTICE COST INDICES'))).toBe(2024)
    expect(gpciYear(named('GPCI2023.txt', 'Locality GPCI GPCI'))).toBe(2023)
    expect(gpciYear(named('indices.txt', 'Locality GPCI GPCI'))).toBeUndefined()
  })

  test('has as many localities as Medicare pays in: three fewer since 2024', () => {
    expect([109, 112, 108].map((count) => isLocalityCount(count, 2025))).toEqual([true, false, false])
    expect([109, 112, 108].map((count) => isLocalityCount(count, 2023))).toEqual([false, true, false])
    expect([109, 112, 108].map((count) => isLocalityCount(count, undefined))).toEqual([true, true, false])
  })

  test('with an index beyond any that there has been, or a state that there is none of, is refused', () => {
    for (const value of ['0', '0.199', '3.001', '3.900', '9.999'])
      expect(refusal(HEADS[2025], `02102,AK,01,SOMEWHERE,1.5,1.081,${value}`)).toBe(
        'an index of the GPCI file is below 0.2 or above 3.0: download the file again (line 2)',
      )
    for (const value of ['0.2', '0.296', '2.529', '3'])
      expect(refusal(HEADS[2025], `02102,AK,01,SOMEWHERE,1.5,1.081,${value}`)).toBe('read')
    for (const state of ['ZZ', 'US', 'EM', 'ak', 'GU'])
      expect(refusal(HEADS[2025], `02102,${state},01,SOMEWHERE,1.5,1.081,0.592`)).toContain(
        'in a state that Medicare does not pay in: download the file again (line 2)',
      )
  })

  test('that names a locality that Medicare does not pay in is known by it, since 2025', () => {
    const places = readGpci(source(HEADS[2025], '10112,AL,00,ONE,1.000,0.8,0.5', '10112,AL,77,TWO,1.000,0.8,0.5'))
    expect([2026, 2025, 2024, undefined].map((year) => findUnknownLocality(places, year)?.region)).toEqual([
      ...['US-AL-77', 'US-AL-77', undefined, undefined],
    ])
    expect(findUnknownLocality(places.slice(0, 1), 2026)).toBeUndefined()
  })

  test('may have lost the zeros in front of its numbers to a spreadsheet', () => {
    const [locality] = readGpci(source(HEADS[2025], '2102,AK,1,SOMEWHERE,1.5,1.081,0.592'))
    expect(locality).toMatchObject({ mac: '02102', region: 'US-AK-01' })
  })

  test('is refused when a locality is there twice, under its state or under its contractor', () => {
    const row = '01112,CA,05,A,1.083,1.331,0.467'
    expect(refusal(HEADS[2025], row, row)).toBe(
      'a locality of the GPCI file is listed twice: download the file again (line 3)',
    )
    expect(refusal(HEADS[2025], row, '01182,CA,05,B,1.1,1.3,0.4')).toBe(
      'a locality of the GPCI file is listed twice: download the file again (line 3)',
    )
    expect(refusal(HEADS[2025], row, '01112,NV,05,B,1.1,1.3,0.4')).toBe(
      'a locality of the GPCI file is listed twice: download the file again (line 3)',
    )
    expect(refusal(HEADS[2025], row, '01112,NV,00,B,1.1,1.3,0.4')).toBe('read')
  })

  test('is refused for a value that is none, and for a column that is missing', () => {
    expect(refusal(HEADS[2025], '01112,CA,05,A,1.083,high,0.467')).toStartWith(
      'a locality of the GPCI file has a number or an index that is not valid',
    )
    expect(refusal(HEADS[2025], '01112,CA,05,A,10.083,1,0.467')).toStartWith(
      'a locality of the GPCI file has a number or an index that is not valid',
    )
    expect(refusal(HEADS[2025].replace('PE GPCI', 'PE'), '01112,CA,05,A,1,1,1')).toBe(
      'a column of the GPCI file is missing: its header must name contractor, state, locality and three indices',
    )
    expect(refusal(HEADS[2025], ...NOTES)).toStartWith('this is not a GPCI file')
    expect(refusal('anything')).toStartWith('this is not a GPCI file')
  })

  test('says its year and is known by its content', () => {
    expect(gpciYear(source('', HEADS[2026]))).toBe(2026)
    expect(gpciYear(source('', 'no header'))).toBeUndefined()
    expect(isGpciFile(source('', HEADS[2025]))).toBe(true)
    expect(isGpciFile(source('HCPCS,MOD,DESCRIPTION'))).toBe(false)
  })
})

const fixed = (mac: string, state: string, number: string, name: string, ...indices: string[]): string =>
  `${`${mac}           ${state}      ${number}   ${name}`.padEnd(121)}${indices.map((index) => index.padEnd(12)).join('')}`.trimEnd()
const FIXED_HEAD = `${'Medicare Admi State  Locality    Locality Name'.padEnd(118)}2026 PW GPCI2026 PE GPCI2026 MP GPCI`

describe('a GPCI file in fixed width', () => {
  test('is read as its CSV, with one work index or two', () => {
    const one = fixed('02102', 'AK', '01', 'SOME WHERE (COUNTY)*', '1.500', '1.081', '0.592')
    expect(readGpci(source('A TITLE', '', FIXED_HEAD, one, ...NOTES))).toEqual([
      {
        region: 'US-AK-01',
        mac: '02102',
        line: 4,
        gpci: { work: '1.500', practice: '1.081', malpractice: '0.592' },
        indices: { work: 1_500, practice: 1_081, malpractice: 592 },
        work_floor: 'with_floor',
      },
    ])
    const two = fixed('10112', 'AL', '00', 'ELSEWHERE', '0.988', '1.000', '0.875', '0.566')
    expect(readGpci(source(FIXED_HEAD, two))).toMatchObject([{ gpci: { work: '1.000' }, work_floor: 'with_floor' }])
  })

  test('is refused when a line is not like the others', () => {
    const good = fixed('10112', 'AL', '00', 'ELSEWHERE', '1.000', '0.875', '0.566')
    const more = fixed('02102', 'AK', '01', 'SOMEWHERE', '0.988', '1.000', '0.875', '0.566')
    const short = fixed('02102', 'AK', '01', 'SOMEWHERE', '0.988', '1.000')
    expect(refusal(FIXED_HEAD, good, more)).toBe(
      'a locality has more or fewer indices than the ones before it: download the GPCI file again (line 3)',
    )
    expect(refusal(FIXED_HEAD, good, short)).toBe(
      'a locality of the GPCI file has a number or an index that is not valid: download the file again (line 3)',
    )
    const crossed = fixed('02102', 'AK', '01', 'SOMEWHERE', '1.100', '1.000', '0.875', '0.566')
    expect(refusal(FIXED_HEAD, crossed)).toStartWith('the work index with the floor is below')
  })
})

const FILES = ['2025-rvu25d/GPCI2025.csv', '2025-rvu25d/GPCI2025.txt', '2026-rvu26b/GPCI2026.csv'].map(
  (file) => `cms-pfs/${file}`,
)
testOnPublished('the published GPCI files have 109 localities, the same in both forms', FILES, async () => {
  const [csv, text, next] = (await Promise.all(FILES.map((file) => readSource(published(file))))) as [
    Source,
    Source,
    Source,
  ]
  const values = (file: Source) =>
    readGpci(file).map(({ region, mac, gpci, work_floor }) => [
      region,
      mac,
      work_floor,
      ...Object.values(gpci).map(Number),
    ])
  expect(values(csv)).toEqual(values(text))
  expect([values(csv).length, values(next).length]).toEqual([109, 109])
  expect([csv, text, next].map(gpciYear)).toEqual([2025, 2025, 2026])
})
