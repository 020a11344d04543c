import { CsvRecord } from './csv-record.ts'
import { unreadable } from './unreadable.ts'

/** The most columns of a spreadsheet. The wide form of a hospital's file has nine for each payer and plan. */
const MAX_CELLS = 16_384
const MAX_RECORD = 2 * 1024 * 1024
const TOO_LONG = 'a line is longer than 2 MiB'
const BUFFER = 4 * MAX_RECORD
/** How many bytes may be read twice because of unclosed quotes, in addition to the size of the file. */
const SPARE_RESCAN = 16 * MAX_RECORD

const LF = 0x0a
const CR = 0x0d
/** Some programs end a file with this byte. Anywhere else it replaces a lost character, also at the beginning of a line. */
const END_OF_TEXT = 0x1a
const SPACE = 0x20
const QUOTE = 0x22
const COMMA = 0x2c

/** Written after the filled bytes. It ends any cell, quoted or not, so the scan needs no bounds check. */
const STOP = [QUOTE, CR, LF, QUOTE, CR, LF, CR]
/** Room for STOP, and for reads of several bytes at once that reach past it. */
const MARGIN = 24

/** Results of a scan that did not find the start of the next record. */
const INCOMPLETE = -1
const MALFORMED = -2

export interface CsvHandler {
  /** Takes a record. The object is reused: its cells are valid until the call returns. */
  record(record: CsvRecord): void
  /** Takes a line with wrong quotes, split by `splitTorn`. Reading goes on with the next line. */
  torn(record: CsvRecord): void
}

/**
 * Reads CSV (RFC 4180) of any size in constant memory. A cell becomes text only on request.
 *
 * Lines end with LF, with or without CR; a file whose first line ends with a lone CR has such ends throughout.
 * Bytes above 127 are never examined, so UTF-8 and Windows-1252 read the same.
 */
export class CsvReader {
  readonly #bytes = new Uint8Array(BUFFER + MARGIN)
  readonly #view = new DataView(this.#bytes.buffer)
  readonly #record = new CsvRecord(this.#bytes, MAX_CELLS)
  /** The cells of a single line that is examined by itself. */
  readonly #spare = new Int32Array(MAX_CELLS + 1)
  #filled = 0
  #newline = 0
  #breaks = 0
  #breaksBefore = 0
  #seen = 0
  #rescanned = 0
  /** The end of the last scan that found no complete record. */
  #reached = 0
  /** The number of cells that a record should have, when it is known. */
  width = 0

  constructor(readonly handler: CsvHandler) {}

  push(chunk: Uint8Array): void {
    if (chunk.includes(0)) throw unreadable('the file has NUL bytes: it is not a CSV file', this.#record.line)
    for (let at = 0; at < chunk.length; ) {
      const part = Math.min(BUFFER - this.#filled, chunk.length - at)
      this.#bytes.set(part === chunk.length ? chunk : chunk.subarray(at, at + part), this.#filled)
      this.#filled += part
      this.#seen += part
      at += part
      // Reads only when the buffer is full, so that small chunks do not cause one record to be read many times.
      if (this.#filled === BUFFER) this.#read(false)
    }
  }

  end(): void {
    this.#read(true)
  }

  #read(last: boolean): void {
    let at = 0
    this.#record.cellsBefore = 0
    if (this.#newline === 0) this.#newline = this.#findNewline()
    if (last && this.#bytes[this.#filled - 1] !== this.#newline) this.#bytes[this.#filled++] = this.#newline
    this.#bytes.set(STOP, this.#filled)
    while (at < this.#filled) {
      if (last && this.#bytes[at] === END_OF_TEXT && this.#filled - at <= 2) return
      const next = this.#scan(at, last)
      if (next === INCOMPLETE) break
      if (next === MALFORMED || (this.#breaks > 0 && this.#swallows(at, next))) {
        const from = this.#nextLine(at, last)
        if (from === INCOMPLETE) break
        this.#split(at, from - 1)
        this.handler.torn(this.#record)
        this.#record.line++
        at = from
        continue
      }
      this.handler.record(this.#record)
      this.#record.next()
      this.#breaksBefore = this.#breaks
      this.#record.line += this.#breaks + 1
      at = next
    }
    this.#bytes.copyWithin(0, at, this.#filled)
    this.#filled -= at
    if (this.#filled > MAX_RECORD) throw unreadable(TOO_LONG, this.#record.line)
  }

  /**
   * Whether a record of several lines includes a line that is a record itself. A quote that is never closed, or a doubled one
   * at the end of a text, as in `"4 X 4"",Q4104`, goes on until a later line happens to close it. A line with all its cells
   * may go on below only in its last cell, and then the lines below are not complete.
   */
  #swallows(at: number, next: number): boolean {
    this.#reached = next
    const first = this.#lineAt(at)
    const goesOn = first.unclosed === this.width - 1
    if (first.cells === this.width && !goesOn) return true
    for (let line = this.#lineAt(first.end + 1); line.end < next; line = this.#lineAt(line.end + 1)) {
      const isLast = line.end === next - 1 // the last line has the other cells of the record
      if (line.cells === this.width && line.unclosed < 0 && (goesOn || !isLast)) return true
    }
    return false
  }

  #lineAt(at: number): TornLine & { end: number } {
    const end = this.#lineEnd(at)
    return { ...splitTorn(this.#bytes, at, end, this.#spare), end }
  }

  #split(at: number, end: number): void {
    const record = this.#record
    record.cells = splitTorn(this.#bytes, at, end, record.starts).cells
    record.shared = 0
    record.escaped = true
  }

  #lineEnd(at: number): number {
    const end = this.#bytes.subarray(0, this.#filled).indexOf(this.#newline, at)
    return end < 0 ? this.#filled : end
  }

  #findNewline(): number {
    const lf = this.#bytes.subarray(0, this.#filled).indexOf(LF)
    return lf < 0 && this.#bytes.subarray(0, this.#filled).includes(CR) ? CR : LF
  }

  /** The start of the line after the one at `at`. Rereading is limited, so that hostile files take linear time. */
  #nextLine(at: number, last: boolean): number {
    const end = this.#lineEnd(at)
    if (end === this.#filled) return last ? this.#filled : INCOMPLETE
    this.#rescanned += Math.max(0, this.#reached - end)
    if (this.#rescanned > this.#seen + SPARE_RESCAN)
      throw unreadable('the file has too many quotes that do not close: download it again', this.#record.line)
    return end + 1
  }

  /** Finds the cells of the record at `at`. Returns the start of the next record, INCOMPLETE or MALFORMED. */
  #scan(at: number, last: boolean): number {
    const bytes = this.#bytes
    const view = this.#view
    const record = this.#record
    const starts = record.starts
    const end = this.#filled
    const newline = this.#newline
    starts[0] = at
    let cells = this.#share(at) + 1
    this.#breaks = 0
    record.escaped = cells > 1 && record.escapedBefore
    let i = starts[cells - 1] as number
    scan: for (; ; i += 4) {
      for (let marks = marksUpTo(COMMA, view.getInt32(i, true)); marks !== 0; marks &= marks - 1) {
        const found = i + firstMark(marks)
        const byte = bytes[found]
        if (byte === COMMA && cells < MAX_CELLS) starts[cells++] = found + 1
        else if (byte === newline || byte === COMMA) {
          i = found
          break scan
        } else if (byte === QUOTE && this.#opensCell(starts[cells - 1] as number, found)) {
          i = this.#closingQuote(found + 1)
          if (i >= end) break scan
          const rest = bytes[i + 1]
          if (rest !== COMMA && rest !== newline && !this.#closesCell(i + 1)) return this.#malformed(i)
          i -= 3 // continue after the quote
          break
        }
      }
    }
    if (i - at > MAX_RECORD) return this.#refusedOr(i, TOO_LONG)
    if (i >= end) return last ? this.#malformed(end) : INCOMPLETE
    if (bytes[i] === COMMA) return this.#refusedOr(i, `a line has more than ${MAX_CELLS} columns`)
    starts[cells] = i + 1
    record.cells = cells
    return i + 1
  }

  /** The end of the quoted cell whose text begins at `at`; counts its line breaks. */
  #closingQuote(at: number): number {
    const bytes = this.#bytes
    const view = this.#view
    const newline = this.#newline
    for (let i = at; ; i += 4) {
      const word = view.getInt32(i, true)
      for (let marks = marksOf(QUOTE, word) | marksOf(newline, word); marks !== 0; marks &= marks - 1) {
        const found = i + firstMark(marks)
        if (bytes[found] === newline) this.#breaks++
        else if (bytes[found] === QUOTE) {
          if (bytes[found + 1] !== QUOTE) return found
          this.#record.escaped = true
          i = found + 2 - 4 // continue after both quotes
          break
        }
      }
    }
  }

  /**
   * Copies the offsets of leading cells that equal those of the previous record, as in most lines of one item. Equal bytes
   * up to the comma that ends a cell mean equal cells, so they need no second scan.
   */
  #share(at: number): number {
    const record = this.#record
    record.shared = 0
    if (record.cellsBefore < 2 || this.#breaksBefore > 0) return 0
    const before = record.startsBefore
    const starts = record.starts
    const view = this.#view
    const from = before[0] as number
    const most = Math.min((before[record.cellsBefore] as number) - from, this.#filled - at)
    let same = 0
    // Compares eight bytes at once as a double. No byte is zero, so equal doubles are equal bytes.
    while (same < most && view.getFloat64(from + same, true) === view.getFloat64(at + same, true)) same += 8
    const end = from + Math.min(same, most - 1)
    let shared = 0
    while ((before[shared + 1] as number) <= end) {
      shared++
      starts[shared] = (before[shared] as number) + at - from
    }
    record.shared = shared
    return shared
  }

  /** Whether a quote opens its cell: only blanks precede it. Anywhere else a quote is an ordinary character. */
  #opensCell(start: number, quote: number): boolean {
    let at = start
    while (at < quote && this.#bytes[at] === SPACE) at++
    return at === quote
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

  /** Treats a record of several lines as malformed, because it probably has an unclosed quote; refuses the file otherwise. */
  #refusedOr(reached: number, why: string): number {
    if (this.#breaks > 0) return this.#malformed(reached)
    throw unreadable(why, this.#record.line)
  }
}

// These functions test four bytes of text at once. A mark is the highest bit of a byte; bytes above 127 are ignored. Only
// the lowest mark is certain: later bytes may be marked wrongly, so check the byte that was found.

/** Marks the bytes that are at most `byte`. */
const marksUpTo = (byte: number, word: number): number => (word - Math.imul(byte + 1, 0x01010101)) & ~word & 0x80808080

/** Marks the bytes that are `byte`. */
function marksOf(byte: number, word: number): number {
  const other = word ^ Math.imul(byte, 0x01010101)
  return (other - 0x01010101) & ~other & 0x80808080
}

/** The index of the byte with the lowest mark. */
const firstMark = (marks: number): number => (31 - Math.clz32(marks & -marks)) >> 3

interface TornLine {
  cells: number
  /** The first cell that begins with a quote and does not end with one; -1 if no cell does. */
  unclosed: number
}

/**
 * Splits a line whose quotes are wrong, as a person would: a cell that begins with a quote ends with a quote before a comma
 * or at the end of the line. Any other quote is an ordinary character, as in `"DRESSING 4" X 4"`. The offsets of the cells
 * go into `starts`, followed by the offset of the next line.
 */
function splitTorn(buffer: Uint8Array, from: number, end: number, starts: Int32Array): TornLine {
  const bytes = buffer.subarray(0, end)
  const most = starts.length - 1
  let [cells, at, unclosed] = [0, from, -1]
  while (cells < most) {
    starts[cells++] = at
    const open = afterBlanks(bytes, at)
    // If one cell has no closing quote, no later one has, so it is not searched for again.
    const close = bytes[open] === QUOTE && unclosed < 0 ? closingQuote(bytes, open + 1) : at
    if (close < 0) unclosed = cells - 1
    const comma = bytes.indexOf(COMMA, Math.max(close, at))
    if (comma < 0) break
    at = comma + 1
  }
  starts[cells] = end + 1
  return { cells, unclosed }
}

/** The first quote with only blanks between it and a comma or the end; -1 if no quote has. */
function closingQuote(bytes: Uint8Array, from: number): number {
  for (let at = bytes.indexOf(QUOTE, from); at >= 0; at = bytes.indexOf(QUOTE, at + 1)) {
    const next = afterBlanks(bytes, at + 1)
    if (next >= bytes.length || bytes[next] === COMMA) return at
  }
  return -1
}

function afterBlanks(bytes: Uint8Array, from: number): number {
  let at = from
  while (bytes[at] === SPACE || bytes[at] === CR) at++
  return at
}
