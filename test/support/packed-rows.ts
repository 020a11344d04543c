import type { Database } from 'bun:sqlite'

// The rows of a release file, read as docs/store.md says and with nothing of ours: what a stranger would write.

interface Shape {
  pieces: Uint8Array[]
  /** For each part of the key the number of a value. */
  key: number[]
  values: number
}

export interface PackedRow {
  key: string
  body: string
}

class Bytes {
  at = 0
  constructor(readonly all: Uint8Array) {}

  byte(): number {
    const byte = this.all[this.at++]
    if (byte === undefined) throw new Error('it ends too early')
    return byte
  }

  number(): number {
    const byte = this.byte()
    return byte < 128 ? byte : (byte & 127) + 128 * this.number()
  }

  text(): Uint8Array {
    const size = this.number()
    this.at += size
    return this.all.subarray(this.at - size, this.at)
  }

  times<T>(count: number, read: () => T): T[] {
    return Array.from({ length: count }, read)
  }

  toEnd<T>(read: () => T): T[] {
    const found: T[] = []
    while (this.at < this.all.length) found.push(read())
    return found
  }
}

function shapeIn(bytes: Bytes): Shape {
  const gaps = bytes.number()
  const pieces = bytes.times(gaps + 1, () => bytes.text())
  const key = bytes.times(bytes.number(), () => bytes.number())
  return { pieces, key, values: Math.max(gaps, ...key.map((value) => value + 1)) }
}

export function packedRows(file: Database): PackedRow[] {
  const word = file.query<{ shapes: Uint8Array; words: Uint8Array }, []>('SELECT shapes, words FROM word').get()
  const shapes = new Bytes(word?.shapes ?? new Uint8Array())
  const words = new Bytes(word?.words ?? new Uint8Array())
  const known = { shapes: shapes.toEnd(() => shapeIn(shapes)), words: words.toEnd(() => words.text()) }
  const bundles = file.query<{ rows: Uint8Array }, []>('SELECT rows FROM bundle ORDER BY n').all()
  return bundles.flatMap(({ rows }) => rowsIn(new Bytes(rows), known))
}

function rowsIn(bytes: Bytes, known: { shapes: Shape[]; words: Uint8Array[] }): PackedRow[] {
  const shapes: Shape[] = []
  const values: Uint8Array[] = []
  const latest = new Map<Shape, Uint8Array[]>()
  const shapeOf = (first: number): Shape => {
    if (first === 250) shapes.push(shapeIn(bytes))
    const shape = first < 250 ? known.shapes[first] : first === 250 ? shapes.at(-1) : shapes[bytes.byte()]
    if (!shape) throw new Error('there is no such shape')
    return shape
  }
  const value = (): Uint8Array => {
    const first = bytes.byte()
    if (first === 254) values.push(bytes.text())
    const found =
      first < 128
        ? known.words[first]
        : first < 192
          ? known.words[128 + 256 * (first - 128) + bytes.byte()]
          : first < 254
            ? values[first - 192]
            : first === 254
              ? values.at(-1)
              : values[256 * bytes.byte() + bytes.byte()]
    if (!found) throw new Error('there is no such value')
    return found
  }
  const rows = bytes.times(bytes.byte(), () => {
    const shape = shapeOf(bytes.byte())
    const before = latest.get(shape)
    const bits = bytes.times(before ? Math.ceil(shape.values / 8) : 0, () => bytes.byte())
    const own = Array.from({ length: shape.values }, (_, i) => {
      const isSame = before !== undefined && (((bits[i >> 3] as number) >> (i & 7)) & 1) === 0
      return isSame ? (before[i] as Uint8Array) : value()
    })
    latest.set(shape, own)
    return textOf(shape, own)
  })
  if (bytes.at !== bytes.all.length) throw new Error('there is more than its rows')
  return rows
}

function textOf({ pieces, key }: Shape, values: readonly Uint8Array[]): PackedRow {
  const gaps = pieces.length - 1
  const body = Buffer.concat(pieces.flatMap((piece, i) => (i < gaps ? [piece, values[i] as Uint8Array] : [piece])))
  const parts = key.map((number) => {
    const text = Buffer.from(values[number] as Uint8Array).toString('latin1')
    if (number >= gaps) return text
    return text.startsWith('n') ? '' : text.startsWith('"') ? text.slice(1, -1) : text
  })
  return { key: parts.join('|'), body: body.toString('utf8') }
}
