import { unreadable } from './unreadable.ts'

/** One record of a table, and the line, counted from 1, on which it begins. */
export interface TableLine {
  line: number
  cells: string[]
}

const MAX_CELLS = 8_192
const MAX_LINE = 1024 * 1024

type Delimiter = ',' | '\t'

/**
 * Reads CSV records (RFC 4180), or tab-delimited text from spreadsheets, which has tabs in place of commas. Quoted cells may
 * have line breaks; blank lines are records of one empty cell.
 */
export function* csvRecords(text: string, delimiter: Delimiter = ','): Generator<TableLine> {
  let at = 0
  let line = 1
  while (at < text.length && text[at] !== '\u001a') {
    const record: TableLine = { line, cells: [] }
    const start = at
    for (;;) {
      const cell = text[at] === '"' ? quotedCell(text, at, delimiter) : plainCell(text, at, delimiter)
      record.cells.push(cell.value)
      line += cell.breaks
      at = cell.end
      if (record.cells.length > MAX_CELLS) throw unreadable('a record has too many columns', line)
      if (at - start > MAX_LINE) throw unreadable('a record is too long', line)
      if (text[at] !== delimiter) break
      at++
    }
    if (text[at] === '\r') at++
    if (text[at] === '\n') at++
    line++
    yield record
  }
}

interface Cell {
  value: string
  end: number
  breaks: number
}

function plainCell(text: string, start: number, delimiter: Delimiter): Cell {
  let end = start
  for (;;) {
    const symbol = text[end]
    if (symbol === undefined || symbol === delimiter || symbol === '\n' || symbol === '\r') break
    if (end - start > MAX_LINE) throw unreadable('a record is too long')
    end++
  }
  return { value: text.slice(start, end), end, breaks: 0 }
}

function quotedCell(text: string, start: number, delimiter: Delimiter): Cell {
  let end = start + 1
  for (;;) {
    const quote = text.indexOf('"', end)
    if (quote < 0) return plainCell(text, start, delimiter) // an opening quote without a closing one is an ordinary character
    if (text[quote + 1] !== '"') {
      const raw = text.slice(start + 1, quote)
      const rest = plainCell(text, quote + 1, delimiter)
      // Some programs write text with tabs and without quotes. There a cell may begin with the sign for inches.
      if (delimiter === '\t' && rest.value !== '') return plainCell(text, start, delimiter)
      return {
        value: raw.replaceAll('""', '"') + rest.value,
        end: rest.end,
        breaks: raw.length - raw.replaceAll('\n', '').length,
      }
    }
    end = quote + 2
  }
}
