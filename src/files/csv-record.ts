import { digitOf } from './base36.ts'

const SPACE = 0x20
const QUOTE = 0x22
const NO_BREAK = 0xa0
const NO_BREAK_LEAD = 0xc2
const POINT = 0x2e
const ZERO = 0x30
/** From this amount on, an amount may be all nines, which means "unknown". */
const NINES = 999_999_00

/** Adjacent columns. */
export interface Span {
  first: number
  last: number
}

/** One record of a CSV file, as the offsets of its cells in a buffer. A cell becomes text only on request. */
export class CsvRecord {
  /** The line on which it begins, counted from 1. */
  line = 1
  cells = 0
  /** The offset of each cell, followed by the offset of the next record. */
  starts: Int32Array
  /** Whether any cell contains doubled quotes. */
  escaped = false
  /** The offsets of the previous record, while its bytes are still in the buffer. */
  startsBefore: Int32Array
  cellsBefore = 0
  escapedBefore = false
  /** How many leading cells equal those of the previous record, byte for byte. */
  shared = 0
  readonly #buffer: Buffer
  readonly #words = new Words()
  #from = 0
  #to = 0

  constructor(
    readonly bytes: Uint8Array,
    mostCells: number,
  ) {
    this.#buffer = Buffer.from(bytes.buffer)
    this.starts = new Int32Array(mostCells + 1)
    this.startsBefore = new Int32Array(mostCells + 1)
  }

  /** Makes this the previous record. */
  next(): void {
    const starts = this.startsBefore
    this.startsBefore = this.starts
    this.starts = starts
    this.cellsBefore = this.cells
    this.escapedBefore = this.escaped
  }

  /** A cell without surrounding blanks; empty if the record is shorter. */
  text(cell: number): string {
    if (!this.#find(cell)) return ''
    if (this.#to - this.#from <= MAX_WORD && !this.escaped) return this.#words.find(this.#buffer, this.#from, this.#to)
    const text = this.#buffer.toString('latin1', this.#from, this.#to)
    return this.escaped ? text.replaceAll('""', '"') : text
  }

  /** The text of the whole record, quotes included. */
  raw(): string {
    return this.#buffer.toString('latin1', this.starts[0], (this.starts[this.cells] as number) - 1)
  }

  /**
   * Joins cells of a torn line until it has this many. A cell that begins with a quote, and the next one that only ends with
   * a quote, were one text with a comma in it. A text that begins with a quote in the last column goes on to the end.
   */
  join(width: number): void {
    this.shared = 0
    if (this.cells > width && this.#hasQuote(width - 1, 'first') && !this.#hasQuote(width - 1, 'last')) {
      this.starts[width] = this.starts[this.cells] as number
      this.cells = width
    }
    for (let cell = 0; this.cells > width && cell + 1 < this.cells; )
      if (this.#hasQuote(cell, 'first') && !this.#hasQuote(cell + 1, 'first') && this.#hasQuote(cell + 1, 'last')) {
        this.starts.copyWithin(cell + 1, cell + 2, this.cells + 1)
        this.cells--
      } else cell++
  }

  isBlank(cell: number): boolean {
    return !this.#find(cell)
  }

  /** The amount in a cell in cents, 0 for a blank cell, undefined if it is not plain digits: then use `text`. */
  plainCents(cell: number): number | undefined {
    if (!this.#find(cell)) return 0
    const bytes = this.bytes
    const end = this.#to
    let at = this.#from
    if (end - at > 9 || bytes[at] === POINT) return undefined
    let cents = 0
    for (; at < end && bytes[at] !== POINT; at++) {
      const digit = (bytes[at] as number) - ZERO
      if (digit < 0 || digit > 9) return undefined
      cents = cents * 10 + digit
    }
    cents *= 100
    if (at < end) {
      const places = end - ++at
      if (places > 2) return undefined
      for (let unit = 10; at < end; at++, unit /= 10) {
        const digit = (bytes[at] as number) - ZERO
        if (digit < 0 || digit > 9) return undefined
        cents += digit * unit
      }
    }
    return cents > 0 && cents < NINES ? cents : undefined
  }

  /** A cell of exactly this many digits and letters, as a number of base 36; otherwise undefined. */
  base36(cell: number, length: number): number | undefined {
    if (!this.#find(cell) || this.#to - this.#from !== length) return undefined
    let number = 0
    for (let at = this.#from; at < this.#to; at++) {
      const character = digitOf(this.bytes[at] as number)
      if (character < 0) return undefined
      number = number * 36 + character
    }
    return number
  }

  /** Whether the cells of these spans of columns equal those of the previous record, byte for byte. */
  repeats(spans: readonly Span[]): boolean {
    for (const { first, last } of spans) if (last >= this.shared && !this.#repeatsSpan(first, last)) return false
    return true
  }

  #repeatsSpan(first: number, last: number): boolean {
    if (last >= this.cells || last >= this.cellsBefore) return false
    const bytes = this.bytes
    const from = this.starts[first] as number
    const length = (this.starts[last + 1] as number) - from
    const before = this.startsBefore[first] as number
    if ((this.startsBefore[last + 1] as number) - before !== length) return false
    for (let i = 0; i < length; i++) if (bytes[from + i] !== bytes[before + i]) return false
    return true
  }

  #hasQuote(cell: number, end: 'first' | 'last'): boolean {
    let from = this.starts[cell] as number
    let to = (this.starts[cell + 1] as number) - 1
    while (from < to && isBlank(this.bytes[from])) from++
    while (to > from && isBlank(this.bytes[to - 1])) to--
    return from < to && this.bytes[end === 'first' ? from : to - 1] === QUOTE
  }

  /** Finds the content of a cell, without quotes and blanks; false if it is empty. */
  #find(cell: number): boolean {
    if (cell >= this.cells || cell < 0) return false
    const bytes = this.bytes
    let from = this.starts[cell] as number
    let to = (this.starts[cell + 1] as number) - 1
    while (from < to && isBlank(bytes[from])) from++
    while (to > from && isBlank(bytes[to - 1])) to--
    if (bytes[from] === QUOTE && bytes[to - 1] === QUOTE && to - from > 1) {
      from++
      to--
      while (from < to && isBlank(bytes[from])) from++
      while (to > from && isBlank(bytes[to - 1])) to--
    }
    this.#from = from
    this.#to = to
    return from < to
  }
}

/**
 * Whether a byte is blank. Control characters are, because codes and amounts have none. So is the no-break space, which
 * Windows-1252 writes as one byte and UTF-8 as two.
 */
const isBlank = (byte: number | undefined): boolean =>
  (byte as number) <= SPACE || ((byte as number) >= NO_BREAK && (byte === NO_BREAK || byte === NO_BREAK_LEAD))

const MAX_WORD = 12
const WORD_SLOTS = 2 ** 14
const WORD_SHIFT = 32 - 14

/** A cache of recent short texts: a file repeats the same few codes and words a million times. */
class Words {
  readonly #parts = new Int32Array(WORD_SLOTS * 3)
  readonly #texts: string[] = new Array(WORD_SLOTS).fill('')

  /** Finds or adds a text of at most twelve bytes. No byte is zero, so three whole numbers identify exactly one text. */
  find(bytes: Buffer, from: number, end: number): string {
    let first = 0
    let second = 0
    let third = 0
    let at = from
    for (const stop = Math.min(from + 4, end); at < stop; at++) first = (first << 8) | (bytes[at] as number)
    for (const stop = Math.min(from + 8, end); at < stop; at++) second = (second << 8) | (bytes[at] as number)
    for (; at < end; at++) third = (third << 8) | (bytes[at] as number)
    const slot = Math.imul(first ^ Math.imul(second, 31) ^ Math.imul(third, 17), 0x9e3779b1) >>> WORD_SHIFT
    const parts = this.#parts
    if (parts[slot * 3] === first && parts[slot * 3 + 1] === second && parts[slot * 3 + 2] === third)
      return this.#texts[slot] as string
    parts[slot * 3] = first
    parts[slot * 3 + 1] = second
    parts[slot * 3 + 2] = third
    const text = bytes.toString('latin1', from, end)
    this.#texts[slot] = text
    return text
  }
}
