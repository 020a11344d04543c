import { expect, test } from 'bun:test'
import { inlineRows, workbook, zip } from '../../files/zip-fixture.ts'
import type { AddOnRow } from '../../proof/price/edit-row.ts'
import { type AnyRow, isAnyRow } from '../../proof/price/row.ts'
import { reader } from './add-ons.ts'
import { loadEdits, refusalOf, verdicts } from './fixture.ts'

const HEADING =
  'AOC_Edit_Type,Add-On_Code,AOC_DelDT,Primary_Code,Primary_Code_DelDT,AOC_Edit_EffDT,AOC_Edit_DelDT,Special_Instruction_Notes'
const LINES = [
  '1,99292,,99291,,2013001,,',
  '1,90472,,90471,,2013001,2026090,',
  '1,90472,,90460,,2024366,,',
  '2,99407,,CCCCC,,2021001,,(Contractor Defined Primary Codes)',
  '3,90472,,90473,,2013001,,96360 Practitioner Only',
]
const cells = (lines: readonly string[]): string[][] =>
  [`A notice${',,,,,,,'}`, HEADING, ...lines].map((line) => line.split(','))
const book = (...lines: readonly string[]): Uint8Array => workbook(inlineRows(cells(lines)))
const NAME = 'AOC_V2026Q2-MCR.xlsx'

test('add-on codes are read with their primary codes, and days by their numbers in the year', async () => {
  const load = await loadEdits(reader, { [NAME]: book(...LINES) })
  expect([load.edition, load.effective_from, load.found]).toEqual(['AOC26Q2', '2026-04-01', {}])
  expect((load.rows as AddOnRow[]).map(({ code, primaries }) => [code, primaries])).toEqual([
    [
      '90472',
      [
        ['90460', 1, '2024-12-31', null, null],
        ['90471', 1, '2013-01-01', '2026-03-31', null],
        ['90473', 3, '2013-01-01', null, 3],
      ],
    ],
    ['99292', [['99291', 1, '2013-01-01', null, null]]],
    ['99407', [['CCCCC', 2, '2021-01-01', null, 1]]],
  ])
  expect(load.rows.every(isAnyRow)).toBe(true)
  expect(verdicts(reader, load)).toEqual([true, true, true])
  const [row] = load.rows as [AddOnRow]
  const lies = [
    { ...row, primaries: row.primaries.slice(1) },
    { ...row, primaries: [...row.primaries, ['99999', 1, '2013-01-01', null, null]] },
  ] as AnyRow[]
  expect(verdicts(reader, { rows: lies, sources: load.sources })).toEqual([false, false])
})

test('of the archive of CMS the workbook is read: its text has no columns that are known', async () => {
  const fixed = `A notice\r\n${'199292         99291         2013001'.repeat(3)}\r\n`
  const archive = zip([
    { name: 'AOC_V2025Q4_01-MCR.txt', data: fixed },
    { name: 'AOC_V2025Q4_01-MCR.xlsx', data: book(...LINES) },
  ])
  const { rows, effective_from } = await loadEdits(reader, { 'aoc.zip': archive })
  expect([rows.length, effective_from]).toEqual([3, '2025-10-01'])
  expect(await refusalOf(loadEdits(reader, { 'AOC_V2025Q4-MCR.txt': fixed }))).toContain('no line names the columns')
  expect(await refusalOf(loadEdits(reader, { 'AOC_V2026Q2-MCD.xlsx': book(...LINES) }))).toContain('of Medicaid')
})

test('lines that cannot be read are counted, and a pair that stands there twice counts once', async () => {
  const spoiled = [
    ...['1,99292,,99291,,2013001,,', '4,99292,,99281,,2013001,,', '1,99292,,99281,,2013366,,', '1,99292,,X,,2013001,,'],
    ...['1,99292,,99282,,2013001,soon,', '1,X,,99291,,2013001,,', '1,99292,,99283,,2013001,,A new note'],
  ]
  const { rows, found } = await loadEdits(reader, { [NAME]: book('1,99292,,99291,,2013001,,', ...spoiled) })
  expect((rows as AddOnRow[])[0]?.primaries.map(([code, , , , note]) => [code, note])).toEqual([
    ['99283', 0],
    ['99291', null],
  ])
  expect(found).toEqual({ R09: 1, R03_field: 4, R03: 1, W12: 1 })
})
