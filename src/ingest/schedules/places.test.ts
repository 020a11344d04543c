import { expect, test } from 'bun:test'
import { naiveSheet } from '../../../test/support/naive-table.ts'
import { published, testOnPublished } from '../../../test/support/published-files.ts'
import { inlineRows, workbook } from '../../files/zip-fixture.ts'
import { isPlaceRow, type PlaceRow, rowKey } from '../../proof/price/row.ts'
import type { Findings } from '../../registry/release/rules.ts'
import { readSource, type Source } from '../source.ts'
import { checked, refusal } from './fixture.ts'
import { readGpci } from './gpci.ts'
import { findsZip, placesIn, rereadPlaces } from './places.ts'

const record = (zip: string, place = '0210201', flag = '0', four = ' A  ', state = 'AK'): string =>
  `${`${state}${zip}${place} Z9   ${flag}${four}`.padEnd(75)}20264`
const text = (lines: readonly string[], file = 'ZIP5_OCT2026.txt'): Source => ({
  file,
  text: lines.join('\r\n'),
  bytes: new Uint8Array(),
  sha256: '',
})
const HEAD = [
  'STATE',
  'ZIP CODE',
  'CARRIER',
  'LOCALITY',
  'RURAL IND',
  'PLUS 4 FLAG',
  'PART B DRUG INDICATOR',
  'YEAR/QTR',
]
const ROWS = [
  ['AK', '99501', '02102', '01', '', '0', 'A', '20264'],
  ['AK', '501', '2102', '1', '', '1', 'A', '20264'],
]
const book = (rows: string[][]): Source => ({
  ...text([], 'ZIP5_OCT2026.xlsx'),
  bytes: workbook(inlineRows([HEAD, ...rows])),
  kind: 'xlsx',
})
const read = (given: readonly Source[], rejects: Findings = new Map()) => placesIn(given, {}, rejects)
const brief = (rows: readonly PlaceRow[]) => rows.map(({ zip, plus_four, region }) => [zip, plus_four, region])

test('ZIP codes are the same from text, from CSV and from a workbook', () => {
  const forms = [
    text([record('99501'), record('00501', '0210201', '1'), '\u001a']),
    text([HEAD, ...ROWS].map((cells) => cells.join(','))),
    book(ROWS),
  ]
  for (const form of forms) {
    const { rows, edition, effective_from, cited, line_total } = read([form])
    expect([edition, effective_from, line_total]).toEqual(['ZIP26Q4', '2026-10-01', 2])
    expect(brief(rows)).toEqual([
      ['00501', null, null],
      ['99501', null, 'US-AK-01'],
    ])
    expect(rows.every(isPlaceRow)).toBe(true)
    const reread = rereadPlaces()
    for (const row of rows) expect(checked(reread, row, cited)).toEqual({ ok: true })
    expect(['00501', '99502'].map((zip) => findsZip(form, zip))).toEqual([true, false])
  }
})

test('of what CMS ships together the text of five digits is taken', () => {
  const others = [text(['A LAYOUT'], 'ZIP5lyout.txt'), book([['AK', '99999', '2102', '1']])]
  expect(brief(read([...others, text([record('99501')])]).rows)).toEqual([['99501', null, 'US-AK-01']])
  const two = [text([record('99501')]), text([record('99502')], 'ZIP5_JAN2026.txt')]
  expect(refusal(() => read(two))).toContain('several ZIP5 or several ZIP9 files')
  expect(refusal(() => read([text(['x'], 'a.txt'), text(['x'], 'b.txt')]))).toContain('no ZIP5 file')
})

test('the last four digits decide where the file of nine digits is given', () => {
  const zip5 = text([record('99501', '0210201', '1'), record('99502', '0210201', '1'), record('99503')])
  const of = (zip: string, place: string, four: string) => record(zip, place, '1', four)
  const zip9 = text(
    [
      ...[of('99501', '0210201', '0002'), of('99501', '0210201', '0001'), of('99501', '0210201', '0004')],
      ...[of('99501', '1011200', '0005'), of('99502', '1011200', '0009'), of('99503', '1011200', '0001')],
    ],
    'ZIP9_OCT2026.txt',
  )
  const { rows, cited } = read([zip9, zip5])
  expect(brief(rows)).toEqual([
    ['99501', null, null],
    ['99501', '0001-0002', 'US-AK-01'],
    ['99501', '0004-0004', 'US-AK-01'],
    ['99501', '0005-0005', 'US-AL-00'],
    ['99502', null, 'US-AL-00'],
    ['99502', '0009-0009', 'US-AL-00'],
    ['99503', null, 'US-AK-01'],
  ])
  const keys = rows.map(rowKey)
  expect(keys).toEqual(keys.toSorted())
  const reread = rereadPlaces()
  for (const row of rows) {
    expect([row, isPlaceRow(row), checked(reread, row, cited)]).toEqual([row, true, { ok: true }])
    const moved = { ...row, region: 'US-CA-18' }
    expect(checked(reread, moved, cited)).toEqual({ ok: false, reason: 'inputs_not_at_line' })
  }
  const twice = text([of('99501', '0210201', '0001'), of('99501', '1011200', '0001')], 'ZIP9.txt')
  expect(refusal(() => read([zip5, twice]))).toStartWith('the last four digits of a ZIP code are listed twice')
  expect(refusal(() => read([zip5, text([record('99501')], 'ZIP9.txt')]))).toStartWith('this is not a ZIP9 file')
  const alone = text([of('99501', '0210201', '0001'), of('99501', '0210201', '0002')], 'ZIP9.txt')
  expect(refusal(() => read([alone]))).toStartWith('this is a ZIP9 file: give the ZIP5 file')
})

const ruralList = (lines: readonly string[], file = 'DME Rural Zip Code Quarter 4 2026.csv'): Source =>
  text(
    [['DME RURAL ZIP CODES'], ['STATE', 'DMEPOS RURAL ZIP CODE', 'YEAR/QTR'], ...lines].join('\r\n').split('\r\n'),
    file,
  )

test('the list of the equipment schedule says which ZIP codes are rural, part for part', () => {
  const zip5 = text([record('99501'), record('00502'), record('99503', '0210201', '1')])
  const zip9 = text([record('99503', '0210201', '1', '0001'), record('99503', '1011200', '1', '0002')], 'ZIP9.txt')
  const list = ruralList(['AK,502,20264', 'AK,99503,20264', 'AK,99999,20264'])
  for (const given of [
    [zip5, zip9, list],
    [list, zip5, zip9],
  ]) {
    const { rows, cited } = read(given)
    expect(rows.map((row) => [rowKey(row), row.rural, row.locator.at(-1)])).toEqual([
      ['00502|', true, { citation: 2, line: 3 }],
      ['99501|', false, { citation: 2, line: 1 }],
      ['99503|', true, { citation: 2, line: 4 }],
      ['99503|0001-0001', true, { citation: 2, line: 4 }],
      ['99503|0002-0002', true, { citation: 2, line: 4 }],
    ])
    const reread = rereadPlaces()
    for (const row of rows) {
      const { rural, ...unsaid } = row
      expect([row, isPlaceRow(row), checked(reread, row, cited)]).toEqual([row, true, { ok: true }])
      const hidden = { ...unsaid, locator: row.locator.filter(({ citation }) => citation !== 2) } as PlaceRow
      for (const lie of [{ ...row, rural: !rural }, unsaid as PlaceRow, hidden])
        expect(checked(reread, lie, cited)).toEqual({ ok: false, reason: 'inputs_not_at_line' })
    }
    const [first] = rows as [PlaceRow]
    const elsewhere = {
      ...first,
      locator: [
        { citation: 0, line: 2 },
        { citation: 2, line: 4 },
      ],
    }
    expect(checked(reread, elsewhere, cited)).toEqual({ ok: false, reason: 'line_not_found' })
  }
  // Under another name it is known by its header; what is nothing of all this is refused, unless an archive holds it.
  expect(read([zip5, { ...list, file: 'list.csv' }]).rows.map(({ rural }) => rural)).toEqual([true, false, true])
  const other = text(['a,b', '1,2'], 'other.csv')
  expect(refusal(() => read([zip5, zip9, other]))).toStartWith('one of the files is no ZIP5 file')
  expect(refusal(() => read([zip5, other]))).toStartWith('one of the files is no ZIP5 file')
  expect(read([zip5, { ...other, archive: 'dme26.zip' }]).rows.length).toBe(3)
  // Without the ZIP9 file, and without the list.
  expect(read([zip5, list]).rows.map(({ rural }) => rural)).toEqual([true, false, true])
  expect(read([zip5]).rows.some((row) => 'rural' in row)).toBe(false)
})

test('a list of rural ZIP codes that cannot be read, or is of another time, is refused', () => {
  const zip5 = text([record('99501')])
  const faults: [readonly string[], string][] = [
    [['AK,99501,20264', 'AK,9950A,20264'], 'this is not a list of rural ZIP codes'],
    [['AK,99501,20264', 'AK,99502,20262'], 'the list of rural ZIP codes is of another quarter'],
    // As CMS writes it in 2025.
    [['AK,99501,202504'], 'the list of rural ZIP codes is of another quarter'],
    [[], 'the list of rural ZIP codes is empty'],
    [['AK,99501,20264', 'AK,99'], 'the file ends in the middle of a record'],
  ]
  for (const [lines, why] of faults) expect(refusal(() => read([zip5, ruralList(lines)]))).toStartWith(why)
  // CMS's list of a January has been that of the quarter before.
  for (const quarter of ['20263', '202603', '202604'])
    expect(read([zip5, ruralList([`AK,99501,${quarter}`])]).rows[0]?.rural).toBe(true)
  expect(refusal(() => read([zip5, text(['STATE,COUNTY', 'AK,1'], 'DMERuralZIP26.csv')]))).toStartWith(
    'this is not a list of rural ZIP codes',
  )
})

test('a ZIP code lies in the state of its address, whatever its locality is named after', () => {
  const dc = '1220201'
  const lines = [
    ...[
      record('20001', dc, '0', ' A  ', 'DC'),
      record('20814', dc, '0', ' A  ', 'MD'),
      record('22201', dc, '0', ' A  ', 'VA'),
    ],
    // CMS writes the halves of Missouri and Kansas, and the islands of the Pacific, as states.
    ...[record('63101', '0530201', '0', ' A  ', 'EM'), record('64101', '0530202', '0', ' A  ', 'WM')],
    ...[record('66101', '0520200', '0', ' A  ', 'EK'), record('67201', '0520200', '0', ' A  ', 'WK')],
    ...[record('96910', '0121201', '0', ' A  ', 'GU'), record('96960', '0121201', '0', ' A  ', 'MH')],
  ]
  const { rows, cited } = read([text(lines)])
  expect(rows.map(({ zip, state, region }) => `${zip} ${state} ${region}`)).toEqual([
    ...['20001 DC US-DC-01', '20814 MD US-DC-01', '22201 VA US-DC-01', '63101 MO US-MO-01', '64101 MO US-MO-02'],
    ...['66101 KS US-KS-00', '67201 KS US-KS-00', '96910 GU US-HI-01', '96960 MH US-HI-01'],
  ])
  const reread = rereadPlaces()
  for (const row of rows) {
    expect([row, isPlaceRow(row), checked(reread, row, cited)]).toEqual([row, true, { ok: true }])
    expect(checked(reread, { ...row, state: 'CA' }, cited)).toEqual({ ok: false, reason: 'inputs_not_at_line' })
  }
  // Digits that follow each other in one locality are parted where the state changes.
  const split = text([record('20814', dc, '1', ' A  ', 'MD')])
  const four = (digits: string, state: string) => record('20814', dc, '1', digits, state)
  const nine = text([four('0001', 'MD'), four('0002', 'MD'), four('0003', 'VA')], 'ZIP9_OCT2026.txt')
  const parted = read([split, nine])
  expect(parted.rows.map(({ plus_four, state, region }) => [plus_four, state, region])).toEqual([
    [null, null, 'US-DC-01'],
    ['0001-0002', 'MD', 'US-DC-01'],
    ['0003-0003', 'VA', 'US-DC-01'],
  ])
  for (const row of parted.rows) {
    expect(checked(reread, row, parted.cited)).toEqual({ ok: true })
    expect(checked(reread, { ...row, state: 'CA' }, parted.cited)).toEqual({ ok: false, reason: 'inputs_not_at_line' })
  }
  const twice = text([four('0001', 'MD'), four('0001', 'VA')], 'ZIP9.txt')
  expect(refusal(() => read([split, twice]))).toStartWith('the last four digits of a ZIP code are listed twice')
})

test('a file with a fault is refused with its line', () => {
  const good = record('99503')
  const faults: [Source, string][] = [
    [text([good, record('99504', '0210209')]), 'a ZIP code lies in a locality that is not known'],
    [text([good, record('99503', '1011200')]), 'a ZIP code is listed twice, in different places'],
    [text([good, record('99503', '0210201', '0', ' A  ', 'HI')]), 'a ZIP code is listed twice, in different places'],
    [text([good, record('99504', '0210201', '0', ' A  ', 'ZZ')]), 'a ZIP code lies in a state that is not known'],
    [
      book([...ROWS, ['ZZ', '99504', '02102', '01', '', '0', 'A', '20264']]),
      'a ZIP code lies in a state that is not known',
    ],
    [text([good, 'AK9950']), 'this is not a ZIP5 file'],
    [book([...ROWS, ['AK', 'ABCDE', '02102', '01']]), 'this is not a ZIP5 file'],
  ]
  for (const [source, why] of faults) {
    const said = refusal(() => read([source]))
    expect(said).toStartWith(why)
    expect(said).toMatch(/\(line [24]\)$/)
  }
  const rejects: Findings = new Map()
  expect(read([text([good, good])], rejects).rows.length).toBe(1)
  expect(rejects.get('R09')?.count).toBe(1)
})

test('the quarter is that of every line, or what the operator says', () => {
  const mixed = text([record('99501'), record('99502').replace('20264', '20263')])
  expect(refusal(() => read([mixed]))).toContain('different quarters')
  expect(placesIn([mixed], { effective_from: '2026-10-01' }, new Map()).edition).toBe('ZIP26Q4')
  expect(refusal(() => read([text([record('99501').slice(0, 30)])]))).toContain('--effective-from')
})

const FILES = [
  'cms-pfs/zip-locality-2025q4/ZIP5_OCT2025.txt.gz',
  'cms-pfs/zip-locality-2026q1/ZIP5_JAN2026.xlsx',
  'cms-pfs/2025-rvu25d/GPCI2025.csv',
]

testOnPublished('every ZIP code of two quarters lies where the GPCI file has its locality', FILES, async () => {
  const [quarter4, quarter1, gpci] = (await Promise.all(FILES.map((file) => readSource(published(file))))) as [
    Source,
    Source,
    Source,
  ]
  const regions = new Map(readGpci(gpci).map(({ mac, region }) => [`${mac}${region.slice(-2)}`, region]))
  const fromText = quarter4.text.split('\r\n').flatMap((line) => {
    const [zip, place, flag] = [line.slice(2, 7), line.slice(7, 14), line[20]]
    return zip.length === 5 ? [[zip, null, flag === '1' ? null : (regions.get(place) ?? '')]] : []
  })
  const cells = naiveSheet(quarter1.bytes)
  const fromSheet = Array.from({ length: 42_956 }, (_, i) => {
    const at = (column: string): string => cells.get(`${column}${i + 2}`) ?? ''
    return [at('B'), null, at('H') === '1' ? null : (regions.get(at('C') + at('D')) ?? '')]
  })
  for (const [given, expected, edition, split] of [
    [quarter4, fromText, 'ZIP25Q4', 580],
    [quarter1, fromSheet, 'ZIP26Q1', 581],
  ] as const) {
    const reading = read([given])
    expect([reading.edition, reading.row_total]).toEqual([edition, 42_956])
    const found = new Map(brief(reading.rows).map((row) => [row[0], row[2]]))
    const wrong = expected.filter(([zip = '', , region]) => found.get(zip) !== region)
    expect([wrong, found.size, expected.length]).toEqual([[], 42_956, 42_956])
    expect(reading.rows.filter(({ region }) => region === null).length).toBe(split)
    // Suburbs of Washington lie in Maryland, and in the locality that is named after DC.
    expect(found.get('20814')).toBe('US-DC-01')
    const abroad = reading.rows.filter(({ state, region }) => region === 'US-DC-01' && state !== 'DC')
    expect(Object.fromEntries(Map.groupBy(abroad, ({ state }) => state))).toMatchObject({
      MD: { length: 136 },
      VA: { length: 129 },
    })
    expect(reading.rows.find(({ zip }) => zip === '63101')?.state).toBe('MO')
    const reread = rereadPlaces()
    for (let i = 0; i < reading.rows.length; i += 499)
      expect(checked(reread, reading.rows[i] as PlaceRow, reading.cited)).toEqual({ ok: true })
  }
})
