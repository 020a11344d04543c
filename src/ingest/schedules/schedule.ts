import { unreadable } from '../../files/unreadable.ts'
import { sheetCount } from '../../files/xlsx.ts'
import { Problem } from '../../problem.ts'
import { type AbsenceReason, type Basis, type Row, rowKey, rowText } from '../../proof/price/row.ts'
import { type Findings, note } from '../../registry/release/rules.ts'
import { type LineRule, roundedScheduleAmount, scheduleAmount, unreadableRow } from '../findings.ts'
import { type Reader, wholeFiles } from '../reader.ts'
import { fail, OK, perSource, type Reread, whole } from '../reread.ts'
import type { Source } from '../source.ts'
import type { EditionOptions } from './quarter.ts'
import {
  type Columns,
  chooseSource,
  isReadBy,
  isUnreadable,
  type Line,
  type LineResult,
  readTable,
  refuseProposed,
  rowsInOrder,
  type Table,
} from './table.ts'

/** A schedule that CMS publishes as one table or several: text with any delimiter, or workbooks. */
export interface Schedule {
  /** Names its files in a sentence such as "this is not an ASC Addendum AA or BB". */
  what: string
  /** Its tables, in the order in which they are cited. One of them is enough. A file is the first of them that it can be. */
  parts: readonly Part[]
  /** Finds the edition by the titles of all tables, the names of their files first, and by what the operator says. */
  dated: (titles: readonly string[], options: EditionOptions, archive: string | undefined) => EditionDates
  /** The refusal of tables in which no line makes a row. */
  empty: string
  row: RowMaker
}

/** A table of a schedule. */
export interface Part {
  /** Names its file, where the schedule has several: "this is not an ASC Addendum AA". */
  what?: string
  /** The columns by their titles. The code is called `cpt`. */
  columns: Columns & { cpt: Columns[string] }
  /** The order of the columns in text that may begin at once with a record. */
  assumed?: readonly string[]
  /** Marks a table that is nothing without the schedule, and whose titles do not date it. */
  beside?: {
    /** Whether a table with these columns is this one. */
    isOne: (table: Table) => boolean
    /** The form of its file's name. The rule is noted where a file has such a name and other columns. */
    named: RegExp
    rule: string
    row: RowMaker
  }
}

/** Makes the row of a line, or several rows where the line has a column for each place. */
export type RowMaker = (line: CitedLine, effective_from: string) => LineResult | readonly LineResult[]

/** A line with the number of its file's citation. */
export interface CitedLine extends PartLine {
  citation: number
}
interface PartLine extends Line {
  part: NamedPart
}
type NamedPart = Part & { what: string }

/** Members that every row of a line has. */
export type RowBase = Pick<
  Row,
  | 'code'
  | 'region'
  | 'npi'
  | 'basis'
  | 'payer'
  | 'modifier'
  | 'setting'
  | 'class'
  | 'effective_from'
  | 'indicators'
  | 'locator'
>

/** The row of a line that a rule refuses. */
export const refused = (base: RowBase, rule: LineRule): Row => ({
  ...unreadableRow(base, rule, 1),
  region: base.region,
  locator: base.locator,
})

/** The members of a row that holds for the whole country. A row without a modifier, a setting or indicators needs no others. */
export const nationalRow = ({ citation, line, code }: CitedLine, basis: Basis, effective_from: string): RowBase => ({
  code: code('cpt'),
  payer: null,
  modifier: null,
  region: 'national',
  npi: null,
  basis,
  setting: null,
  class: null,
  effective_from,
  indicators: {},
  locator: [{ citation, line }],
})

/** The price that a line states, or nothing where its rate is not an amount with up to four decimals. */
export function statedPrice(
  base: RowBase,
  rate: string,
  { per = null, flags = [] }: { per?: string | null; flags?: string[] } = {},
): Row | undefined {
  const amount = scheduleAmount(rate)
  if (amount === undefined) return undefined
  const derivation = { method: 'verbatim/1', inputs: { rate } }
  return { ...base, kind: 'price', price: { amount, currency: 'USD', per }, flags, derivation }
}

/** The price that a line states, rounded to the cent where it has more than four decimals. */
export function roundedPrice(base: RowBase, rate: string): Row | undefined {
  const amount = roundedScheduleAmount(rate)
  if (amount === undefined) return statedPrice(base, rate)
  const derivation = { method: 'rounded/1', inputs: { rate } }
  return { ...base, kind: 'price', price: { amount, currency: 'USD', per: null }, flags: [], derivation }
}

/** The statement that a line has no price, and why. */
export const absent = (base: RowBase, reason: AbsenceReason, method: string, inputs: Record<string, string>): Row => ({
  ...base,
  kind: 'absence',
  reason,
  flags: [],
  derivation: { method, inputs },
})

/** The cells that a biller needs, as far as they have their form. */
export const indicatorsOf = (stated: { [name: string]: readonly [text: string, form: RegExp] }): Row['indicators'] =>
  Object.fromEntries(
    Object.entries(stated).flatMap(([name, [text, form]]) => (form.test(text) ? [[name, text] as const] : [])),
  )

/** The name of an edition and its first day, and its last day where the file says it. */
export interface EditionDates {
  edition: string
  effective_from: string
  effective_to?: string
}

export interface ScheduleReading extends EditionDates {
  rows: Row[]
  row_total: number
  line_total: number
  cited: readonly Source[]
}

export interface ScheduleReader extends Reader {
  /** Finds the tables among the files given, and makes their rows in key order. */
  open: (given: readonly Source[], options: EditionOptions, rejects: Findings) => ScheduleReading
}

export function scheduleReader({ what, parts: tables, dated, empty, row }: Schedule): ScheduleReader {
  const parts = tables.map((part): NamedPart => ({ what, ...part }))
  const rowsOf = (line: CitedLine, effective_from: string): readonly LineResult[] =>
    [(line.part.beside?.row ?? row)(line, effective_from)].flat()
  const open: ScheduleReader['open'] = (given, options, rejects) => {
    const { found, unread } = tablesAmong(given, parts, what)
    const own = found.filter(({ part }) => !part.beside)
    const titles = own.flatMap(({ table }) => table.titles)
    refuseProposed(found.flatMap(({ table }) => table.titles))
    // Where the schedule is not among them, or cannot be read, a table beside it must not take its place.
    for (const { part } of found)
      if (part.beside && found[0]?.part !== parts[0])
        throw unreadable(`${part.what} is given, and ${what} that can be read is not: give both`)
    const dates = dated(titles, options, found[0]?.source.archive)
    for (const { part, table } of found) if (part.beside) refuseOtherYear(part, table, dates.effective_from)
    for (const source of unread) {
      const meant = parts.find(({ beside }) => beside?.named.test(source.name ?? source.file))
      const isMissing = meant && !found.some(({ part }) => part === meant)
      if (isMissing) note(rejects, meant.beside?.rule ?? UNREAD, 1)
      // An archive holds others too. A file that was given by name was meant to be of use.
      else if (source.archive === undefined) note(rejects, UNREAD, 1)
    }
    const lines = citedLines(found.map((each, citation) => ({ lines: partLines(each), citation })))
    const rows = rowsInOrder(
      rowsIn(lines, (line) => rowsOf(line, dates.effective_from)),
      rejects,
    )
    const sound = rows.filter((each) => !isUnreadable(each))
    if (sound.length === 0) throw unreadable(empty)
    const places = sound.map(({ locator: [first] }) => `${first?.citation} ${first?.line}`)
    const cited = found.map(({ source }) => source)
    return { ...dates, rows, row_total: rows.length, line_total: new Set(places).size, cited }
  }
  return {
    open,
    read: wholeFiles(open),
    reread: () => rereadTables(parts, what, rowsOf),
    finds: (source, cpt) => linesOf(whole(source), parts, what).some(({ code }) => code('cpt') === cpt),
    options: [],
  }
}

/** Refuses a table that names another year, as far as its titles name one: it is of another edition. */
function refuseOtherYear({ what }: NamedPart, { titles }: Table, effective_from: string): void {
  const years = titles.filter((title) => title.length <= MAX_TITLE).flatMap((title) => title.match(YEAR) ?? [])
  if (years.length > 0 && !years.includes(effective_from.slice(0, 4)))
    throw unreadable(`${what} is of another year than the schedule: give those of one quarter`)
}
const MAX_TITLE = 120
const YEAR = /(?<![0-9])20[0-9]{2}(?![0-9])/g

const UNREAD = 'W11'

interface SourceTable {
  part: NamedPart
  source: Source
  table: Table
}

/** The tables of a schedule, and the files that hold none of them. */
function tablesAmong(
  given: readonly Source[],
  parts: readonly NamedPart[],
  what: string,
): { found: SourceTable[]; unread: Source[] } {
  let left = given.flatMap(bySheet)
  const read = new Set<string>()
  const found = parts.flatMap((part): SourceTable[] => {
    const tableIn = (source: Source): Table => {
      const table = readTable(source, part.columns, part.what, part.assumed)
      if (part.beside?.isOne(table) === false) throw unreadable(`this is not ${part.what}`)
      return table
    }
    const fitting = left.filter((source) => isReadBy(tableIn, source))
    left = left.filter((source) => !fitting.includes(source))
    for (const { sha256 } of fitting) read.add(sha256)
    if (fitting.length === 0) return []
    const source = chooseSource(fitting, tableIn, part.what)
    return [{ part, source, table: tableIn(source) }]
  })
  const [only, ...more] = given
  const [first] = parts
  // Reading a single file once more says what is wrong with it.
  if (found.length === 0 && only && first && more.length === 0) readTable(only, first.columns, what, first.assumed)
  if (found.length === 0) throw unreadable(`none of the files is ${what}`)
  return { found, unread: given.filter(({ sha256 }) => !read.has(sha256)) }
}

/** A workbook may have each part on a sheet of its own, which is then cited by itself. */
function bySheet(source: Source): Source[] {
  try {
    if (source.kind !== 'xlsx') return [source]
    return Array.from({ length: sheetCount(source.bytes) }, (_, sheet) => ({ ...source, sheet }))
  } catch (error) {
    if (error instanceof Problem) return [source]
    throw error
  }
}

const linesOf = (source: Source, parts: readonly NamedPart[], what: string): PartLine[] =>
  tablesAmong([source], parts, what).found.flatMap((each) => [...partLines(each)])

function* partLines({ part, table }: SourceTable): Generator<PartLine> {
  for (const line of table.lines) yield { ...line, part }
}

function* citedLines(tables: Iterable<{ lines: Iterable<PartLine>; citation: number }>): Generator<CitedLine> {
  for (const { lines, citation } of tables) for (const line of lines) yield { ...line, citation }
}

function* rowsIn(
  lines: Iterable<CitedLine>,
  rowsOf: (line: CitedLine) => readonly LineResult[],
): Generator<{ line: number; row: LineResult }> {
  for (const line of lines) for (const row of rowsOf(line)) yield { line: line.line, row }
}

/**
 * Checks that the cited lines make the same row again, and that the other lines of their files under its code do not
 * change it. So what is withheld or cannot be read is checked like a price.
 */
function rereadTables(
  parts: readonly NamedPart[],
  what: string,
  rowsOf: (line: CitedLine, effective_from: string) => readonly LineResult[],
): Reread {
  const tables = perSource((source) => {
    const lines = linesOf(whole(source), parts, what)
    return { at: Map.groupBy(lines, ({ line }) => line), ofCode: Map.groupBy(lines, ({ code }) => code('cpt')) }
  })
  return (row, places) => {
    const cited = places.map(({ source, line }, at) => ({ source, line, citation: row.locator[at]?.citation ?? 0 }))
    const at = cited.map(({ source, line, citation }) => {
      const found = tables(source).at.get(line) ?? []
      // Several sheets of a workbook have a row of this number: the row has the code.
      const ofCode = found.filter((each) => each.code('cpt').startsWith(row.code))
      const isMeant = (line: PartLine): boolean =>
        rowsOf({ ...line, citation }, row.effective_from).some(
          (each) => typeof each === 'object' && rowKey(each) === rowKey(row),
        )
      const meant = ofCode.length > 1 ? ofCode.filter(isMeant) : ofCode
      return { citation, lines: (meant.length > 0 ? meant : found).slice(0, 1) }
    })
    if (at.length === 0 || at.some(({ lines }) => lines.length === 0)) return fail('line_not_found')
    const files = new Map(cited.map(({ source, citation }) => [citation, source]))
    const all = [...files].map(([citation, source]) => ({ citation, lines: tables(source).ofCode.get(row.code) ?? [] }))
    const underKey = (given: Parameters<typeof citedLines>[0]): Row | undefined => {
      const made = rowsIn(citedLines(given), (line) => rowsOf(line, row.effective_from))
      return rowsInOrder(made, new Map()).find((each) => rowKey(each) === rowKey(row))
    }
    const [made, inFiles] = [underKey(at), underKey(all)]
    if (made && inFiles && rowText({ ...made, locator: inFiles.locator }) !== rowText(inFiles))
      return fail('other_amounts_in_file')
    return made && rowText(made) === rowText(row) ? OK : fail('inputs_not_at_line')
  }
}
