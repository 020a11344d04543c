import { expect, test } from 'bun:test'
import { inlineRows, workbook } from '../../files/zip-fixture.ts'
import { toHex } from '../../proof/bytes.ts'
import { verifyDerivation } from '../../proof/price/derivation.ts'
import { isPlaceRow, isRow, type PlaceRow, rowKey } from '../../proof/price/row.ts'
import { sha256 } from '../../proof/sha256.ts'
import type { Findings } from '../../registry/release/rules.ts'
import type { Source } from '../source.ts'
import { reader as equipment } from './equipment.ts'
import { checked, refusal, saying, source } from './fixture.ts'
import { placesIn, rereadPlaces } from './places.ts'

const STATES =
  'AL AR AZ CA CO CT DC DE FL GA IA ID IL IN KS KY LA MA MD ME MI MN MO MS MT NC ND NE NH NJ NM NV NY OH OK OR PA RI SC SD TN TX UT VA VT WA WI WV WY AK HI PR VI'.split(
    ' ',
  )
const columns = STATES.flatMap((state) => [`${state} (NR)`, `${state} (R)`])
const schedule = source(
  [
    ['January 2027 Fee Schedule'],
    ['HCPCS', 'Mod', 'Mod2', 'JURIS', 'CATG', 'Ceiling', 'Floor', ...columns, 'Description'],
    ['E0601', 'RR', '', 'D', 'CR', '0', '0', ...columns.map(() => '50.90'), 'x'],
  ],
  'DMEPOS27_JAN.csv',
)
const HEAD = ['HCPCS', 'Mod', 'Mod2', 'Mod3', 'CATG', 'Akron, OH', 'Twin Rivers', 'Description']
const fees = (lines: string[][], head = HEAD, file = 'Former CBA Fee Schedule File - APR2026.csv'): Source =>
  source([['2027 Fee Schedule'], [''], head, ...lines], file)
/** The first digits of the SHA-256 of AKRONOH and of TWINRIVERS, by another program. */
const [AKRON, TWIN] = ['CBA-40AD1B1B', 'CBA-739AECD1']
const inAreas = (given: Source[], rejects: Findings = new Map()) => {
  const read = equipment.open(given, {}, rejects)
  return { ...read, rows: read.rows.filter(({ region }) => region.startsWith('CBA-')) }
}

test('the fees of former bidding areas stand beside those of the states, and the schedule dates both', () => {
  const lines = [
    ['E0601', 'RR', '', '', 'CR', '41.20', '$1,040.00', 'x'],
    ['E0601', 'NU', 'KE', 'KF', 'CR', '0', '7.5', 'x'],
    ['E0935', 'RR', '', '', '', '2.25', '', 'x'],
    ['Note: as before', '', '', '', '', '', '', ''],
  ]
  for (const given of [
    [schedule, fees(lines)],
    [fees(lines), schedule],
  ]) {
    const { rows, cited, edition } = inAreas(given)
    expect(edition).toBe('DMEPOS27Q1')
    expect(rows.map((row) => [rowKey(row), saying(row), 'price' in row ? row.price.per : ''])).toEqual([
      [`E0601|${AKRON}||medicare_dmepos||RR|non_rural|`, '41.20', 'MONTH'],
      [`E0601|${TWIN}||medicare_dmepos||KE-KF-NU|non_rural|`, '7.50', null],
      [`E0601|${TWIN}||medicare_dmepos||RR|non_rural|`, '1040.00', 'MONTH'],
      [`E0935|${AKRON}||medicare_dmepos||RR|non_rural|`, '2.25', 'DAY'],
    ])
    const reread = equipment.reread()
    for (const row of rows) {
      expect([isRow(row), verifyDerivation(row), checked(reread, row, cited)]).toEqual([
        true,
        { ok: true },
        { ok: true },
      ])
      const moved = { ...row, region: row.region === AKRON ? TWIN : AKRON }
      expect(checked(reread, moved, cited).ok).toBe(false)
    }
  }
})

test('what cannot be read in a bidding area is not replaced by the amount of the state', () => {
  const rejects: Findings = new Map()
  const lines = [
    ['E0601', 'RR', '', '', 'CR', 'much', '41.20', 'x'],
    ['E0601', '?', '', '', 'CR', '3.00', '0', 'x'],
    ['junk', '', '', '', '', '1.00', '0', 'x'],
  ]
  const { rows } = inAreas([schedule, fees(lines)], rejects)
  expect(rows.map((row) => [row.region, row.modifier, row.setting, saying(row)])).toEqual([
    [AKRON, 'RR', 'non_rural', 'unreadable'],
    [AKRON, null, null, 'unreadable'],
    [TWIN, 'RR', 'non_rural', '41.20'],
  ])
  expect([...rejects.keys()].sort()).toEqual(['R02', 'R03', 'R03_field'])
})

test('the schedule and the fees may be sheets of one workbook, in which a code stands in the same row', () => {
  const rows = schedule.text
    .trim()
    .split('\n')
    .map((line) => line.split(','))
  const two = [['Fees'], [...HEAD.slice(0, 5), 'Akron OH', 'Twin Rivers'], ['E0601', 'RR', '', '', 'CR', '41.20', '0']]
  const sheets = ['one', 'two'].map((name, i) => `<sheet name="${name}" r:id="rId${i === 0 ? 1 : i + 2}"/>`)
  const bytes = workbook(inlineRows(rows), { sheets: sheets.join(''), others: [inlineRows(two)] })
  const book: Source = { file: 'book.xlsx', bytes, text: '', sha256: toHex(sha256(bytes)), kind: 'xlsx' }
  const made = inAreas([book])
  expect(made.rows.map((row) => [row.region, saying(row), row.locator])).toEqual([
    [AKRON, '41.20', [{ citation: 1, line: 3 }]],
  ])
  const reread = equipment.reread()
  for (const row of made.rows) expect(checked(reread, row, [book, book])).toEqual({ ok: true })
})

test('another table is not taken for fees of bidding areas', () => {
  const line = ['E0601', 'RR', '', '', 'CR', '41.20', '41.20', 'x']
  const heads = [
    ['HCPCS', 'Mod', 'Mod2', 'Mod3', 'CATG', 'National Mail-Order', 'Zone', 'Description'],
    ['HCPCS', 'Mod', 'Mod2', 'Mod3', 'CATG', 'AL (NR)', 'AL (R)', 'Description'],
    ['HCPCS', 'Mod', 'Mod2', 'Mod3', 'CATG', 'Ceiling', 'Floor', 'Description'],
    ['HCPCS', 'Mod', 'Mod2', 'Mod3', 'CATG', 'Akron', '', 'Description'],
  ]
  heads.push(
    // The schedule itself, with titles that are not its own any more.
    [...HEAD.slice(0, 3), 'CATG', 'TX (NR) Fee', 'TX (R) Fee', 'Description', ''],
    ['HCPCS', 'Mod', 'Mod2', 'Mod3', 'CATG', 'TX', 'UT', 'Description'],
    [...HEAD.slice(0, 5), 'Ceiling Amt', 'Jurisdiction', 'Description'],
  )
  for (const head of heads) expect([head, inAreas([schedule, fees([line], head)]).rows]).toEqual([head, []])
  // By its name it was meant to be read, and that it was not is told.
  const rejects: Findings = new Map()
  expect(inAreas([schedule, fees([line], heads[0])], rejects).rows).toEqual([])
  expect([...rejects.keys()]).toEqual(['W10'])
  // It is nothing without the schedule, also where the nutrition that comes with it can be read.
  const renamed = { ...schedule, text: schedule.text.replace('AL (R)', 'AL (Rural)') }
  const nutrition = source(
    [['January 2027'], ['HCPCS', 'Mod', 'Mod2', ...columns], ['B4034', '', '', ...columns.map(() => '5.00')]],
    'DMEPEN27_JAN.csv',
  )
  for (const given of [[fees([line])], [fees([line]), renamed], [nutrition, fees([line]), renamed]])
    expect(refusal(() => inAreas(given))).toStartWith('a fee schedule of former bidding areas is given, and')
  const old = source([['January 2019'], HEAD, line], 'Former CBA Fee Schedule File - JAN2019.csv')
  expect(refusal(() => inAreas([schedule, old]))).toContain('is of another year than the schedule')
  const many = Array.from({ length: 500 }, (_, i) => `Area ${i}`)
  expect(inAreas([schedule, fees([line], [...HEAD.slice(0, 5), ...many])]).rows).toEqual([])
  // With the mail-order file beside it, as CMS ships them.
  const mail = fees([['A4253', 'KL', '', '', 'IN', '8.32', 'x']], [...HEAD.slice(0, 5), 'National Mail-Order', 'Desc'])
  expect(inAreas([schedule, mail, fees([line])]).rows.length).toBe(2)
})

const ZIP5 = ['44301', '44302', '44303'].map((zip) => `OH${zip}1520200      0 A${' '.repeat(52)}20271`)
const zip5 = source(
  ZIP5.map((line) => [line]),
  'ZIP5_JAN2027.txt',
)
const list = (lines: string[][], file = 'Former CBA ZIP Code File- JAN2027.csv'): Source =>
  source([['Former areas'], ['CBA State', 'CBA ZIP Code', 'CBA Name Short', 'CBA Name', 'Year/Qtr'], ...lines], file)
const read = (given: readonly Source[]) => placesIn(given, {}, new Map())

test('the list of their ZIP codes says in which bidding area each of them is', () => {
  const lines = [
    ['OH', '44301', 'AKRON  OH', 'Akron, OH (all)', '202701'],
    ['OH', '44303', 'Akron, OH', 'x', '202701'],
    ['OH', '44303', 'Twin Rivers', 'x', '202701'],
    ['OH', '99999', 'Twin Rivers', 'x', '202701'],
  ]
  for (const file of ['Former CBA ZIP Code File- JAN2027.csv', 'list.csv']) {
    const { rows, cited } = read([list(lines, file), zip5])
    // A ZIP code that is listed in two areas may be in either.
    expect(rows.map((row) => [row.zip, row.bidding_area, row.locator.at(-1)])).toEqual([
      ['44301', AKRON, { citation: 1, line: 3 }],
      ['44302', null, { citation: 1, line: 1 }],
      ['44303', undefined, { citation: 1, line: 4 }],
    ])
    const reread = rereadPlaces()
    for (const row of rows) {
      expect([isPlaceRow(row), checked(reread, row, cited)]).toEqual([true, { ok: true }])
      const { bidding_area: area, ...unsaid } = row
      const other: PlaceRow = { ...row, bidding_area: area === null ? TWIN : null }
      // One who leaves out the list as well hides what it says.
      const hidden = { ...unsaid, locator: row.locator.filter(({ citation }) => citation === 0) } as PlaceRow
      for (const lie of area === undefined ? [other, hidden] : [other, unsaid as PlaceRow, hidden])
        expect(checked(reread, lie, cited)).toEqual({ ok: false, reason: 'inputs_not_at_line' })
    }
  }
  expect(read([zip5]).rows.some((row) => 'bidding_area' in row)).toBe(false)
})

test('both lists of the equipment schedule may be given, in any order', () => {
  const rural = source(
    [
      ['STATE', 'DMEPOS RURAL ZIP CODE'],
      ['OH', '44302'],
    ],
    'DME Rural ZIP.csv',
  )
  const areas = list([['OH', '44301', 'Twin Rivers', 'x', '']])
  for (const given of [
    [zip5, rural, areas],
    [areas, rural, zip5],
  ]) {
    const { rows, cited } = read(given)
    expect(rows.map(({ rural: isRural, bidding_area }) => [isRural, bidding_area])).toEqual([
      [false, TWIN],
      [true, null],
      [false, null],
    ])
    const reread = rereadPlaces()
    for (const row of rows) {
      expect(checked(reread, row, cited)).toEqual({ ok: true })
      const elsewhere = row.locator.map((at) => (at.citation === 2 ? { ...at, line: 9 } : at))
      expect(checked(reread, { ...row, locator: elsewhere }, cited)).toEqual({ ok: false, reason: 'line_not_found' })
    }
  }
})

test('a list of bidding areas that cannot be read is refused', () => {
  const faults: [string[][], string][] = [
    [[['OH', '4430A', 'Akron', 'x', '']], 'this is not a list of ZIP codes of former bidding areas'],
    [[['OH', '44301', '...', 'x', '']], 'this is not a list of ZIP codes of former bidding areas'],
    [[], 'the list of ZIP codes of former bidding areas is empty'],
    [[['OH', '44301', 'Akron', 'x', '201901']], 'the list of bidding areas is of another year'],
  ]
  for (const [lines, why] of faults) expect(refusal(() => read([zip5, list(lines)]))).toStartWith(why)
})
