import { unreadable } from '../../files/unreadable.ts'
import { type Row, rowKey, rowText } from '../../proof/price/row.ts'
import type { Findings } from '../../registry/release/rules.ts'
import { byLine, fail, OK, perSource, type Reread, type SourceInput, whole } from '../reread.ts'
import type { Source } from '../source.ts'
import { type EditionOptions, quarterlyEdition } from './quarter.ts'
import {
  type Columns,
  chooseSource,
  isUnreadable,
  type Line,
  type LineResult,
  readTable,
  refuseProposed,
  rowsInOrder,
  type Table,
} from './table.ts'

/** A schedule that CMS publishes each quarter as one table: text with any delimiter, or a workbook. */
export interface TableSchedule {
  /** What the file is, in a sentence such as "this is not an OPPS Addendum B". */
  what: string
  /** The columns by their titles; what stands above the header is skipped. The code is called `cpt`. */
  columns: Columns & { cpt: Columns[string] }
  /** The order of the columns where text may begin at once with a record. */
  assumed?: readonly string[]
  /** What its editions are called before the quarter: `OPPS` for OPPS26Q4. */
  series: string
  /** The refusal of a table in which no line makes a row. */
  empty: string
  /** What a line says: one row, or several where it has a column for each place. */
  row: (line: Line, effective_from: string) => LineResult | readonly LineResult[]
}

export interface TableReading {
  edition: string
  effective_from: string
  rows: Row[]
  row_total: number
  line_total: number
  cited: [Source]
}

export interface TableReader {
  /** Finds the table among the files given, with its edition by the quarter that it names, and its rows in key order. */
  open: (given: readonly Source[], options: EditionOptions, rejects: Findings) => TableReading
  reread: () => Reread
  /** Whether the table has a line for a code. */
  finds: (source: SourceInput, cpt: string) => boolean
}

export function tableSchedule({ what, columns, assumed, series, empty, row }: TableSchedule): TableReader {
  const tableOf = (source: Source): Table => readTable(source, columns, what, assumed)
  const made = (line: Line, effective_from: string): readonly LineResult[] => [row(line, effective_from)].flat()
  return {
    open(given, options, rejects) {
      const source = chooseSource(given, tableOf, what)
      const { titles, lines } = tableOf(source)
      refuseProposed(titles)
      const { edition, effective_from } = quarterlyEdition(series, titles, options, source.archive)
      const rows = rowsInOrder(
        madeOf(lines, (line) => made(line, effective_from)),
        rejects,
      )
      const sound = rows.filter((each) => !isUnreadable(each))
      if (sound.length === 0) throw unreadable(empty)
      const line_total = new Set(sound.map(({ locator }) => locator[0]?.line)).size
      return { edition, effective_from, rows, row_total: rows.length, line_total, cited: [source] }
    },
    reread: () => rereadTable(tableOf, made),
    finds(source, cpt) {
      for (const { code } of tableOf(whole(source)).lines) if (code('cpt') === cpt) return true
      return false
    },
  }
}

function* madeOf(
  lines: Iterable<Line>,
  make: (line: Line) => readonly LineResult[],
): Generator<{ line: number; row: LineResult }> {
  for (const line of lines) for (const row of make(line)) yield { line: line.line, row }
}

/**
 * The cited lines, or rows of the sheet, must make the same row again, and the other lines under its code must not
 * change it. So what is withheld or cannot be read is checked like a price.
 */
function rereadTable(
  read: (source: Source) => Table,
  rowsOf: (line: Line, effective_from: string) => readonly LineResult[],
): Reread {
  const tables = perSource((source) => {
    const lines = [...read(whole(source)).lines]
    return { at: byLine<Line>(lines), ofCode: Map.groupBy(lines, ({ code }) => code('cpt')) }
  })
  return (row, places) => {
    const cited = places.flatMap(({ source, line }) => tables(source).at.get(line) ?? [])
    const [first] = places
    if (!first || cited.length < places.length) return fail('line_not_found')
    const underKey = (lines: readonly Line[]): Row | undefined => {
      const made = madeOf(lines, (line) => rowsOf(line, row.effective_from))
      return rowsInOrder(made, new Map()).find((each) => rowKey(each) === rowKey(row))
    }
    const [made, inFile] = [underKey(cited), underKey(tables(first.source).ofCode.get(row.cpt) ?? [])]
    if (made && inFile && rowText({ ...made, locator: inFile.locator }) !== rowText(inFile))
      return fail('other_amounts_in_file')
    return made && rowText(made) === rowText(row) ? OK : fail('inputs_not_at_line')
  }
}
