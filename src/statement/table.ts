// Tables with a heading, in any order of columns: CSV, text from a spreadsheet, and the rows of workbooks. Without a heading the order is
// code, modifiers, units, billed, day.

import {
  type At,
  type BillTotals,
  type Format,
  MOST_READ,
  type Paper,
  Refused,
  type Statement,
  type Unread,
} from './bill.ts'
import { type Field, fieldOf, oneColumn, plainName } from './headings.ts'
import { type FoundLine, isCode, isModifier } from './keep.ts'
import { paperOf } from './paper.ts'
import type { Note, Reason } from './reasons.ts'
import { boxedDay, daysOf, fromCents, printedAmount, toCents } from './values.ts'
import { kindOf, paperWords, totalsIn } from './words.ts'

export interface Row {
  at: At
  cells: string[]
}

const DELIMITERS = ['\t', ',', ';', '|'] as const
/** The heading stands among these rows, after a title or an address. */
const MOST_BEFORE_HEADING = 60
const MOST_CELLS = 300
const MOST_IN_LINE = 20_000

export function isTable(text: string): boolean {
  const start = text.slice(0, 20_000)
  return DELIMITERS.some((delimiter) => findHeading([...rowsIn(start, delimiter)]) !== undefined) || isTyped(start)
}

/** Lines as people type them: each begins with a code, and has commas, tabs or semicolons between its cells. */
function isTyped(text: string): boolean {
  const lines = text.split('\n', 40).filter((line) => line.trim() !== '')
  const delimiter = [',', ';', '\t'].find((each) => lines[0]?.includes(each))
  const typed = lines.filter(
    (line) => delimiter !== undefined && codeIn(line.split(delimiter, 1)[0] ?? '') !== undefined,
  )
  return lines.length > 0 && typed.length * 2 > lines.length
}

export function readTable(text: string): Statement {
  const delimiter =
    DELIMITERS.find((each) => findHeading([...rowsIn(text.slice(0, 20_000), each)]) !== undefined) ??
    ([';', '\t'] as const).find((each) => text.split('\n', 1)[0]?.includes(each)) ??
    ','
  const is = paperWords(text)
  return readRows('table', rowsIn(text, delimiter), { is, totals: totalsIn(text.split(/\r?\n/), is) })
}

/** Records of RFC 4180, with other delimiters too. A quoted cell may have line breaks. The number of a row is its first line. */
function* rowsIn(text: string, delimiter: string): Generator<Row> {
  let at = 0
  let line = 1
  while (at < text.length) {
    const row: Row = { at: line, cells: [] }
    for (;;) {
      let cell = ''
      if (text[at] === '"') {
        const end = closingQuote(text, at)
        if (end - at > MOST_IN_LINE) throw new Refused('long_line')
        const inside = text.slice(at + 1, end)
        cell = inside.replaceAll('""', '"')
        line += inside.length - inside.replaceAll('\n', '').length
        at = end + 1
      }
      const end = nextOf(text, at, delimiter)
      if (end - at > MOST_IN_LINE) throw new Refused('long_line')
      row.cells.push((cell + text.slice(at, end)).trim())
      at = end
      if (text[at] !== delimiter || row.cells.length > MOST_CELLS) break
      at++
    }
    const end = text.indexOf('\n', at)
    at = end < 0 ? text.length : end + 1
    line++
    yield row
  }
}

function closingQuote(text: string, start: number): number {
  const most = Math.min(text.length, start + MOST_IN_LINE + 2)
  for (let at = start + 1; at < most; at++) {
    if (text[at] !== '"') continue
    if (text[at + 1] !== '"') return at
    at++
  }
  return most
}

function nextOf(text: string, start: number, delimiter: string): number {
  let at = start
  while (at < text.length && text[at] !== delimiter && text[at] !== '\n') at++
  return at
}

export type Columns = ReadonlyMap<number, Field>

const IN_ORDER: Columns = new Map<number, Field>([
  [0, 'code'],
  [1, 'modifier'],
  [2, 'units'],
  [3, 'billed'],
  [4, 'day'],
])

/** The first row that names a code or a revenue code and one more column of a line. */
function findHeading(rows: readonly Row[]): { index: number; columns: Columns; cells: readonly string[] } | undefined {
  for (const [index, { cells }] of rows.slice(0, MOST_BEFORE_HEADING).entries()) {
    const columns = columnsOf(cells)
    const fields = [...columns.values()]
    const isOfLines = fields.includes('code') || fields.includes('revenue')
    if (
      isOfLines &&
      fields.some((field) => ['units', 'billed', 'allowed', 'patient', 'price', 'modifier'].includes(field))
    )
      return { index, columns, cells }
  }
  return undefined
}

/** Columns that are named after lines go before columns of the whole claim: `LineChargeAmount` before `ChargeAmount`. */
function columnsOf(cells: readonly string[]): Columns {
  const ofLines = cells.some((cell) => plainName(cell).startsWith('line '))
  const columns = new Map<number, Field>()
  cells.forEach((cell, i) => {
    const name = plainName(cell)
    const field = fieldOf(name.replace(/^line /, ''))
    const isOfClaim = ofLines && !name.startsWith('line ') && field !== 'claim'
    if (field !== undefined && !isOfClaim) columns.set(i, oneColumn(field))
  })
  return columns
}

/** Fields of which a line has one. */
export const SINGLE: readonly Field[] = ['code', 'revenue', 'units', 'price', 'billed', 'allowed', 'patient', 'place']

/** What the text around a table says about it. */
interface Around {
  is: Paper['is']
  totals: BillTotals
}

export function readRows(format: Format & ('table' | 'workbook'), rows: Iterable<Row>, around?: Around): Statement {
  const start: Row[] = []
  const rest = rows[Symbol.iterator]()
  for (let i = 0; i < MOST_BEFORE_HEADING; i++) {
    const next = rest.next()
    if (next.done) break
    start.push(next.value)
  }
  const heading = findHeading(start)
  const isTypedTable = start.some(({ cells }) => codeIn(cells[0] ?? '') !== undefined && cells.length > 1)
  if (!heading && !isTypedTable) throw new Refused('no_heading')
  const columns = heading?.columns ?? IN_ORDER
  const fields = [...columns.values()]
  if (SINGLE.some((field) => fields.filter((each) => each === field).length > 1)) throw new Refused('two_columns')
  const claims = new Map<
    string,
    { lines: { at: At; found: FoundLine | Reason; notes: Note[] }[]; totals: BillTotals }
  >()
  const before: Unread[] = []
  const ofFile = fields.includes('claim') ? (heading?.cells.findIndex((cell) => plainName(cell) === 'id') ?? -1) : -1
  let count = 0
  const all = (function* () {
    yield* start.slice(heading ? heading.index + 1 : 0)
    for (let next = rest.next(); !next.done; next = rest.next()) yield next.value
  })()
  for (const { at, cells } of all) {
    if (heading && (columnsOf(cells).size >= columns.size || isBeside(cells, columns))) continue
    if (cells.every((cell) => cell === '')) continue
    if (++count > MOST_READ) {
      before.push({ at, why: 'too_many' })
      break
    }
    const key = cells.filter((_, i) => columns.get(i) === 'claim' || i === ofFile).join('|')
    const claim = claims.get(key) ?? { lines: [], totals: {} }
    claims.set(key, claim)
    const read = tableLine(cells, columns, format)
    if (typeof read === 'object' && 'total' in read) {
      if (read.total.billed !== undefined) claim.totals = read.total
      claim.lines.push({ at, found: 'total_row', notes: [] })
    } else claim.lines.push({ at, ...read })
  }
  const hasInsurer =
    fields.some((field) => field === 'allowed' || field === 'patient') || fields.includes('otherAmount')
  const papers = [...claims.values()].map(({ lines, totals }, i) =>
    paperOf(
      { is: sortOf(around, hasInsurer), lines, totals: { ...around?.totals, ...totals }, kind: kindOf(lines) },
      i + 1,
    ),
  )
  if (
    papers.every(({ paper }) => paper.request.lines.length === 0) &&
    papers.every(({ unread }) => unread.length === 0)
  )
    throw new Refused('no_lines')
  return {
    ok: true,
    format,
    papers: papers.map(({ paper }) => paper),
    unread: [...papers.flatMap(({ unread }) => unread), ...before],
  }
}

/** Rows of addresses, notes and page numbers: nothing stands in a column of codes, units or amounts. */
const isBeside = (cells: readonly string[], columns: Columns): boolean =>
  !cells.some((cell, i) => cell !== '' && OF_LINES.has(columns.get(i) ?? 'words')) && !isTotal(cells)
const OF_LINES: ReadonlySet<Field> = new Set([
  'code',
  'revenue',
  'units',
  'price',
  'billed',
  'allowed',
  'patient',
  'otherAmount',
])
const isTotal = (cells: readonly string[]): boolean => cells.some((cell) => /^(?:sub ?|grand )?totals?\b/i.test(cell))

const sortOf = (around: Around | undefined, hasInsurer: boolean): Paper['is'] =>
  around !== undefined && around.is !== 'bill' ? around.is : hasInsurer ? 'insurer' : 'bill'

const EMPTY = /^(?:-+|\u2013|\u2014|n\/?a|none)?$/i

export function tableLine(
  cells: readonly string[],
  columns: Columns,
  format: Format,
): { found: FoundLine | Reason; notes: Note[] } | { total: BillTotals } {
  const notes: Note[] = []
  const cellsOf = (field: Field): string[] => cells.filter((cell, i) => columns.get(i) === field && !EMPTY.test(cell))
  const [written = ''] = cellsOf('code')
  const [revenue] = cellsOf('revenue')
  const amounts: { billed?: string; allowed?: string; patient?: string } = {}
  for (const field of ['billed', 'allowed', 'patient'] as const) {
    const [text] = cellsOf(field)
    const amount = text === undefined ? undefined : printedAmount(text)
    if (text !== undefined && amount === undefined) return { found: 'amount_form', notes }
    if (amount !== undefined) amounts[field] = amount
  }
  const code = codeIn(written)
  if (code === undefined && isTotal(cells)) return { total: amounts }
  if (written !== '' && code === undefined) return { found: 'code_form', notes }
  const [dayText] = cellsOf('day')
  const [lastText] = cellsOf('lastDay')
  const day = dayText === undefined ? undefined : daysIn(dayText, format)
  if (dayText !== undefined && day === undefined) return { found: 'day_form', notes }
  const last = lastText === undefined ? undefined : daysIn(lastText, format)
  if (day?.isRange || (last && day && last.day !== day.day)) notes.push('range_of_days')
  const [unitText] = cellsOf('units')
  if (unitText !== undefined && !/^[0-9.,]+$/.test(unitText)) return { found: 'units_form', notes }
  const [priceText] = cellsOf('price')
  const price = priceText === undefined ? undefined : printedAmount(priceText)
  const billed = amounts.billed ?? extended(price, unitText)
  const beside = cellsOf('modifier').flatMap((cell) => cell.split(/[\s,;/-]+/))
  if (beside.some((modifier) => modifier !== '' && !isModifier(modifier.toUpperCase())))
    return { found: 'modifier_form', notes }
  return {
    notes,
    found: {
      code: code?.code,
      modifiers: [...(code?.modifiers ?? []), ...beside],
      revenue,
      place: cellsOf('place')[0],
      day: day?.day,
      units: unitText?.replaceAll(',', ''),
      ...amounts,
      billed,
    },
  }
}

/** The charge of a line that states the price of one unit alone. */
function extended(price: string | undefined, units = '1'): string | undefined {
  return price === undefined || !/^[0-9]{1,6}(?:\.0+)?$/.test(units)
    ? undefined
    : fromCents(toCents(price) * BigInt(Number(units)))
}

/** Days of a cell. A workbook stores a day as the number of days since the end of 1899. */
function daysIn(text: string, format: Format): { day: string; isRange: boolean } | undefined {
  const serial = format === 'workbook' ? /^([3-7][0-9]{4})(?:\.[0-9]+)?$/.exec(text)?.[1] : undefined
  if (serial !== undefined)
    return { day: new Date(Date.UTC(1899, 11, 30 + Number(serial))).toISOString().slice(0, 10), isRange: false }
  const boxed = boxedDay(text)
  return boxed !== undefined ? { day: boxed, isRange: false } : daysOf(text)
}

/** `99213`, `99213-25`, `CPT 99213 25 59`, `98941 - words`, `words (99213-25)`: a code with its modifiers. */
export function codeIn(whole: string): { code: string; modifiers: string[] } | undefined {
  const text = /\(([0-9A-Za-z]{5}(?:[ -][0-9A-Za-z]{2}){0,4})\)$/.exec(whole.trim().slice(-40))?.[1] ?? whole
  const [match, written = '', rest = ''] =
    /^(?:(?:CPT|HCPCS|CDT)[:# ]*)?([0-9A-Za-z]{5})(?![0-9A-Za-z])(.{0,200})$/i.exec(text.trim()) ?? []
  const code = written.toUpperCase()
  if (match === undefined || !isCode(code)) return undefined
  if (/^\s*$|^\s+[-\u2013:]\s|^:/.test(rest)) return { code, modifiers: [] }
  const modifiers = rest
    .split(/[\s,-]+/)
    .filter((each) => each !== '')
    .map((each) => each.toUpperCase())
  if (modifiers.every(isModifier)) return { code, modifiers }
  // Words follow the code: they are passed over, unless the first of them could be a modifier.
  return isModifier(modifiers[0] ?? '') || !/^\s/.test(rest) ? undefined : { code, modifiers: [] }
}
