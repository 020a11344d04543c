import { csvRecords, type TableLine } from '../../files/csv.ts'
import { FileEnd } from '../../files/csv-end.ts'
import { unreadable } from '../../files/unreadable.ts'
import { readSheet, type Sheet, sheetCount, shownNumber } from '../../files/xlsx.ts'
import { Problem } from '../../problem.ts'
import { type Row, rowKey, rowText } from '../../proof/price/row.ts'
import type { Findings } from '../../registry/release/rules.ts'
import { note } from '../../registry/release/rules.ts'
import { codeIn, findingFor, type LineRule } from '../findings.ts'
import { oneLine } from '../records.ts'
import type { Source } from '../source.ts'

/** The titles that publishers give each column, our own name for it first, and whether it may be missing. */
export interface Columns {
  [name: string]: { titles: readonly string[]; optional?: true }
}

/** A line under the header; in a workbook its row. Cells are trimmed, and empty where the file has none. */
export interface Line {
  line: number
  cell(name: string): string
  /** The cell of a code, without the stray bytes that some editions have around it. */
  code(name: string): string
  /** A number as it is written or, in a workbook, as it is shown. */
  number(name: string): string
  /** The columns that were not asked for: the title of each, and its number. */
  others(): readonly (readonly [title: string, number: string])[]
}

export interface Table {
  /** The names of the file and the sheet, and the titles above the header: they may say which edition it is. */
  titles: string[]
  has(name: string): boolean
  /** The titles of the columns that were not asked for. */
  others: readonly string[]
  lines: Iterable<Line>
}

const PREAMBLE_LINES = 50
const MAX_LINE = 64 * 1024
const MAX_CELLS = 512
const MAX_NAMED = 6

/**
 * Finds the header by its words and reads what is below it. `assumed` is the order of columns in files of lines that
 * begin at once with a record, as the tilde-delimited ones may.
 */
export function readTable(source: Source, columns: Columns, what: string, assumed?: readonly string[]): Table {
  let refusal: Problem | undefined
  const found: Table[] = []
  // Detect the delimiter from the header only; descriptions may contain any of them.
  for (const layout of layoutsOf(source)) {
    try {
      const table = findTable(source, layout(), columns, what, assumed)
      if (table) found.push(table)
    } catch (error) {
      if (!(error instanceof Problem)) throw error
      refusal ??= error
    }
    if (source.kind !== 'xlsx' && found.length > 0) break
  }
  const [table, ...more] = found
  if (more.length > 0) throw severalSheets(what)
  if (table) return table
  const missing = Object.values(columns).flatMap(({ titles, optional }) => (optional ? [] : titles.slice(0, 1)))
  throw (
    refusal ??
    unreadable(`this is not ${what}: no line names the columns ${few(missing).join(', ')}; check the file and its kind`)
  )
}

const severalSheets = (what: string): Problem =>
  unreadable(`several sheets of the workbook could be ${what}: save the right one as CSV`)

/** Some tables have a column for each state. */
const few = (titles: readonly string[]): readonly string[] =>
  titles.length > MAX_NAMED ? [...titles.slice(0, MAX_NAMED), 'and more'] : titles

function findTable(
  source: Source,
  { name, rows }: Sheet,
  columns: Columns,
  what: string,
  assumed?: readonly string[],
): Table | undefined {
  const reading = rows[Symbol.iterator]()
  const preamble: string[] = []
  const codes = columns['cpt']?.titles.map(squashed) ?? []
  let isHeaded = false
  for (let seen = 0; seen < PREAMBLE_LINES; seen++) {
    const next = reading.next()
    if (next.done) break
    const { cells } = next.value
    const places = columnsIn(cells, columns, what)
    if (places) {
      const dated = cells.filter((title) => undated(squashed(title)) !== squashed(title))
      const titles = [source.name ?? source.file, name, ...preamble, ...dated]
      return tableOf(source, titles, places, rest(reading), cells)
    }
    // Where a header names other columns than these, their order is not known.
    isHeaded ||= cells.some((title) => codes.includes(squashed(title)))
    if (assumed && !isHeaded && /^20[0-9]{2}$/.test(cells[0]?.trim() ?? '') && cells.length >= assumed.length)
      return tableOf(source, [source.name ?? source.file], new Map(assumed.map((each, at) => [each, at])), [
        next.value,
        ...rest(reading),
      ])
    preamble.push(...cells.map((cell) => cell.trim()).filter((cell) => cell !== ''))
  }
  return undefined
}

function tableOf(
  source: Source,
  titles: string[],
  places: ReadonlyMap<string, number>,
  records: Iterable<TableLine>,
  header: readonly string[] = [],
): Table {
  const shown = source.kind === 'xlsx' ? shownNumber : (text: string): string => text
  const ours = new Set(places.values())
  const others = header.flatMap((title, at) =>
    title.trim() === '' || ours.has(at) ? [] : [{ title: title.trim(), at }],
  )
  return {
    titles,
    has: (name) => places.has(name),
    others: others.map(({ title }) => title),
    lines: mapped(uncut(source, records), ({ line, cells }) => {
      const textAt = (at: number): string => (cells[at] ?? '').trim()
      const cell = (name: string): string => textAt(places.get(name) ?? -1)
      return {
        line,
        cell,
        code: (name) => codeIn(cell(name)),
        number: (name) => shown(cell(name)),
        others: () => others.map(({ title, at }) => [title, shown(textAt(at))]),
      }
    }),
  }
}

/** Refuses a file that was cut: half of the last amount would pass for an amount, and the codes behind it would be proved to have no price. */
function* uncut({ kind, text }: Source, records: Iterable<TableLine>): Generator<TableLine> {
  const end = new FileEnd()
  for (const record of records) {
    end.add(record.line, record.cells.length)
    yield record
  }
  // A tab parts cells: it ends no line, as other blanks behind the last one do.
  if (kind !== 'xlsx') end.lastByte = text.endsWith('\t') ? 0xff : text.charCodeAt(text.length - 1)
  if (end.isCut()) throw unreadable('the file ends in the middle of a record: download it again', end.line)
}

/** The number of each column if these cells are the header; undefined if they are not. */
function columnsIn(cells: readonly string[], columns: Columns, what: string): Map<string, number> | undefined {
  const heads = cells.map((title) => undated(squashed(title)))
  const places = new Map<string, number>()
  for (const [name, { titles, optional }] of Object.entries(columns)) {
    const spellings = titles.map(squashed)
    const found = heads.flatMap((head, at) => (spellings.includes(head) ? [at] : []))
    if (found.length > 1)
      throw unreadable(`this is not ${what} as it is published: the column ${titles[0]} is there twice`)
    if (found[0] !== undefined) places.set(name, found[0])
    else if (!optional) return undefined
  }
  return places
}

/** Publishers write EFF_DATE, Eff Date and EffDate for the same. */
export const squashed = (title: string): string => title.toUpperCase().replaceAll(/[^A-Z0-9]/g, '')

/** Without the time that CMS writes in some titles: April 2026 Payment Rate, Apr 2023, March 9, 2024, Final CY 2026, RATE2022. */
const undated = (title: string): string => title.replace(DATED, '').replace(/(?<=[A-Z])20[0-9]{2}$/, '')
const MONTH =
  'JAN(UARY)?|FEB(RUARY)?|MAR(CH)?|APR(IL)?|MAY|JUNE?|JULY?|AUG(UST)?|SEPT?(EMBER)?|OCT(OBER)?|NOV(EMBER)?|DEC(EMBER)?'
const DATED = new RegExp(`^(FINAL|PROPOSED)?((${MONTH})[0-9]{0,2}?)?(CY|FY)?20[0-9]{2}(?=[A-Z])`)

/** A rule is proposed with tables that look like those in force. Notices, which are longer, may tell of proposals. */
export function refuseProposed(titles: readonly string[]): void {
  if (titles.some((title) => /(?<![a-z])(proposed|nprm)(?![a-z])/i.test(oneLine(title).slice(0, MAX_TITLE))))
    throw unreadable('these rates were only proposed, and nobody pays by them: give the final file')
}
const MAX_TITLE = 80

/** The ways to read a file: each sheet, or text by each delimiter. A way is read only when it is tried. */
function layoutsOf({ kind, bytes, sheet, text }: Source): (() => Sheet)[] {
  if (kind === 'xlsx') {
    const places = sheet === undefined ? Array.from({ length: sheetCount(bytes) }, (_, at) => at) : [sheet]
    return places.map((at) => () => readSheet(bytes, at))
  }
  const layouts = [csvRecords(text), delimited(text, '~'), csvRecords(text, '\t'), delimited(text, '|')]
  return layouts.map((rows) => () => ({ name: '', rows }))
}

/** Lines whose cells are parted by one character and never quoted. */
function* delimited(text: string, delimiter: string): Generator<TableLine> {
  for (let at = 0, line = 1; at < text.length && text[at] !== '\u001a'; line++) {
    const end = text.indexOf('\n', at)
    const last = end < 0 ? text.length : end
    if (last - at > MAX_LINE) throw unreadable('a line is too long', line)
    const cells = text.slice(at, last).replace(/\r$/, '').split(delimiter)
    if (cells.length > MAX_CELLS) throw unreadable('a line has too many columns', line)
    yield { line, cells }
    at = last + 1
  }
}

function* rest<T>(reading: Iterator<T>): Generator<T> {
  for (let next = reading.next(); !next.done; next = reading.next()) yield next.value
}

function* mapped<T, U>(items: Iterable<T>, change: (item: T) => U): Generator<U> {
  for (const item of items) yield change(item)
}

/** Whether a file is what is looked for. */
export function isReadBy(read: (source: Source) => Table, source: Source): boolean {
  try {
    read(source)
    return true
  } catch (error) {
    if (error instanceof Problem) return false
    throw error
  }
}

/**
 * The one source among those given that is what is looked for. An archive often holds the same table as text and as
 * a workbook: text comes first, since its lines can be read by eye.
 */
export function chooseSource(given: readonly Source[], read: (source: Source) => Table, what: string): Source {
  const [only] = given
  if (only && given.length === 1) return only // reading it says what is wrong with it
  const kinds = [/\.csv/i, /./].map((name) => given.filter(({ file, kind }) => kind !== 'xlsx' && name.test(file)))
  for (const group of [...kinds, given.filter(({ kind }) => kind === 'xlsx')]) {
    const [found, ...more] = group.filter((source) => isReadBy(read, source))
    if (more.length > 0 && more.every(({ sha256, sheet }) => sheet !== undefined && sha256 === found?.sha256))
      throw severalSheets(what)
    if (more.length > 0) throw unreadable(`there are several files that could be ${what}: give one of them`)
    if (found) return found
  }
  throw unreadable(`none of the files is ${what}`)
}

/** The result of a line: a row, the rule that refuses it where no row can be made of it, or nothing where it is blank. */
export type LineResult = Row | string | undefined

/**
 * Rows in key order. Two lines that say the same are one; of two that differ under one key, neither is believed. A line
 * that cannot be read takes no other's place: the price beside it is marked as partial.
 */
export function rowsInOrder(made: Iterable<{ line: number; row: LineResult }>, rejects: Findings): Row[] {
  const rows = new Map<string, Row>()
  for (const { line, row } of made) {
    if (row === undefined) continue
    if (typeof row === 'string') {
      note(rejects, row, line)
      continue
    }
    const key = rowKey(row)
    const known = rows.get(key)
    if (isUnreadable(row)) note(rejects, findingFor(row.derivation.inputs['rule'] as LineRule), line)
    if (!known) rows.set(key, row)
    else if (isUnreadable(row) || isUnreadable(known)) rows.set(key, beside(known, row))
    else if (saysTheSame(row, known)) note(rejects, 'R09', line)
    else {
      note(rejects, 'R10', line)
      if (known.kind !== 'absence' || known.reason !== WITHHELD.reason) rows.set(key, withheld(known, row))
    }
  }
  return [...rows].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row)
}

export const isUnreadable = (row: Row): boolean => row.kind === 'absence' && row.reason === 'unreadable'

/** The row of the readable one of two lines, marked as partial. A line of another edition does not make it partial. */
function beside(known: Row, row: Row): Row {
  if (isUnreadable(known) && isUnreadable(row)) return known
  const [sound, other] = isUnreadable(known) ? [row, known] : [known, row]
  if (sound.kind === 'absence' || sound.flags.includes('partial') || other.derivation.inputs['rule'] === 'R14')
    return sound
  return { ...sound, flags: [...sound.flags, 'partial'], locator: [...sound.locator, ...other.locator] }
}

/** Whether two rows differ only in their lines, and in whether a line beside them cannot be read. */
export const saysTheSame = (a: Row, b: Row): boolean =>
  rowText({ ...a, locator: b.locator, flags: unmarked(a) }) === rowText({ ...b, flags: unmarked(b) })
const unmarked = ({ flags }: Row): string[] => flags.filter((flag) => flag !== 'partial')

const WITHHELD = {
  kind: 'absence',
  reason: 'withheld_conflict',
  flags: [],
  indicators: {},
  derivation: { method: 'row-rule/1', inputs: { rule: 'R10' } },
} as const

/** The row of a key for which the source states different things: it says that, and where. */
function withheld(row: Row, other: Row): Row {
  const { code, region, npi, basis, payer, modifier, setting, effective_from, locator } = row
  const key = { code, region, npi, basis, payer, modifier, setting, class: row.class, effective_from }
  return { ...key, ...WITHHELD, flags: [], locator: [...locator, ...other.locator] }
}
