// Just enough of the Thrift compact protocol to write the headers and the footer of a Parquet file.

import { utf8 } from '../../proof/bytes.ts'

const CODES = { int: 5, long: 6, text: 8, list: 9, struct: 12 } as const

export type Value =
  | { type: 'int'; value: number }
  | { type: 'long'; value: number }
  | { type: 'text'; value: string }
  | { type: 'list'; of: keyof typeof CODES; items: readonly Value[] }
  | { type: 'struct'; fields: Fields }
/** The fields of a struct by their numbers, which must rise. */
export type Fields = readonly (readonly [id: number, value: Value])[]

export const int = (value: number): Value => ({ type: 'int', value })
export const long = (value: number): Value => ({ type: 'long', value })
export const text = (value: string): Value => ({ type: 'text', value })
export const struct = (...fields: Fields): Value => ({ type: 'struct', fields })
export const listOf = (of: keyof typeof CODES, items: readonly Value[]): Value => ({ type: 'list', of, items })

/** A struct as it stands at the top of a message. */
export function encodeStruct(value: Value): Uint8Array {
  const bytes: number[] = []
  write(bytes, value)
  return Uint8Array.from(bytes)
}

function write(to: number[], value: Value): void {
  if (value.type === 'int' || value.type === 'long') varint(to, zigzag(value.value))
  else if (value.type === 'text') {
    const encoded = utf8(value.value)
    varint(to, BigInt(encoded.length))
    for (const byte of encoded) to.push(byte)
  } else if (value.type === 'struct') writeFields(to, value.fields)
  else {
    const { items, of } = value
    to.push((Math.min(items.length, 15) << 4) | CODES[of])
    if (items.length >= 15) varint(to, BigInt(items.length))
    for (const item of items) write(to, item)
  }
}

function writeFields(to: number[], fields: Fields): void {
  let last = 0
  for (const [id, value] of fields) {
    if (id <= last || id - last > 15) throw new RangeError('fields stand in order, and close enough to be counted')
    to.push(((id - last) << 4) | CODES[value.type])
    write(to, value)
    last = id
  }
  to.push(0)
}

const zigzag = (value: number): bigint => (value < 0 ? BigInt(-value) * 2n - 1n : BigInt(value) * 2n)

function varint(to: number[], value: bigint): void {
  let rest = value
  for (; rest > 127n; rest >>= 7n) to.push(Number(rest & 127n) | 128)
  to.push(Number(rest))
}
