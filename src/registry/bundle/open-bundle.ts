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
import { BAR, MOST_KEY_PARTS, MOST_VALUES, partEnd, partStart, type RowShape, readShape } from './row-shape.ts'
import { type RowText, rowText } from './row-values.ts'
import type { Words } from './words.ts'

/** A bundle as it is stored: packed rows, and what their proofs need of the tree. */
export interface StoredBundle {
  rows: Uint8Array
  hashes: Uint8Array
}

/** Numbers of values from here on are those of the bundle itself. */
export const OWN = 2 ** 20
/** Each part of a key is a value, or nothing. */
export const MOST_KEY_BYTES = MOST_KEY_PARTS * (MAX_LEAF_BYTES + 1)
/** Ours have a hundred. Rows of a few bytes can name words of kilobytes: a file from elsewhere would be gigabytes of keys. */
export const MOST_OF_A_KEY = 256
/** One value is written before it is known that the row is too long; and texts are copied four bytes at a time. */
export const ROW_ROOM = 3 * MAX_LEAF_BYTES

const newNumbers = (): Int32Array => new Int32Array(MOST_ROWS * MOST_VALUES)
const newPlaces = (): Int32Array => new Int32Array(2 * MOST_OWN_VALUES)
const shared = { numbers: newNumbers(), places: newPlaces() }
const room = Buffer.alloc(MOST_KEY_BYTES)
const roomText = rowText(room)

const NONE = new Uint8Array()

/** A bundle of rows. A lookup wants one of them, so the texts of the others are never made, and those after it are not read. */
export class OpenBundle {
  size = 0
  hashes: Uint8Array = NONE
  packed: Uint8Array = NONE
  /** Of each row that was read the shape, and where the numbers of its values begin. */
  private readonly shapes: RowShape[] = []
  private readonly firsts: number[] = []
  #ownShapes: RowShape[] = []
  /** How many rows were read, and up to where; how many numbers they have, and how many values of the bundle itself there were. */
  #rows = 0
  #at = 0
  #count = 0
  #own = 0
  #keys: (string | undefined)[] = []
  #bodies: (string | undefined)[] = []

  private constructor(
    readonly words: Words,
    public numbers: Int32Array,
    /** Where the values of the bundle itself begin and end. */
    public places: Int32Array,
  ) {}

  /** Throws on what is no bundle: a file from elsewhere may hold anything, and its rows are read before they are known to be good. */
  static from(stored: StoredBundle, words: Words): OpenBundle {
    const bundle = new OpenBundle(words, shared.numbers, shared.places)
    bundle.#open(stored)
    bundle.#readUpTo(bundle.size)
    bundle.numbers = shared.numbers.slice(0, bundle.#count)
    bundle.places = shared.places.slice(0, 2 * bundle.#own)
    for (let row = 0; row < bundle.size; row++) bundle.writeKey(row, room, 0)
    return bundle
  }

  /**
   * Reads one bundle after the other in the same memory. Each is valid until the next one is read. Rows are read when they are
   * asked for, with those before them; rows and keys that are none throw then.
   */
  static reader(words: Words): (stored: StoredBundle) => OpenBundle {
    const bundle = new OpenBundle(words, newNumbers(), newPlaces())
    return (stored) => {
      bundle.#open(stored)
      return bundle
    }
  }

  #open({ rows: packed, hashes }: StoredBundle): void {
    const rows = packed[0] ?? 0
    if (rows < 1 || rows > MOST_ROWS) throw new RangeError('a bundle has no rows or too many')
    this.size = rows
    this.packed = packed
    this.hashes = hashes
    this.#rows = this.#count = this.#own = 0
    this.#at = 1
    if (this.#ownShapes.length > 0) this.#ownShapes = []
    if (this.#keys.length > 0) this.#keys = []
    if (this.#bodies.length > 0) this.#bodies = []
  }

  /** Reads all rows before this one that were not read yet. */
  #readUpTo(end: number): void {
    const { shapes, firsts, numbers, places, packed } = this
    const { count, shapes: sharedShapes } = this.words
    let at = this.#at
    let to = this.#count
    let own = this.#own
    for (let row = this.#rows; row < end; row++) {
      const code = packed[at++] as number
      let shape = code < NEW_SHAPE ? sharedShapes[code] : undefined
      if (code === OWN_SHAPE) shape = this.#ownShapes[packed[at++] as number]
      else if (code === NEW_SHAPE) {
        const from = new ByteReader(packed, at)
        shape = readShape(from)
        this.#ownShapes.push(shape)
        at = from.at
      }
      if (!shape) throw new RangeError('a row has a shape that is not there')
      const { values } = shape
      let like = row - 1
      while (like >= 0 && shapes[like] !== shape) like--
      shapes[row] = shape
      firsts[row] = to
      let bits = 0
      let bitsAt = at
      let before = 0
      if (like >= 0) {
        before = firsts[like] as number
        at += (values + 7) >> 3
      }
      for (let i = 0; i < values; i++) {
        if (like >= 0) {
          if ((i & 7) === 0) bits = packed[bitsAt++] as number
          if (((bits >> (i & 7)) & 1) === 0) {
            numbers[to++] = numbers[before + i] as number
            continue
          }
        }
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
        numbers[to++] = number
      }
    }
    this.#rows = end
    this.#at = at
    this.#count = to
    this.#own = own
    if (at > packed.length || (end === this.size && at < packed.length))
      throw new RangeError('a bundle is cut short or too long')
  }

  /** Reads a row, if it was not read yet. */
  #reach(row: number): void {
    if (row >= this.#rows) this.#readUpTo(row + 1)
  }

  key(row: number): string {
    const known = this.#keys[row]
    if (known !== undefined) return known
    const key = room.toString('latin1', 0, this.writeKey(row, room, 0))
    this.#keys[row] = key
    return key
  }

  /** Whether the key of a row that was published can be no other than its own. */
  hasOwnKey(row: number): boolean {
    this.#reach(row)
    return this.shapes[row]?.hasOwnKey === true
  }

  /** The number of the value that is a part of the key of a row. */
  numberOf(row: number, part: number): number {
    this.#reach(row)
    const { key } = this.shapes[row] as RowShape
    return this.numbers[(this.firsts[row] as number) + (key[part] as number)] as number
  }

  /** Writes the key of a row, and gives the place after it. There must be `MOST_KEY_BYTES` of room. Throws if it is longer than any key. */
  writeKey(row: number, out: Uint8Array, at: number): number {
    this.#reach(row)
    const { key, gaps } = this.shapes[row] as RowShape
    const { numbers, places } = this
    const { starts } = this.words
    const first = this.firsts[row] as number
    let to = at
    for (let part = 0; part < key.length; part++) {
      if (part > 0) out[to++] = BAR
      const value = key[part] as number
      const number = numbers[first + value] as number
      const isWord = number < OWN
      const from = isWord ? this.words.room : this.packed
      const place = 2 * (number - OWN)
      let start = (isWord ? starts[number] : places[place]) as number
      let end = (isWord ? starts[number + 1] : places[place + 1]) as number
      if (value < gaps) {
        const mark = from[start]
        start = partStart(mark, start, end)
        end = partEnd(mark, end)
      }
      while (start < end) out[to++] = from[start++] as number
      if (to - at > MOST_OF_A_KEY) throw new RangeError('a key is too long')
    }
    return to
  }

  /** Writes the text of a row, and gives the place after it. There must be `ROW_ROOM` bytes. Throws if it is longer than any row. */
  write(row: number, { bytes, view: out }: RowText, at: number): number {
    this.#reach(row)
    const { view: pieces, ends, gaps } = this.shapes[row] as RowShape
    const { numbers, places, packed } = this
    const { starts, view: words } = this.words
    const first = this.firsts[row] as number
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

  body(row: number): string {
    const known = this.#bodies[row]
    if (known !== undefined) return known
    const body = room.toString('utf8', 0, this.write(row, roomText, 0))
    this.#bodies[row] = body
    return body
  }

  /** Whether a text lies between its first key and its last. */
  covers(text: string): boolean {
    return this.key(0) <= text && text <= this.key(this.size - 1)
  }

  /** How many of its keys are before a text. */
  placeOf(text: string): number {
    return placeIn(this.size, (at) => this.compareKey(at, text) < 0)
  }

  /** Below zero if the key of a row is before a text, and zero if it is this text. No text is made of the key. */
  compareKey(row: number, text: string): number {
    const size = this.writeKey(row, room, 0)
    for (let i = 0; i < size && i < text.length; i++) {
      const difference = (room[i] as number) - text.charCodeAt(i)
      if (difference !== 0) return difference
    }
    return size - text.length
  }
}

/** Of some keys, which are in order: how many are before a text. */
export function placeIn(count: number, isBefore: (place: number) => boolean): number {
  let [from, to] = [0, count]
  while (from < to) {
    const middle = (from + to) >> 1
    if (isBefore(middle)) from = middle + 1
    else to = middle
  }
  return from
}
