import { amountText } from '../price/money.ts'
import { rowTextOf } from './cells.ts'
import { type Column, columnsNamed } from './columns.ts'

const DAY_MS = 86_400_000

/** A text; a day, counted from 1970-01-01; an amount in ten thousandths; or null for an empty cell. */
type StoredCell = string | number | bigint | null

/** A table that a library reads, such as a Parquet file. Nothing of it is believed. */
export interface ExportTable {
  names: readonly string[]
  /** Texts about the whole table, by name. */
  facts: readonly (readonly [name: string, fact: string])[]
  /** Reads the rows; throws where the table has other columns or is damaged. */
  rows(columns: readonly Column[]): AsyncIterable<readonly StoredCell[]>
}

/** The rows of a table as they were hashed; undefined ends it where something is not a row. */
export async function* tableRows(table: ExportTable): AsyncGenerator<string | undefined> {
  const columns = columnsNamed(table.names)
  if (!columns) return yield undefined
  try {
    for await (const cells of table.rows(columns))
      yield rowTextOf(
        columns,
        cells.map((cell) => textOf(cell)),
      )
  } catch {
    yield undefined
  }
}

function textOf(cell: StoredCell): string | null {
  if (typeof cell === 'bigint') return amountText(cell)
  return typeof cell === 'number' ? new Date(cell * DAY_MS).toISOString().slice(0, 10) : cell
}
