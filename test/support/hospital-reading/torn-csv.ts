// Reads a CSV as a person would who sees its lines: by RFC 4180 where that works, and by sight where quotes are wrong.
// Nothing here is shared with the readers of the product.

/** A record and its first line. `cells` is undefined where a person could not tell its columns either. */
export interface TextRecord {
  line: number
  cells: string[] | undefined
  /** Read by sight: its quotes are not those of RFC 4180. */
  isGuess: boolean
  /** As it stands in the file; of a record over several lines, the first. */
  text: string
}

interface Scan {
  cells: string[]
  /** Every quote stands where RFC 4180 has one. */
  isRegular: boolean
  /** The last cell was opened by a quote that nothing closes. */
  isOpen: boolean
}

/** A quote ends a cell only before a comma or the end: so inch marks inside a cell are read as inch marks. */
function scan(text: string): Scan {
  if (!text.includes('"')) return { cells: text.split(','), isRegular: true, isOpen: false }
  const cells: string[] = []
  let isRegular = true
  let at = 0
  for (;;) {
    const start = text.slice(at, at + 9).search(/[^ ]/)
    if (text[at + start] === '"') at += start // spaces before a quote
    if (text[at] !== '"') {
      const comma = text.indexOf(',', at)
      const cell = comma === -1 ? text.slice(at) : text.slice(at, comma)
      isRegular &&= !cell.includes('"')
      cells.push(cell)
      if (comma === -1) return { cells, isRegular, isOpen: false }
      at = comma + 1
      continue
    }
    let cell = ''
    let from = at + 1
    for (;;) {
      const quote = text.indexOf('"', from)
      if (quote === -1) {
        cells.push(cell + text.slice(from))
        return { cells, isRegular: false, isOpen: true }
      }
      const next = text[quote + 1]
      cell += text.slice(from, quote)
      from = quote + 1
      if (next === ',' || next === undefined) break
      cell += '"'
      if (next === '"') from++
      else isRegular = false
    }
    cells.push(cell)
    if (from >= text.length) return { cells, isRegular, isOpen: false }
    at = from + 1
  }
}

/** Cells beyond the columns are spare commas. */
function fits(cells: readonly string[], width: number): boolean {
  return cells.length >= width ? cells.slice(width).every((cell) => cell.trim() === '') : false
}

/** A record continues on the next line at most this often: notes have paragraphs, and files have no novels. */
const MOST_LINES = 60

interface Found {
  cells: string[] | undefined
  isGuess: boolean
  /** Lines. */
  used: number
}

/** The record that begins here. */
function recordAt(lines: readonly string[], first: number, width: number): Found {
  const alone = lines[first] ?? ''
  const { cells, isRegular, isOpen } = scan(alone)
  if (!isOpen) {
    if (width === 0 || isRegular) return { cells: shaped(cells, width), isGuess: false, used: 1 }
    return { cells: fits(cells, width) ? cells : tail(alone, width), isGuess: true, used: 1 }
  }
  // The cell may go on below. It does not if a line below is a whole record by itself: then its quote was never closed.
  let joined = alone
  for (let used = 2; used <= MOST_LINES && first + used <= lines.length; used++) {
    const below = lines[first + used - 1] ?? ''
    if (width > 1 && isWhole(below, width)) break
    joined += `\n${below}`
    const whole = scan(joined)
    if (whole.isOpen) continue
    if (width === 0 || fits(whole.cells, width)) return { cells: whole.cells, isGuess: !whole.isRegular, used }
    break
  }
  // Cut inside its last column: all others can be read. Else the quote itself may be what is wrong.
  return { cells: cells.length >= width ? cells : withoutQuote(alone, width), isGuess: true, used: 1 }
}

function isWhole(text: string, width: number): boolean {
  const { cells, isRegular, isOpen } = scan(text)
  return !isOpen && isRegular && fits(cells, width)
}

/** The record without one of the quotes that open a cell, if it then has all columns. */
function withoutQuote(text: string, width: number): string[] | undefined {
  for (const { index } of text.matchAll(/(?<=^|,)"/g)) {
    const { cells, isOpen, isRegular } = scan(text.slice(0, index) + text.slice(index + 1))
    if (!isOpen && isRegular && cells.length === width) return cells
  }
  return undefined
}

/** A short record has nothing in the columns it lacks. One with text beyond the columns has a comma too many somewhere. */
function shaped(cells: string[], width: number): string[] | undefined {
  return width === 0 || cells.length <= width || fits(cells, width) ? cells : undefined
}

/** The end of a record whose first cell was cut: what follows the closing quote are its last columns. */
function tail(text: string, width: number): string[] | undefined {
  const close = text.indexOf('",')
  if (close === -1) return undefined
  const { cells, isOpen } = scan(text.slice(close + 2))
  return !isOpen && cells.length === width - 1 ? [text.slice(0, close), ...cells] : undefined
}

/** The records of a CSV whose third one has the names of the columns. Blank lines are none. */
export function* tornCsv(text: string): Generator<TextRecord> {
  const lines = text.split(/\r\n|\n|\r/)
  let width = 0
  let most = Number.POSITIVE_INFINITY
  let count = 0
  for (let at = 0; at < lines.length; ) {
    const line = lines[at] ?? ''
    if (/^[\s,]*$/.test(line)) {
      at++
      continue
    }
    const { cells, isGuess, used } = recordAt(lines, at, width)
    // One comma more than in the line of names has moved the cells, whatever stands in the last one.
    yield { line: at + 1, cells: cells && cells.length > most ? undefined : cells, isGuess, text: line }
    at += used
    if (++count < 3 || !cells || width > 0) continue
    width = cells.findLastIndex((cell) => cell.trim() !== '') + 1
    most = cells.length
  }
}
