import { MAX_LEAF_BYTES } from '../../proof/price/row.ts'
import { BundleCursor, OWN, Values, writeRow } from './bundle-cursor.ts'
import { MOST_ROWS } from './row-packer.ts'
import { BAR, MOST_KEY_PARTS, MOST_VALUES, partEnd, partStart, type RowShape } from './row-shape.ts'
import { type RowText, rowText } from './row-values.ts'
import type { Words } from './words.ts'

/** A bundle as it is stored: packed rows, and what their proofs need of the tree. */
export interface StoredBundle {
  rows: Uint8Array
  hashes: Uint8Array
}

/** Each part of a key is a value, or nothing. */
export const MOST_KEY_BYTES = MOST_KEY_PARTS * (MAX_LEAF_BYTES + 1)
/** Ours have a hundred. Rows of a few bytes can name words of kilobytes: a file from elsewhere would be gigabytes of keys. */
export const MOST_OF_A_KEY = 256
/** One value is written before it is known that the row is too long; and texts are copied four bytes at a time. */
export const ROW_ROOM = 3 * MAX_LEAF_BYTES

const room = Buffer.alloc(MOST_KEY_BYTES)
const roomText = rowText(room)

const NONE = new Uint8Array()

/** One for each file: it holds a few hundred kilobytes at most. */
const cursors = new WeakMap<Words, BundleCursor>()
const shared = new Int32Array(MOST_ROWS * MOST_VALUES)

/** A bundle of rows. Most are never wanted, so their texts are made when they are asked for. */
export class OpenBundle {
  size = 0
  hashes: Uint8Array = NONE
  /** Of each row the shape, and where the numbers of its values begin. */
  private readonly shapes: RowShape[] = []
  private readonly firsts: number[] = []
  #keys: (string | undefined)[] = []
  #bodies: (string | undefined)[] = []

  private constructor(
    private numbers: Int32Array,
    readonly values: Values,
  ) {}

  /** Throws on what is no bundle: a file from elsewhere may hold anything, and its rows are read before they are known to be good. */
  static from(stored: StoredBundle, words: Words): OpenBundle {
    const cursor = cursors.get(words) ?? new BundleCursor(words)
    cursors.set(words, cursor)
    const bundle = new OpenBundle(shared, new Values(words, stored.rows, cursor.values.places))
    const count = bundle.#read(stored, cursor)
    bundle.numbers = shared.slice(0, count)
    bundle.values.places = cursor.values.places.slice(0, 2 * cursor.own)
    for (let row = 0; row < bundle.size; row++) bundle.writeKey(row, room, 0)
    return bundle
  }

  /** Reads one bundle after the other in the same memory. Each is valid until the next one is read. Keys that are none throw when they are asked for. */
  static reader(words: Words): (stored: StoredBundle) => OpenBundle {
    const cursor = new BundleCursor(words)
    const bundle = new OpenBundle(new Int32Array(MOST_ROWS * MOST_VALUES), cursor.values)
    return (stored) => {
      bundle.#read(stored, cursor)
      return bundle
    }
  }

  /** Gives how many numbers there are. */
  #read({ rows, hashes }: StoredBundle, cursor: BundleCursor): number {
    cursor.open(rows, 0, rows.length)
    this.size = cursor.size
    this.hashes = hashes
    if (this.#keys.length > 0) this.#keys = []
    if (this.#bodies.length > 0) this.#bodies = []
    let count = 0
    for (let row = 0; row < this.size; row++) {
      const { values } = cursor.next()
      this.shapes[row] = cursor.shape
      this.firsts[row] = count
      for (let i = 0; i < values; i++) this.numbers[count++] = cursor.numbers[i] as number
    }
    return count
  }

  key(row: number): string {
    const known = this.#keys[row]
    if (known !== undefined) return known
    const key = room.toString('latin1', 0, this.writeKey(row, room, 0))
    this.#keys[row] = key
    return key
  }

  /** Writes the key of a row, and gives the place after it. There must be `MOST_KEY_BYTES` of room. Throws if it is longer than any key. */
  writeKey(row: number, out: Uint8Array, at: number): number {
    const { key, gaps } = this.shapes[row] as RowShape
    const { numbers } = this
    const { words, packed, places } = this.values
    const { starts } = words
    const first = this.firsts[row] as number
    let to = at
    for (let part = 0; part < key.length; part++) {
      if (part > 0) out[to++] = BAR
      const value = key[part] as number
      const number = numbers[first + value] as number
      const isWord = number < OWN
      const from = isWord ? words.room : packed
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
  write(row: number, out: RowText, at: number): number {
    return writeRow(this.values, this.shapes[row] as RowShape, this.numbers, this.firsts[row] as number, out, at)
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
