const CR = 0x0d
const SPACE = 0x20
const QUOTE = 0x22
const COMMA = 0x2c

export interface TornLine {
  cells: number
  /** The first cell that begins with a quote and does not end with one; -1 if there is none. */
  unclosed: number
}

/**
 * Splits a line whose quotes are wrong, as a person would: a quote that begins a cell ends it before a comma or at the
 * end of the line, and anywhere else it is a mark like any other, as in `"DRESSING 4" X 4"`. The offsets of the cells go
 * into `starts`, followed by that of the next line.
 */
export function splitTorn(buffer: Uint8Array, from: number, end: number, starts: Int32Array): TornLine {
  const bytes = buffer.subarray(0, end)
  const most = starts.length - 1
  let [cells, at, unclosed] = [0, from, -1]
  while (cells < most) {
    starts[cells++] = at
    const open = afterBlanks(bytes, at)
    // Where one cell has no end, no later one has: they are not searched again.
    const close = bytes[open] === QUOTE && unclosed < 0 ? closingQuote(bytes, open + 1) : at
    if (close < 0) unclosed = cells - 1
    const comma = bytes.indexOf(COMMA, Math.max(close, at))
    if (comma < 0) break
    at = comma + 1
  }
  starts[cells] = end + 1
  return { cells, unclosed }
}

/** The first quote with nothing but blanks between it and a comma or the end; -1 if there is none. */
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
