import { unreadable } from '../../files/unreadable.ts'
import { type AnyRow, rowText } from '../../proof/price/row.ts'
import type { Findings } from '../../registry/release/rules.ts'
import { CODE } from '../findings.ts'
import { type Reader, type Reading, readAll } from '../reader.ts'
import { fail, OK, perSource, type Reread, type SourceInput, whole } from '../reread.ts'
import type { EditionOptions } from '../schedules/quarter.ts'
import type { EditionDates } from '../schedules/schedule.ts'
import { type Columns, chooseSource, type Line, readTable, type Table } from '../schedules/table.ts'
import { readSources, type Source } from '../source.ts'
import { refuseMedicaid } from './edit-cells.ts'

/** A table of edits that is one file, small enough to be in memory. */
export interface EditTable {
  /** Its name in refusals. */
  what: string
  columns: Columns
  dated: (source: Source, options: EditionOptions) => EditionDates
  /** The rows of the lines, in any order. A row stands alone: its key is its code. */
  rows: (lines: Iterable<Line>, effective_from: string, rejects: Findings) => readonly AnyRow[]
}

export function editReader({ what, columns, dated, rows }: EditTable): Reader {
  const tableIn = (source: Source): Table => readTable(source, columns, what)
  const open = (given: readonly Source[], options: EditionOptions, rejects: Findings): Reading => {
    for (const source of given) refuseMedicaid(source)
    const source = chooseSource(given, tableIn, what)
    const dates = dated(source, options)
    const made = sorted(rows(tableIn(source).lines, dates.effective_from, rejects))
    if (made.length === 0) throw unreadable(`${what} has no line that can be read`)
    const line_total = made.reduce((sum, row) => sum + linesOf(row), 0)
    return { ...dates, rows: made, row_total: made.length, line_total, cited: [source] }
  }
  return {
    read: async (paths, options, rejects) => open(await readAll(paths, readSources), options, rejects),
    reread: () => reread(tableIn, rows),
    finds: (source, cpt) =>
      CODE.test(cpt) && rows(tableIn(whole(source)).lines, NO_DAY, new Map()).some((row) => keyed(row) === cpt),
    options: [],
  }
}

const NO_DAY = '0001-01-01'
const keyed = (row: AnyRow): string => ('code' in row ? row.code : '')
const linesOf = (row: AnyRow): number => (row.kind === 'add_on' ? row.primaries.length : 1)
const sorted = (rows: readonly AnyRow[]): AnyRow[] => rows.toSorted((a, b) => (keyed(a) < keyed(b) ? -1 : 1))

/** Makes all rows of the cited file anew: the row is one of them, under its code and with its lines. */
function reread(tableIn: (source: Source) => Table, rows: EditTable['rows']): Reread {
  const all = perSource((source: SourceInput) => {
    const made = rows(tableIn(whole(source)).lines, NO_DAY, new Map())
    return new Map(made.map((row) => [keyed(row), row]))
  })
  return (row, places) => {
    const [first, ...more] = places
    if (!first || more.some(({ source }) => source !== first.source)) return fail('line_not_found')
    const made = all(first.source).get(keyed(row))
    if (!made) return fail('line_not_found')
    return rowText({ ...made, effective_from: row.effective_from }) === rowText(row) ? OK : fail('inputs_not_at_line')
  }
}
