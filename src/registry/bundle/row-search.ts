import { KEY_PARTS } from '../../proof/price/row.ts'
import { BundleCursor, OWN, writeRow } from './bundle-cursor.ts'
import { isSame } from './byte-table.ts'
import type { PlacedBundle } from './placed-bundle.ts'
import { MOST_ROWS } from './row-packer.ts'
import { MOST_VALUES, type RowShape } from './row-shape.ts'
import type { RowText } from './row-values.ts'
import type { Words } from './words.ts'

const PARTS = KEY_PARTS.length
/** The code and the place: the rows that have these in common stand together. */
const PLACE_PARTS = 2
/** Stands for the first part of the key of a row that does not say itself what its key is. */
const OTHER_KEY = -1

/** How many numbers tell a row from others for the same code and place. */
export const MARKS = PARTS - PLACE_PARTS
/** Of rows that stand together, so many bundles are looked at. */
const MOST_BUNDLES = 3

/** Rows that stand together: which they are in their bundle, and what tells them apart. Valid until the next ones are asked. */
export interface Around {
  from: number
  to: number
  /** The place of the row that was asked among them, and of each the numbers of the other parts of its key. */
  marks: Int32Array
  size: number
}

/**
 * Looks for one row of a bundle, and reads no further than to it and its neighbours. These have most of their values in common,
 * and we give a value one number in a bundle. So rows are compared by numbers, and each text is looked at once. Only rows that
 * say themselves what their key is are looked at.
 */
export class RowFinder {
  readonly #cursor: BundleCursor
  /** The numbers of the keys of the rows that were read. */
  readonly #keys = new Int32Array(MOST_ROWS * PARTS)
  /** For each part of the key a number that means the text that is looked for, and one that does not. */
  readonly #same = new Int32Array(PARTS)
  readonly #other = new Int32Array(PARTS)
  /** The row that was found. */
  #row = -1
  #shape: RowShape | undefined
  readonly #numbers = new Int32Array(MOST_VALUES)
  readonly #around: Around = { from: 0, to: 0, marks: new Int32Array(1 + MOST_BUNDLES * MOST_ROWS * MARKS), size: 0 }

  constructor(words: Words) {
    this.#cursor = new BundleCursor(words)
  }

  /** How many rows the bundle has. */
  get size(): number {
    return this.#cursor.size
  }

  /** Which row has the key with this code and these other parts; -1 if none says so. Throws on what is no bundle. */
  find(bundle: PlacedBundle, code: string, parts: readonly string[]): number {
    const cursor = this.#cursor
    this.#open(bundle)
    for (let row = 0; row < cursor.size; row++) {
      this.#read()
      if (!this.#hasParts(row, code, parts, PARTS)) continue
      const { shape, numbers } = cursor
      // The next row of the same shape is read into the same numbers.
      for (let i = 0; i < shape.values; i++) this.#numbers[i] = numbers[i] as number
      this.#shape = shape
      this.#row = row
      return row
    }
    return -1
  }

  #open({ rows, rowsAt, rowsEnd }: PlacedBundle): void {
    this.#cursor.open(rows, rowsAt, rowsEnd)
    this.#same.fill(OTHER_KEY)
    this.#other.fill(OTHER_KEY)
  }

  #read(): void {
    const cursor = this.#cursor
    const { key, hasOwnKey } = cursor.next()
    const { numbers } = cursor
    const to = (cursor.read - 1) * PARTS
    if (hasOwnKey)
      for (let part = 0; part < PARTS; part++) this.#keys[to + part] = numbers[key[part] as number] as number
    else this.#keys[to] = OTHER_KEY
  }

  /** Whether a row that was read has this code, and these other parts as far as they are asked for. */
  #hasParts(row: number, code: string, parts: readonly string[], most: number): boolean {
    // One by one: of `[a, b] = [c, d]` the engine makes an array each time, and here it would be dozens in an answer.
    const keys = this.#keys
    const same = this.#same
    const other = this.#other
    const from = row * PARTS
    if (keys[from] === OTHER_KEY) return false
    for (let part = 0; part < most; part++) {
      const number = keys[from + part] as number
      if (number === same[part]) continue
      if (number === other[part]) return false
      if (!this.#means(number, part === 0 ? code : (parts[part - 1] as string))) {
        other[part] = number
        return false
      }
      same[part] = number
    }
    return true
  }

  /**
   * Whether a value is this part of a key: all of it, with the marks around it. In a file from elsewhere a value may end in the
   * middle of its text, and the row would be found under another key.
   */
  #means(number: number, text: string): boolean {
    const bytes = this.#bytesOf(number)
    const start = this.#edgeOf(number, 0)
    const end = this.#edgeOf(number, 1)
    if (text === '') return isText(bytes, start, end, NULL)
    return bytes[start] === QUOTE && bytes[end - 1] === QUOTE && isText(bytes, start + 1, end - 1, text)
  }

  #bytesOf(number: number): Uint8Array {
    const { words, packed } = this.#cursor.values
    return number < OWN ? words.room : packed
  }

  /** Where a value begins (0), or ends (1). */
  #edgeOf(number: number, edge: 0 | 1): number {
    const { words, places } = this.#cursor.values
    return (number < OWN ? words.starts[number + edge] : places[2 * (number - OWN) + edge]) as number
  }

  /** Writes the text of the row that was found, and gives the place after it: see `writeRow`. */
  write(out: RowText, at: number): number {
    return writeRow(this.#cursor.values, this.#shape as RowShape, this.#numbers, 0, out, at)
  }

  /** Whether the row that was found states a price, and one that holds on a day. */
  isPriceOn(day: string): boolean {
    const { from, kind } = this.#shape as RowShape
    if (from < 0 || kind < 0) return false
    const word = this.#numbers[kind] as number
    const isPriced = this.#means(word, 'price') || this.#means(word, 'rate')
    return isPriced && this.#isUpTo(this.#numbers[from] as number, day)
  }

  /** Whether a value is a date that is not after a day. */
  #isUpTo(number: number, day: string): boolean {
    const bytes = this.#bytesOf(number)
    const start = this.#edgeOf(number, 0) + 1
    const end = this.#edgeOf(number, 1) - 1
    if (end - start !== day.length || bytes[start - 1] !== QUOTE || bytes[end] !== QUOTE) return false
    for (let i = 0; i < day.length; i++) {
      const difference = (bytes[start + i] as number) - day.charCodeAt(i)
      if (difference !== 0) return difference < 0
    }
    return true
  }

  /** The rows for the same code and place as the one that was found. Undefined if their numbers do not say so. */
  around(): Around | undefined {
    const { size } = this.#cursor
    const row = this.#row
    let from = row
    let to = row + 1
    while (from > 0 && this.#isLike(from - 1)) from--
    while (to < size && this.#isLike(to)) to++
    if ((from > 0 && !this.#hasOwnKey(from - 1)) || (to < size && !this.#hasOwnKey(to))) return undefined
    const found = this.#around
    found.marks[0] = row - from
    found.from = from
    found.to = to
    found.size = 1 + (to - from) * MARKS
    return this.mark(from, to, found.marks, 1) ? found : undefined
  }

  /** Puts the marks of rows that were read at a place. False if some have values of the bundle itself: another one has others under such a number. */
  mark(from: number, to: number, marks: Int32Array, at: number): boolean {
    let place = at
    for (let i = from; i < to; i++)
      for (let part = PLACE_PARTS; part < PARTS; part++) {
        const number = this.#keys[i * PARTS + part] as number
        if (number >= OWN) return false
        marks[place++] = number
      }
    return true
  }

  /** How many rows at the start of a bundle have this code and place; -1 if one does not say so itself. Throws as `find` does. */
  countFirst(bundle: PlacedBundle, code: string, parts: readonly string[]): number {
    this.#open(bundle)
    let row = 0
    while (row < this.size && this.#hasOwnKey(row) && this.#hasParts(row, code, parts, PLACE_PARTS)) row++
    return row === this.size || this.#hasOwnKey(row) ? row : -1
  }

  /** The same at its end. */
  countLast(bundle: PlacedBundle, code: string, parts: readonly string[]): number {
    this.#open(bundle)
    let row = this.size
    while (row > 0 && this.#hasOwnKey(row - 1) && this.#hasParts(row - 1, code, parts, PLACE_PARTS)) row--
    return row === 0 || this.#hasOwnKey(row - 1) ? this.size - row : -1
  }

  /** Reads up to there. */
  #hasOwnKey(row: number): boolean {
    while (row >= this.#cursor.read) this.#read()
    return this.#keys[row * PARTS] !== OTHER_KEY
  }

  #isLike(row: number): boolean {
    if (!this.#hasOwnKey(row)) return false
    for (let part = 0; part < PLACE_PARTS; part++) {
      const number = this.#keys[row * PARTS + part] as number
      const found = this.#keys[this.#row * PARTS + part] as number
      if (number !== found && !this.#isSameValue(number, found)) return false
    }
    return true
  }

  /** In a file from elsewhere a value may have several numbers. What differs ends the rows around one, so few are compared. */
  #isSameValue(number: number, other: number): boolean {
    const start = this.#edgeOf(number, 0)
    const otherStart = this.#edgeOf(other, 0)
    const otherEnd = this.#edgeOf(other, 1)
    if (this.#edgeOf(number, 1) - start !== otherEnd - otherStart) return false
    return isSame(this.#bytesOf(number), start, this.#bytesOf(other), otherStart, otherEnd)
  }
}

const QUOTE = 34
const NULL = 'null'

function isText(bytes: Uint8Array, start: number, end: number, text: string): boolean {
  if (end - start !== text.length) return false
  for (let i = text.length - 1; i >= 0; i--) if (bytes[start + i] !== text.charCodeAt(i)) return false
  return true
}
