import { type Db, StoreFault } from '../../db/db.ts'
import { canonical } from '../../proof/canonical-json.ts'
import { type Column, columnsOf } from '../../proof/export/columns.ts'
import type { Manifest } from '../../proof/price/release.ts'
import type { AnyRow } from '../../proof/price/row.ts'
import { inPieces, ndjson, otherRows, type RowSource, rowTexts } from '../rows/row-stream.ts'
import { rowOf } from '../store.ts'
import { parquet } from './parquet.ts'

export const FORMATS = ['ndjson', 'csv', 'parquet'] as const
export type Format = (typeof FORMATS)[number]

/** A release that was staged: published or not. */
export interface ExportSource extends RowSource {
  chart: string
  /** Null before it is published. */
  manifest: Manifest | null
}

/**
 * A release in one of the formats, in pieces. Every row is hashed on its way out, and it ends in a fault if the
 * whole is not what was staged.
 */
export async function* exportRelease(db: Db, release: ExportSource, format: Format): AsyncGenerator<Uint8Array> {
  try {
    yield* inFormat(db, release, format)
  } catch (cause) {
    // A text that is no row makes a column fail before the whole is compared.
    throw cause instanceof StoreFault ? cause : otherRows(release, cause)
  }
}

function inFormat(db: Db, release: ExportSource, format: Format): AsyncGenerator<Uint8Array> {
  switch (format) {
    case 'ndjson':
      return ndjson(db, release)
    case 'csv':
      return inPieces(csv(rowsOf(db, release), columnsOf(release.chart)))
    case 'parquet':
      return parquet(rowsOf(db, release), columnsOf(release.chart), {
        release_id: release.release_id,
        rows_root: release.rows_root,
        ...(release.manifest === null ? {} : { manifest: canonical(release.manifest) }),
      })
  }
}

async function* rowsOf(db: Db, release: ExportSource): AsyncGenerator<AnyRow> {
  for await (const body of rowTexts(db, release)) yield rowOf({ body })
}

/** RFC 4180. */
async function* csv(rows: AsyncIterable<AnyRow>, columns: readonly Column[]): AsyncGenerator<string> {
  yield `${columns.map(({ name }) => name).join(',')}\r\n`
  for await (const row of rows) yield `${columns.map(({ value }) => csvCell(value(row) ?? '')).join(',')}\r\n`
}

/**
 * A spreadsheet runs a cell that begins like a formula, so such a cell begins with an apostrophe instead.
 * No value of a row begins that way; this holds if one ever does.
 */
export function csvCell(value: string): string {
  const safe = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
