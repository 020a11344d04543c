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

/** Numbers of shapes from here on are those of the bundle itself. */
const FIRST_OWN_SHAPE = NEW_SHAPE

/** What the numbers of values mean. One class for all who read bundles: what the engine compiles for one does for the others. */
export class Values {
  constructor(
    readonly words: Words,
    public packed: Uint8Array,
    /** Where the values of the bundle itself begin and end. */
    public places: Int32Array,
  ) {}
}

const NONE = new Uint8Array()
const NO_NUMBERS: Int32Array = new Int32Array()
const EMPTY = shapeFrom(NONE, [0], [])
const latin1 = (bytes: Uint8Array, from?: number, to?: number): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1', from, to)

/**
 * Reads the rows of bundles one after the other. A row says what differs from the last one of its shape, so of each shape the
 * values of the last row are held, and most of them stay as they are. Bytes from elsewhere may hold anything: it throws on
 * what is no bundle.
 */
export class BundleCursor {
  readonly values: Values
  /** How many rows there are, and how many were read. */
  size = 0
  read = 0
  /** Of the row that was read last: its shape, and the numbers of its values. Valid until the next one is read. */
  shape: RowShape = EMPTY
  numbers: Int32Array = NO_NUMBERS
  /** How many values of the bundle itself there are so far. */
  own = 0
  #at = 0
  #end = 0
  #ownShapes: RowShape[] = []
  /** By the number of a shape, those of the bundle itself after those of the release: the values of its last row. */
  readonly #latest = Array.from({ length: FIRST_OWN_SHAPE + MOST_ROWS }, () => NO_NUMBERS)
  /** 1 where the bundle had such a row. */
  readonly #isHere = new Uint8Array(FIRST_OWN_SHAPE + MOST_ROWS)

  constructor(words: Words) {
    this.values = new Values(words, NONE, new Int32Array(2 * MOST_OWN_VALUES))
  }

  /** A bundle stands between these places. */
  open(packed: Uint8Array, from: number, end: number): void {
    const rows = packed[from] ?? 0
    if (rows < 1 || rows > MOST_ROWS) throw new RangeError('a bundle has no rows or too many')
    this.values.packed = packed
    this.size = rows
    this.read = this.own = 0
    this.#at = from + 1
    this.#end = end
    this.#isHere.fill(0)
    if (this.#ownShapes.length > 0) this.#ownShapes = []
  }

  /** Reads the next row, and gives its shape. */
  next(): RowShape {
    const { words, packed, places } = this.values
    const { count } = words
    const number = this.#shapeNumber(packed)
    const shape = number < FIRST_OWN_SHAPE ? words.shapes[number] : this.#ownShapes[number - FIRST_OWN_SHAPE]
    if (!shape) throw new RangeError('a row has a shape that is not there')
    const { values } = shape
    const isFirst = this.#isHere[number] === 0
    this.#isHere[number] = 1
    if (this.#latest[number] === NO_NUMBERS) this.#latest[number] = new Int32Array(MOST_VALUES)
    const numbers = this.#latest[number] as Int32Array
    let bitsAt = this.#at
    let at = isFirst ? bitsAt : bitsAt + ((values + 7) >> 3)
    let own = this.own
    for (let group = 0; group < values; group += 8) {
      let bits = isFirst ? 255 : (packed[bitsAt++] as number)
      if (values - group < 8) bits &= (1 << (values - group)) - 1
      for (; bits !== 0; bits &= bits - 1) {
        const first = packed[at++] as number
        let value = first
        if (first >= LONG_WORD) {
          if (first < OWN_VALUE) value = LONG_WORD + ((first - LONG_WORD) << 8) + (packed[at++] as number)
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
            value = OWN + own++
          } else if (first === LONG_OWN) {
            value = OWN + ((packed[at] as number) << 8) + (packed[at + 1] as number)
            at += 2
          } else value = OWN + first - OWN_VALUE
        }
        if (!(value < OWN ? value < count : value - OWN < own))
          throw new RangeError('a row has a value that is not there')
        numbers[group + 31 - Math.clz32(bits & -bits)] = value
      }
    }
    this.shape = shape
    this.numbers = numbers
    this.own = own
    this.#at = at
    this.read++
    // Of a bundle that ends where a size should stand, the place is no number.
    if (!(at <= this.#end) || (this.read === this.size && at < this.#end))
      throw new RangeError('a bundle is cut short or too long')
    return shape
  }

  /** The value at a place of the row that was read last, as it is written in the row. */
  text(value: number): string {
    const { words, packed, places } = this.values
    const number = this.numbers[value] as number
    if (number < OWN) return latin1(words.room, words.starts[number], words.starts[number + 1])
    const place = 2 * (number - OWN)
    return latin1(packed, places[place], places[place + 1])
  }

  /** The number of the shape of the next row. */
  #shapeNumber(packed: Uint8Array): number {
    const code = packed[this.#at++] as number
    if (code < NEW_SHAPE) return code
    if (code === OWN_SHAPE) return FIRST_OWN_SHAPE + (packed[this.#at++] as number)
    if (code !== NEW_SHAPE) throw new RangeError('a row has a shape that is not there')
    const from = new ByteReader(packed, this.#at)
    const number = FIRST_OWN_SHAPE + this.#ownShapes.push(readShape(from)) - 1
    this.#at = from.at
    return number
  }
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
    for (let j = i; j < pieceEnd; j += 4) out.setInt32(to + j - i, pieces.getInt32(j, true), true)
    to += pieceEnd - i
    i = pieceEnd
    if (gap === gaps) break
    const number = numbers[first + gap] as number
    if (number < OWN) {
      const end = starts[number + 1] as number
      const start = starts[number] as number
      for (let j = start; j < end; j += 4) out.setInt32(to + j - start, words.getInt32(j, true), true)
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
