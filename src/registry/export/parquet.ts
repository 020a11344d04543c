import { gzipSync } from 'node:zlib'
import { DAY_MS } from '../../calendar.ts'
import { concat, utf8 } from '../../proof/bytes.ts'
import type { Column } from '../../proof/export/columns.ts'
import type { AnyRow } from '../../proof/price/row.ts'
import { encodeStruct, int, listOf, long, struct, text, type Value } from './thrift.ts'

// Apache Parquet, format version 1, the plain part of it: one data page per column and row group, PLAIN values,
// definition levels where a column may be empty, gzip. https://parquet.apache.org/docs/file-format/

const ROWS_PER_GROUP = 65_536
const MAGIC = utf8('PAR1')
const PHYSICAL = { text: 6, day: 1, decimal: 2 } as const // BYTE_ARRAY, INT32, INT64
const [PLAIN, RLE, GZIP, DATA_PAGE] = [0, 3, 2, 0]
/** Amounts have at most twelve digits before the point and at most four after it. */
const DECIMAL = { scale: 4, precision: 16 }

interface Chunk {
  column: Column
  offset: number
  values: number
  plainBytes: number
  storedBytes: number
}
interface Group {
  rows: number
  chunks: Chunk[]
}

/** '95.19' is 951900n. */
function scaled(decimal: string): bigint {
  const [whole = '', fraction = ''] = decimal.split('.')
  return BigInt(whole + fraction.padEnd(DECIMAL.scale, '0'))
}

/** A release as a Parquet file, in pieces. `facts` stand in the footer, as text under their names. */
export async function* parquet(
  rows: AsyncIterable<AnyRow>,
  columns: readonly Column[],
  facts: Readonly<Record<string, string>>,
): AsyncGenerator<Uint8Array> {
  yield MAGIC
  const groups: Group[] = []
  let offset = MAGIC.length
  let open = columns.map((column) => new ColumnValues(column))
  const close = function* (): Generator<Uint8Array> {
    const group: Group = { rows: open[0]?.count ?? 0, chunks: [] }
    for (const values of open) {
      const { bytes, plainBytes } = values.page()
      group.chunks.push({
        column: values.column,
        offset,
        values: values.count,
        plainBytes,
        storedBytes: bytes.length,
      })
      offset += bytes.length
      yield bytes
    }
    groups.push(group)
    open = columns.map((column) => new ColumnValues(column))
  }
  for await (const row of rows) {
    for (const values of open) values.add(row)
    if ((open[0]?.count ?? 0) >= ROWS_PER_GROUP) yield* close()
  }
  if ((open[0]?.count ?? 0) > 0) yield* close()
  const footer = encodeStruct(metadata(groups, columns, facts))
  yield concat(footer, littleEndian(footer.length), MAGIC)
}

/** One column of a row group while its rows come in. */
class ColumnValues {
  #bytes = Buffer.alloc(64 * 1024)
  #used = 0
  #present: boolean[] = []

  constructor(readonly column: Column) {}

  get count(): number {
    return this.#present.length
  }

  add(row: AnyRow): void {
    const value = this.column.value(row)
    this.#present.push(value !== null)
    if (value === null) return
    this.#reserve(value.length * 3 + 8)
    const bytes = this.#bytes
    switch (this.column.type) {
      case 'text': {
        const length = bytes.write(value, this.#used + 4)
        bytes.writeUInt32LE(length, this.#used)
        this.#used += 4 + length
        return
      }
      case 'day':
        this.#used = bytes.writeInt32LE(Date.parse(value) / DAY_MS, this.#used)
        return
      case 'decimal':
        this.#used = bytes.writeBigInt64LE(scaled(value), this.#used)
    }
  }

  #reserve(more: number): void {
    if (this.#used + more <= this.#bytes.length) return
    const larger = Buffer.alloc(Math.max(this.#bytes.length * 2, this.#used + more))
    this.#bytes.copy(larger, 0, 0, this.#used)
    this.#bytes = larger
  }

  page(): { bytes: Uint8Array; plainBytes: number } {
    const values = this.#bytes.subarray(0, this.#used)
    const plain = this.column.optional ? concat(definitionLevels(this.#present), values) : values
    const stored = gzipSync(plain)
    const header = encodeStruct(
      struct(
        [1, int(DATA_PAGE)],
        [2, int(plain.length)],
        [3, int(stored.length)],
        [5, struct([1, int(this.count)], [2, int(PLAIN)], [3, int(RLE)], [4, int(RLE)])],
      ),
    )
    return { bytes: concat(header, stored), plainBytes: header.length + plain.length }
  }
}

/** Which values are there, as runs of the same answer: a count, shifted by one, and then 0 or 1. */
function definitionLevels(present: readonly boolean[]): Uint8Array {
  const runs: number[] = []
  for (let start = 0; start < present.length; ) {
    let end = start
    while (end < present.length && present[end] === present[start]) end++
    for (let rest = (end - start) * 2; ; rest = Math.floor(rest / 128)) {
      runs.push(rest > 127 ? (rest % 128) + 128 : rest)
      if (rest <= 127) break
    }
    runs.push(present[start] ? 1 : 0)
    start = end
  }
  return concat(littleEndian(runs.length), Uint8Array.from(runs))
}

const littleEndian = (value: number): Uint8Array => {
  const bytes = new Uint8Array(4)
  new DataView(bytes.buffer).setUint32(0, value, true)
  return bytes
}

function metadata(
  groups: readonly Group[],
  columns: readonly Column[],
  facts: Readonly<Record<string, string>>,
): Value {
  return struct(
    [1, int(1)],
    [2, listOf('struct', [struct([4, text('row')], [5, int(columns.length)]), ...columns.map(schemaOf)])],
    [3, long(groups.reduce((sum, { rows }) => sum + rows, 0))],
    [4, listOf('struct', groups.map(groupOf))],
    [
      5,
      listOf(
        'struct',
        Object.entries(facts).map(([name, fact]) => struct([1, text(name)], [2, text(fact)])),
      ),
    ],
    [6, text('agent-trust-registry')],
  )
}

/** Physical type, whether it may be empty, name, and what the bytes mean: UTF8, DECIMAL or DATE. */
function schemaOf({ name, type, optional }: Column): Value {
  const common = [
    [1, int(PHYSICAL[type])],
    [3, int(optional ? 1 : 0)],
    [4, text(name)],
  ] as const
  if (type === 'text') return struct(...common, [6, int(0)])
  if (type === 'day') return struct(...common, [6, int(6)])
  return struct(...common, [6, int(5)], [7, int(DECIMAL.scale)], [8, int(DECIMAL.precision)])
}

function groupOf({ rows, chunks }: Group): Value {
  return struct(
    [1, listOf('struct', chunks.map(chunkOf))],
    [2, long(chunks.reduce((sum, { plainBytes }) => sum + plainBytes, 0))],
    [3, long(rows)],
  )
}

const chunkOf = ({ column, offset, values, plainBytes, storedBytes }: Chunk): Value =>
  struct(
    [2, long(offset)],
    [
      3,
      struct(
        [1, int(PHYSICAL[column.type])],
        [2, listOf('int', [int(PLAIN), int(RLE)])],
        [3, listOf('text', [text(column.name)])],
        [4, int(GZIP)],
        [5, long(values)],
        [6, long(plainBytes)],
        [7, long(storedBytes)],
        [9, long(offset)],
      ),
    ],
  )
