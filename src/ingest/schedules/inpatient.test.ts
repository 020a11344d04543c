import { describe, expect, test } from 'bun:test'
import { published, testOnPublished } from '../../../test/support/published-files.ts'
import { asWorkbook, standardAmounts, stays } from '../../../test/support/source-files.ts'
import { csvRecords } from '../../files/csv.ts'
import { verifyDerivation } from '../../proof/price/derivation.ts'
import { readSource, type Source } from '../source.ts'
import { checked, refusal, saying, source } from './fixture.ts'
import { reader as inpatient } from './inpatient.ts'

const words = (): string => 'x'
const weights = (change: (rows: string[][]) => string[][] = (rows) => rows): Source =>
  source(change(stays(words, 2).slice(0, 5)), 'Table_5.csv')
const amounts = (change: (rows: string[][]) => string[][] = (rows) => rows): Source =>
  source(change(standardAmounts(words)), 'Tables_1A-1E.csv')
const opened = (...given: Source[]) => inpatient.open(given, {}, new Map())

describe('the base rates of stays', () => {
  test('are the weight after the cap times the amounts for a wage index of one, in any order of the files', () => {
    for (const given of [
      [weights(), amounts()],
      [amounts(), weights()],
    ]) {
      const { rows, edition, effective_from, cited } = opened(...given)
      expect([edition, effective_from]).toEqual(['FY2027', '2026-10-01'])
      // 6,501.00 x 1.2345 is 8,025.4845, and 500.10 x 1.2345 is 617.37345.
      expect(rows.map((row) => [row.code, row.setting, saying(row)])).toEqual([
        ['DRG-001', 'inpatient', '8642.85'],
        ['DRG-002', 'inpatient', '8642.85'],
        ['DRG-998', 'inpatient', 'no_price_stated'],
      ])
      expect(rows[0]?.indicators).toEqual({
        ...{ post_acute: 'Yes', special_pay: 'No', geometric_days: '2.5', arithmetic_days: '3.0' },
      })
      expect(rows[0]?.derivation.inputs).toMatchObject({ labor: '4030.62', nonlabor: '2470.38', capital: '500.10' })
      const reread = inpatient.reread()
      for (const row of rows)
        expect([verifyDerivation(row), checked(reread, row, cited)]).toEqual([{ ok: true }, { ok: true }])
      expect(['DRG-001', 'DRG-003', '99213'].map((code) => inpatient.finds(cited[0] as Source, code))).toEqual([
        true,
        false,
        false,
      ])
      expect(inpatient.finds(cited[1] as Source, 'DRG-001')).toBe(false)
    }
  })

  test('are the same in a workbook, which has numbers in place of texts', () => {
    const bytes = asWorkbook(stays(words, 2).slice(0, 5), words)
    const book: Source = { file: 'Table_5.xlsx', text: '', bytes, sha256: 'book', kind: 'xlsx' }
    expect(opened(book, amounts()).rows.map(saying)).toEqual(['8642.85', '8642.85', 'no_price_stated'])
  })

  test('a weight that is no weight is stated as unreadable, and never read otherwise', () => {
    const spoilt = weights((rows) => rows.map((row) => row.map((cell) => (cell === '1.2345' ? '1,2345' : cell))))
    expect(opened(spoilt, amounts()).rows.map(saying)).toEqual(['unreadable', 'unreadable', 'no_price_stated'])
  })

  test('a changed line is found when the file is read again', () => {
    const { rows, cited } = opened(weights(), amounts())
    const other = weights((rows) => rows.map((row) => row.map((cell) => (cell === '1.2345' ? '1.2346' : cell))))
    const [first] = rows
    if (!first) throw new Error('there is a row')
    expect(checked(inpatient.reread(), first, [other, cited[1] as Source])).toEqual({
      ok: false,
      reason: 'inputs_not_at_line',
    })
  })

  test.each([
    ['without the amounts', [weights()], 'without them a weight is no amount'],
    ['without the weights', [amounts(), amounts()], 'none of the files is Table 5'],
    [
      'of two years',
      [weights(), amounts((rows) => rows.map((row) => row.map((cell) => cell.replace('FY 2027', 'FY 2026'))))],
      'of different years',
    ],
    [
      'with a torn table',
      [weights(), amounts((rows) => rows.map((row) => row.map((cell) => cell.replace('$2,470.38', '$2,470.83'))))],
      'totals of Tables 1A and 1B',
    ],
    [
      'that were only proposed',
      [weights((rows) => rows.map((row) => row.map((cell) => cell.replace('Final Rule', 'Proposed Rule')))), amounts()],
      'only proposed',
    ],
  ] as const)('tables %s are refused', (_, given, words) => {
    expect(refusal(() => opened(...given))).toContain(words)
  })
})

const FOLDER = 'cms-ipps'
const FILES = ['CMS-1833-F_Table_5_FY2026.xlsx', 'CMS-1833-F_Tables_1A-1E_FY2026.txt', 'table5_FY2026.csv']

testOnPublished(
  'every published group has the amount that exact arithmetic gives, by another reading of the table',
  FILES.map((file) => `${FOLDER}/${file}`),
  async () => {
    const [book, text1, plain] = await Promise.all(FILES.map((file) => readSource(published(`${FOLDER}/${file}`))))
    if (!book || !text1 || !plain) throw new Error('there are three files')
    const { rows, edition, effective_from } = opened(book, text1)
    expect([edition, effective_from, rows.length]).toEqual(['FY2026', '2025-10-01', 772])
    const told = new Map(rows.map((row) => [row.code, saying(row)]))
    let compared = 0
    for (const { cells } of csvRecords(plain.text)) {
      const [group = '', , , , , , , weight = ''] = cells
      if (!/^\d{3}$/.test(group)) continue
      const times = BigInt(weight.replace('.', '') || '0')
      const paid = (cents: bigint): bigint => (cents * times + 5_000n) / 10_000n
      const cents = String(paid(675_261n) + paid(52_415n))
      const amount = weight === '' ? 'no_price_stated' : `${cents.slice(0, -2)}.${cents.slice(-2)}`
      expect([group, told.get(`DRG-${group}`)]).toEqual([group, amount])
      compared++
    }
    expect(compared).toBe(772)
    expect([told.get('DRG-470'), told.get('DRG-010'), told.get('DRG-999')]).toEqual([
      '14036.14',
      '52215.84',
      'no_price_stated',
    ])
  },
)
