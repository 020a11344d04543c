import type { CsvRecord, Span } from '../../files/csv-record.ts'
import { unreadable } from '../../files/unreadable.ts'
import type { HospitalHead } from './charges.ts'
import { isOtherType } from './line-codes.ts'
import { npisIn } from './owner.ts'

/** The columns of one payer and plan; of each line another, in the tall layout. -1 where the file has none. */
export interface PayerColumns {
  /** The names, where the columns are named after them. */
  named: { payer: string; plan: string } | undefined
  dollars: number
  percentage: number
  formula: number
  methodology: number
  median: number
  tenth: number
  ninetieth: number
  estimate: number
  count: number
}

/** The numbers of the columns that are read. Descriptions and notes are never read. */
export interface Columns {
  width: number
  /** Up to the last one that has a name. */
  named: number
  codes: { code: number; type: number }[]
  setting: number
  /** Professional or facility; few files have it. */
  billingClass: number
  /** The template has one column for them, and at least one hospital has a second, `modifier`. */
  modifiers: number[]
  /** The template's drug_unit_of_measurement and drug_type_of_measurement. */
  drugUnit: number
  drugType: number
  /** The amounts, in order: gross, cash, lowest, highest. */
  stated: number[]
  /** All of the above, as few runs of columns. */
  spans: Span[]
  /** Whether types are before their codes; undefined where they are not side by side. */
  typeFirst: boolean | undefined
  /** One in the tall layout, one for each payer and plan in the wide one. */
  rates: number[]
  /** The names of payers and plans, in the tall layout. */
  payer: number
  plan: number
  payers: PayerColumns[]
  /** How many other columns have names like those of amounts: they may be a hospital's own words for the columns above. */
  unknown: number
}

const HEAD_RECORDS = 12
/** The beginning of the sentence by which a hospital says that its file is true, as `plain` leaves it. The sentence is the name of a column. */
const ATTESTATION = 'tothebestofitsknowledge'

/** Reads the head of a CSV: general names, on the next record their values, and then the names of the columns. */
export class CsvHead {
  readonly #general = new Map<string, string>()
  /** The general names, until their values are read. */
  #names: string[] | undefined
  #columnNames: readonly string[] = []

  /** The columns, if the record names them. */
  read(record: CsvRecord): Columns | undefined {
    const cells = textsOf(record)
    if (cells.every((cell) => cell === '')) return undefined
    if (this.#names) {
      for (const [cell, name] of this.#names.entries()) if (cells[cell]) this.#general.set(looseName(name), cells[cell])
      this.#names = undefined
      return undefined
    }
    const names = cells.map(plain)
    if (generalIn(names) > 0) {
      this.#names = names
      return undefined
    }
    this.#columnNames = names
    const columns = findColumns(names, cells)
    if (!columns && record.line > HEAD_RECORDS) throw notTemplate()
    return columns
  }

  /** The name of a hospital may have quotes in it. The names of the columns may not: all cells are read by their places. */
  torn(record: CsvRecord): void {
    if (this.#names) record.join(this.#names.length)
    else if (generalIn(textsOf(record).map(plain)) === 0)
      throw NAMES.test(record.raw())
        ? unreadable(
            'the quotes in the names of the columns are wrong: ask the hospital for its current file',
            record.line,
          )
        : notTemplate()
    this.read(record)
  }

  /** Whether a line has the names of the columns once more. Other names begin another table, and perhaps another hospital's. */
  isRepeated(record: CsvRecord, { codes }: Columns): boolean {
    if (codes.some(({ type }) => isOtherType(record.text(type))) || !NAMES.test(record.raw())) return false
    const written = textsOf(record)
    const names = written.map(plain)
    if (names.join() === this.#columnNames.join()) return true
    if (generalIn(names) < 2 && !findColumns(names, written)) return false
    throw unreadable(
      'another table begins here, with names of its own: ask the hospital for a file with one table',
      record.line,
    )
  }

  toHead({ unknown }: Columns): HospitalHead {
    const attestation = [...this.#general.keys()].find((name) => name.startsWith(ATTESTATION))
    return {
      last_updated_on: this.#general.get('lastupdatedon') ?? '',
      npis: npisIn(this.#general.get('type2npi') ?? ''),
      version: this.#general.get('version') ?? '',
      attested: this.#general.get(attestation ?? '') ?? '',
      unknown,
    }
  }
}

const textsOf = (record: CsvRecord): string[] => Array.from({ length: record.cells }, (_, cell) => record.text(cell))

const generalIn = (names: readonly string[]): number => names.filter((name) => GENERAL.includes(looseName(name))).length
const GENERAL = ['lastupdatedon', 'hospitalname', 'type2npi']
/** Found in every line of names. */
const NAMES = /last.updated.on|hospital.name|\|\s*type\b/i

/** Names tolerate case, blanks around the pipes, and what a byte order mark leaves behind. */
const plain = (header: string): string => header.toLowerCase().replace(/[^!-~]/g, '')

export const notTemplate = () =>
  unreadable(
    `this is not a hospital file in the CMS template: none of its first ${HEAD_RECORDS} lines names the columns code|1, code|1|type and setting. Ask the hospital for its current file`,
  )

/** Names without the marks in them: hospitals write `Standard charge | discounted cash`, and `code|[1]` as the dictionary does. */
const looseName = (name: string): string => name.replace(/[^a-z0-9|]/g, '')

/** The cells by name, and the names that are there twice. */
function cellsByName(names: readonly string[]): { at: Map<string, number>; twice: Set<string> } {
  const at = new Map<string, number>()
  const twice = new Set<string>()
  for (const [cell, name] of names.entries())
    if (at.has(name)) twice.add(name)
    else at.set(name, cell)
  return { at, twice }
}

/** The columns of a line with the names of columns; nothing where it is another. */
function findColumns(names: readonly string[], written: readonly string[]): Columns | undefined {
  const looseNames = names.map(looseName)
  const [exact, loose] = [cellsByName(names), cellsByName(looseNames)]
  const find = (...spellings: string[]): number => {
    for (const name of spellings) {
      const [{ at, twice }, key] = exact.at.has(name) ? [exact, name] : [loose, looseName(name)]
      if (twice.has(key))
        throw unreadable(
          'a column is in the file twice, so it is not clear which one counts: ask the hospital for its current file',
        )
      const cell = at.get(key)
      if (cell !== undefined) return cell
    }
    return -1
  }
  const codes = [...loose.at.keys()]
    .filter((name) => /^code\|[0-9]{1,3}$/.test(name) && loose.at.has(`${name}|type`))
    .map((name) => ({ code: find(name), type: find(`${name}|type`) }))
  if (codes.length === 0 || !loose.at.has('setting')) return undefined
  const charges = looseNames.filter((name) => name.startsWith('standardcharge') || BARE_CHARGE.test(name))
  const unknown = charges.filter((name) => !KNOWN_CHARGE.test(name)).length
  if (unknown === charges.length)
    throw unreadable(
      'the file names none of the columns for amounts, such as standard_charge|gross and standard_charge|discounted_cash: ask the hospital for its current file',
    )
  const setting = find('setting')
  const billingClass = find('billing_class')
  const modifiers = ['modifiers', 'modifier'].map((name) => find(name))
  const [drugUnit, drugType] = ['unit', 'type'].map((name) => find(`drug_${name}_of_measurement`)) as [number, number]
  const stated = [['gross'], ['discounted_cash'], ['min', 'minimum'], ['max', 'maximum']].map((spellings) =>
    find(...spellings.map((name) => `standard_charge|${name}`)),
  )
  return {
    width: names.length,
    named: names.findLastIndex((name) => name !== '') + 1,
    codes,
    setting,
    billingClass,
    modifiers,
    drugUnit,
    drugType,
    stated,
    typeFirst: sideBySide(codes),
    spans: spansOf([
      ...codes.flatMap(({ code, type }) => [code, type]),
      setting,
      billingClass,
      ...modifiers,
      drugUnit,
      drugType,
      ...stated,
    ]),
    rates: [...names.keys()].filter((cell) =>
      /^standardcharge\|(.*\|)?negotiateddollar$/.test(looseNames[cell] as string),
    ),
    payer: find('payer_name'),
    plan: find('plan_name'),
    payers: payersIn(looseNames, written),
    unknown,
  }
}

/** The columns of payers by the loose names that they end or begin with. */
const RATE_COLUMNS: ReadonlyMap<string, Exclude<keyof PayerColumns, 'named'>> = new Map([
  ['negotiateddollar', 'dollars'],
  ['negotiatedpercentage', 'percentage'],
  ['negotiatedalgorithm', 'formula'],
  ['methodology', 'methodology'],
])
const PAID_COLUMNS: ReadonlyMap<string, Exclude<keyof PayerColumns, 'named'>> = new Map([
  ['medianamount', 'median'],
  ['10thpercentile', 'tenth'],
  ['90thpercentile', 'ninetieth'],
  ['estimatedamount', 'estimate'],
  ['count', 'count'],
])

/** `standard_charge|[payer]|[plan]|negotiated_dollar` and `median_amount|[payer]|[plan]` in the wide layout; in the tall one without names. */
function payersIn(looseNames: readonly string[], written: readonly string[]): PayerColumns[] {
  const found = new Map<string, PayerColumns>()
  for (const [cell, name] of looseNames.entries()) {
    const parts = name.split('|')
    const isCharge = parts[0] === 'standardcharge'
    const part = isCharge ? RATE_COLUMNS.get(parts.at(-1) ?? '') : PAID_COLUMNS.get(parts[0] ?? '')
    if (part === undefined) continue
    const names = (written[cell] ?? '').split('|').map((each) => each.trim())
    const [payer, plan = ''] = isCharge ? names.slice(1, -1) : names.slice(1)
    const columns = found.get(`${payer}|${plan}`) ?? noColumns(payer === undefined ? undefined : { payer, plan })
    found.set(`${payer}|${plan}`, columns)
    columns[part] = cell
  }
  return [...found.values()]
}

const noColumns = (named: PayerColumns['named']): PayerColumns => ({
  named,
  ...{ dollars: -1, percentage: -1, formula: -1, methodology: -1 },
  ...{ median: -1, tenth: -1, ninetieth: -1, estimate: -1, count: -1 },
})
const KNOWN_CHARGE =
  /^standardcharge\|(gross|discountedcash|min|minimum|max|maximum|(.*\|)?(negotiated(dollar|percentage|algorithm)|methodology))$/

/** A name without `standard_charge|` before it. */
const BARE_CHARGE = /^(gross(charges?)?|(discounted)?cash(price)?|negotiateddollar|min|minimum|max|maximum)$/

function sideBySide(codes: Columns['codes']): boolean | undefined {
  if (codes.every(({ code, type }) => type === code + 1)) return false
  return codes.every(({ code, type }) => type === code - 1) ? true : undefined
}

function spansOf(cells: readonly number[]): Span[] {
  const spans: Span[] = []
  for (const cell of [...new Set(cells)].filter((each) => each >= 0).sort((a, b) => a - b)) {
    const span = spans.at(-1)
    if (span && cell === span.last + 1) span.last = cell
    else spans.push({ first: cell, last: cell })
  }
  return spans
}
