import { ByteWriter, ParquetWriter } from 'hyparquet-writer'
import { DAY_MS } from '../../calendar.ts'
import { type ParquetValue, schemaOf } from '../../files/parquet.ts'
import type { Column } from '../../proof/export/columns.ts'
import { tenThousandths } from '../../proof/price/money.ts'
import type { AnyRow } from '../../proof/price/row.ts'

/** The rows of a group stay in memory until the group is written. */
const ROWS_PER_GROUP = 16_384

/**
 * Writes a release as a Parquet file, in pieces, one for each group of rows. `facts` stand in the footer, as texts by their names. There are
 * no statistics and no indexes: the rows do not prove them, and readers would pass over rows by them.
 */
export async function* parquet(
  rows: AsyncIterable<AnyRow>,
  columns: readonly Column[],
  facts: Readonly<Record<string, string>>,
): AsyncGenerator<Uint8Array> {
  const bytes = new ByteWriter()
  const file = new ParquetWriter({
    writer: bytes,
    schema: schemaOf(columns),
    statistics: false,
    kvMetadata: Object.entries(facts).map(([key, value]) => ({ key, value })),
    createdBy: 'agent-trust-registry',
  })
  let group: AnyRow[] = []
  const writeGroup = (): void => {
    const columnData = columns.map((column) => ({
      name: column.name,
      data: group.map((row) => storedValue(column, row)),
      offsetIndex: false,
    }))
    file.write({ columnData, rowGroupSize: group.length })
    group = []
  }
  /** Takes out of the writer what was written since the last piece. */
  const takePiece = (): Uint8Array => {
    const piece = bytes.getBytes().slice()
    bytes.index = 0
    return piece
  }
  for await (const row of rows) {
    group.push(row)
    if (group.length < ROWS_PER_GROUP) continue
    writeGroup()
    yield takePiece()
  }
  if (group.length > 0) writeGroup()
  await file.finish()
  yield takePiece()
}

function storedValue({ type, value }: Column, row: AnyRow): ParquetValue {
  const cell = value(row)
  if (cell === null || type === 'text') return cell
  return type === 'day' ? Date.parse(cell) / DAY_MS : tenThousandths(cell)
}
