import { describe, expect, test } from 'bun:test'
import { inlineRows, workbook } from '../../files/zip-fixture.ts'
import { Problem } from '../../problem.ts'
import { toHex, utf8 } from '../../proof/bytes.ts'
import { sha256 } from '../../proof/sha256.ts'
import { type Findings, unreadableIn } from '../../registry/release/rules.ts'
import type { Source } from '../source.ts'
import { isRelativeValueFile, type PhysicianLine, physicianLines } from './physician-lines.ts'

const source = (text: string, file = 'any.name'): Source => ({
  file,
  text,
  bytes: utf8(text),
  sha256: toHex(sha256(utf8(text))),
})

/** The five lines of the header, column by column: through 2025, and from 2026 with one more before ENDO BASE. */
const stacked = (more: readonly string[]): string[] => {
  const columns = [
    'HCPCS',
    'MOD',
    'DESCRIPTION',
    'STATUS/CODE',
    'NOT USED/FOR/MEDICARE/PAYMENT',
    'WORK/RVU',
    'NON-FAC/PE RVU',
    'NON-FAC/NA/INDICATOR',
    'FACILITY/PE RVU',
    'FACILITY/NA/INDICATOR',
    'MP/RVU',
    'NON-FACILITY/TOTAL',
    'FACILITY/TOTAL',
    'PCTC/IND',
    'GLOB/DAYS',
    'PRE/OP',
    'INTRA/OP',
    'POST/OP',
    'MULT/PROC',
    'BILAT/SURG',
    'ASST/SURG',
    'CO-/SURG',
    'TEAM/SURG',
    ...more,
    'ENDO/BASE',
    'CONV/FACTOR',
    'PHYSICIAN/SUPERVISION OF/DIAGNOSTIC/PROCEDURES',
    'CALCULATION/FLAG',
    'DIAGNOSTIC/IMAGING/FAMILY/INDICATOR',
    'NON-FACILITY/PE USED/FOR OPPS/PAYMENT/AMOUNT',
    'FACILITY/PE USED/FOR OPPS/PAYMENT/AMOUNT',
    'MP USED/FOR OPPS/PAYMENT/AMOUNT',
  ] // prettier-ignore
  const words = columns.map((column) => column.split('/'))
  return [5, 4, 3, 2, 1].map((up) => words.map((column) => column.at(-up) ?? '').join(','))
}
const TITLE = `,,2024 National Physician Fee Schedule Relative Value File April Release${','.repeat(28)}`
const LINE: Omit<PhysicianLine, 'nonFacilityTotal' | 'facilityTotal'> = {
  line: 0,
  cpt: 'G0101',
  modifier: '',
  status: 'A',
  work: '0.45',
  nonFacilityPractice: '0.70',
  nonFacilityNa: '',
  facilityPractice: '0.28',
  facilityNa: 'NA',
  malpractice: '0.05',
  pcTc: '0',
  globalDays: 'XXX',
  before: '0.00',
  during: '0.00',
  after: '0.00',
  multipleProcedure: '2',
  bilateral: '1',
  assistant: '9',
  coSurgeon: '0',
  endoscopicBase: '',
  conversionFactor: '33.2875',
  oppsNonFacilityPractice: '0.00',
  oppsFacilityPractice: '0.00',
  oppsMalpractice: '0.00',
}
/** A line whose totals are right, unless they are what is changed. */
function record(change: Partial<PhysicianLine> = {}): PhysicianLine {
  const line = { ...LINE, ...change }
  const total = (practice: string): string =>
    (Number(line.work) + Number(practice) + Number(line.malpractice)).toFixed(2)
  return {
    ...line,
    nonFacilityTotal: change.nonFacilityTotal ?? total(line.nonFacilityPractice),
    facilityTotal: change.facilityTotal ?? total(line.facilityPractice),
  }
}
const printed = (r: PhysicianLine, more: readonly string[]): string =>
  [
    r.cpt,
    r.modifier,
    '"=DESCRIPTION, with a comma"',
    r.status,
    '',
    r.work,
    r.nonFacilityPractice,
    r.nonFacilityNa,
    r.facilityPractice,
    r.facilityNa,
    r.malpractice,
    r.nonFacilityTotal,
    r.facilityTotal,
    r.pcTc,
    r.globalDays,
    '0.00',
    '0.00',
    '0.00',
    r.multipleProcedure,
    r.bilateral,
    r.assistant,
    r.coSurgeon,
    '0',
    ...more,
    r.endoscopicBase,
    r.conversionFactor,
    '09',
    '0',
    '99',
    r.oppsNonFacilityPractice,
    r.oppsFacilityPractice,
    r.oppsMalpractice,
  ].join(',') // prettier-ignore
const csv = (records: readonly PhysicianLine[], { year = 2025, end = '\r\n' } = {}): string =>
  [
    TITLE,
    '',
    ...stacked(year > 2025 ? ['PRIC/IND'] : []),
    ...records.map((each) => printed(each, year > 2025 ? ['9'] : [])),
    '',
  ].join(end)

/** At the places of the record layout, counted from 1. */
function fixed(r: PhysicianLine): string {
  const cells: [number, number, string][] = [
    [1, 5, r.cpt],
    [6, 7, r.modifier.padEnd(2)],
    [8, 57, 'A description'.padEnd(50)],
    [58, 58, r.status],
    [60, 65, r.work],
    [67, 72, r.nonFacilityPractice],
    [73, 74, r.nonFacilityNa.padEnd(2)],
    [76, 81, r.facilityPractice],
    [82, 83, r.facilityNa.padEnd(2)],
    [85, 89, r.malpractice],
    [91, 96, r.nonFacilityTotal],
    [97, 102, r.facilityTotal],
    [103, 103, r.pcTc],
    [104, 106, r.globalDays],
    [107, 115, [r.before, r.during, r.after].map((share) => share.slice(-3)).join('')],
    [116, 119, r.multipleProcedure + r.bilateral + r.assistant + r.coSurgeon],
    [128, 132, r.endoscopicBase],
    [133, 140, `${r.conversionFactor} `],
    [152, 157, r.oppsNonFacilityPractice],
    [159, 164, r.oppsFacilityPractice],
    [165, 171, r.oppsMalpractice],
  ] // prettier-ignore
  const text = Array.from({ length: 171 }, () => ' ')
  for (const [from, to, value] of cells) text.splice(from - 1, to - from + 1, ...value.padStart(to - from + 1))
  return text.join('')
}

const read = (text: string): { lines: PhysicianLine[]; rejects: Findings } => {
  const rejects: Findings = new Map()
  return { lines: physicianLines(source(text), rejects), rejects }
}
const refusal = (text: string): string => {
  try {
    physicianLines(source(text), new Map())
  } catch (error) {
    if (error instanceof Problem) return error.detail
    throw error
  }
  return 'read'
}

describe('a relative value file', () => {
  test.each([2023, 2024, 2025, 2026])('in the layout of %d is read by the names of its columns', (year) => {
    const records = [record(), record({ modifier: '26', endoscopicBase: '45378' })]
    const { lines, rejects } = read(csv(records, { year }))
    expect(rejects.size).toBe(0)
    expect(lines).toEqual(records.map((each, i) => ({ ...each, line: 8 + i })))
  })

  test.each(['\n', '\r\n', '\r'])('may end its lines in any way', (end) => {
    expect(read(csv([record()], { end })).lines).toEqual([record({ line: 8 })])
  })

  test('in fixed width says the same, with the lines counted in its own way', () => {
    const records = [
      record({ multipleProcedure: '3', endoscopicBase: '45378' }),
      record({ modifier: 'TC', work: '0.00', conversionFactor: '33.2' }),
    ]
    const text = ['HDR A NOTICE', 'HDR', ...records.map(fixed), '\u001a'].join('\r\n')
    expect(isRelativeValueFile(source(text))).toBe(true)
    // The zero before the point is left out.
    const shares = { before: '.00', during: '.00', after: '.00' }
    expect(read(text).lines).toEqual(records.map((each, i) => ({ ...each, ...shares, line: 3 + i })))
  })

  test('is known by its content, and other lists of the publisher are not taken for it', () => {
    expect(isRelativeValueFile(source(csv([record()]), 'GPCI2026.csv'))).toBe(true)
    for (const text of [
      '',
      'HCPCS,MOD,PROCSTAT,CARRIER,LOCALITY,FACILITY PRICE,NON-FACILTY PRICE\nG0101,TC,A,01112,05,1.00,1.00',
      'Medicare Administrative Contractor (MAC),State,Locality Number,Locality Name,2025 PW GPCI,2025 PE GPCI,2025 MP GPCI',
      'YEAR,HCPCS,MOD,EFF_DATE,INDICATOR,RATE',
      '10112       00    SOMEWHERE                                                1931',
      `${'a line\n'.repeat(60)}${csv([record()])}`,
    ])
      expect([text.slice(0, 30), isRelativeValueFile(source(text))]).toEqual([text.slice(0, 30), false])
  })

  test('has a placeholder or a bad number refused by itself, with its line and without its text', () => {
    const bad = [
      record({ cpt: 'GXXX1' }),
      record({ cpt: 'G0102', work: '1.234' }),
      record({ cpt: 'G0103', status: '' }),
      record({ cpt: 'G0104', conversionFactor: '' }),
      record({ cpt: 'G0105', malpractice: '-0.05' }),
      record({ cpt: 'G0106', modifier: '2-6' }),
    ]
    const { lines, rejects } = read(csv([...bad, record({ cpt: '\u00ffG0101\u00a0' })]))
    // A line with a code stays: its row can say that it is there, and where.
    expect(lines.map(({ cpt, modifier, refused, line }) => [cpt, modifier, refused, line])).toEqual([
      ['G0102', '', 'R02', 9],
      ['G0103', '', 'R02', 10],
      ['G0104', '', 'R02', 11],
      ['G0105', '', 'R02', 12],
      ['G0106', '', 'R03', 13],
      ['G0101', '', undefined, 14],
    ])
    expect(rejects.get('R03')).toEqual({ count: 1, lines: [8] })
    expect(rejects.get('R02')).toEqual({ count: 4, lines: [9, 10, 11, 12] })
    expect(rejects.get('R03_field')).toEqual({ count: 1, lines: [13] })
    expect(unreadableIn(rejects)).toBe(1)
  })

  test('has a line told apart whose printed totals are not the sums of their parts', () => {
    const wrong = [record({ cpt: 'G0102', nonFacilityTotal: '1.21' }), record({ cpt: 'G0103', facilityTotal: '0.00' })]
    for (const text of [csv([record(), ...wrong]), [record(), ...wrong].map(fixed).join('\n')]) {
      const { lines, rejects } = read(text)
      expect(lines.map(({ cpt }) => cpt)).toEqual(['G0101', 'G0102', 'G0103'])
      expect([...rejects.keys()]).toEqual(['W06'])
      expect(rejects.get('W06')?.count).toBe(2)
    }
  })

  test('may have no totals, separators in a quoted number, and its title and header in single lines', () => {
    const text = csv([record({ work: '1234.50' })])
    const [title = '', , ...rest] = text.split('\r\n')
    const names = rest.slice(0, 5).map((line) => line.split(','))
    const flat =
      names[4]?.map((_, at) =>
        names
          .map((line) => line[at] ?? '')
          .join(' ')
          .trim(),
      ) ?? []
    const quoted = rest[5]?.replace(',1234.50,', ',"1,234.50",') ?? ''
    const without = flat.join(',').replace(/(NON-)?FACILITY TOTAL/g, 'SOMETHING ELSE')
    expect(read([title.replace(',,', ''), flat.join(','), quoted].join('\n')).lines).toEqual([
      record({ work: '1234.50', line: 3 }),
    ])
    expect(read([title, without, quoted].join('\n')).lines[0]).toMatchObject({ work: '1234.50', facilityTotal: '' })
  })

  test('as a workbook says the same, number by number as it is printed in the text', () => {
    const cells = csv([record(), record({ cpt: '00100', modifier: '26', work: '10.00' })])
      .split('\r\n')
      .map((line) => line.replace('"=DESCRIPTION, with a comma"', 'A DESCRIPTION').split(','))
    const shown = (cell: string): string =>
      cell === '33.2875' ? '33.287500000000001' : /^[0-9]+\.[0-9]+$/.test(cell) ? String(Number(cell)) : cell
    const rows = [...cells.slice(0, 9).map((line) => line.map(shown)), ['_x001A_']]
    const bytes = workbook(inlineRows(rows))
    const book: Source = { file: 'a.xlsx', text: '', bytes, sha256: '', kind: 'xlsx' }
    expect(isRelativeValueFile(book)).toBe(true)
    expect(physicianLines(book, new Map())).toEqual([
      record({ line: 8 }),
      record({ cpt: '00100', modifier: '26', work: '10.00', line: 9 }),
    ])
  })

  test('whose header does not belong to its data, or which was cut, is refused as a whole', () => {
    const many = Array.from({ length: 60 }, (_, i) => record({ cpt: `G${1000 + i}` }))
    const text = csv(many)
    const lines = text.split('\r\n')
    const shifted = lines.map((line, i) => (i < 7 ? `,${line}` : line)).join('\r\n')
    expect(refusal(shifted.replace(',HCPCS,', 'HCPCS,,'))).toContain('its header may not belong to its data')
    const cut = text.slice(0, text.lastIndexOf(',0.00'))
    expect(refusal(cut)).toBe('the PPRRVU file ends in the middle of a record: download it again (line 67)')
  })

  test('may repeat a line, and one that is contradicted says where', () => {
    const { lines, rejects } = read(
      csv([
        record(),
        record(),
        record({ cpt: 'G0102' }),
        record({ cpt: 'G0102', work: '9.99' }),
        record({ cpt: 'G0103' }),
      ]),
    )
    expect(lines.map(({ cpt, contradicted_on }) => [cpt, contradicted_on])).toEqual([
      ['G0101', undefined],
      ['G0102', 11],
      ['G0103', undefined],
    ])
    expect(rejects.get('R09')).toEqual({ count: 1, lines: [9] })
    expect(rejects.get('R10')).toEqual({ count: 1, lines: [11] })
  })

  test('without one of its columns, or cut short, is refused with a sentence that says so', () => {
    const text = csv([record()])
    expect(refusal(text.replace('CONV', 'SOME'))).toBe('the column "CONV FACTOR" is missing')
    expect(refusal(text.replace('BASE,FACTOR', 'FACTOR,FACTOR').replace('ENDO,CONV', 'CONV,CONV'))).toBe(
      'the column "CONV FACTOR" is there twice',
    )
    expect(refusal('a,b,c')).toStartWith('this is not a PPRRVU file')
    const cut = [fixed(record()), fixed(record({ cpt: 'G0102' })).slice(0, 150)].join('\n')
    expect(refusal(cut)).toBe('a record of the fixed-width file is too short: download the file again (line 2)')
  })
})
