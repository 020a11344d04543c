// Parquet as it is exported here, and no other: a file with anything more could show other readers something else.

import { amountText } from '../price/money.ts'
import { rowTextOf } from './cells.ts'
import { type Column, columnsNamed } from './columns.ts'
import { type Struct, ThriftReader } from './thrift-reader.ts'

const MAGIC = 4
const WRITER = 'agent-trust-registry'
const PHYSICAL = { text: 6, day: 1, decimal: 2 }
const CONVERTED = { text: 0, day: 6, decimal: 5 }
const [PLAIN, RLE, GZIP, DATA_PAGE] = [0, 3, 2, 0]
const [SCALE, PRECISION] = [4, 16]
const DAY_MS = 86_400_000
/** A group is written when it has so many rows: a few bytes could speak of billions. */
const MOST_ROWS = 65_536
/** No deflated byte unpacks to more. */
const MOST_EXPANSION = 1_032

class NotOurs extends Error {}
function must(holds: boolean): asserts holds {
  if (!holds) throw new NotOurs()
}

/** A struct that has these fields, and none that we do not read. */
function only(struct: unknown, ...ids: readonly number[]): Struct {
  must(struct instanceof Map && [...struct.keys()].every((id) => ids.includes(id as number)))
  return struct
}
const listIn = (struct: Struct, id: number): readonly unknown[] => {
  const list = struct.get(id)
  must(Array.isArray(list))
  return list
}
const numberIn = (struct: Struct, id: number): number => {
  const value = struct.get(id)
  must(typeof value === 'number')
  return value
}

/** The rows of an export as Parquet, as they were hashed; undefined for what is none. */
export async function* parquetRows(bytes: Uint8Array): AsyncGenerator<string | undefined> {
  try {
    yield* rowsIn(bytes)
  } catch {
    yield undefined
  }
}

/** What the footer says about the release, in texts by their names; undefined if others could read something else. */
export function parquetFacts(bytes: Uint8Array): Readonly<Record<string, unknown>> | undefined {
  try {
    const facts = listIn(footerOf(bytes).meta, 5).map((fact) => only(fact, 1, 2))
    const names = new Set(facts.map((fact) => String(fact.get(1))))
    must(names.size === facts.length) // others may take the first of two
    return Object.fromEntries(facts.map((fact) => [String(fact.get(1)), fact.get(2)]))
  } catch {
    return undefined
  }
}

function footerOf(bytes: Uint8Array): { meta: Struct; end: number } {
  const end = bytes.length - 8 - new ThriftReader(bytes, bytes.length - 8).uint32()
  const footer = new ThriftReader(bytes, end)
  const meta = only(footer.struct(), 1, 2, 3, 4, 5, 6)
  must(end >= MAGIC && footer.at === bytes.length - 8 && meta.get(1) === 1 && meta.get(6) === WRITER)
  return { meta, end }
}

async function* rowsIn(bytes: Uint8Array): AsyncGenerator<string | undefined> {
  const { meta, end } = footerOf(bytes)
  const columns = schemaOf(listIn(meta, 2))
  let at = MAGIC
  let count = 0
  for (const each of listIn(meta, 4)) {
    const group = only(each, 1, 2, 3)
    const [chunks, rows] = [listIn(group, 1), numberIn(group, 3)]
    must(chunks.length === columns.length)
    const values: (string | null)[][] = []
    for (const [i, column] of columns.entries()) {
      const chunk = await chunkOf(bytes, chunks[i], column, at)
      must(chunk.values.length === rows)
      values.push(chunk.values)
      at = chunk.end
    }
    count += rows
    for (let row = 0; row < rows; row++)
      yield rowTextOf(
        columns,
        values.map((column) => column[row] ?? null),
      )
  }
  // No bytes between the parts.
  must(at === end && meta.get(3) === count)
}

function schemaOf([root, ...elements]: readonly unknown[]): readonly Column[] {
  must(numberIn(only(root, 4, 5), 5) === elements.length)
  const stated = elements.map((element) => only(element, 1, 3, 4, 6, 7, 8))
  const columns = columnsNamed(stated.map((element) => String(element.get(4))))
  must(columns !== undefined)
  for (const [i, { type, optional }] of columns.entries()) {
    const element = stated[i] as Struct
    must(element.get(1) === PHYSICAL[type] && element.get(6) === CONVERTED[type])
    must(element.get(3) === Number(optional))
    // Without a scale others read ten thousand times the amount.
    if (type === 'decimal') must(element.get(7) === SCALE && element.get(8) === PRECISION)
    else must(!element.has(7) && !element.has(8))
  }
  return columns
}

/** One column of a row group: one page, right after the part before it. */
async function chunkOf(bytes: Uint8Array, chunk: unknown, { name, type, optional }: Column, at: number) {
  const stated = only(chunk, 2, 3)
  const meta = only(stated.get(3), 1, 2, 3, 4, 5, 6, 7, 9)
  must(meta.get(1) === PHYSICAL[type] && meta.get(4) === GZIP && String(listIn(meta, 3)) === name)
  must(meta.get(9) === at && stated.get(2) === at)
  const reader = new ThriftReader(bytes, at)
  const header = only(reader.struct(), 1, 2, 3, 5)
  const page = only(header.get(5), 1, 2, 3, 4)
  must(header.get(1) === DATA_PAGE && page.get(2) === PLAIN && page.get(3) === RLE && page.get(4) === RLE)
  const count = numberIn(page, 1)
  must(count <= MOST_ROWS)
  const end = reader.at + numberIn(header, 3)
  must(meta.get(5) === count && at + numberIn(meta, 7) === end && end <= bytes.length)
  const plain = new ThriftReader(await unzipped(bytes.slice(reader.at, end), numberIn(header, 2)))
  const present = optional ? levels(plain, count) : Array<boolean>(count).fill(true)
  const values = present.map((isThere) => (isThere ? cellOf(plain, type) : null))
  must(plain.at === plain.bytes.length)
  return { values, end }
}

/** A page that is larger than it says is not read to its end. */
async function unzipped(stored: Uint8Array<ArrayBuffer>, size: number): Promise<Uint8Array> {
  must(size <= stored.length * MOST_EXPANSION)
  const page = new Uint8Array(size)
  let at = 0
  const stream = new Blob([stored]).stream().pipeThrough(new DecompressionStream('gzip'))
  for (const reader = stream.getReader(); ; ) {
    const { done, value } = await reader.read()
    if (done) break
    must(at + value.length <= size)
    page.set(value, at)
    at += value.length
  }
  must(at === size)
  return page
}

/** Runs of values that are there or not: a count, shifted by one, and then 0 or 1. */
function levels(page: ThriftReader, count: number): boolean[] {
  const end = page.uint32() + 4
  const present: boolean[] = []
  while (page.at < end) {
    const header = page.varint()
    const isThere = page.byte()
    must(header > 0 && header % 2 === 0 && isThere <= 1 && present.length + header / 2 <= count)
    for (let i = 0; i < header / 2; i++) present.push(isThere === 1)
  }
  must(present.length === count && page.at === end)
  return present
}

function cellOf(page: ThriftReader, type: Column['type']): string {
  if (type === 'text') return page.text(page.uint32())
  if (type === 'day') return new Date(page.int32() * DAY_MS).toISOString().slice(0, 10)
  return amountText(page.int64())
}
