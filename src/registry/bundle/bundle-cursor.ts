import { MAX_LEAF_BYTES } from '../../proof/price/row.ts'
import { ByteReader } from './byte-stream.ts'
import {
  LONG_OWN,
  LONG_WORD,
  MOST_OWN_VALUES,
  MOST_ROWS,
  NEW_SHAPE,
  NEW_VALUE,
  OWN_SHAPE,
  OWN_VALUE,
} from './row-packer.ts'
import { MOST_VALUES, type RowShape, readShape, shapeFrom } from './row-shape.ts'
import type { RowText } from './row-values.ts'
import type { Words } from './words.ts'

/** Numbers of values from here on are those of the bundle itself. */
export const OWN = 2 ** 20

const NONE = new Uint8Array()
const EMPTY = shapeFrom(NONE, [0], [])

/**
 * Reads the rows of bundles one after the other. A row says what differs from the last one of its shape, so of each shape the
 * values of the last row are held, and most of them stay as they are. Bytes from elsewhere may hold anything: it throws on
 * what is no bundle.
 */
export class BundleCursor {
  packed: Uint8Array = NONE
  /** How many rows there are, and how many were read. */
  size = 0
  read = 0
  /** Of the row that was read last: its shape, and the numbers of its values. Valid until the next one is read. */
  shape: RowShape = EMPTY
  numbers: Int32Array = new Int32Array(MOST_VALUES)
  /** Where the values of the bundle itself begin and end, and how many there are so far. */
  readonly places = new Int32Array(2 * MOST_OWN_VALUES)
  own = 0
  #at = 0
  /** The shapes of the release, and after them those of the bundle itself, and the values of the last row of each. */
  readonly #shapes: RowShape[]
  readonly #latest: Int32Array[] = []
  /** The bundle in which there was such a row: they are counted. */
  readonly #seenIn: number[] = []
  #bundle = 0

  constructor(readonly words: Words) {
    this.#shapes = [...words.shapes]
  }

  open(packed: Uint8Array): void {
    const rows = packed[0] ?? 0
    if (rows < 1 || rows > MOST_ROWS) throw new RangeError('a bundle has no rows or too many')
    this.packed = packed
    this.size = rows
    this.read = this.own = 0
    this.#at = 1
    this.#bundle++
    this.#shapes.length = this.words.shapes.length
  }

  /** Reads the next row, and gives its shape. */
  next(): RowShape {
    const { packed, places } = this
    const { count } = this.words
    const slot = this.#slot()
    const shape = this.#shapes[slot]
    if (!shape) throw new RangeError('a row has a shape that is not there')
    const { values } = shape
    const isFirst = this.#seenIn[slot] !== this.#bundle
    const numbers = this.#latest[slot] ?? new Int32Array(MOST_VALUES)
    if (isFirst) {
      this.#latest[slot] = numbers
      this.#seenIn[slot] = this.#bundle
    }
    let bitsAt = this.#at
    let at = isFirst ? bitsAt : bitsAt + ((values + 7) >> 3)
    let own = this.own
    for (let group = 0; group < values; group += 8) {
      let bits = isFirst ? 255 : (packed[bitsAt++] as number)
      if (values - group < 8) bits &= (1 << (values - group)) - 1
      for (; bits !== 0; bits &= bits - 1) {
        const first = packed[at++] as number
        let number = first
        if (first >= LONG_WORD) {
          if (first < OWN_VALUE) number = LONG_WORD + ((first - LONG_WORD) << 8) + (packed[at++] as number)
          else if (first === NEW_VALUE) {
            // Most are short. What is cut short is noticed at the end.
            let size = packed[at++] as number
            if (size >= 128) {
              const from = new ByteReader(packed, at - 1)
              size = from.number(MAX_LEAF_BYTES)
              at = from.at
            }
            places[2 * own] = at
            at += size
            places[2 * own + 1] = at
            number = OWN + own++
          } else if (first === LONG_OWN) {
            number = OWN + ((packed[at] as number) << 8) + (packed[at + 1] as number)
            at += 2
          } else number = OWN + first - OWN_VALUE
        }
        if (!(number < OWN ? number < count : number - OWN < own))
          throw new RangeError('a row has a value that is not there')
        numbers[group + 31 - Math.clz32(bits & -bits)] = number
      }
    }
    this.shape = shape
    this.numbers = numbers
    this.own = own
    this.#at = at
    this.read++
    if (at > packed.length || (this.read === this.size && at < packed.length))
      throw new RangeError('a bundle is cut short or too long')
    return shape
  }

  /** The number of the shape of the next row. */
  #slot(): number {
    const { packed } = this
    const code = packed[this.#at++] as number
    if (code < NEW_SHAPE) return code < this.words.shapes.length ? code : -1
    const known = this.words.shapes.length
    if (code === OWN_SHAPE) return known + (packed[this.#at++] as number)
    if (code !== NEW_SHAPE) return -1
    const from = new ByteReader(packed, this.#at)
    this.#shapes.push(readShape(from))
    this.#at = from.at
    return this.#shapes.length - 1
  }
}

/** What the numbers of values mean. */
export interface Values {
  readonly words: Words
  readonly packed: Uint8Array
  readonly places: Int32Array
}

/**
 * Writes the text of a row whose numbers begin at a place, and gives the place after it. There must be `ROW_ROOM` bytes. Throws
 * if it is longer than any row.
 */
export function writeRow(
  { words: { starts, view: words }, packed, places }: Values,
  { view: pieces, ends, gaps }: RowShape,
  numbers: Int32Array,
  first: number,
  { bytes, view: out }: RowText,
  at: number,
): number {
  let to = at
  for (let gap = 0, i = 0; ; gap++) {
    const pieceEnd = ends[gap] as number
    for (let j = i; j < pieceEnd; j += 4) out.setInt32(to + j - i, pieces.getInt32(j))
    to += pieceEnd - i
    i = pieceEnd
    if (gap === gaps) break
    const number = numbers[first + gap] as number
    if (number < OWN) {
      const end = starts[number + 1] as number
      const start = starts[number] as number
      for (let j = start; j < end; j += 4) out.setInt32(to + j - start, words.getInt32(j))
      to += end - start
    } else {
      const place = 2 * (number - OWN)
      const end = places[place + 1] as number
      for (let j = places[place] as number; j < end; j++) bytes[to++] = packed[j] as number
    }
    if (to - at > MAX_LEAF_BYTES) break
  }
  if (to - at > MAX_LEAF_BYTES) throw new RangeError('a row is too long')
  return to
}
