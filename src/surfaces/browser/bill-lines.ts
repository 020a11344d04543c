// A bill as people paste it: lines of CSV, or cells of a spreadsheet. Everything in it is hostile. What cannot be read is
// refused by its line and never repeated; what is read has a closed form.

import { type BillQuestion, MOST_LINES } from '../../proof/list/batch.ts'
import { isUnits } from '../../proof/lookup/bill.ts'
import { isDay } from '../../proof/shape.ts'
import { CODE_FORM } from '../../tables/charts.ts'
import { readRegions } from '../words/places.ts'
import { allModifiers, readAmount, readCode, readDay, readModifiers } from '../words/values.ts'

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

/** The place, day and so on of the whole bill, for lines without their own. */
export interface BillDefaults {
  place: string
  day: string
}

type Field = 'code' | 'modifier' | 'units' | 'billed' | 'place' | 'day'
/** The order without a heading, and what columns are called in one. The code of a place of service is no place. */
const NAMES: readonly [Field, RegExp][] = [
  ['code', /^((cpt|hcpcs|proc|procedure|service|billing) )*(cpt|hcpcs|proc|procedure|codes?)$/],
  ['modifier', /^mod/],
  ['units', /^(units?|qty|quantity)( billed| of service)?$/],
  ['billed', /^((total|gross|billed|line) )*(billed|charges?|amount|price)( amount| billed| usd)?$/],
  ['place', /^(place(?! of serv)|zip|region|state$)/],
  ['day', /^(days?|dates?|dos|dates? of service|(service|svc|from) dates?)$/],
]
type Fields = readonly (Field | undefined)[]
const IN_ORDER: Fields = NAMES.map(([field]) => field)

/** The columns that a heading names; undefined for a line of the bill. */
function headingOf(cells: readonly string[]): Fields | undefined {
  const words = cells.map((cell) =>
    cell
      .toLowerCase()
      .replace(/[^a-z]+/g, ' ')
      .trim(),
  )
  const named = words.map((cell) => NAMES.find(([, name]) => name.test(cell))?.[0])
  return named.includes('code') && !cells.some((cell) => /[0-9]{2}/.test(cell)) ? named : undefined
}

export function parseBill(text: string, defaults: BillDefaults): ParsedBill {
  if (text.length > MOST_CHARACTERS) return { refused: 'The bill is too long: send it in parts.' }
  const lines = text
    .split(/\r\n?|\n/)
    .map((line, i) => ({ at: i + 1, cells: /[^\s,;"]/.test(line) ? cellsOf(line) : [] }))
    .filter(({ cells }) => cells.length > 0)
  if (lines.every(({ cells }) => headingOf(cells))) return { refused: 'There is no line: paste or type at least one.' }
  if (lines.filter(({ cells }) => !headingOf(cells)).length > MOST_LINES)
    return { refused: `There are more than ${MOST_LINES} lines: send the bill in parts.` }
  const entries: BillEntry[] = []
  const faults: BillFault[] = []
  let fields = IN_ORDER
  for (const { at, cells } of lines) {
    const heading = headingOf(cells)
    if (heading) {
      fields = heading
      continue
    }
    const of = (field: Field): string => cells[fields.indexOf(field)] ?? ''
    const entry = cells.some((cell) => cell.length > MOST_IN_CELL)
      ? `a cell has more than ${MOST_IN_CELL} characters`
      : isCut(cells, fields.indexOf('billed'))
        ? 'an amount with a comma in it needs quotes around it, or semicolons between the cells'
        : entryOf(of, defaults)
    if (typeof entry === 'string') faults.push({ at, what: entry })
    else entries.push({ at, ...entry })
  }
  return { entries, faults }
}

/** Whether the comma of an amount was read as one between cells: `$1,402.02`. */
function isCut(cells: readonly string[], billed: number): boolean {
  const [amount = '', next = ''] = cells.slice(billed, billed + 2)
  if (billed < 0 || !/^\$? ?[0-9]{1,3}$/.test(amount)) return false
  return /^[0-9]{3}\.[0-9]{2}$/.test(next) || (amount.startsWith('$') && /^[0-9]{3}$/.test(next))
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
  const { cpt: code, modifier: own } = readCode(of('code')) ?? { cpt: '', modifier: '' }
  if (!CODE_FORM.test(code)) return codeFault(of('code'))
  const modifier = allModifiers(own, readModifiers(of('modifier')))
  if (!MODIFIERS.test(modifier))
    return 'the modifier does not have two characters, such as 26; without a heading the columns are code, modifier, units, billed, place, day'
  const units = Number(/^([0-9]{1,6})(?:\.0*)?$/.exec(of('units') || '1')?.[1])
  if (!isUnits(units)) return 'the units are not a whole number of 1 or more'
  const billed = of('billed') === '' ? null : readAmount(of('billed'))
  if (billed === undefined)
    return 'the amount billed is not one in dollars with a point before the cents, such as 1234.50'
  const asked = of('place') || defaults.place
  const places = asked === '' ? [''] : readRegions(asked)
  if (places.length > 1) return `the place can mean several: write ${places.join(' or ')}, or a ZIP code`
  const [place] = places
  if (place === undefined) return 'the place is not a ZIP code or state, such as 94102 or CA; a city needs one of them'
  const day = readDay(of('day')) || defaults.day
  if (!isDay(day)) return 'the day is not one such as 2026-07-15 or 7/15/2026'
  return { code, modifier, units, billed, place, day }
}

function codeFault(text: string): string {
  if (/^[0-9A-Za-z]{5} ?(-|to) ?[0-9A-Za-z]{5}$/.test(text))
    return 'a range of codes has no price: write one code in each line'
  if (/^[0-9A-Za-z]{5}(-[0-9A-Za-z]{2})* +[^ ]*[0-9]/.test(text))
    return 'write commas between the cells, as in 99213,25,1,300.00,94102'
  const zeros = /^[0-9]{1,4}$/.test(text) ? '; a spreadsheet may have dropped zeros before it' : ''
  return `the code is not one of five characters, such as 99213 or J1885${zeros}`
}

/** The prices that are looked up for each line: the columns of the sheet. */
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
      // Doctors in a hospital are paid less than in their office: the hospital is paid for the rest.
      ...(column === 'doctor' && npi !== '' && { setting: 'facility' }),
    }
  })
