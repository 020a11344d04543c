// Flat tables as Parquet files, read by hyparquet. https://parquet.apache.org/docs/file-format/

import {
  type Compressors,
  type FileMetaData,
  parquetMetadata,
  parquetRead,
  type SchemaElement,
  snappyUncompress,
} from 'hyparquet'

export interface ParquetColumn {
  name: string
  type: 'text' | 'day' | 'decimal'
  optional: boolean
}

/** A text; a day, counted from 1970-01-01; an amount in ten thousandths; or null for an empty cell. */
export type ParquetValue = string | number | bigint | null

interface ParquetTable {
  names: readonly string[]
  /** Texts about the whole table from the footer, by name. If two have one name, other readers may take either. */
  facts: readonly (readonly [name: string, fact: string])[]
  /** Reads the rows, group by group. Throws if the table does not have exactly these columns, or if it is damaged. */
  rows(columns: readonly ParquetColumn[]): AsyncGenerator<readonly ParquetValue[]>
}

/** How each type is stored. Amounts have at most twelve digits before the point and at most four after it. */
const STORED = {
  text: { type: 'BYTE_ARRAY', converted_type: 'UTF8' },
  day: { type: 'INT32', converted_type: 'DATE' },
  decimal: { type: 'INT64', converted_type: 'DECIMAL', scale: 4, precision: 16 },
} as const satisfies Record<ParquetColumn['type'], Partial<SchemaElement>>

/** The schema of a file with these columns. */
export const schemaOf = (columns: readonly ParquetColumn[]): SchemaElement[] => [
  { name: 'row', num_children: columns.length },
  ...columns.map(
    ({ name, type, optional }): SchemaElement => ({
      name,
      repetition_type: optional ? 'OPTIONAL' : 'REQUIRED',
      ...STORED[type],
    }),
  ),
]

/** The most rows of a group, and the most bytes that one compressed byte becomes: a short file may claim billions. */
const MOST_ROWS = 65_536
const MOST_EXPANSION = 1_032

const MAGIC_BYTES = 4
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/**
 * Opens a table in which no reader can find anything that this one does not read: no part of the file is left over, and
 * there are no statistics, by which readers pass over rows. Throws on any other file. `gunzip` is needed for files that
 * are compressed by gzip.
 */
export function openParquet(file: Uint8Array, gunzip?: (bytes: Uint8Array, size: number) => Uint8Array): ParquetTable {
  const bytes = new Uint8Array(file).buffer
  const metadata = parquetMetadata(bytes, { geoparquet: false })
  checkLayout(metadata, bytes.byteLength)
  const compressors: Compressors = {
    SNAPPY: bounded((page, size) => {
      const plain = new Uint8Array(size)
      snappyUncompress(page, plain)
      return plain
    }),
    ...(gunzip && { GZIP: bounded(gunzip) }),
  }
  return {
    names: metadata.schema.slice(1).map(({ name }) => name),
    facts: (metadata.key_value_metadata ?? []).map(({ key, value = '' }) => [key, value]),
    async *rows(columns) {
      must(isSameSchema(metadata.schema, schemaOf(columns)), 'other columns')
      let start = 0
      for (const { num_rows } of metadata.row_groups) {
        const end = start + Number(num_rows)
        let group: ParquetValue[][] = []
        await parquetRead({
          file: bytes,
          // Days and amounts are read as the whole numbers that are stored: as a floating point number an amount is not exact.
          metadata: { ...metadata, schema: metadata.schema.map(asStored) },
          rowStart: start,
          rowEnd: end,
          compressors,
          parsers: { stringFromBytes: (text) => text && decoder.decode(text) },
          onComplete: (rows) => {
            group = rows
          },
        })
        must(group.length === end - start, 'rows are missing')
        for (const row of group) yield row.map((value) => value ?? null)
        start = end
      }
    },
  }
}

function must(holds: boolean, problem: string): asserts holds {
  if (!holds) throw new RangeError(`not a table of this form: ${problem}`)
}

const bounded =
  (decompress: (page: Uint8Array, size: number) => Uint8Array) =>
  (page: Uint8Array, size: number): Uint8Array => {
    must(size <= page.length * MOST_EXPANSION, 'a page claims to be too large')
    return size === 0 ? new Uint8Array() : decompress(page, size)
  }

const asStored = ({ converted_type, ...element }: SchemaElement): SchemaElement =>
  converted_type === 'UTF8' ? { ...element, converted_type } : element

/** With another scale, another reader would show ten thousand times the amount. */
const isSameSchema = (stated: readonly SchemaElement[], expected: readonly SchemaElement[]): boolean =>
  stated.length === expected.length &&
  stated.every((element, i) => isSameElement(element, expected[i] as SchemaElement))

function isSameElement(stated: SchemaElement, expected: SchemaElement): boolean {
  const names = new Set([...Object.keys(stated), ...Object.keys(expected)]) as Set<keyof SchemaElement>
  return [...names].every((name) => stated[name] === expected[name])
}

/** Checks that the columns follow one another without a gap from the first byte to the footer, and are not described twice. */
function checkLayout({ row_groups, num_rows, metadata_length, schema }: FileMetaData, fileBytes: number): void {
  let at = MAGIC_BYTES
  let rows = 0
  for (const group of row_groups) {
    must(group.columns.length === schema.length - 1, 'a group lacks a column')
    must(group.num_rows <= MOST_ROWS, 'a group has too many rows')
    rows += Number(group.num_rows)
    for (const [i, { meta_data: chunk, ...rest }] of group.columns.entries()) {
      const from = Number(chunk?.dictionary_page_offset ?? chunk?.data_page_offset)
      must(chunk !== undefined && from === at, 'a gap between columns')
      const { name, type } = schema[i + 1] as SchemaElement
      must(chunk.path_in_schema.join('.') === name && chunk.type === type, 'a column in another place')
      must(chunk.num_values === group.num_rows, 'a column of another length')
      must(!chunk.statistics && !chunk.bloom_filter_offset && !chunk.index_page_offset, 'statistics')
      must(!rest.column_index_offset && !rest.offset_index_offset && !rest.file_path, 'an index')
      at += Number(chunk.total_compressed_size)
    }
  }
  must(rows === Number(num_rows), 'the groups have other rows')
  must(at + metadata_length + 2 * MAGIC_BYTES === fileBytes, 'bytes that belong to no column')
}
