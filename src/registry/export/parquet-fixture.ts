import { gunzipSync } from 'node:zlib'

// A reader of Parquet files for tests, written from the format's description and not from the writer.

type Struct = Map<number, unknown>

class Reader {
  constructor(
    readonly bytes: Buffer,
    public at = 0,
  ) {}

  byte(): number {
    return this.bytes.readUInt8(this.at++)
  }

  varint(): bigint {
    let value = 0n
    for (let shift = 0n; ; shift += 7n) {
      const byte = this.byte()
      value |= BigInt(byte & 127) << shift
      if (byte < 128) return value
    }
  }

  zigzag(): number {
    const raw = this.varint()
    return Number((raw >> 1n) ^ -(raw & 1n))
  }

  value(type: number): unknown {
    switch (type) {
      case 5:
      case 6:
        return this.zigzag()
      case 8: {
        const length = Number(this.varint())
        this.at += length
        return this.bytes.toString('utf8', this.at - length, this.at)
      }
      case 9: {
        const header = this.byte()
        const size = header >> 4 === 15 ? Number(this.varint()) : header >> 4
        return Array.from({ length: size }, () => this.value(header & 15))
      }
      case 12:
        return this.struct()
      default:
        throw new Error(`a thrift type this reader does not know: ${type}`)
    }
  }

  struct(): Struct {
    const fields: Struct = new Map()
    for (let id = 0; ; ) {
      const header = this.byte()
      if (header === 0) return fields
      id = header >> 4 === 0 ? this.zigzag() : id + (header >> 4)
      fields.set(id, this.value(header & 15))
    }
  }
}

export interface ParquetFile {
  rows: number
  groups: number
  columns: { name: string; physical: number; converted: number; optional: boolean; scale: number | undefined }[]
  facts: Record<string, string>
  cells: Record<string, string | null>[]
}

export function readParquet(file: Uint8Array): ParquetFile {
  const bytes = Buffer.from(file)
  if (bytes.toString('latin1', 0, 4) !== 'PAR1' || bytes.toString('latin1', bytes.length - 4) !== 'PAR1')
    throw new Error('no Parquet file')
  const footerLength = bytes.readUInt32LE(bytes.length - 8)
  const meta = new Reader(bytes, bytes.length - 8 - footerLength).struct()
  const [root, ...elements] = meta.get(2) as Struct[]
  if (root?.get(5) !== elements.length) throw new Error('the root does not count its columns')
  const columns = elements.map((element) => ({
    name: element.get(4) as string,
    physical: element.get(1) as number,
    converted: element.get(6) as number,
    optional: element.get(3) === 1,
    scale: element.get(7) as number | undefined,
  }))
  const groups = meta.get(4) as Struct[]
  const cells = groups.flatMap((group) => {
    const chunks = (group.get(1) as Struct[]).map((chunk, i) =>
      readChunk(bytes, chunk.get(3) as Struct, columns[i] as ParquetFile['columns'][number]),
    )
    return Array.from({ length: group.get(3) as number }, (_, row) =>
      Object.fromEntries(columns.map(({ name }, i) => [name, chunks[i]?.[row] ?? null])),
    )
  })
  const facts = Object.fromEntries((meta.get(5) as Struct[]).map((fact) => [fact.get(1), fact.get(2)]))
  return { rows: meta.get(3) as number, groups: groups.length, columns, facts, cells }
}

function readChunk(
  bytes: Buffer,
  meta: Struct,
  { name, physical, converted, optional }: ParquetFile['columns'][number],
): (string | null)[] {
  const [path] = meta.get(3) as string[]
  if (path !== name || meta.get(1) !== physical || meta.get(4) !== 2) throw new Error('a chunk of another column')
  const reader = new Reader(bytes, meta.get(9) as number)
  const header = reader.struct()
  const [plainSize, storedSize] = [header.get(2) as number, header.get(3) as number]
  const count = (header.get(5) as Struct).get(1) as number
  if (reader.at + storedSize !== (meta.get(9) as number) + (meta.get(7) as number)) throw new Error('sizes disagree')
  const page = new Reader(gunzipSync(bytes.subarray(reader.at, reader.at + storedSize)))
  if (page.bytes.length !== plainSize || count !== meta.get(5)) throw new Error('sizes disagree')
  const present = optional ? levels(page, count) : Array.from({ length: count }, () => true)
  const values = present.map((there) => (there ? plainValue(page, physical, converted) : null))
  if (page.at !== page.bytes.length) throw new Error('values are left over')
  return values
}

function levels(page: Reader, count: number): boolean[] {
  const end = page.bytes.readUInt32LE(page.at) + 4
  page.at += 4
  const present: boolean[] = []
  while (page.at < end) {
    const header = Number(page.varint())
    if (header % 2 === 1) throw new Error('bit-packed runs are not read here')
    const there = page.byte() === 1
    for (let i = 0; i < header / 2; i++) present.push(there)
  }
  if (present.length !== count) throw new Error('levels and values disagree')
  return present
}

function plainValue(page: Reader, physical: number, converted: number): string {
  const { bytes, at } = page
  if (physical === 6) {
    const length = bytes.readUInt32LE(at)
    page.at += 4 + length
    return bytes.toString('utf8', at + 4, page.at)
  }
  if (physical === 1 && converted === 6) {
    page.at += 4
    return new Date(bytes.readInt32LE(at) * 86_400_000).toISOString().slice(0, 10)
  }
  page.at += 8
  // Rows have as many of the four decimals as they need, and two at least.
  return String(bytes.readBigInt64LE(at))
    .padStart(5, '0')
    .replace(/....$/, '.$&')
    .replace(/0{1,2}$/, '')
}
