import type { CsvRecord } from '../../files/csv-record.ts'
import { type CsvHandler, CsvReader } from '../../files/csv-stream.ts'
import { unreadable } from '../../files/unreadable.ts'
import type { Findings } from '../../registry/release/rules.ts'
import { note } from '../../registry/release/rules.ts'
import {
  CASH,
  type ChargeSink,
  classOf,
  dollarsOf,
  GROSS,
  HIGHEST,
  type HospitalHead,
  type HospitalReader,
  isProcedureType,
  isProfessionalRevenue,
  LineAmounts,
  LineCodes,
  LOWEST,
  MALFORMED,
  modifierOf,
  settingOf,
  UNREADABLE_FIELD,
  variantOf,
} from './charges.ts'
import { CODE_LENGTH, isCode } from './code-number.ts'
import { type Columns, findColumns } from './columns.ts'
import { npisIn } from './owner.ts'

/** What a line came to: the rule it breaks, and, if it has amounts, whether they are for a modifier and setting. */
interface LineReading {
  rule: string | undefined
  variant: string | undefined
  /** Whether it holds for the next line too, if that has the same cells. */
  repeatable: boolean
}

const HEAD_RECORDS = 12
const MODIFIERS = 1_000

/** Both CSV layouts of the CMS template, versions 2.0 to 3.0, by the names of their columns. */
export class HospitalCsv implements HospitalReader, CsvHandler {
  readonly #reader = new CsvReader(this)
  readonly #general = new Map<string, string>()
  #names: string[] | undefined
  #columns: Columns | undefined
  #last: LineReading | undefined
  lines = 0
  readonly #ending = new FileEnd()
  readonly #modifiers = new Map<string, string | undefined>()
  readonly #codes = new LineCodes()
  readonly #amounts = new LineAmounts()
  /** Whether a revenue code of the line says that a doctor charges it. */
  #professional = false

  constructor(
    readonly sink: ChargeSink,
    readonly rejects: Findings,
  ) {}

  push(chunk: Uint8Array): void {
    this.#ending.lastByte = chunk.at(-1) ?? this.#ending.lastByte
    this.#reader.push(chunk)
  }

  end(): HospitalHead {
    this.#reader.end()
    if (!this.#columns) throw notTemplate()
    if (this.#ending.isCut())
      throw unreadable('the file ends in the middle of a line: download it again', this.#ending.line)
    return {
      last_updated_on: this.#general.get('last_updated_on') ?? '',
      npis: npisIn(this.#general.get('type_2_npi') ?? ''),
    }
  }

  malformed(line: number): void {
    if (!this.#columns) throw notTemplate()
    this.lines++
    this.#ending.add(line, 0)
    note(this.rejects, MALFORMED, line)
  }

  record(record: CsvRecord): void {
    if (this.#columns) this.#line(record, this.#columns)
    else this.#head(record)
  }

  /** The general names, on the next record their values, and then the names of the columns. */
  #head(record: CsvRecord): void {
    const cells = Array.from({ length: record.cells }, (_, cell) => record.text(cell))
    if (cells.every((cell) => cell === '')) return
    if (this.#names) {
      for (const [cell, name] of this.#names.entries()) if (cells[cell]) this.#general.set(name, cells[cell])
      this.#names = undefined
      return
    }
    const names = cells.map(plain)
    if (names.includes('last_updated_on') || names.includes('hospital_name')) this.#names = names
    else this.#columns = findColumns(names)
    if (this.#columns) this.#ending.add(record.line, names.findLastIndex((name) => name !== '') + 1)
    else if (record.line > HEAD_RECORDS) throw notTemplate()
  }

  #line(record: CsvRecord, columns: Columns): void {
    const { line } = record
    this.#ending.add(line, record.cells)
    if (hasMore(record, columns.width)) {
      this.#last = undefined
      this.lines++
      note(this.rejects, MALFORMED, line) // a stray comma has moved the cells
      return
    }
    // The lines of one item differ in payer and rate alone, and those are not read where lowest and highest stand.
    const again = this.#last !== undefined && record.repeats(columns.spans)
    const reading = again && this.#last ? this.#last : this.#readLine(record, columns)
    const { variant, rule, repeatable } = reading
    if (rule || variant !== undefined) this.lines++
    if (rule) note(this.rejects, rule, line)
    if (variant !== undefined)
      for (const code of this.#codes.found) this.sink(code, variant, line, this.#amounts.dollars, again)
    this.#last = repeatable ? reading : undefined
  }

  #readLine(record: CsvRecord, columns: Columns): LineReading {
    const noCode = this.#readCodes(record, columns)
    if (noCode && isBlankRecord(record)) return { rule: undefined, variant: undefined, repeatable: false }
    if (noCode) return { rule: noCode, variant: undefined, repeatable: true }
    const setting = settingOf(record.text(columns.setting))
    const modifier = this.#readModifier(record, columns)
    const billing = classOf(record.text(columns.billingClass)) || (this.#professional ? 'professional' : '')
    const repeatable = this.#readAmounts(record, columns)
    const rule = this.#amounts.settle()
    const variant = variantOf(modifier ?? '', setting ?? '', billing)
    if (setting !== undefined && modifier !== undefined) return { rule, variant, repeatable }
    this.#amounts.disown()
    return { rule: UNREADABLE_FIELD, variant, repeatable }
  }

  /** Lines have the same few lists of modifiers over and over. */
  #readModifier(record: CsvRecord, { modifiers }: Columns): string | undefined {
    let text = ''
    for (const cell of modifiers) if (!record.isBlank(cell)) text += `${text === '' ? '' : '|'}${record.text(cell)}`
    if (text === '') return ''
    if (!this.#modifiers.has(text)) {
      if (this.#modifiers.size === MODIFIERS) this.#modifiers.clear()
      this.#modifiers.set(text, modifierOf(text))
    }
    return this.#modifiers.get(text)
  }

  /** The rule by which the line has no code, if it has none. */
  #readCodes(record: CsvRecord, { codes }: Columns): string | undefined {
    this.#codes.begin()
    this.#professional = false
    for (const { code, type } of codes) {
      if (record.isBlank(code)) continue
      const named = record.text(type)
      if (named === 'RC') this.#professional ||= isProfessionalRevenue(record.text(code))
      if (!isProcedureType(named)) continue
      const number = record.base36(code, CODE_LENGTH)
      if (number !== undefined && isCode(number)) this.#codes.addNumber(number)
      else this.#codes.add(record.text(code))
    }
    return this.#codes.settle()
  }

  /** Whether another line with the same cells would have the same amounts: not where its rates were read. */
  #readAmounts(record: CsvRecord, { stated, rates }: Columns): boolean {
    const amounts = this.#amounts
    amounts.begin()
    amounts.state(GROSS, dollarsAt(record, stated[GROSS] as number))
    amounts.state(CASH, dollarsAt(record, stated[CASH] as number))
    const lowest = dollarsAt(record, stated[LOWEST] as number)
    const highest = dollarsAt(record, stated[HIGHEST] as number)
    amounts.state(LOWEST, lowest)
    amounts.state(HIGHEST, highest)
    const [noLowest, noHighest] = [lowest === 0, highest === 0]
    if ((!noLowest && !noHighest) || rates.length === 0) return true
    for (const cell of rates) amounts.rate(dollarsAt(record, cell), noLowest, noHighest)
    return false
  }
}

function dollarsAt(record: CsvRecord, cell: number): number {
  const cents = record.plainCents(cell)
  return cents === undefined ? dollarsOf(record.text(cell)) : cents / 100
}

/** Whether anything stands in the cells from `width` on. */
function hasMore(record: CsvRecord, width: number): boolean {
  for (let cell = width; cell < record.cells; cell++) if (!record.isBlank(cell)) return true
  return false
}
const isBlankRecord = (record: CsvRecord): boolean => !hasMore(record, 0)

/** Names tolerate case, blanks around the pipes, and what a byte order mark leaves behind. */
const plain = (header: string): string => header.toLowerCase().replace(/[^!-~]/g, '')

const notTemplate = () =>
  unreadable(
    `this is not a hospital file in the CMS template: none of its first ${HEAD_RECORDS} lines names the columns code|1, code|1|type and setting. Ask the hospital for its current file`,
  )

/**
 * How a CSV file ends: a line that has no end, and fewer cells than any other, was cut off while it was copied. Half an
 * amount would pass for one. A line of one cell is a blank or a remark, and says nothing.
 */
export class FileEnd {
  lastByte = 0
  line = 0
  #cells = 0
  #fewest = Number.POSITIVE_INFINITY

  add(line: number, cells: number): void {
    if (this.#cells > 1) this.#fewest = Math.min(this.#fewest, this.#cells)
    this.#cells = cells
    this.line = line
  }

  isCut(): boolean {
    const isOnlyLine = this.#fewest === Number.POSITIVE_INFINITY
    return this.lastByte > 0x20 && this.#cells < this.#fewest && !isOnlyLine
  }
}
