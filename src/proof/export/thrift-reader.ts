// Just enough of the Thrift compact protocol to read the headers and the footer of our own Parquet files.

export type Struct = ReadonlyMap<number, unknown>

const MOST_ITEMS = 1_000_000

export class ThriftReader {
  readonly #view: DataView

  constructor(
    readonly bytes: Uint8Array,
    public at = 0,
  ) {
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  }

  byte(): number {
    return this.#view.getUint8(this.at++)
  }

  uint32(): number {
    this.at += 4
    return this.#view.getUint32(this.at - 4, true)
  }

  int32(): number {
    this.at += 4
    return this.#view.getInt32(this.at - 4, true)
  }

  int64(): bigint {
    this.at += 8
    return this.#view.getBigInt64(this.at - 8, true)
  }

  text(length: number): string {
    this.at += length
    if (this.at > this.bytes.length) throw new RangeError('a text goes past the end')
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(
      this.bytes.subarray(this.at - length, this.at),
    )
  }

  /** Safe as a number: lengths and offsets of a file. */
  varint(): number {
    let value = 0
    for (let weight = 1; weight < 2 ** 49; weight *= 128) {
      const byte = this.byte()
      value += (byte & 127) * weight
      if (byte < 128) return value
    }
    throw new RangeError('a number is too long')
  }

  zigzag(): number {
    const raw = this.varint()
    return raw % 2 === 0 ? raw / 2 : -(raw + 1) / 2
  }

  struct(depth = 0): Struct {
    const fields = new Map<number, unknown>()
    for (let id = 0; ; ) {
      const header = this.byte()
      if (header === 0) return fields
      if (header >> 4 === 0 || depth > 8) throw new RangeError('a struct that we do not write')
      id += header >> 4
      fields.set(id, this.#value(header & 15, depth))
    }
  }

  #value(type: number, depth: number): unknown {
    if (type === 5 || type === 6) return this.zigzag()
    if (type === 8) return this.text(this.varint())
    if (type === 12) return this.struct(depth + 1)
    if (type !== 9) throw new RangeError('a type that we do not write')
    const header = this.byte()
    const size = header >> 4 === 15 ? this.varint() : header >> 4
    if (size > MOST_ITEMS) throw new RangeError('a list is too long')
    return Array.from({ length: size }, () => this.#value(header & 15, depth + 1))
  }
}
