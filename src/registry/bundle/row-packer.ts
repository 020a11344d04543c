import { MAX_LEAF_BYTES } from '../../proof/price/row.ts'
import { ByteWriter } from './byte-stream.ts'
import { ByteTable, hashOf } from './byte-table.ts'
import { MOST_VALUES, type RowShape, type RowSpan, shapeOf, writeShape } from './row-shape.ts'
import { fits, fitsAs, newValues, type RowText, type RowValues } from './row-values.ts'
import { MOST_SHAPES, type NewWords } from './words.ts'

// A packed bundle is the number of its rows, and then row after row: the number of a shape, and its values. Of a shape that an
// earlier row of the bundle has, there are only those values that differ from the ones of the last such row, after one bit
// for each value that says so. So nothing has to be unpacked to read it: a row is put together of words that are in memory.
//
//   shape    0 to 249  of the release    250  a new one of the bundle itself, which follows    251 n  the n-th of these
//   value    0 to 127  a word            128 to 191, n  a word from the 128th on
//            192 to 253  one of the bundle itself, from the first on    254  a new one: its size and its bytes
//            255, n, n  one of the bundle itself

export const MOST_ROWS = 16
export const [NEW_SHAPE, OWN_SHAPE] = [MOST_SHAPES, MOST_SHAPES + 1]
export const [LONG_WORD, OWN_VALUE, NEW_VALUE, LONG_OWN] = [128, 192, 254, 255]

export const MOST_OWN_VALUES = MOST_ROWS * MOST_VALUES
const MOST_OWN_BYTES = 2 ** 24

/** Packs bundle after bundle, always in the same memory. */
export class RowPacker {
  readonly #out = new ByteWriter()
  readonly #own = new ByteTable(MOST_OWN_VALUES, MOST_OWN_BYTES)
  readonly #values: RowValues[] = Array.from({ length: MOST_ROWS }, newValues)
  /** The shapes of the bundle itself, and of each of its rows the number: those of the release come first. */
  #ownShapes: RowShape[] = []
  readonly #numbers = new Int32Array(MOST_ROWS)
  #latest = 0

  pack(words: NewWords, text: RowText, rows: readonly RowSpan[]): Uint8Array {
    if (rows.length > MOST_ROWS) throw new Error('a bundle has too many rows')
    this.#own.clear()
    this.#ownShapes = []
    this.#out.at = 0
    this.#out.number(rows.length)
    for (let i = 0; i < rows.length; i++) {
      const known = this.#ownShapes.length
      const row = rows[i] as RowSpan
      if (row.end - row.start > MAX_LEAF_BYTES) throw new Error('a row is longer than any that can be proved')
      const number = this.#shapeFor(words, text, rows, i)
      this.#writeNumber(number, known)
      this.#numbers[i] = number
      this.#latest = number
      const { values } = this.#shapeAt(words, number) as RowShape
      this.#writeValues(words, text.bytes, values, this.#values[i] as RowValues, this.#like(number, i) >= 0)
    }
    return this.#out.bytes()
  }

  #shapeAt(words: NewWords, number: number): RowShape | undefined {
    return number < MOST_SHAPES ? words.shapes[number] : this.#ownShapes[number - MOST_SHAPES]
  }

  /** The last of the first rows that has a shape; -1 if none has it. */
  #like(number: number, rows: number): number {
    for (let i = rows - 1; i >= 0; i--) if (this.#numbers[i] === number) return i
    return -1
  }

  /** The number of the shape of a row. The shapes of the bundle itself are numbered behind those of the release. */
  #shapeFor(words: NewWords, text: RowText, rows: readonly RowSpan[], at: number): number {
    const row = rows[at] as RowSpan
    const values = this.#values[at] as RowValues
    const isOne = (shape: RowShape | undefined, number: number): boolean => {
      if (!shape) return false
      const like = this.#like(number, at)
      return like < 0
        ? fits(shape, text, row, values)
        : fitsAs(shape, text, row, values, this.#values[like] as RowValues, rows[like] as RowSpan)
    }
    if (isOne(this.#shapeAt(words, this.#latest), this.#latest)) return this.#latest
    const shared = words.shapes.findIndex(isOne)
    if (shared >= 0) return shared
    const own = this.#ownShapes.findIndex((shape, i) => isOne(shape, MOST_SHAPES + i))
    if (own >= 0) return MOST_SHAPES + own
    const number = MOST_SHAPES + this.#ownShapes.push(shapeOf(text.bytes, row)) - 1
    if (!isOne(this.#ownShapes.at(-1), number)) throw new Error('a row does not have its own shape')
    return number
  }

  /** `known` is how many shapes of its own the bundle had before. */
  #writeNumber(number: number, known: number): void {
    const out = this.#out
    out.reserve(2)
    const own = number - MOST_SHAPES
    out.room[out.at++] = own < 0 ? number : own < known ? OWN_SHAPE : NEW_SHAPE
    if (own >= known) writeShape(out, this.#ownShapes[own] as RowShape)
    else if (own >= 0) out.room[out.at++] = own
  }

  #writeValues(
    words: NewWords,
    text: Uint8Array,
    count: number,
    { starts, ends, differs }: RowValues,
    isLike: boolean,
  ): void {
    const out = this.#out
    const bits = isLike ? (count + 7) >> 3 : 0
    // None takes more, but for a new one, which makes room for itself.
    out.reserve(bits + 3 * count)
    const bitsAt = out.at
    for (let i = 0; i < bits; i++) out.room[out.at++] = 0
    for (let i = 0; i < count; i++) {
      if (isLike) {
        if (differs[i] === 0) continue
        const place = bitsAt + (i >> 3)
        out.room[place] = (out.room[place] as number) | (1 << (i & 7))
      }
      this.#writeValue(words, text, starts[i] as number, ends[i] as number)
    }
  }

  #writeValue(words: NewWords, text: Uint8Array, start: number, end: number): void {
    const out = this.#out
    const hash = hashOf(text, start, end)
    const word = words.find(text, start, end, hash)
    out.reserve(3)
    if (word >= 0) {
      if (word >= LONG_WORD) out.room[out.at++] = LONG_WORD + ((word - LONG_WORD) >> 8)
      out.room[out.at++] = word < LONG_WORD ? word : (word - LONG_WORD) & 255
      return
    }
    const own = this.#own.find(text, start, end, hash)
    if (own < 0) {
      this.#own.add(text, start, end, hash)
      out.room[out.at++] = NEW_VALUE
      out.text(text, start, end)
    } else if (own < NEW_VALUE - OWN_VALUE) out.room[out.at++] = OWN_VALUE + own
    else {
      out.room[out.at++] = LONG_OWN
      out.room[out.at++] = own >> 8
      out.room[out.at++] = own & 255
    }
  }
}
