import { describe, expect, test } from 'bun:test'
import { effort } from '../../../test/support/effort.ts'
import { published, testOnPublished } from '../../../test/support/published-files.ts'
import { inlineRows, workbook } from '../../files/zip-fixture.ts'
import { Problem } from '../../problem.ts'
import { toHex, utf8 } from '../../proof/bytes.ts'
import { verifyDerivation } from '../../proof/price/derivation.ts'
import type { Row } from '../../proof/price/row.ts'
import { sha256 } from '../../proof/sha256.ts'
import type { Findings } from '../../registry/release/rules.ts'
import { citation, readSource, type Source } from '../source.ts'
import { sourceCheck } from '../source-check.ts'
import { reader as laboratory } from './laboratory.ts'

const laboratorySchedule = laboratory.open
const laboratoryRows = (given: Source, effective_from: string, rejects: Findings): Row[] =>
  laboratory.open([given], { effective_from }, rejects).rows

const source = (text: string, file = 'CLFS_2026_Q2.csv'): Source => {
  const bytes = utf8(text)
  return { file, bytes, text, sha256: toHex(sha256(bytes)), kind: 'text' }
}
const book = (rows: string): Source => {
  const bytes = workbook(rows)
  return { file: 'CLFS_2026_Q2.xlsx', bytes, text: '', sha256: toHex(sha256(bytes)), kind: 'xlsx' }
}

const HEADER = ['YEAR', 'HCPCS', 'MOD', 'EFF_DATE', 'INDICATOR', 'RATE', 'SHORTDESC']
const LINES = [
  ['2026', 'G0103', '', '20260101', 'N', '00019.33', 'x'],
  ['2026', '0001U', '', '20260401', 'N', '00720.00', 'x'],
  ['2026', 'G0103', 'QW', '20260101', 'N', '00019.33', 'x'],
  ['2026', 'P2031', '', '20260101', 'L', '00000.00', 'x'],
]
const csv = (lines: readonly (readonly string[])[], separator = ','): string =>
  lines.map((cells) => `${cells.join(separator)}\r\n`).join('')

const load = (given: Source, rejects: Findings = new Map()): Row[] => laboratoryRows(given, '2026-04-01', rejects)
const brief = (rows: readonly Row[]) =>
  rows.map((row) => [
    `${row.code}${row.modifier ?? ''}`,
    row.kind === 'price' && 'amount' in row.price ? row.price.amount : row.kind === 'absence' ? row.reason : '',
    row.locator[0]?.line,
  ])

function refusalOf(act: () => unknown): string {
  const spent = effort()
  try {
    act()
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    expect(spent()).toBeLessThan(1_500)
    return error.detail
  }
  return 'not refused'
}

describe('a laboratory schedule', () => {
  const expected = (first: number) => [
    ['0001U', '720.00', first + 1],
    ['G0103QW', '19.33', first + 2],
    ['G0103', '19.33', first],
    ['P2031', 'carrier_priced', first + 3],
  ]

  test('is the same as CSV, as tilde-delimited text with and without a header, and as a workbook', () => {
    expect(brief(load(source(csv([['A title'], [], HEADER, ...LINES]))))).toEqual(expected(4))
    expect(brief(load(source(csv([HEADER, ...LINES], '~'), 'clab.txt')))).toEqual(expected(2))
    expect(brief(load(source(csv(LINES, '~'), 'clab.txt')))).toEqual(expected(1))
    expect(brief(load(book(inlineRows([['A title'], HEADER, ...LINES]))))).toEqual(expected(3))
    const dated = HEADER.map((title) => (title === 'RATE' ? 'RATE2026' : title))
    expect(brief(load(source(csv([dated, ...LINES]))))).toEqual(expected(2))
    // Under a header, an amount that is not the rate is none.
    const floor = HEADER.map((title) => (title === 'RATE' ? 'FLOOR' : title))
    for (const separator of [',', '~'])
      expect(refusalOf(() => load(source(csv([floor, ...LINES], separator))))).toContain('no line names the columns')
  })

  test('may have numbers and days as a workbook holds them', () => {
    const heads = HEADER.map((head) => `<c t="inlineStr"><is><t>${head}</t></is></c>`).join('')
    const line =
      '<c><v>2026</v></c><c><v>80047</v></c><c/><c><v>46113</v></c><c t="str"><v>N</v></c><c><v>13.729999999999999</v></c>'
    const [row] = load(book(`<row r="1">${heads}</row><row r="5">${line}</row>`))
    expect(row).toMatchObject({
      code: '80047',
      price: { amount: '13.73' },
      derivation: { method: 'verbatim/1', inputs: { rate: '13.73' } },
      locator: [{ citation: 0, line: 5 }],
    })
  })

  test('names its edition, and the operator may name another', () => {
    const schedule = laboratorySchedule([source(csv([HEADER, ...LINES]))], {}, new Map())
    expect(schedule).toMatchObject({ edition: 'CLFS26Q2', effective_from: '2026-04-01' })
    const unnamed = source(csv([HEADER, ...LINES]), 'list.csv')
    expect(refusalOf(() => laboratorySchedule([unnamed], {}, new Map()))).toContain('--effective-from')
  })

  test('is found among the files of an archive, as text before a workbook', () => {
    const given = [source('a,b\n', 'readme.txt'), book(inlineRows([HEADER, ...LINES])), source(csv([HEADER, ...LINES]))]
    expect(laboratorySchedule(given, {}, new Map()).cited).toEqual([given[2] as Source])
    expect(laboratorySchedule(given.slice(0, 2), {}, new Map()).cited).toEqual([{ ...(given[1] as Source), sheet: 0 }])
    expect(refusalOf(() => laboratorySchedule([...given, source(csv([HEADER]))], {}, new Map()))).toContain(
      'several files',
    )
    expect(refusalOf(() => laboratorySchedule([given[0] as Source, given[0] as Source], {}, new Map()))).toContain(
      'none of',
    )
  })
})

describe('a line', () => {
  const rules = (...lines: string[][]) => {
    const rejects: Findings = new Map()
    load(source(csv([HEADER, ...LINES, ...lines])), rejects)
    return Object.fromEntries([...rejects].map(([rule, { count, lines: at }]) => [rule, [count, ...at]]))
  }

  test('without a rate, or with a rate of zero, states no price', () => {
    for (const [rate, stated] of [
      ...[
        ['', 'blank'],
        ['00000.00', '00000.00'],
        ['0', '0'],
        ['.00', '0.00'],
        ['N/A', 'NA'],
        ['-', 'blank'],
      ],
    ] as const) {
      const rejects: Findings = new Map()
      const given = source(csv([HEADER, ...LINES, ['2026', 'G0104', '', '20260401', 'N', rate, '']]))
      const row = load(given, rejects).find(({ code }) => code === 'G0104') as Row
      expect([rate, row, rejects.size]).toMatchObject([
        rate,
        { kind: 'absence', reason: 'no_price_stated', derivation: { method: 'no-amount/1', inputs: { rate: stated } } },
        0,
      ])
      expect(verifyDerivation(row)).toEqual({ ok: true })
    }
  })

  test('whose field is filled with nines has no rate, and separators in a rate are only separators', () => {
    for (const rate of ['9999999', '9999999.00', '00999999.99', '99999.99', '1,23.00', '12.34567'])
      expect([rate, rules(['2026', 'G0104', '', '20260401', 'N', `"${rate}"`, ''])]).toEqual([rate, { R02: [1, 6] }])
    const rejects: Findings = new Map()
    const rows = load(source(csv([HEADER, ['2026', 'G0104', '', '20260401', 'N', '"1,234.50"', '']])), rejects)
    expect([rejects.size, rows[0]]).toMatchObject([0, { price: { amount: '1234.50' } }])
  })

  test('of another edition is refused', () => {
    expect(rules(['2025', 'G0104', '', '20250101', 'N', '1.00', ''])).toEqual({ R14: [1, 6] })
    expect(rules(['2026', 'G0104', '', '20260701', 'N', '1.00', ''])).toEqual({ R14: [1, 6] })
    expect(rules(['2026', 'G0104', '', '20210101', 'N', '1.00', ''])).toEqual({})
    expect(rules(['2026', 'G0104', '', 'soon', 'N', '1.00', ''])).toEqual({ R14: [1, 6] })
    expect(refusalOf(() => laboratoryRows(source(csv([HEADER, ...LINES])), '2025-04-01', new Map()))).toContain(
      'can be read for this edition',
    )
  })

  test('with a code or an amount that is none is refused alone', () => {
    expect(
      rules(['2026', 'GXXX1', '', '20260101', 'N', '1.00', ''], ['2026', 'G0104', '', '', 'N', '-1.00', '']),
    ).toEqual({
      R03: [1, 6],
      R02: [1, 7],
    })
  })

  test('with an indicator that is not known is not taken for a price', () => {
    expect(rules(['2026', 'G0104', '', '20260101', 'X', '1.00', ''])).toEqual({ R03_field: [1, 6] })
  })

  test('that cannot be read is in the schedule, and marks a price under the same key', () => {
    const given = source(
      csv([
        HEADER,
        ...LINES,
        ['2026', 'G0104', 'Q-', '20260101', 'N', '1.00', ''],
        ['2026', 'G0103', '?', '', 'N', '2.00', ''],
      ]),
    )
    const rows = load(given)
    expect(rows.find(({ code }) => code === 'G0104')).toMatchObject({
      kind: 'absence',
      reason: 'unreadable',
      modifier: null,
      derivation: { inputs: { rule: 'R03' } },
      locator: [{ citation: 0, line: 6 }],
    })
    const marked = rows.find(({ code, modifier }) => code === 'G0103' && modifier === null) as Row
    expect(marked).toMatchObject({ price: { amount: '19.33' }, flags: ['partial'] })
    const cited = [citation(given, 'x', { url: '', retrieved_at: '2026-10-01T00:00:00Z' })]
    for (const row of rows) {
      expect(verifyDerivation(row)).toEqual({ ok: true })
      expect(sourceCheck([given])(row, cited)).toEqual({ ok: true })
    }
    const unmarked = { ...marked, flags: [], locator: marked.locator.slice(0, 1) }
    expect(sourceCheck([given])(unmarked, cited)).toEqual({ ok: false, reason: 'other_amounts_in_file' })
  })

  test('that says the same again is counted, and one that says something else withholds both', () => {
    const again = LINES[0] as string[]
    expect(rules(again)).toEqual({ R09: [1, 6] })
    const other = again.with(5, '00020.00')
    const given = source(csv([HEADER, ...LINES, other, other]))
    const rejects: Findings = new Map()
    const rows = load(given, rejects)
    expect(rejects.get('R10')?.count).toBe(2)
    const withheld = rows.find(({ code, modifier }) => code === 'G0103' && modifier === null) as Row
    expect(withheld).toMatchObject({ kind: 'absence', reason: 'withheld_conflict' })
    expect(withheld.locator.map(({ line }) => line)).toEqual([2, 6])
    const cited = [citation(given, 'x', { url: '', retrieved_at: '2026-10-01T00:00:00Z' })]
    expect(verifyDerivation(withheld)).toEqual({ ok: true })
    expect(sourceCheck([given])(withheld, cited)).toEqual({ ok: true })
    const [picked] = load(source(csv([HEADER, ...LINES]))).filter(({ code, modifier }) => code === 'G0103' && !modifier)
    expect(sourceCheck([given])(picked as Row, cited)).toEqual({ ok: false, reason: 'other_amounts_in_file' })
    const invented = {
      ...withheld,
      locator: [
        { citation: 0, line: 2 },
        { citation: 0, line: 2 },
      ],
    }
    expect(sourceCheck([given])(invented, cited)).toMatchObject({ ok: false })
  })
})

describe('a file that is no laboratory schedule is refused', () => {
  test('with a sentence that says what is missing', () => {
    expect(refusalOf(() => load(source('a,b\n1,2\n')))).toBe(
      'this is not a clinical laboratory fee schedule: no line names the columns YEAR, HCPCS, MOD, INDICATOR, RATE; check the file and its kind',
    )
    expect(refusalOf(() => load(source('')))).toContain('this is not')
    expect(refusalOf(() => load(source(csv([[...HEADER, 'RATE'], ...LINES]))))).toContain('RATE is there twice')
  })

  test('when a line has no end, or twenty thousand columns', () => {
    const endless = `${csv([HEADER])}${'a'.repeat(64 * 1024 * 1024)}`
    expect(refusalOf(() => load(source(endless)))).toContain('too long')
    expect(refusalOf(() => load(source(endless.replaceAll(',', '~'))))).toContain('too long')
    const wide = Array.from({ length: 20_000 }, () => 'x')
    expect(refusalOf(() => load(source(csv([HEADER, wide]))))).toContain('too many columns')
    expect(refusalOf(() => load(source(csv([HEADER, wide], '~'))))).toContain('too many columns')
  })
})

const Q2 = ['CLFS_2025_Q2V1.csv', 'PUF_CLFS_CY2026_Q2V1.csv'].map((file) => `cms-clfs/${file}`)
testOnPublished('both layouts that CMS has published load whole, to the cent', Q2, async () => {
  const [y2025, y2026] = await Promise.all(Q2.map(published).map(readSource))
  const rejects: Findings = new Map()
  const older = laboratorySchedule([y2025 as Source], {}, rejects)
  const newer = laboratorySchedule([y2026 as Source], {}, rejects)
  expect([...rejects]).toEqual([])
  expect([older.edition, older.effective_from]).toEqual(['CLFS25Q2', '2025-04-01'])
  expect([newer.edition, newer.effective_from]).toEqual(['CLFS26Q2', '2026-04-01'])
  const counts = (rows: readonly Row[]) => [
    rows.length,
    new Set(rows.map(({ code }) => code)).size,
    rows.filter(({ kind }) => kind === 'absence').length,
    rows.filter(({ modifier }) => modifier === 'QW').length,
  ]
  expect(counts(older.rows)).toEqual([2_105, 1_987, 66, 118])
  expect(counts(newer.rows)).toEqual([2_179, 2_055, 49, 124])
  const total = (rows: readonly Row[]) =>
    rows.reduce(
      (sum, row) => sum + (row.kind === 'price' && 'amount' in row.price ? Number(row.price.amount) * 100 : 0),
      0,
    )
  expect([total(older.rows), total(newer.rows)].map(Math.round)).toEqual([76_074_080, 87_435_208])
  const price = (rows: readonly Row[], cpt: string) => rows.find((row) => row.code === cpt && row.modifier === null)
  expect(price(newer.rows, '0001U')).toMatchObject({ price: { amount: '720.00' } })
  expect(price(newer.rows, '0002M')).toMatchObject({ price: { amount: '503.40' } })

  const sources = [y2025, y2026] as Source[]
  const atSource = sourceCheck(sources)
  for (const [i, { rows }] of [older, newer].entries()) {
    const cited = [citation(sources[i] as Source, 'x', { url: '', retrieved_at: '2026-10-01T00:00:00Z' })]
    for (const row of rows) {
      expect([row, verifyDerivation(row)]).toEqual([row, { ok: true }])
      expect([row, atSource(row, cited)]).toEqual([row, { ok: true }])
    }
  }
})
