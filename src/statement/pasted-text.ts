// Text that was copied out of a PDF or a page. Each way to read it is tried in turn: columns that stand under each other, columns that
// were lost, columns one after the other, single lines. A line that can be read in two ways is never taken.

import { alignedTables } from './aligned.ts'
import { MOST_READ, Refused, type Statement, type Unread } from './bill.ts'
import { paperOf } from './paper.ts'
import { stackedTables } from './stacked.ts'
import { loneLine, type StreamedLine, streamedLines } from './streamed.ts'
import { type Columns, tableLine } from './table.ts'
import { type TextLine, tokensOf } from './tokens.ts'
import { kindOf, paperWords, totalsIn } from './words.ts'

const MOST_LINES = 20_000
const MOST_CHARACTERS = 1024 * 1024

export function readPastedText(whole: string): Statement {
  if (whole.length > MOST_CHARACTERS) throw new Refused('long_text')
  // Ligatures, no-break blanks and wide digits become plain ones.
  const texts = whole
    .normalize('NFKC')
    .replaceAll('\t', '   ')
    .split(/\r?\n|\f/)
  if (texts.length > MOST_LINES) throw new Refused('long_text')
  const lines = texts.map((text, i): TextLine => ({ at: i + 1, text, tokens: tokensOf(text) }))
  let seen: StreamedLine[] = []
  let read: StreamedLine[] | undefined
  for (const way of [aligned, streamedLines, stacked, lone]) {
    const found = way(lines)
    if (seen.length === 0) seen = found
    if (!found.some((line) => typeof line.found !== 'string')) continue
    read = found
    break
  }
  if (!read) throw new Refused('no_lines', reported(seen))
  const is = paperWords(whole)
  const { paper, unread } = paperOf({ is, kind: kindOf(read), lines: read, totals: totalsIn(texts, is) }, 1)
  return { ok: true, format: 'text', papers: [paper], unread }
}

const reported = (lines: readonly StreamedLine[]): Unread[] =>
  lines.slice(0, MOST_READ).flatMap(({ at, found }) => (typeof found === 'string' ? [{ at, why: found }] : []))

const aligned = (lines: readonly TextLine[]): StreamedLine[] =>
  alignedTables(lines).flatMap(({ columns, rows }) =>
    rows.map(({ at, cells, isUnsure }): StreamedLine => {
      if (isUnsure) return { at, found: 'two_amounts', notes: [] }
      return lineUnder(at, cells, columns)
    }),
  )

function lineUnder(at: number, cells: readonly string[], columns: Columns): StreamedLine {
  const line = tableLine(cells, columns, 'text')
  return 'total' in line ? { at, found: 'total_row', notes: [] } : { at, ...line }
}

const stacked = (lines: readonly TextLine[]): StreamedLine[] =>
  stackedTables(lines).flatMap(({ columns, rows }) => rows.map(({ at, cells }) => lineUnder(at, cells, columns)))

const lone = (lines: readonly TextLine[]): StreamedLine[] => lines.flatMap((line) => loneLine(line) ?? [])
