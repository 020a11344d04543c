import { unreadable } from '../../files/unreadable.ts'
import { type Row, rowKey } from '../../proof/price/row.ts'
import type { Findings } from '../../registry/release/rules.ts'
import { byLine, fail, isOneOf, OK, perSource, type Reread, whole } from '../reread.ts'
import type { Source } from '../source.ts'
import { type Edition, quarterlyEdition } from './quarter.ts'
import {
  type Columns,
  chooseSource,
  type Line,
  type Made,
  readTable,
  rowsInOrder,
  saysTheSame,
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
  row: (line: Line, effective_from: string) => Made | readonly Made[]
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
  open: (given: readonly Source[], options: Edition, rejects: Findings) => TableReading
  reread: () => Reread
}

export function tableSchedule({ what, columns, assumed, series, empty, row }: TableSchedule): TableReader {
  const tableOf = (source: Source): Table => readTable(source, columns, what, assumed)
  const made = (line: Line, effective_from: string): readonly Made[] => [row(line, effective_from)].flat()
  return {
    open(given, options, rejects) {
      const source = chooseSource(given, tableOf, what)
      const { titles, lines } = tableOf(source)
      const { edition, effective_from } = quarterlyEdition(series, titles, options, source.archive)
      const rows = rowsInOrder(
        madeOf(lines, (line) => made(line, effective_from)),
        rejects,
      )
      if (rows.length === 0) throw unreadable(empty)
      const line_total = new Set(rows.map(({ locator }) => locator[0]?.line)).size
      return { edition, effective_from, rows, row_total: rows.length, line_total, cited: [source] }
    },
    reread: () => rereadTable(tableOf, made),
  }
}

function* madeOf(lines: Iterable<Line>, make: (line: Line) => readonly Made[]): Generator<{ line: number; row: Made }> {
  for (const line of lines) for (const row of make(line)) yield { line: line.line, row }
}

/**
 * The cited line, or row of the sheet, must make the same row again, and no other line may say something else under its
 * key. Of what is withheld, the lines must be there, and contradict each other if that is the reason.
 */
function rereadTable(
  read: (source: Source) => Table,
  rowsOf: (line: Line, effective_from: string) => readonly Made[],
): Reread {
  const tables = perSource((source) => {
    const lines = [...read(whole(source)).lines]
    return { at: byLine<Line>(lines), ofCode: Map.groupBy(lines, ({ cell }) => cell('cpt')) }
  })
  return (row, places) => {
    const cited = places.flatMap(({ source, line }) => tables(source).at.get(line) ?? [])
    const [first] = places
    if (!first || cited.length < places.length) return fail('line_not_found')
    const underKey = (lines: readonly Line[]): Row[] =>
      lines
        .flatMap((line) => rowsOf(line, row.effective_from))
        .filter((made): made is Row => typeof made === 'object' && rowKey(made) === rowKey(row))
    const made = underKey(cited)
    if (row.derivation.method === 'row-rule/1') {
      const contradict = made.some((each) => !saysTheSame(each, made[0] as Row))
      const holds = made.length === places.length && (contradict || row.derivation.inputs['rule'] !== 'R10')
      return holds ? OK : fail('inputs_not_at_line')
    }
    const others = underKey(tables(first.source).ofCode.get(row.cpt) ?? [])
    if (made.length > 0 && others.some((each) => !saysTheSame(each, made[0] as Row)))
      return fail('other_amounts_in_file')
    return isOneOf(row, made)
  }
}
