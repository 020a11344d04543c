import { MAX_LEAF_BYTES } from '../../proof/price/row.ts'
import { ByteReader, ByteWriter } from './byte-stream.ts'
import { ByteTable, hashOf } from './byte-table.ts'
import { padded, type RowShape, type RowSpan, readShape, shapeOf, writeShape } from './row-shape.ts'
import { fits, newValues, type RowText, rowText } from './row-values.ts'

// What the rows of a release have in common: their shapes, and values that come again and again, which are called words here.
// They stand once in the file, and rows name them by number. They are learned from one row of each bundle, while rows
// come in: so a bundle is the same, byte for byte, whichever thread packs it after it was told what was learned until then.

export const MOST_SHAPES = 250
const MOST_SHAPE_BYTES = 64 * 1024
/** As many as two bytes can name: see `RowPacker`. */
export const MOST_WORDS = 128 + 64 * 256
const MOST_WORD_BYTES = 256 * 1024
/** What a file may have of either, with their sizes. */
export const MOST_STORED_BYTES = MOST_WORD_BYTES + 3 * MOST_WORDS

/** What rows are read with. */
export interface Words {
  readonly shapes: readonly RowShape[]
  /** The words, one after the other, and where each begins. After the last one stands where it ends. */
  readonly room: Uint8Array
  readonly view: DataView
  readonly starts: Uint32Array
  readonly count: number
}

/** As they stand in a file; or some of them, as they are told to another thread. */
export interface StoredWords {
  shapes: Uint8Array
  words: Uint8Array
}

const SEEN = 65_536
/** After so many bundles almost everything is known, and one in four is enough. */
const FIRST_BUNDLES = 256
const LATER = 4
const values = newValues()

/** Words that rows are packed with. */
export class NewWords implements Words {
  readonly shapes: RowShape[] = []
  readonly #words = new ByteTable(MOST_WORDS, MOST_WORD_BYTES)
  #shapeBytes = 0
  #latest: RowShape | undefined
  #bundles = 0
  /** Hashes of values that came once: what comes a second time is a word. */
  readonly #seen = new Uint32Array(SEEN)

  get room(): Uint8Array {
    return this.#words.room
  }

  get view(): DataView {
    return this.#words.view
  }

  get starts(): Uint32Array {
    return this.#words.starts
  }

  get count(): number {
    return this.#words.count
  }

  /** The number of a word; -1 if it is none. */
  find(text: Uint8Array, start: number, end: number, hash: number): number {
    return this.#words.find(text, start, end, hash)
  }

  /** From a row of each bundle and its key. */
  learn(bytes: Uint8Array, row: RowSpan): void {
    if (this.#bundles++ >= FIRST_BUNDLES && this.#bundles % LATER !== 0) return
    const text = rowText(bytes)
    const isOne = (shape: RowShape): boolean => fits(shape, text, row, values)
    const isLatest = this.#latest !== undefined && isOne(this.#latest)
    const shape = (isLatest ? this.#latest : this.shapes.find(isOne)) ?? this.#learnShape(text, row)
    this.#latest = shape
    for (let i = 0; i < shape.values; i++) this.#learnValue(bytes, values.starts[i] as number, values.ends[i] as number)
  }

  #learnShape(text: RowText, row: RowSpan): RowShape {
    const shape = shapeOf(text.bytes, row)
    fits(shape, text, row, values)
    const bytes = this.#shapeBytes + shape.text.length
    if (this.shapes.length < MOST_SHAPES && bytes <= MOST_SHAPE_BYTES) {
      this.#shapeBytes = bytes
      this.shapes.push(shape)
    }
    return shape
  }

  #learnValue(text: Uint8Array, start: number, end: number): void {
    const hash = hashOf(text, start, end)
    if (this.#words.find(text, start, end, hash) >= 0) return
    if (this.#seen[hash % SEEN] === hash) this.#words.add(text, start, end, hash)
    else this.#seen[hash % SEEN] = hash
  }

  /** What was learned since there were so many of both. */
  since({ shapes, words }: { shapes: number; words: number }): StoredWords {
    const [shapesOut, wordsOut] = [new ByteWriter(), new ByteWriter()]
    for (const shape of this.shapes.slice(shapes)) writeShape(shapesOut, shape)
    for (let i = words; i < this.count; i++)
      wordsOut.text(this.room, this.starts[i] as number, this.starts[i + 1] as number)
    return { shapes: shapesOut.bytes(), words: wordsOut.bytes() }
  }

  /** Takes over what another thread has learned. */
  add(learned: StoredWords): void {
    const { shapes, room, starts, count } = readWords(learned)
    this.shapes.push(...shapes)
    for (let i = 0; i < count; i++) {
      const [start, end] = [starts[i] as number, starts[i + 1] as number]
      this.#words.add(room, start, end, hashOf(room, start, end))
    }
  }
}

/** Throws on what are no words: a file from elsewhere may hold anything. */
export function readWords({ shapes: storedShapes, words }: StoredWords): Words {
  const shapes: RowShape[] = []
  for (const from = new ByteReader(storedShapes); !from.isAtEnd; shapes.push(readShape(from)))
    if (shapes.length === MOST_SHAPES) throw new RangeError('there are too many shapes')
  const starts = [0]
  const room = new Uint8Array(words.length)
  for (const from = new ByteReader(words); !from.isAtEnd; ) {
    if (starts.length > MOST_WORDS) throw new RangeError('there are too many words')
    const size = from.number(MAX_LEAF_BYTES)
    const start = from.pass(size)
    const at = starts.at(-1) as number
    room.set(words.subarray(start, start + size), at)
    starts.push(at + size)
  }
  const { text, view } = padded(room.subarray(0, starts.at(-1)))
  return { shapes, room: text, view, starts: Uint32Array.from(starts), count: starts.length - 1 }
}
