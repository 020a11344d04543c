import { unreadable } from './csv.ts'
import { MAX_WORD, Words } from './csv-words.ts'

const MAX_CELLS = 8_192
const MAX_RECORD = 1024 * 1024
const BUFFER = 4 * MAX_RECORD
/** How much may be read twice because a quote did not close, beyond as much again as the file itself. */
const SPARE_RESCAN = 16 * MAX_RECORD

const LF = 0x0a
const CR = 0x0d
const END_OF_TEXT = 0x1a
const SPACE = 0x20
const QUOTE = 0x22
const COMMA = 0x2c
const POINT = 0x2e
const ZERO = 0x30
/** From here on an amount may be a row of nines that stands for "unknown". */
const NINES = 999_999_00

/** Written after the bytes that are filled: it ends any cell, in quotes or not, so that the scan need not count. */
const STOP = [QUOTE, CR, LF, QUOTE, CR, LF, CR]

/** What the scan of one record found instead of the place where the next one begins. */
const INCOMPLETE = -1
const MALFORMED = -2

export interface CsvHandler {
  /** The cells of the reader are those of this record, until the call returns. */
  record(reader: CsvReader): void
  /** A record whose quotes do not fit; reading goes on with the next line. */
  malformed(line: number): void
}

/**
 * Reads CSV (RFC 4180) of any size in constant memory, and turns only those cells into text that are asked for.
 *
 * Lines end with LF, with or without CR; a file whose first line ends with a lone CR has such ends throughout.
 * Bytes above 127 are never looked at, so UTF-8 and Windows-1252 read the same.
 */
export class CsvReader {
  /** Where the record begins, counted from 1. */
  line = 1
  cells = 0
  readonly #bytes = new Uint8Array(BUFFER + 1 + STOP.length)
  readonly #buffer = Buffer.from(this.#bytes.buffer)
  #filled = 0
  readonly #words = new Words()
  #starts = new Int32Array(MAX_CELLS + 1)
  /** Those of the record before, while its bytes are still where they were. */
  #startsBefore = new Int32Array(MAX_CELLS + 1)
  #cellsBefore = 0
  #from = 0
  #to = 0
  #escaped = false
  #newline = 0
  #breaks = 0
  #seen = 0
  #rescanned = 0
  /** How far the last scan came that found no record. */
  #reached = 0
  #over = false

  constructor(readonly handler: CsvHandler) {}

  push(chunk: Uint8Array): void {
    if (chunk.includes(0)) throw unreadable('the file has NUL bytes: it is not a CSV file', this.line)
    for (let at = 0; at < chunk.length && !this.#over; ) {
      const part = Math.min(BUFFER - this.#filled, chunk.length - at)
      this.#bytes.set(part === chunk.length ? chunk : chunk.subarray(at, at + part), this.#filled)
      this.#filled += part
      this.#seen += part
      at += part
      // Only when the buffer is full, so that many small chunks do not read one record many times.
      if (this.#filled === BUFFER) this.#read(false)
    }
  }

  end(): void {
    if (!this.#over) this.#read(true)
  }

  /** A cell without the blanks around it; nothing where the record is shorter. */
  text(cell: number): string {
    if (!this.#find(cell)) return ''
    if (this.#to - this.#from <= MAX_WORD && !this.#escaped) return this.#words.find(this.#buffer, this.#from, this.#to)
    const text = this.#buffer.toString('latin1', this.#from, this.#to)
    return this.#escaped ? text.replaceAll('""', '"') : text
  }

  isBlank(cell: number): boolean {
    return !this.#find(cell)
  }

  /** The amount in a cell in cents, 0 for a blank cell, and undefined where it is not plain digits: ask `text`. */
  plainCents(cell: number): number | undefined {
    if (!this.#find(cell)) return 0
    const bytes = this.#bytes
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

  /** Whether the cells of these spans, each from one column to another, are byte for byte those of the record before. */
  repeats(spans: readonly (readonly [number, number])[]): boolean {
    const bytes = this.#bytes
    for (const [first, last] of spans) {
      if (last >= this.cells || last >= this.#cellsBefore) return false
      const from = this.#starts[first] as number
      const length = (this.#starts[last + 1] as number) - from
      const before = this.#startsBefore[first] as number
      if ((this.#startsBefore[last + 1] as number) - before !== length) return false
      for (let i = 0; i < length; i++) if (bytes[from + i] !== bytes[before + i]) return false
    }
    return true
  }

  /** Finds what a cell holds, without quotes and blanks; false where that is nothing. */
  #find(cell: number): boolean {
    if (cell >= this.cells || cell < 0) return false
    const bytes = this.#bytes
    let from = this.#starts[cell] as number
    let to = (this.#starts[cell + 1] as number) - 1
    while (from < to && isBlank(bytes[from])) from++
    while (to > from && isBlank(bytes[to - 1])) to--
    if (bytes[from] === QUOTE && to - from > 1) {
      from++
      to--
      while (from < to && isBlank(bytes[from])) from++
      while (to > from && isBlank(bytes[to - 1])) to--
    }
    this.#from = from
    this.#to = to
    return from < to
  }

  #read(last: boolean): void {
    let at = 0
    this.#cellsBefore = 0
    if (this.#newline === 0) this.#newline = this.#findNewline()
    if (last && this.#bytes[this.#filled - 1] !== this.#newline) this.#bytes[this.#filled++] = this.#newline
    this.#bytes.set(STOP, this.#filled)
    while (at < this.#filled) {
      if (this.#bytes[at] === END_OF_TEXT) {
        this.#over = true
        return
      }
      const next = this.#scan(at, last)
      if (next === INCOMPLETE) break
      if (next === MALFORMED) {
        const from = this.#nextLine(at, last)
        if (from === INCOMPLETE) break
        this.handler.malformed(this.line)
        this.line++
        at = from
        continue
      }
      this.handler.record(this)
      this.#keepStarts()
      this.line += this.#breaks + 1
      at = next
    }
    this.#bytes.copyWithin(0, at, this.#filled)
    this.#filled -= at
    if (this.#filled > MAX_RECORD) throw unreadable('a line is longer than 1 MiB', this.line)
  }

  #keepStarts(): void {
    const starts = this.#startsBefore
    this.#startsBefore = this.#starts
    this.#starts = starts
    this.#cellsBefore = this.cells
  }

  #findNewline(): number {
    const lf = this.#bytes.subarray(0, this.#filled).indexOf(LF)
    return lf < 0 && this.#bytes.subarray(0, this.#filled).includes(CR) ? CR : LF
  }

  /** Where the line after the one at `at` begins. What is read twice is limited, so that no file takes forever. */
  #nextLine(at: number, last: boolean): number {
    const end = this.#bytes.subarray(0, this.#filled).indexOf(this.#newline, at)
    if (end < 0) return last ? this.#filled : INCOMPLETE
    this.#rescanned += Math.max(0, this.#reached - end)
    if (this.#rescanned > this.#seen + SPARE_RESCAN)
      throw unreadable('too many quotes in the file do not close', this.line)
    return end + 1
  }

  /** Finds the cells of the record at `at`; answers where the next one begins, or why there is none. */
  #scan(at: number, last: boolean): number {
    const bytes = this.#bytes
    const end = this.#filled
    const newline = this.#newline
    const starts = this.#starts
    let cells = 1
    let breaks = 0
    let escaped = false
    let i = at
    starts[0] = at
    for (; ; i++) {
      const byte = bytes[i] as number
      if (byte > COMMA) continue
      if (byte === COMMA) {
        if (cells === MAX_CELLS) break
        starts[cells++] = i + 1
      } else if (byte === newline) break
      else if (byte === QUOTE && this.#opensCell(starts[cells - 1] as number, i)) {
        for (i++; ; i++) {
          const inside = bytes[i] as number
          if (inside > QUOTE) continue
          if (inside === newline) breaks++
          else if (inside === QUOTE) {
            if (bytes[i + 1] !== QUOTE) break
            escaped = true
            i++
          }
        }
        if (i >= end) break
        const rest = bytes[i + 1]
        if (rest !== COMMA && rest !== newline && !this.#closesCell(i + 1)) return this.#malformed(i)
      }
    }
    if (i - at > MAX_RECORD) return this.#refusedOr(i, breaks, 'a line is longer than 1 MiB')
    if (i >= end) return last ? this.#malformed(end) : INCOMPLETE
    if (bytes[i] === COMMA) return this.#refusedOr(i, breaks, `a line has more than ${MAX_CELLS} columns`)
    starts[cells] = i + 1
    this.cells = cells
    this.#breaks = breaks
    this.#escaped = escaped
    return i + 1
  }

  /** Whether nothing but blanks stands between the start of a cell and a quote: elsewhere it is only a character. */
  #opensCell(start: number, quote: number): boolean {
    for (let at = start; at < quote; at++) if (this.#bytes[at] !== SPACE) return false
    return true
  }

  #closesCell(after: number): boolean {
    let at = after
    while (this.#bytes[at] === SPACE || (this.#bytes[at] === CR && this.#newline === LF)) at++
    return at >= this.#filled || this.#bytes[at] === COMMA || this.#bytes[at] === this.#newline
  }

  #malformed(reached: number): number {
    this.#reached = reached
    return MALFORMED
  }

  /** A record of many lines is more likely one whose quote does not close. */
  #refusedOr(reached: number, breaks: number, why: string): number {
    if (breaks > 0) return this.#malformed(reached)
    throw unreadable(why, this.line)
  }
}

/** Control characters are blank too: none of them is part of a code or an amount. */
const isBlank = (byte: number | undefined): boolean => (byte as number) <= SPACE
