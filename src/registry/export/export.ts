import { type Db, StoreFault } from '../../db/db.ts'
import { toBase64, utf8 } from '../../proof/bytes.ts'
import { canonical } from '../../proof/canonical-json.ts'
import { type Column, columnsOf } from '../../proof/export/columns.ts'
import type { Manifest } from '../../proof/price/release.ts'
import type { AnyRow } from '../../proof/price/row.ts'
import { GrowingTree, leafHash } from '../../proof/tree/merkle.ts'
import { openRelease } from '../rows/release-file-store.ts'
import { type Release, rowOf } from '../store.ts'
import { parquet } from './parquet.ts'

export const FORMATS = ['ndjson', 'csv', 'parquet'] as const
export type Format = (typeof FORMATS)[number]

const ROWS_PER_READ = 2_000
const CHUNK_BYTES = 256 * 1024

/** A release that was staged: published or not. */
export type ExportSource = Pick<Release, 'release_id' | 'chart' | 'row_count' | 'file'> & {
  rows_root: string
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
    throw cause instanceof StoreFault ? cause : notPublished(release, cause)
  }
}

const notPublished = ({ release_id }: ExportSource, cause?: unknown): StoreFault =>
  new StoreFault(`the rows of ${release_id} are not those that were published: run \`atr fsck\``, { cause })

function inFormat(db: Db, release: ExportSource, format: Format): AsyncGenerator<Uint8Array> {
  const bodies = checkedBodies(db, release)
  switch (format) {
    case 'ndjson':
      return inChunks(ndjson(bodies))
    case 'csv':
      return inChunks(csv(parsed(bodies), columnsOf(release.chart)))
    case 'parquet':
      return parquet(parsed(bodies), columnsOf(release.chart), {
        release_id: release.release_id,
        rows_root: release.rows_root,
        ...(release.manifest === null ? {} : { manifest: canonical(release.manifest) }),
      })
  }
}

async function* checkedBodies(db: Db, release: ExportSource): AsyncGenerator<string> {
  const tree = new GrowingTree()
  const file = openRelease(db, release)
  for (let from = 0; from < file.rowCount; from += ROWS_PER_READ)
    for (const { body } of file.rowsAt(from, from + ROWS_PER_READ)) {
      tree.add(leafHash(utf8(body)))
      yield body
    }
  if (tree.size !== release.row_count || toBase64(tree.root) !== release.rows_root) throw notPublished(release)
}

async function* parsed(bodies: AsyncIterable<string>): AsyncGenerator<AnyRow> {
  for await (const body of bodies) yield rowOf({ body })
}

/** Each line is exactly the bytes that were hashed. */
async function* ndjson(bodies: AsyncIterable<string>): AsyncGenerator<string> {
  for await (const body of bodies) yield `${body}\n`
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

async function* inChunks(texts: AsyncIterable<string>): AsyncGenerator<Uint8Array> {
  let parts: string[] = []
  let size = 0
  for await (const part of texts) {
    parts.push(part)
    size += part.length
    if (size < CHUNK_BYTES) continue
    yield utf8(parts.join(''))
    parts = []
    size = 0
  }
  if (size > 0) yield utf8(parts.join(''))
}
