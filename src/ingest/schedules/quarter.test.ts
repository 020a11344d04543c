import { describe, expect, test } from 'bun:test'
import { quarterEnd, quarterlyEdition, statedQuarter } from './quarter.ts'

describe('the quarter of a file', () => {
  test('is read from its name, its sheet or its title, as CMS writes them', () => {
    const said: [string, number, number][] = [
      ['PUF_CLFS_CY2026_Q2V1.csv', 2026, 2],
      ['CLFS_2025_Q2V1.csv', 2025, 2],
      ['26CLABQ3.zip', 2026, 3],
      ['2025 January Addendum B', 2025, 1],
      ['2026_April_Web_Addendum_B.03182026.csv', 2026, 2],
      ['january-2026-opps-addendum-b.xlsx', 2026, 1],
      ['Oct_2025_addendum_b.csv', 2025, 4],
      ['Section 508 version of January_Web_2024_Addendum_B.04.24.24.csv', 2024, 1],
      ['addendum_b_2026-04_conversion.csv.gz', 2026, 2],
    ]
    for (const [title, year, quarter] of said)
      expect([title, statedQuarter([title])]).toEqual([title, { year, quarter }])
  })

  test('is not made up where nothing says it', () => {
    for (const title of [
      'opps_addendum_b_2025.xlsx',
      'source-file.csv',
      '',
      'May 2026',
      '2026-05',
      'Q2',
      '2025_Q22',
      'list-2026-07-15.csv',
    ])
      expect([title, statedQuarter([title])]).toEqual([title, undefined])
    const sentence = `the emergency is planned to end in April 2023, ${'and so on '.repeat(20)}`
    expect(statedQuarter([sentence])).toBeUndefined()
  })

  test('must not be said in two ways', () => {
    expect(statedQuarter(['CLFS_2026_Q2.csv', '2026 April'])).toEqual({ year: 2026, quarter: 2 })
    expect(() => statedQuarter(['CLFS_2026_Q2.csv', '2026 July'])).toThrow()
  })
})

describe('an edition', () => {
  test('is named after its quarter, unless the operator says otherwise', () => {
    const titles = ['PUF_CLFS_CY2026_Q2V1.csv']
    expect(quarterlyEdition('CLFS', titles, {})).toEqual({ edition: 'CLFS26Q2', effective_from: '2026-04-01' })
    expect(quarterlyEdition('CLFS', titles, { edition: 'MINE' })).toEqual({
      edition: 'MINE',
      effective_from: '2026-04-01',
    })
    expect(quarterlyEdition('CLFS', titles, { effective_from: '2026-07-15' })).toEqual({
      edition: 'CLFS26Q3',
      effective_from: '2026-07-15',
    })
    expect(() => quarterlyEdition('CLFS', ['list.csv'], {})).toThrow()
    // The archive says it where the file does not, and is not asked where it does.
    expect(quarterlyEdition('CLFS', ['list.csv'], {}, '24CLABQ1.zip')).toMatchObject({ edition: 'CLFS24Q1' })
    expect(quarterlyEdition('CLFS', titles, {}, '24CLABQ1.zip')).toMatchObject({ edition: 'CLFS26Q2' })
    expect(() => quarterlyEdition('CLFS', titles, { effective_from: 'soon' })).toThrow()
  })

  test('lasts to the end of its quarter', () => {
    expect(['2026-01-01', '2026-06-30', '2026-08-02', '2026-10-01'].map(quarterEnd)).toEqual([
      '2026-03-31',
      '2026-06-30',
      '2026-09-30',
      '2026-12-31',
    ])
  })
})
