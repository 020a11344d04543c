import { gunzipSync, gzipSync } from 'node:zlib'
import { encodeStruct, int, type listOf, long, struct, text, type Value } from '../../registry/export/thrift.ts'

// A Parquet file taken apart, so that a test can change one thing of it and put the rest together as a liar would: with
// lengths and offsets that fit.

type Kind = Parameters<typeof listOf>[0]
const KINDS: Readonly<Record<number, Kind>> = { 5: 'int', 6: 'long', 8: 'text', 9: 'list', 12: 'struct' }

interface Reading {
  bytes: Buffer
  at: number
}

const byte = (from: Reading): number => from.bytes[from.at++] ?? 0
function varint(from: Reading): number {
  let value = 0
  for (let weight = 1; ; weight *= 128) {
    const next = byte(from)
    value += (next & 127) * weight
    if (next < 128) return value
  }
}

function decoded(from: Reading, kind: Kind): Value {
  if (kind === 'int' || kind === 'long') {
    const raw = varint(from)
    return { type: kind, value: raw % 2 === 0 ? raw / 2 : -(raw + 1) / 2 }
  }
  if (kind === 'text') {
    const length = varint(from)
    from.at += length
    return text(from.bytes.toString('utf8', from.at - length, from.at))
  }
  if (kind === 'struct') {
    const fields: [number, Value][] = []
    for (let id = 0, header = byte(from); header !== 0; header = byte(from)) {
      id += header >> 4
      fields.push([id, decoded(from, KINDS[header & 15] as Kind)])
    }
    return struct(...fields)
  }
  const header = byte(from)
  const size = header >> 4 === 15 ? varint(from) : header >> 4
  const of = KINDS[header & 15] as Kind
  return { type: 'list', of, items: Array.from({ length: size }, () => decoded(from, of)) }
}

/** One column of one group: the header of its page, and the page before it is packed. */
export interface Page {
  header: Value
  content: Buffer
}

export interface ParquetParts {
  pages: Page[]
  footer: Value
}

export const fieldsOf = (value: Value | undefined): (readonly [number, Value])[] =>
  value?.type === 'struct' ? [...value.fields] : []
export const fieldOf = (value: Value | undefined, id: number): Value | undefined =>
  fieldsOf(value).find(([each]) => each === id)?.[1]
export const itemsOf = (value: Value | undefined): readonly Value[] => (value?.type === 'list' ? value.items : [])
const numberOf = (value: Value | undefined): number => (value && 'value' in value ? Number(value.value) : 0)

export function partsOf(file: Buffer): ParquetParts {
  const from = { bytes: file, at: file.length - 8 - file.readUInt32LE(file.length - 8) }
  const end = from.at
  const footer = decoded(from, 'struct')
  const pages: Page[] = []
  for (const pageFrom = { bytes: file, at: 4 }; pageFrom.at < end; ) {
    const header = decoded(pageFrom, 'struct')
    const stored = numberOf(fieldOf(header, 3))
    pages.push({ header, content: gunzipSync(file.subarray(pageFrom.at, pageFrom.at + stored)) })
    pageFrom.at += stored
  }
  return { pages, footer }
}

/** The same value with another field; undefined takes it away. */
export const withField = (value: Value, id: number, field: Value | undefined): Value => {
  const others = fieldsOf(value).filter(([each]) => each !== id)
  return struct(...[...others, ...(field ? [[id, field] as const] : [])].sort(([a], [b]) => a - b))
}

/** The same value with what stands at a path changed: fields of structs and items of lists. */
export function changedAt(value: Value, [first, ...rest]: readonly number[], change: (old: Value) => Value): Value {
  if (first === undefined) return change(value)
  if (value.type === 'list')
    return { ...value, items: value.items.map((item, i) => (i === first ? changedAt(item, rest, change) : item)) }
  const field = fieldOf(value, first)
  return field ? withField(value, first, changedAt(field, rest, change)) : value
}

/** Puts the parts together. Sizes and offsets fit the pages, but for what `after` changes. */
export function fileOf({ pages, footer }: ParquetParts, after: Partial<Lies> = {}): Buffer {
  const parts: Buffer[] = [Buffer.from('PAR1')]
  const places: { offset: number; stored: number }[] = []
  let offset = 4
  for (const [i, { header, content }] of pages.entries()) {
    const packed = after.pack?.(content, i) ?? gzipSync(content)
    const sized = withField(withField(header, 2, int(content.length)), 3, int(packed.length))
    const page = Buffer.concat([encodeStruct(after.header?.(sized, i) ?? sized), packed])
    places.push({ offset, stored: page.length })
    parts.push(page)
    offset += page.length
  }
  let column = 0
  const groups = itemsOf(fieldOf(footer, 4)).map((group) =>
    changedAt(group, [1], (chunks) => ({
      ...(chunks as Extract<Value, { type: 'list' }>),
      items: itemsOf(chunks).map((chunk) => {
        const { offset, stored } = places[column++] ?? { offset: 0, stored: 0 }
        const meta = withField(withField(fieldOf(chunk, 3) ?? struct(), 7, long(stored)), 9, long(offset))
        return withField(withField(chunk, 2, long(offset)), 3, meta)
      }),
    })),
  )
  const sealed = withField(footer, 4, { type: 'list', of: 'struct', items: groups })
  const bytes = Buffer.from(encodeStruct(after.footer?.(sealed) ?? sealed))
  const length = Buffer.alloc(4)
  length.writeUInt32LE(bytes.length)
  return Buffer.concat([...parts, bytes, length, Buffer.from('PAR1')])
}

interface Lies {
  footer: (footer: Value) => Value
  header: (header: Value, page: number) => Value
  pack: (content: Buffer, page: number) => Buffer
}

/** The paths of all values inside. */
export function* pathsIn(value: Value, path: readonly number[] = []): Generator<readonly number[]> {
  yield path
  const inside = value.type === 'list' ? value.items.map((item, i) => [i, item] as const) : fieldsOf(value)
  for (const [i, each] of inside) yield* pathsIn(each, [...path, i])
}
