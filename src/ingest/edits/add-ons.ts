import { unreadable } from '../../files/unreadable.ts'
import { ADD_ON_TYPES, type AddOnRow, BY_CONTRACTOR, compareEdits, type Primary } from '../../proof/price/edit-row.ts'
import { type Findings, note } from '../../registry/release/rules.ts'
import { ADD_ON_NOTES } from '../../tables/edits.ts'
import { type EditionOptions, quarterlyEdition } from '../schedules/quarter.ts'
import type { EditionDates } from '../schedules/schedule.ts'
import type { Line } from '../schedules/table.ts'
import type { Source } from '../source.ts'
import { codeOf, dayOfYear, nameOf, numbersOf, UNKNOWN_WORD } from './edit-cells.ts'
import { editReader } from './edit-table.ts'

// CMS's add-on code edits: the codes of which one must be paid for an add-on code to be paid. A line is a pair of codes.

const noteOf = numbersOf(ADD_ON_NOTES)

export const reader = editReader({
  what: 'the table of add-on code edits (AOC)',
  columns: {
    type: { titles: ['AOC_Edit_Type'] },
    cpt: { titles: ['Add-On_Code'] },
    primary: { titles: ['Primary_Code'] },
    from: { titles: ['AOC_Edit_EffDT'] },
    to: { titles: ['AOC_Edit_DelDT'] },
    note: { titles: ['Special_Instruction_Notes'] },
  },
  dated,
  rows: addOnRows,
})

/** The quarter stands in the name of the file: AOC_V2026Q2-MCR.xlsx, or AOC_V2025Q4_01-MCR.txt where it was published again. */
function dated(source: Source, options: EditionOptions): EditionDates {
  const [, year, quarter] = /AOC_V(\d{4})Q([1-4])/i.exec(nameOf(source)) ?? []
  return quarterlyEdition('AOC', year === undefined ? [] : [`${year} Q${quarter}`], options)
}

function addOnRows(lines: Iterable<Line>, effective_from: string, rejects: Findings): AddOnRow[] {
  const rows = new Map<string, AddOnRow>()
  for (const each of lines) {
    const found = primaryIn(each)
    if (typeof found === 'string') note(rejects, found, each.line)
    if (typeof found !== 'object') continue
    const { code, primary } = found
    if (primary[4] === UNKNOWN_WORD) note(rejects, 'W12', each.line)
    const locator = [{ citation: 0, line: each.line }]
    const row = rows.get(code) ?? { kind: 'add_on', code, primaries: [], effective_from, locator }
    rows.set(code, row)
    if (row.primaries.some((known) => compareEdits(known, primary) === 0)) note(rejects, 'R09', each.line)
    else row.primaries.push(primary)
    if (row.primaries.length > MOST_PRIMARIES) throw unreadable('an add-on code has too many primary codes', each.line)
  }
  for (const { primaries } of rows.values()) primaries.sort(compareEdits)
  return [...rows.values()]
}
/** Ten times as many as any code has had. */
const MOST_PRIMARIES = 2_000

/** The pair of a line, the rule that refuses it, or nothing where the line is blank. */
function primaryIn(line: Line): { code: string; primary: Primary } | string | undefined {
  const [stated, other, kind] = [line.cell('cpt'), line.code('primary'), line.number('type')]
  if (stated === '' && other === '' && kind === '') return undefined
  const code = codeOf(stated)
  if (code === undefined) return 'R03'
  const primary = other === BY_CONTRACTOR ? other : codeOf(other)
  const type = ADD_ON_TYPES.find((number) => kind === String(number))
  const from = dayOfYear(line.number('from'))
  const to = line.number('to') === '' ? null : dayOfYear(line.number('to'))
  if (primary === undefined || type === undefined || from === undefined || to === undefined) return 'R03_field'
  const words = line.cell('note')
  return { code, primary: [primary, type, from, to, words === '' ? null : noteOf(words)] }
}
