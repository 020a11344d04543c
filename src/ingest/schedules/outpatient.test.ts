import { describe, expect, test } from 'bun:test'
import { published, testOnPublished } from '../../../test/support/published-files.ts'
import { inlineRows, workbook } from '../../files/zip-fixture.ts'
import { toHex, utf8 } from '../../proof/bytes.ts'
import { verifyDerivation } from '../../proof/price/derivation.ts'
import type { Row } from '../../proof/price/row.ts'
import { sha256 } from '../../proof/sha256.ts'
import { type Findings, unreadableIn } from '../../registry/release/rules.ts'
import { citation, readSource, type Source } from '../source.ts'
import { sourceCheck } from '../source-check.ts'
import { reader as outpatient } from './outpatient.ts'

const outpatientSchedule = outpatient.open
const outpatientRows = (given: Source, effective_from: string, rejects: Findings): Row[] =>
  outpatient.open([given], { effective_from }, rejects).rows

const source = (text: string, file = '2026_April_Addendum_B.csv'): Source => {
  const bytes = utf8(text)
  return { file, bytes, text, sha256: toHex(sha256(bytes)), kind: 'text' }
}
const load = (given: Source, rejects: Findings = new Map()): Row[] => outpatientRows(given, '2026-04-01', rejects)

const CMS = ['HCPCS Code', 'Short Descriptor', 'SI', 'APC', 'Relative Weight', 'Payment Rate', 'Note']
const LINES = [
  ['G0463', 'x', 'J2', '5012', '1.4', '"$1,128.87 "', ''],
  ['C1713', 'x', 'N', '', '', ' ', ''],
  ['Q2041', 'x', 'K', '9035', '', '140.205', ''],
  ['G0103', 'x', 'A', '', '', '', ''],
]
const csv = (lines: readonly (readonly string[])[], separator = ','): string =>
  lines.map((cells) => `${cells.join(separator)}\n`).join('')

const stated = (row: Row): string =>
  row.kind === 'absence' ? row.reason : 'amount' in row.price ? row.price.amount : ''
const brief = (rows: readonly Row[]) => rows.map((row) => [row.code, stated(row), row.locator[0]?.line])

describe('an Addendum B', () => {
  test('states the payment rate of a code, or why there is none', () => {
    const rows = load(source(csv([['Addendum B'], [], CMS, ...LINES])))
    expect(brief(rows)).toEqual([
      ['C1713', 'bundled', 5],
      ['G0103', 'paid_elsewhere', 7],
      ['G0463', '1128.87', 4],
      ['Q2041', '140.205', 6],
    ])
    for (const row of rows) {
      expect(row).toMatchObject({ basis: 'medicare_opps', setting: 'outpatient', region: 'national', npi: null })
      expect([row, verifyDerivation(row)]).toEqual([row, { ok: true }])
    }
    expect(rows.map(({ derivation }) => derivation.method)).toEqual([
      'opps-status/1',
      'opps-status/1',
      'verbatim/1',
      'verbatim/1',
    ])
    expect(rows.map(({ indicators }) => indicators['status_indicator'])).toEqual(['N', 'A', 'J2', 'K'])
    const [long] = load(source(csv([CMS, ['Q2041', 'x', 'K', '9035', '', '140.20951', '']])))
    expect(long).toMatchObject({
      price: { amount: '140.21' },
      derivation: { method: 'rounded/1', inputs: { rate: '140.20951' } },
    })
  })

  test('is found by its column names: as tab-delimited text, with fewer columns, and as a workbook', () => {
    const few = ['HCPCSCode,StatusIndicator,PaymentRate', 'G0463\u00a0,J2,1128.87', 'C1713,N,']
    expect(brief(load(source(`${few.join('\n')}\n`)))).toEqual([
      ['C1713', 'bundled', 3],
      ['G0463', '1128.87', 2],
    ])
    const plain = LINES.map((cells) => cells.map((cell) => cell.replaceAll('"', '')))
    expect(load(source(csv([CMS, ...plain], '\t'))).map(stated)).toEqual([
      'bundled',
      'paid_elsewhere',
      '1128.87',
      '140.205',
    ])
    const bytes = workbook(inlineRows([['Addendum B'], CMS, ...plain]), {
      sheets: '<sheet name="2026 April Addendum B" r:id="rId1"/>',
    })
    const book: Source = { file: 'addendum.xlsx', bytes, text: '', sha256: toHex(sha256(bytes)), kind: 'xlsx' }
    const { edition, effective_from, rows } = outpatientSchedule([book], {}, new Map())
    expect([edition, effective_from]).toEqual(['OPPS26Q2', '2026-04-01'])
    expect(brief(rows)).toEqual([
      ['C1713', 'bundled', 4],
      ['G0103', 'paid_elsewhere', 6],
      ['G0463', '1128.87', 3],
      ['Q2041', '140.205', 5],
    ])
  })

  test('states no price where the rate is blank or zero', () => {
    for (const rate of ['', '.', '0.00', '"$0.00 "', '-'])
      for (const [status, reason] of [
        ...[
          ['T', 'no_price_stated'],
          ['H1', 'no_price_stated'],
          ['Q1', 'conditionally_packaged'],
          ['A', 'paid_elsewhere'],
        ],
      ] as const) {
        const rejects: Findings = new Map()
        const [row] = load(source(csv([CMS, ['G0463', 'x', status, '', '', rate, '']])), rejects)
        expect([rate, status, row && stated(row), rejects.size]).toEqual([rate, status, reason, 0])
        expect(verifyDerivation(row)).toEqual({ ok: true })
      }
  })

  test('pays nothing for a code that its indicator leaves out, whatever stands in the rate', () => {
    expect(load(source(csv([CMS, ['50600', 'x', 'C', '', '', '10411.22', '']]))).map(stated)).toEqual([
      'inpatient_only',
    ])
  })

  test('has lines refused alone: codes, indicators, and rates that are not amounts', () => {
    const rejects: Findings = new Map()
    const bad = [
      ['CXXX1', 'x', 'N', '', '', '', ''],
      ['C1714', 'x', 'n/a', '', '', '', ''],
      ['C1715', 'x', 'S', '', '', '-5.00', ''],
      ['C1716', 'x', 'S', '', '', '999999.999', ''],
      ['J2002', 'x', 'K', '', '', '0.003', ''],
      ['', '', '', '', '', '', ''],
    ]
    const given = source(csv([CMS, ...LINES, ...bad]))
    const rows = load(given, rejects)
    // Only the line without a code is left out: of the others it is said that they are there.
    expect(brief(rows).filter(([, , line]) => Number(line) > 5)).toEqual([
      ['C1714', 'unreadable', 7],
      ['C1715', 'unreadable', 8],
      ['C1716', 'unreadable', 9],
      ['J2002', '0.003', 10],
    ])
    expect([...rejects].map(([rule, { lines }]) => [rule, ...lines])).toEqual([
      ['R03', 6],
      ['R03_field', 7],
      ['R02', 8, 9],
    ])
    expect(unreadableIn(rejects)).toBe(1)
    const cited = [citation(given, 'x', { url: '', retrieved_at: '2026-10-01T00:00:00Z' })]
    for (const row of rows) {
      expect([row.code, verifyDerivation(row)]).toEqual([row.code, { ok: true }])
      expect([row.code, sourceCheck([given])(row, cited)]).toEqual([row.code, { ok: true }])
    }
    // A line that can be read is no unreadable one.
    const hidden = {
      ...(rows.find(({ code }) => code === 'C1714') as Row),
      code: 'J2002',
      locator: [{ citation: 0, line: 10 }],
    }
    expect(sourceCheck([given])(hidden, cited)).toMatchObject({ ok: false })
  })
})

const counted = (rows: readonly Row[]): Record<string, number> => {
  const counts: Record<string, number> = {}
  for (const row of rows) {
    const what = row.kind === 'absence' ? row.reason : row.derivation.method
    counts[what] = (counts[what] ?? 0) + 1
  }
  return counts
}
const tenths = (rows: readonly Row[]): number =>
  rows.reduce((sum, row) => sum + (row.kind === 'price' ? Math.round(Number(stated(row)) * 1000) : 0), 0)
const amountOf = (rows: readonly Row[], cpt: string): string | undefined => {
  const row = rows.find((each) => each.code === cpt)
  return row && stated(row)
}

function checkAll(rows: readonly Row[], given: Source, every: number): void {
  const atSource = sourceCheck([given])
  const cited = [citation(given, 'x', { url: '', retrieved_at: '2026-10-01T00:00:00Z' })]
  for (const [i, row] of rows.entries()) {
    expect([row.code, verifyDerivation(row)]).toEqual([row.code, { ok: true }])
    if (i % every === 0) expect([row.code, atSource(row, cited)]).toEqual([row.code, { ok: true }])
  }
  const forged = { ...(rows[0] as Row), locator: [{ citation: 0, line: 7 }] }
  expect(atSource(forged, cited)).toMatchObject({ ok: false, reason: 'inputs_not_at_line' })
}

const JANUARY = 'cms-opps/opps_addendum_b_2025.xlsx'
testOnPublished('the January 2025 workbook loads to the cent', [JANUARY], async () => {
  const given = await readSource(published(JANUARY))
  const rejects: Findings = new Map()
  const { edition, effective_from, rows } = outpatientSchedule([given], {}, rejects)
  expect([edition, effective_from, rows.length]).toEqual(['OPPS25Q1', '2025-01-01', 18_562])
  expect(rejects.size).toBe(0)
  // One drug is listed at three tenths of a cent.
  expect(amountOf(rows, 'J2002')).toBe('0.003')
  expect(counted(rows)).toEqual({
    'verbatim/1': 6_635,
    bundled: 2_228,
    conditionally_packaged: 1_306,
    paid_elsewhere: 2_775,
    inpatient_only: 1_731,
    not_covered: 1_252,
    not_valid: 2_467,
    no_price_stated: 168,
  })
  expect(tenths(rows)).toBe(43_564_558_283)
  const some = ['0308T', '70450', 'G0463', 'J1411', '50600', 'A4341'].map((cpt) => amountOf(rows, cpt))
  expect(some).toEqual(['16416.44', '106.34', '128.87', '3710000.00', 'inpatient_only', 'bundled'])
  expect(rows.find(({ code }) => code === 'G0463')?.locator).toEqual([{ citation: 0, line: 14_280 }])
  checkAll(rows, given, 50)
})

const APRIL = 'cms-opps/addendum_b_2026-04_softek_conversion.csv.gz'
testOnPublished('the April 2026 list, with other columns, loads to the cent', [APRIL], async () => {
  const given = await readSource(published(APRIL))
  const rejects: Findings = new Map()
  const { edition, effective_from, rows } = outpatientSchedule([given], {}, rejects)
  expect([edition, effective_from, rows.length, rejects.size]).toEqual(['OPPS26Q2', '2026-04-01', 19_059, 0])
  expect(counted(rows)).toEqual({
    'verbatim/1': 7_336,
    bundled: 2_084,
    conditionally_packaged: 1_349,
    paid_elsewhere: 2_857,
    inpatient_only: 1_438,
    not_covered: 1_349,
    not_valid: 2_564,
    no_price_stated: 82,
  })
  expect(tenths(rows)).toBe(59_105_211_464)
  const some = ['70450', '90371', 'G0463', 'G0465', 'C9309'].map((cpt) => amountOf(rows, cpt))
  expect(some).toEqual(['106.81', '140.209', '136.02', '2107.97', '2664228.591'])
  checkAll(rows, given, 50)
})
