// Tables of a copied text whose columns follow each other: a heading with all its cells below it, an empty line, the next heading. Columns are
// put side by side only if every one of them has as many cells as the others.

import { type Field, headingsIn, oneColumn } from './headings.ts'
import { type Columns, SINGLE } from './table.ts'
import type { TextLine, Token } from './tokens.ts'

export interface StackedTable {
  columns: Columns
  rows: { at: number; cells: string[] }[]
}

interface Column {
  field: Field
  cells: TextLine[]
}

const MOST_HEADING_LINES = 4

/** The form of a cell of each field. Columns of words are passed over. */
const CELLS: Partial<Record<Field, (token: Token) => unknown>> = {
  day: ({ day, boxed }) => day ?? boxed,
  lastDay: ({ day, boxed }) => day ?? boxed,
  revenue: ({ revenue }) => revenue,
  code: ({ code }) => code,
  modifier: ({ isModifier }) => isModifier,
  place: ({ place }) => place,
  units: ({ count, isStroke }) => count ?? isStroke,
  price: ({ isMoney, isStroke }) => isMoney || isStroke,
  billed: ({ isMoney, isStroke }) => isMoney || isStroke,
  allowed: ({ isMoney, isStroke }) => isMoney || isStroke,
  patient: ({ isMoney, isStroke }) => isMoney || isStroke,
  otherAmount: ({ isMoney, isStroke }) => isMoney || isStroke,
}

export function stackedTables(lines: readonly TextLine[]): StackedTable[] {
  const groups: Column[][] = [[]]
  let block: TextLine[] = []
  const close = (): void => {
    const column = columnIn(block)
    // A heading that comes again begins the table of the next page.
    if (column && SINGLE.includes(column.field) && groups.at(-1)?.some(({ field }) => field === column.field))
      groups.push([])
    if (column) groups.at(-1)?.push(column)
    block = []
  }
  for (const line of lines) {
    if (line.tokens.length === 0) close()
    else block.push(line)
  }
  close()
  return groups.flatMap((columns) => tableOf(columns) ?? [])
}

/** A block that ends with one heading and its cells. An address or a telephone number may stand before them. */
function columnIn(block: readonly TextLine[]): Column | undefined {
  if (block.length > MOST_IN_BLOCK) return undefined
  let found: Column | undefined
  for (let start = 0; start < block.length && !(found && found.cells.length > 0); start++) {
    const column = columnAt(block.slice(start))
    found = column && (column.cells.length > 0 || !found) ? column : found
  }
  return found
}
const MOST_IN_BLOCK = 400

/** The heading that a block begins with, of one to four lines, and its cells: none if one of them has another form. */
function columnAt(block: readonly TextLine[]): Column | undefined {
  for (let count = Math.min(MOST_HEADING_LINES, block.length); count > 0; count--) {
    const words = block.slice(0, count).flatMap(({ tokens }) => tokens.map(({ text }) => text))
    const { fields, used } = headingsIn(words)
    const [first] = fields
    if (first === undefined || fields.length > 1 || used < words.length) continue
    const field = oneColumn(first)
    const isCell = CELLS[field]
    const cells = block.slice(count)
    if (isCell) return { field, cells: cells.every(({ tokens }) => tokens.some((token) => isCell(token))) ? cells : [] }
  }
  return undefined
}

function tableOf(columns: readonly Column[]): StackedTable | undefined {
  const [first] = columns
  const fields = columns.map(({ field }) => field)
  const count = first?.cells.length ?? 0
  const isWhole = count > 0 && columns.every(({ cells }) => cells.length === count)
  if (!isWhole || !fields.includes('code') || !fields.some((field) => ['billed', 'allowed', 'patient'].includes(field)))
    return undefined
  return {
    columns: new Map(fields.map((field, i) => [i, field])),
    rows: Array.from({ length: count }, (_, row) => ({
      at: columns[fields.indexOf('code')]?.cells[row]?.at ?? 0,
      cells: columns.map(({ cells }) => cells[row]?.text.trim() ?? ''),
    })),
  }
}
