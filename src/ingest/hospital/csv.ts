import { FileEnd } from '../../files/csv-end.ts'
import type { CsvRecord } from '../../files/csv-record.ts'
import { type CsvHandler, CsvReader } from '../../files/csv-stream.ts'
import { unreadable } from '../../files/unreadable.ts'
import type { Findings } from '../../registry/release/rules.ts'
import { note } from '../../registry/release/rules.ts'
import { dollarsOf, GROSS, HIGHEST, LineAmounts, LOWEST, OWN_CODE, RESTORED } from './amounts.ts'
import { boundCodes } from './bounds.ts'
import {
  type ChargeSink,
  type HospitalHead,
  type HospitalReader,
  MALFORMED,
  OTHER_PAYER,
  RULE_FOR,
  UNREADABLE_FIELD,
} from './charges.ts'
import { CODE_LENGTH, isCode } from './code-number.ts'
import { type Columns, CsvHead, notTemplate, type PayerColumns } from './columns.ts'
import { drugUnit, NO_UNIT } from './drug-unit.ts'
import { codesBesideTypes, isProcedureType, isRevenueType, LineCodes } from './line-codes.ts'
import {
  disownRates,
  noRates,
  RATE_MARKS,
  RATE_OWN_CODE,
  RATE_RESTORED,
  readRates,
  type StatedRate,
} from './payer-rates.ts'
import type { PayerBook } from './payers.ts'
import {
  classOf,
  isProfessionalRevenue,
  LOST,
  type Modifiers,
  modifiersOf,
  NO_MODIFIERS,
  settingOf,
  TORN,
  variantOf,
} from './variant.ts'

/** The result of a line: the rule that it breaks, and the variant of its amounts, if it has any. */
interface LineReading {
  rule: string | undefined
  variant: string | undefined
  /** Whether the next line has the same result, if it has the same cells. */
  repeatable: boolean
}

const MODIFIERS = 1_000
/** Both CSV layouts of the CMS template, versions 2.0 to 3.0, by the names of their columns. */
export class HospitalCsv implements HospitalReader, CsvHandler {
  readonly #reader = new CsvReader(this)
  readonly #head = new CsvHead()
  #columns: Columns | undefined
  #last: LineReading | undefined
  lines = 0
  /** The number of cells in the first line of the table: one more than there are names, where all lines end with a comma. */
  #usual = 0
  readonly #ending = new FileEnd()
  readonly #modifiers = new Map<string, Modifiers>()
  readonly #codes = new LineCodes()
  readonly #amounts = new LineAmounts()
  /** Whether a revenue code of the line says that a doctor charges it. */
  #professional = false
  /** The unit of the amounts of the line. */
  #unit = NO_UNIT
  readonly #rates = noRates()
  /** The numbers of payers that columns are named after. */
  #payerNumbers: number[] = []

  constructor(
    readonly sink: ChargeSink,
    readonly rejects: Findings,
    readonly payers: PayerBook,
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
    return this.#head.toHead(this.#columns)
  }

  /** Takes a line whose quotes do not close. With inch marks in its quotes it is read if it has all its cells; otherwise only its codes are. */
  torn(record: CsvRecord): void {
    if (!this.#columns) {
      this.#head.torn(record)
      return
    }
    record.join(this.#columns.width)
    if (record.cells === this.#columns.width) this.#line(record, this.#columns)
    else {
      this.#ending.add(record.line, 0)
      this.#tornLine(record, this.#columns)
    }
    this.#last = undefined
  }

  record(record: CsvRecord): void {
    if (this.#columns) {
      this.#measure(record, this.#columns)
      this.#line(record, this.#columns)
    } else this.#readHead(record)
  }

  #measure(record: CsvRecord, { width }: Columns): void {
    if (this.#usual === 0 && !isBlankRecord(record) && !hasMore(record, width)) this.#usual = record.cells
    if (this.#usual > width && record.cells === width)
      throw unreadable(
        'the first lines have more cells than there are columns, and this one has not: commas without quotes have moved them. Ask the hospital for its current file',
        record.line,
      )
  }

  #readHead(record: CsvRecord): void {
    const columns = this.#head.read(record)
    if (!columns) return
    this.#columns = columns
    this.#payerNumbers = columns.payers.map(({ named }) => (named ? this.payers.numberOf(named.payer, named.plan) : -1))
    this.#reader.width = columns.width
    this.#ending.add(record.line, columns.named)
  }

  #line(record: CsvRecord, columns: Columns): void {
    const { line } = record
    this.#ending.add(line, record.cells)
    if (this.#isMoved(record, columns)) record.join(columns.width)
    if (this.#isMoved(record, columns)) {
      this.#tornLine(record, columns)
      return
    }
    // The lines of one item differ in payer and rate alone, and the rates mostly lie between its lowest and highest.
    const again = this.#last !== undefined && record.repeats(columns.spans) && this.#coversRates(record, columns)
    const reading = again && this.#last ? this.#last : this.#readLine(record, columns)
    const { variant, rule, repeatable } = reading
    if (rule || variant !== undefined) this.lines++
    if (rule) note(this.rejects, rule, line)
    if (variant !== undefined) {
      this.#send(this.#codes, variant, line, again)
      this.#sendRates(record, columns, variant, rule === UNREADABLE_FIELD)
    }
    this.#last = repeatable ? reading : undefined
  }

  /** Whether a stray comma has moved the cells, as in `$1,234`. The last columns are often blank, and then so is what is beyond them. */
  #isMoved(record: CsvRecord, { width }: Columns): boolean {
    if (record.cells <= width || isBlankRecord(record)) return false
    return record.cells !== this.#usual || hasMore(record, width)
  }

  #send(codes: LineCodes, variant: string, line: number, again: boolean): void {
    const { dollars } = this.#amounts
    const { found, restored } = codes
    for (let at = 0; at < found.length; at++) {
      const code = found[at] as number
      if (restored.length > 0) this.#amounts.mark(RESTORED, restored.includes(code))
      this.sink.charge(code, variant, line, dollars, again)
    }
  }

  /** Sends what the line states for each payer. The lines of one item differ in this. */
  #sendRates(record: CsvRecord, columns: Columns, variant: string, isLost: boolean): void {
    const { payers } = columns
    const { found, restored, isOfGroup } = this.#codes
    const rates = this.#rates
    for (let at = 0; at < payers.length; at++) {
      const own = payers[at] as PayerColumns
      // A blank cell says nothing of the plan that its column is named after.
      if (own.named && !hasRates(record, own)) continue
      const payer = own.named ? (this.#payerNumbers[at] as number) : this.#payerOf(record, columns)
      if (payer < 0) continue
      readRates(statedRate(record, own), this.#unit, rates)
      this.payers.rates++
      if (isLost) disownRates(rates)
      if (this.payers.isUnknown(payer)) note(this.rejects, OTHER_PAYER, record.line)
      if (isOfGroup) rates[RATE_MARKS] = (rates[RATE_MARKS] as number) | RATE_OWN_CODE
      const marks = rates[RATE_MARKS] as number
      for (const code of found) {
        rates[RATE_MARKS] = restored.includes(code) ? marks | RATE_RESTORED : marks
        this.sink.rates(code, variant, record.line, payer, rates)
      }
    }
  }

  /** The payer that a line of the tall layout names; below zero where it names none. */
  #payerOf(record: CsvRecord, { payer, plan }: Columns): number {
    if (record.isBlank(payer) && record.isBlank(plan)) return -1
    return this.payers.numberOf(record.text(payer), record.text(plan))
  }

  /** Takes a line whose cells cannot be told apart: nobody can say what it states for the codes in it. */
  #tornLine(record: CsvRecord, { typeFirst }: Columns): void {
    const codes = typeFirst === undefined ? new LineCodes() : codesBesideTypes(record.raw(), typeFirst)
    this.lines++
    this.#last = undefined
    note(this.rejects, codes.found.length > 0 ? UNREADABLE_FIELD : MALFORMED, record.line)
    this.#amounts.tear()
    this.#send(codes, TORN, record.line, false)
  }

  #readLine(record: CsvRecord, columns: Columns): LineReading {
    const noCode = this.#readCodes(record, columns)
    if (noCode && (isBlankRecord(record) || this.#head.isRepeated(record, columns)))
      return { rule: undefined, variant: undefined, repeatable: false }
    if (noCode) return { rule: noCode, variant: undefined, repeatable: true }
    const setting = settingOf(record.text(columns.setting))
    const { modifier, professional } = this.#readModifier(record, columns)
    const billing =
      classOf(record.text(columns.billingClass)) || (this.#professional || professional ? 'professional' : '')
    const repeatable = this.#readAmounts(record, columns)
    const settled = this.#amounts.settle()
    const variant = variantOf(modifier ?? LOST, setting ?? LOST, billing)
    if (setting !== undefined && modifier !== undefined)
      return { rule: settled && RULE_FOR[settled], variant, repeatable }
    // A line that ends before its last column, and has no setting, was broken in two: its amounts are elsewhere.
    if (settled === 'empty' && record.cells < columns.width) this.#amounts.tear()
    else this.#amounts.disown()
    return { rule: UNREADABLE_FIELD, variant, repeatable }
  }

  /** Lines have the same few lists of modifiers over and over. */
  #readModifier(record: CsvRecord, { modifiers }: Columns): Modifiers {
    let text = ''
    for (const cell of modifiers) if (!record.isBlank(cell)) text += `${text === '' ? '' : '|'}${record.text(cell)}`
    if (text === '') return NO_MODIFIERS
    let known = this.#modifiers.get(text)
    if (!known) {
      if (this.#modifiers.size === MODIFIERS) this.#modifiers.clear()
      known = modifiersOf([text])
      this.#modifiers.set(text, known)
    }
    return known
  }

  /** Reads the codes of a line. Returns the rule that says why it has none, if so. */
  #readCodes(record: CsvRecord, { codes }: Columns): string | undefined {
    this.#codes.begin()
    this.#professional = false
    for (const { code, type } of codes) {
      if (record.isBlank(code)) continue
      const named = record.text(type)
      if (isRevenueType(named)) this.#professional ||= isProfessionalRevenue(record.text(code))
      const number = isProcedureType(named) ? record.base36(code, CODE_LENGTH) : undefined
      if (number !== undefined && isCode(number)) this.#codes.addNumber(number)
      else this.#codes.addTyped(named, record.text(code))
    }
    const none = this.#codes.settle()
    boundCodes(this.#codes.found.length, record.line)
    return none
  }

  /** Whether another line with the same cells, and rates that these cover, would have the same amounts. */
  #readAmounts(record: CsvRecord, columns: Columns): boolean {
    const { stated, rates } = columns
    const amounts = this.#amounts
    this.#unit = this.#readUnit(record, columns)
    amounts.begin(this.#unit)
    amounts.mark(OWN_CODE, this.#codes.isOfGroup)
    for (let at: number = GROSS; at <= HIGHEST; at++) amounts.state(at, dollarsAt(record, stated[at] as number))
    let covered = true
    for (let at = 0; at < rates.length; at++) {
      const rate = dollarsAt(record, rates[at] as number)
      if (amounts.covers(rate)) continue
      covered = false
      amounts.rate(rate)
    }
    return covered && (rates.length === 0 || (amounts.dollars[LOWEST] !== 0 && amounts.dollars[HIGHEST] !== 0))
  }

  #coversRates(record: CsvRecord, { rates }: Columns): boolean {
    for (let at = 0; at < rates.length; at++)
      if (!this.#amounts.covers(dollarsAt(record, rates[at] as number))) return false
    return true
  }

  #readUnit(record: CsvRecord, { drugUnit: value, drugType: type }: Columns): number {
    if (record.isBlank(value) && record.isBlank(type)) return NO_UNIT
    return drugUnit(record.text(value), record.text(type))
  }
}

/** Whether any cell of a payer has text: most plans of a wide file have none in a line. */
function hasRates(record: CsvRecord, { dollars, percentage, formula, methodology, ...paid }: PayerColumns): boolean {
  return (
    !record.isBlank(dollars) ||
    !record.isBlank(percentage) ||
    !record.isBlank(formula) ||
    !record.isBlank(methodology) ||
    !record.isBlank(paid.median) ||
    !record.isBlank(paid.tenth) ||
    !record.isBlank(paid.ninetieth) ||
    !record.isBlank(paid.estimate)
  )
}

const statedRate = (record: CsvRecord, columns: PayerColumns): StatedRate => ({
  dollars: dollarsAt(record, columns.dollars),
  percentage: record.text(columns.percentage),
  // That there is a formula is all that is wanted of it.
  formula: record.isBlank(columns.formula) ? '' : record.text(columns.formula).slice(0, 10),
  methodology: record.text(columns.methodology),
  median: dollarsAt(record, columns.median),
  tenth: dollarsAt(record, columns.tenth),
  ninetieth: dollarsAt(record, columns.ninetieth),
  estimate: dollarsAt(record, columns.estimate),
  count: record.text(columns.count),
})

function dollarsAt(record: CsvRecord, cell: number): number {
  const cents = record.plainCents(cell)
  return cents === undefined ? dollarsOf(record.text(cell)) : cents / 100
}

/** Whether any cell from `width` on has text. */
function hasMore(record: CsvRecord, width: number): boolean {
  for (let cell = width; cell < record.cells; cell++) if (!record.isBlank(cell)) return true
  return false
}
const isBlankRecord = (record: CsvRecord): boolean => !hasMore(record, 0)
