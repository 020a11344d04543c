import { describe, expect, test } from 'bun:test'
import { naiveCsv } from '../../../test/support/naive-table.ts'
import { published, testOnPublished } from '../../../test/support/published-files.ts'
import { verifyDerivation } from '../../proof/price/derivation.ts'
import type { Row } from '../../proof/price/row.ts'
import type { Findings } from '../../registry/release/rules.ts'
import { readSource } from '../source.ts'
import { dosageIn, reader as drugs } from './drugs.ts'
import { checked, refusal, saying, source } from './fixture.ts'

const HEAD = [
  'HCPCS Code',
  'Short Description',
  'HCPCS Code Dosage',
  'Payment Limit',
  'Co-insurance Percentage',
  'Notes',
]
const TITLE = ['Effective October 1, 2026 through December 31, 2026']
const file = (lines: string[][], title = TITLE) => source([['Limits'], title, ['Note 1'], HEAD, ...lines], 'limits.csv')
const read = (lines: string[][], rejects: Findings = new Map()) => drugs.open([file(lines)], {}, rejects)

describe('a list of drug limits', () => {
  test('states a price for one dosage unit, with the decimals of the file', () => {
    const { rows, edition, effective_from, effective_to } = read([
      ['J0002', 'x', '10 mg', '6.4970', '20.000', 'HIV PrEP drug'],
      ['J0001', 'x', 'PER VIAL', '0.004', '12.189', 'Added October 2026 - 8% of reference add-on applied'],
      ['J0003', 'x', '1 ML', 'N/A', '20.000', 'anything'],
      ['J0004', 'x', '1 ML', '', '', ''],
      ['J0005', 'x', '1 ML', '$0.00', '', ''],
      ['J0006', 'x', '1 ML', ' $- ', '', ''],
    ])
    expect([edition, effective_from, effective_to]).toEqual(['ASP26Q4', '2026-10-01', '2026-12-31'])
    expect(rows.map((row) => [row.code, saying(row), row.flags, row.indicators])).toEqual([
      ['J0001', '0.004', ['reference_biological_add_on', 'unit_unparsed'], { coinsurance: '12.189' }],
      ['J0002', '6.497', ['hiv_prep'], { coinsurance: '20.000' }],
      ['J0003', 'no_price_stated', [], { coinsurance: '20.000' }],
      ['J0004', 'no_price_stated', [], {}],
      ['J0005', 'no_price_stated', [], {}],
      ['J0006', 'no_price_stated', [], {}],
    ])
    expect(rows.map((row) => (row.kind === 'absence' ? '' : row.price.per))).toEqual([
      '1 UNIT',
      '10 MG',
      '',
      '',
      '',
      '',
    ])
    for (const row of rows) expect([row, verifyDerivation(row)]).toEqual([row, { ok: true }])
    expect(rows.slice(2).map(({ derivation }) => derivation.inputs['rate'])).toEqual(['NA', 'blank', '0.00', 'blank'])
  })

  test('keeps a limit that cannot be read as an absence, and counts a line without a code', () => {
    const rejects: Findings = new Map()
    const { rows } = read(
      [
        ['J0002', 'x', '1 MG', '3.00', '', ''],
        ['J0001', 'x', '1 MG', 'about 3', '', ''],
        ['JUNK', 'x', '1 MG', '3.00', '', ''],
        [''],
      ],
      rejects,
    )
    expect(rows.map((row) => [row.code, saying(row), verifyDerivation(row).ok])).toEqual([
      ['J0001', 'unreadable', true],
      ['J0002', '3.00', true],
    ])
    expect([...rejects].map(([rule, { count }]) => [rule, count])).toEqual([
      ['R02', 1],
      ['R03', 1],
    ])
  })

  test('takes the quarter from its name where the title has no period, and the day from the operator', () => {
    const nameless = file([['J0001', 'x', '1 MG', '3.00', '', '']], ['Prices'])
    expect(drugs.open([{ ...nameless, file: 'ASP_July_2026.csv' }], {}, new Map())).toMatchObject({
      edition: 'ASP26Q3',
      effective_from: '2026-07-01',
    })
    expect(refusal(() => drugs.open([nameless], {}, new Map()))).toContain('--effective-from')
    const late = drugs.open(
      [file([['J0001', 'x', '1 MG', '3.00', '', '']])],
      { effective_from: '2027-01-01' },
      new Map(),
    )
    expect([late.edition, late.effective_to]).toEqual(['ASP27Q1', undefined])
    const leftOver = { ...file([['J0001', 'x', '1 MG', '3.00', '', '']]), name: 'ASP_January_2027.csv' }
    expect(refusal(() => drugs.open([leftOver], {}, new Map()))).toContain('two different quarters')
    expect(drugs.open([leftOver], { effective_from: '2027-01-01' }, new Map()).edition).toBe('ASP27Q1')
  })

  test.each([
    ['10 MG', '10 MG'],
    ['1mg', '1 MG'],
    ['100,000 UNITS', '100000 UNITS'],
    ['.625 GM', '0.625 GM'],
    ['1 microCurie', '1 MICROCURIE'],
    ['0 MG', undefined],
    ['10 MG/3MG', undefined],
    ['1,00 MG', undefined],
    ['UP TO 1 GM', undefined],
    ['50 MCG (250 IU)', undefined],
  ] as const)('a dosage is a number and a unit: %s', (text, per) => expect(dosageIn(text)).toBe(per))
})

const LIMITS = 'cms-asp/ASP_limits_2026_Jan.csv'

testOnPublished('every limit of January 2026 is in the release, as it is printed', [LIMITS], async () => {
  const given = await readSource(published(LIMITS))
  const rejects: Findings = new Map()
  const { rows, edition, effective_from, effective_to, cited } = drugs.open([given], {}, rejects)
  expect([edition, effective_from, effective_to, rejects.size]).toEqual(['ASP26Q1', '2026-01-01', '2026-03-31', 0])
  const text = new TextDecoder('windows-1252').decode(given.bytes)
  const lines = naiveCsv(text).filter(([code = '']) => /^[A-Z0-9]{5}$/.test(code))
  const expected = lines.map(([code = '', , , limit = '', coinsurance = '']) => [code, limit, coinsurance])
  const shown = (row: Row) => (row.kind === 'absence' ? 'N/A' : Number(saying(row)).toFixed(3))
  expect(rows.map((row) => [row.code, shown(row), row.indicators['coinsurance'] ?? ''])).toEqual(expected.sort())
  const priced = rows.filter(({ kind }) => kind === 'price')
  expect([priced.length, rows.length]).toEqual([876, 877])
  expect(rows.find(({ kind }) => kind === 'absence')).toMatchObject({ code: 'A9606', reason: 'no_price_stated' })
  expect(rows.find(({ code }) => code === 'J0585')).toMatchObject({
    price: { amount: '6.51', per: '1 UNIT' },
    flags: [],
  })

  const count = (flag: string): number => rows.filter(({ flags }) => flags.includes(flag)).length
  const noted = (note: string): number => lines.filter((cells) => (cells[10] ?? '').includes(note)).length
  for (const [flag, note, times] of [
    ['inflation_adjusted_coinsurance', 'Inflation-adjusted', 91],
    ['reference_biological_add_on', '8% of reference', 34],
    ['amp_based', 'AMP-based', 9],
    ['lesser_of', 'lesser of', 5],
    ['hiv_prep', 'HIV PrEP', 5],
    ['see_publisher_page', 'webpage', 16],
  ] as const)
    expect([flag, count(flag), noted(note)]).toEqual([flag, times, times])
  const units = rows.flatMap((row) => (row.kind === 'absence' ? [] : [row.price.per]))
  expect([count('unit_unparsed'), units.includes(null)]).toEqual([47, false])

  const reread = drugs.reread()
  for (const row of rows) {
    if (!verifyDerivation(row).ok) throw new Error(`does not follow: ${row.code}`)
    expect(checked(reread, row, cited)).toEqual({ ok: true })
  }
  for (const [code = ''] of lines) expect([code, drugs.finds(given, code)]).toEqual([code, true])
  expect(drugs.finds(given, 'J0000')).toBe(false)
  const [row] = priced
  const forged = { ...row, price: { amount: '1.00', currency: 'USD', per: '1 ML' } } as Row
  expect(checked(reread, forged, cited)).toEqual({ ok: false, reason: 'inputs_not_at_line' })
})
