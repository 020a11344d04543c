// Tables of a copied text whose columns stand under each other, as `pdftotext -layout` and terminals print them.

import { type Field, headingsIn, oneColumn } from './headings.ts'
import { type Columns, codeIn, SINGLE } from './table.ts'
import type { TextLine, Token } from './tokens.ts'

/** A row under its columns: the number of its line, and its cells. */
export interface AlignedRow {
  at: number
  cells: string[]
  isUnsure: boolean
}
export interface AlignedTable {
  columns: Columns
  rows: AlignedRow[]
}

interface Cell {
  text: string
  from: number
  to: number
  isMoney: boolean
}
interface Line extends TextLine {
  cells: Cell[]
}

/** Words with one blank between them are a cell. A day and an amount are cells of their own. */
function cellsOf(tokens: readonly Token[]): Cell[] {
  const cells: Cell[] = []
  let before: Token | undefined
  for (const token of tokens) {
    const last = cells.at(-1)
    const isOwn = token.isMoney || token.day !== undefined || before?.isMoney || before?.day !== undefined
    if (last && before && !isOwn && token.from - before.to === 1) {
      last.text += ` ${token.text}`
      last.to = token.to
    } else cells.push({ text: token.text, from: token.from, to: token.to, isMoney: token.isMoney })
    before = token
  }
  return cells
}

const isTotal = ({ cells }: Line): boolean => /^(?:sub ?|grand )?totals?\b/i.test(cells[0]?.text ?? '')
const hasMoney = ({ cells }: Line): boolean => cells.some(({ isMoney }) => isMoney)

/** The tables of a text, one for each block of lines without an empty one between. */
export function alignedTables(lines: readonly TextLine[]): AlignedTable[] {
  const tables: AlignedTable[] = []
  let block: Line[] = []
  const close = (): void => {
    const table = tableIn(block)
    if (table) tables.push(table)
    block = []
  }
  for (const line of lines) {
    if (line.tokens.length === 0) close()
    else block.push({ ...line, cells: cellsOf(line.tokens) })
  }
  close()
  return tables
}

interface Column {
  from: number
  to: number
}

function tableIn(block: readonly Line[]): AlignedTable | undefined {
  const first = block.findIndex((line) => hasMoney(line) && line.cells.length > 2 && !isTotal(line))
  if (first < 1) return undefined
  const records = block.slice(first).filter((line) => hasMoney(line) && !isTotal(line))
  const spans = clusters(records)
  const above = block.slice(Math.max(0, first - 8), first)
  const named = bestHeading(above, spans)
  if (!named) return undefined
  const columns: Columns = new Map(
    named.fields.flatMap((field, i) => (field === undefined ? [] : [[i, field] as const])),
  )
  const fields = [...columns.values()]
  if (!fields.some((field) => field === 'code' || field === 'revenue') || !fields.some((field) => AMOUNTS.has(field)))
    return undefined
  if (SINGLE.some((field) => fields.filter((each) => each === field).length > 1)) return undefined
  const column = spans.findIndex((_, i) => columns.get(i) === 'code')
  const rest = block.slice(first - (above.length - named.lines))
  // A number under no heading could be the value of a column beside it.
  const nameless = spans.flatMap((_, i) => (columns.has(i) ? [] : [i]))
  const rows = block
    .slice(first)
    .filter(hasMoney)
    .map((line) => {
      const cells = cellsUnder(line, spans)
      return { at: line.at, cells, isUnsure: nameless.some((i) => /^\$?[0-9][0-9.,]*$/.test(cells[i] ?? '')) }
    })
  if (column >= 0 && rows.some(({ cells }) => codeIn(cells[column] ?? '') === undefined))
    takeWrapped(rest, rows, spans, column)
  return { columns, rows }
}
const AMOUNTS: ReadonlySet<Field> = new Set(['billed', 'allowed', 'patient', 'price'])

/**
 * The places of columns: cells of different rows that share a place are one column. So are two places side by side of which no row has
 * both: a number of one digit stands beside the place of one with two.
 */
function clusters(lines: readonly Line[]): Column[] {
  const shared: Column[] = []
  const cells = lines.flatMap((line) => line.cells)
  for (const { from, to } of cells.toSorted((one, other) => one.from - other.from)) {
    const last = shared.at(-1)
    if (last && from < last.to) last.to = Math.max(last.to, to)
    else shared.push({ from, to })
  }
  if (shared.length > MOST_COLUMNS) return []
  const spans: Column[] = []
  for (const span of shared) {
    const last = spans.at(-1)
    if (last && span.from - last.to <= 1 && !lines.some((line) => hasBoth(line, last, span))) last.to = span.to
    else spans.push(span)
  }
  return spans
}
const MOST_COLUMNS = 40

const hasBoth = ({ cells }: Line, one: Column, other: Column): boolean =>
  cells.some((cell) => overlap(cell, one) > 0) && cells.some((cell) => overlap(cell, other) > 0)

const overlap = (one: Column, other: Column): number => Math.min(one.to, other.to) - Math.max(one.from, other.from)
const distance = (one: Column, other: Column): number => Math.max(one.from - other.to, other.from - one.to)

function cellsUnder({ cells }: Line, spans: readonly Column[]): string[] {
  return spans.map((span) =>
    cells
      .filter((cell) => overlap(cell, span) > 0)
      .map(({ text }) => text)
      .join(' '),
  )
}

/** The lines above the first row that name most columns. Words of a description that wraps may stand between heading and row. */
function bestHeading(
  above: readonly Line[],
  spans: readonly Column[],
): { fields: (Field | undefined)[]; lines: number } | undefined {
  let best: { fields: (Field | undefined)[]; lines: number; known: number } | undefined
  for (let start = 0; start < above.length; start++)
    for (let end = start + 1; end <= above.length; end++) {
      const fields = headingOver(above.slice(start, end), spans)
      const known = worth(fields)
      if (known > (best?.known ?? 0)) best = { fields, lines: end, known }
    }
  return best
}

/** How many columns a heading names. A meaning that stands twice speaks against it. */
function worth(fields: readonly (Field | undefined)[]): number {
  const known = fields.filter((field) => field !== undefined)
  const twice = SINGLE.filter((field) => known.indexOf(field) !== known.lastIndexOf(field))
  return known.length - 2 * twice.length
}

/** Each heading belongs to the column that it stands over; if it stands over several, each of its words does. */
function headingOver(lines: readonly Line[], spans: readonly Column[]): (Field | undefined)[] {
  const words = spans.map((): string[] => [])
  for (const { tokens } of lines) {
    for (const chunk of chunksOf(tokens)) {
      const whole = { from: chunk[0]?.from ?? 0, to: chunk.at(-1)?.to ?? 0 }
      const under = spans.flatMap((span, i) => (overlap(whole, span) > 0 ? [i] : []))
      for (const token of chunk) {
        const [nearest] = under.toSorted(
          (one, other) => distance(spans[one] ?? whole, token) - distance(spans[other] ?? whole, token),
        )
        if (nearest !== undefined) words[nearest]?.push(token.text)
      }
    }
  }
  return words.map((each) => {
    const { fields, used } = headingsIn(each)
    const kinds = new Set(fields.filter((field) => field !== 'words' && field !== 'modifier'))
    if (used < each.length || fields.length === 0 || kinds.size > 1) return undefined
    const field = [...kinds][0] ?? fields[0]
    return field === undefined ? undefined : oneColumn(field)
  })
}

/** Words of a heading with one blank between them. */
function chunksOf(tokens: readonly Token[]): Token[][] {
  const chunks: Token[][] = []
  for (const token of tokens) {
    const last = chunks.at(-1)
    if (last && token.from - (last.at(-1)?.to ?? 0) === 1) last.push(token)
    else chunks.push([token])
  }
  return chunks
}

/**
 * Puts the lines of a wrapped cell together where the code stands in them: a cell of several lines stands in the middle of its row, as
 * many lines above it as below. Only a table in which this comes out exactly is taken, and in which not every row has words of its own:
 * else the words below a row could be its own, too.
 */
function takeWrapped(
  lines: readonly Line[],
  rows: readonly AlignedRow[],
  spans: readonly Column[],
  column: number,
): void {
  const isRow = (line: Line): boolean => rows.some(({ at }) => at === line.at)
  const texts = new Map<number, string[]>(rows.map(({ at }) => [at, []]))
  let waiting: string[] = []
  let below = 0
  let last: AlignedRow | undefined
  for (const line of lines) {
    const text = cellsUnder(line, spans)[column] ?? ''
    const row = isRow(line) ? rows.find(({ at }) => at === line.at) : undefined
    if (row) {
      if (below > 0) return
      below = waiting.length
      texts.set(row.at, [...waiting, ...(text === '' ? [] : [text])])
      waiting = []
      last = row
    } else if (below > 0 && last) {
      texts.get(last.at)?.push(text)
      below--
    } else waiting.push(text)
  }
  if (below > 0 || waiting.some((text) => text !== '') || rows.every(({ cells }) => cells[column] !== '')) return
  for (const row of rows) row.cells[column] = (texts.get(row.at) ?? []).join(' ')
}
