import { rowTextOf } from './cells.ts'
import { columnsNamed } from './columns.ts'

/** A cell and its end (RFC 4180). */
const CELL = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/y

/** The rows of a CSV export as they were hashed; undefined ends it where something is not a row. */
export function* csvRows(text: string): Generator<string | undefined> {
  let at = 0
  const record = (): string[] | undefined => {
    const cells: string[] = []
    for (;;) {
      CELL.lastIndex = at
      const found = CELL.exec(text)
      if (!found) return undefined
      at = CELL.lastIndex
      cells.push(found[1]?.replaceAll('""', '"') ?? found[2] ?? '')
      if (found[3] !== ',') return cells
    }
  }
  const columns = columnsNamed(record() ?? [])
  if (!columns) return yield undefined
  while (at < text.length) {
    const cells = record()
    // An empty cell is null in an optional column.
    yield cells &&
      rowTextOf(
        columns,
        cells.map((cell, i) => (cell === '' && columns[i]?.optional ? null : cell)),
      )
    if (!cells) return
  }
}
