// A bill as people paste it: lines of CSV, or cells of a spreadsheet. Everything in it is hostile. What cannot be read is
// refused by its line and never repeated; what is read has a closed form.

import { type BillQuestion, MOST_LINES } from '../../proof/list/batch.ts'
import { isUnits } from '../../proof/lookup/bill.ts'
import { capitals, codeOf } from '../../proof/lookup/question.ts'
import { parseRegion } from '../../proof/lookup/region.ts'
import { isDay } from '../../proof/shape.ts'

export const MOST_CHARACTERS = 32 * 1024
const MOST_IN_CELL = 100

export interface BillEntry {
  /** The line of the text that it stands in, from 1. */
  at: number
  code: string
  modifier: string
  units: number
  billed: string | null
  place: string
  day: string
}
export interface BillFault {
  at: number
  what: string
}
export type ParsedBill = { entries: BillEntry[]; faults: BillFault[] } | { refused: string }

/** What the whole bill says, for lines that do not. */
export interface BillDefaults {
  place: string
  day: string
}

type Field = 'code' | 'modifier' | 'units' | 'billed' | 'place' | 'day'
/** The order without a heading, and what columns are called in one. */
const NAMES: readonly [Field, RegExp][] = [
  ['code', /^(cpt|hcpcs|code|procedure)/i],
  ['modifier', /^mod/i],
  ['units', /^(unit|qty|quantity)/i],
  ['billed', /^(billed|charge|amount|price)/i],
  ['place', /^(place|zip|region|state)/i],
  ['day', /^(day|date|dos|service date)/i],
]

export function parseBill(text: string, defaults: BillDefaults): ParsedBill {
  if (text.length > MOST_CHARACTERS) return { refused: 'The bill is too long: send it in parts.' }
  const lines = text
    .split(/\r\n?|\n/)
    .map((line, i) => ({ at: i + 1, line }))
    .filter(({ line }) => /[^\s,;"]/.test(line))
  const [first] = lines
  if (!first) return { refused: 'There is no line: paste or type at least one.' }
  const heading = cellsOf(first.line)
  const named = heading.map((cell) => NAMES.find(([, name]) => name.test(cell))?.[0])
  const isHeading = named.includes('code')
  if (lines.length - Number(isHeading) > MOST_LINES)
    return { refused: `There are more than ${MOST_LINES} lines: send the bill in parts.` }
  const fields = isHeading ? named : NAMES.map(([field]) => field)
  const entries: BillEntry[] = []
  const faults: BillFault[] = []
  for (const { at, line } of isHeading ? lines.slice(1) : lines) {
    const cells = cellsOf(line)
    const of = (field: Field): string => cells[fields.indexOf(field)] ?? ''
    const entry = cells.some((cell) => cell.length > MOST_IN_CELL)
      ? `a cell has more than ${MOST_IN_CELL} characters`
      : entryOf(of, defaults)
    if (typeof entry === 'string') faults.push({ at, what: entry })
    else entries.push({ at, ...entry })
  }
  return { entries, faults }
}

/** Each line is read by the separator that it has itself: bills are put together from several places. */
function separatorOf(line: string): string {
  const outside = line.replace(/"[^"]*"/g, '').trimEnd()
  return ['\t', ';'].find((each) => outside.includes(each)) ?? ','
}

/** Cells in quotes may have the separator in them, and a quote twice (RFC 4180). */
function cellsOf(line: string): string[] {
  const separator = separatorOf(line)
  const cells: string[] = []
  let cell = ''
  let isQuoted = false
  for (const char of line) {
    if (char === '"') isQuoted = !isQuoted
    else if (char === separator && !isQuoted) {
      cells.push(cell.trim())
      cell = ''
    } else cell += char
  }
  return [...cells, cell.trim()]
}

const MODIFIERS = /^([A-Z0-9]{2}(-[A-Z0-9]{2}){0,3})?$/

/** The line as it is understood, or what is wrong with it. */
function entryOf(of: (field: Field) => string, defaults: BillDefaults): Omit<BillEntry, 'at'> | string {
  const [, code = '', own = ''] = /^(\w{5})(?:[- ](.*))?$/.exec(codeOf(of('code'))) ?? []
  if (!/^([0-9]{4}[0-9A-Z]|[A-Z][0-9]{4})$/.test(code)) return 'the code is not one of five characters, such as 99213'
  const modifier = capitals(of('modifier') || own).replace(/[\s,-]+/g, '-')
  if (!MODIFIERS.test(modifier)) return 'a modifier has two characters, such as 26'
  const units = Number(/^[0-9]{1,6}(?=\.?0*$)/.exec(of('units') || '1')?.[0])
  if (!isUnits(units)) return 'the units are not a whole number, such as 2'
  const billed = amountOf(of('billed'))
  if (billed === undefined) return 'the amount billed is not one in dollars, such as 300.00'
  const place = of('place') || defaults.place
  if (place !== '' && !parseRegion(place)) return 'the place is not a ZIP code or state, such as 94102 or CA'
  const day = dayOf(of('day')) || defaults.day
  if (!isDay(day)) return 'the day is not one such as 2026-07-15 or 7/15/2026'
  return { code, modifier, units, billed, place, day }
}

/** '$1,234.5' is '1234.50'; nothing is null. */
function amountOf(text: string): string | null | undefined {
  if (text === '') return null
  const plain = text.replace(/^\$ ?/, '').replace(/,(?=[0-9]{3}(,|\.|$))/g, '')
  const [, whole, cents = ''] = /^([0-9]{1,9})(?:\.([0-9]{0,2}))?$/.exec(plain) ?? []
  return whole === undefined ? undefined : `${Number(whole)}.${cents.padEnd(2, '0')}`
}

function dayOf(text: string): string {
  const [, month = '', day = '', year] = /^([0-9]{1,2})\/([0-9]{1,2})\/((?:20)?[0-9]{2})$/.exec(text) ?? []
  return year === undefined ? text : `20${year.slice(-2)}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`
}

/** What is looked up for each line, each a column of the sheet. */
export const COLUMNS = ['doctor', 'outpatient', 'cash', 'gross'] as const
export type Column = (typeof COLUMNS)[number]

/** A hospital's own amounts are there only where the hospital is named. */
export const columnsFor = (npi: string): Column[] => (npi === '' ? ['doctor', 'outpatient'] : [...COLUMNS])

/** The lines of a batch for one column, as they are sent and as they are verified. */
export const questionsOf = (entries: readonly BillEntry[], column: Column, npi: string): BillQuestion[] =>
  entries.map(({ code, modifier, units, billed, place, day }) => {
    const isMedicare = column === 'doctor' || column === 'outpatient'
    return {
      cpt: code,
      as_of: day,
      units,
      ...(modifier && { modifier }),
      ...(billed !== null && { billed }),
      ...(isMedicare ? place && { region: place } : { npi, basis: `hospital_${column}` }),
      ...(column === 'outpatient' && { setting: 'outpatient' }),
    }
  })
