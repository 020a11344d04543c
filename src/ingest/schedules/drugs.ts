import { DOSAGE_UNITS } from '../../proof/price/row.ts'
import { isDay } from '../../proof/shape.ts'
import { CODE, noAmount } from '../findings.ts'
import { oneLine, withoutSeparators } from '../records.ts'
import { type EditionOptions, quarterlyEdition, statedQuarter } from './quarter.ts'
import {
  absent,
  type CitedLine,
  type EditionDates,
  indicatorsOf,
  nationalRow,
  type RowBase,
  refused,
  scheduleReader,
  statedPrice,
} from './schedule.ts'
import type { LineResult } from './table.ts'

const COLUMNS = {
  cpt: { titles: ['HCPCS Code'] },
  dosage: { titles: ['HCPCS Code Dosage'] },
  limit: { titles: ['Payment Limit'] },
  coinsurance: { titles: ['Co-insurance Percentage'], optional: true },
  notes: { titles: ['Notes'], optional: true },
} as const

/** The payment limits for Part B drugs (42 CFR 414.904), each for one dosage unit of its code. */
export const reader = scheduleReader({
  what: 'a list of payment limits for Part B drugs',
  parts: [{ columns: COLUMNS }],
  dated,
  empty: 'the list of payment limits has no line that can be read',
  row: drugRow,
})

/** A row, the rule that refuses it, or nothing for a blank line. */
function drugRow(given: CitedLine, effective_from: string): LineResult {
  const { cell, code, number } = given
  const limit = withoutSeparators(number('limit').replaceAll(/[$\s]/g, ''))
  if (!CODE.test(code('cpt'))) return limit === '' ? undefined : 'R03'
  const base: RowBase = {
    ...nationalRow(given, 'medicare_asp', effective_from),
    indicators: indicatorsOf({ coinsurance: [number('coinsurance'), /^[0-9]{1,3}(\.[0-9]{1,3})?$/] }),
  }
  const nothing = noAmount(limit)
  if (nothing !== undefined) return absent(base, 'no_price_stated', 'no-amount/1', { rate: nothing })
  const per = dosageIn(cell('dosage'))
  const flags = [...flagsIn(cell('notes')), ...(per === undefined ? ['unit_unparsed'] : [])]
  return statedPrice(base, limit, { per: per ?? '1 UNIT', flags }) ?? refused(base, 'R02')
}

const DOSAGE = new RegExp(`^([1-9][0-9]{0,6}(?:\\.[0-9]{1,4})?|0?\\.[0-9]{1,4}) ?(${DOSAGE_UNITS.join('|')})$`)

/** '10 mg' is '10 MG', '100,000 UNITS' is '100000 UNITS'. Nothing where the cell says more than a number and a unit. */
export function dosageIn(text: string): string | undefined {
  const dosage = oneLine(text)
    .toUpperCase()
    .replaceAll(/(?<=[0-9]),(?=[0-9]{3}(?![0-9]))/g, '')
  const [, quantity, unit] = DOSAGE.exec(dosage) ?? []
  if (quantity === undefined || Number(quantity) === 0) return undefined
  return `${quantity.replace(/^\./, '0.')} ${unit}`
}

/** Notes of the publisher beside a limit, and their flags. Words that are not known say nothing. */
const NOTES: readonly [RegExp, string][] = [
  [/^inflation-adjusted coinsurance$/, 'inflation_adjusted_coinsurance'],
  [/^8% of reference add-on applied$/, 'reference_biological_add_on'],
  [/^amp-based payment limit$/, 'amp_based'],
  [/^"lesser of" methodology applied$/, 'lesser_of'],
  [/^hiv prep drug$/, 'hiv_prep'],
  [/^see (the seasonal influenza|covid-19) vaccines? pricing webpage for /, 'see_publisher_page'],
]

/** A cell may hold several notes, as 'Added January 2026 - HIV PrEP drug'. */
function flagsIn(notes: string): string[] {
  const each = oneLine(notes).toLowerCase().split(' - ')
  return NOTES.flatMap(([words, flag]) => (each.some((note) => words.test(note)) ? [flag] : []))
}

const MONTHS = ['JAN', 'FEB', 'MAR', 'APR', 'MAY', 'JUN', 'JUL', 'AUG', 'SEP', 'OCT', 'NOV', 'DEC']
const DAY = '([A-Z]{3})[A-Z]* ([0-9]{1,2}), (20[0-9]{2})'
const PERIOD = new RegExp(`^EFFECTIVE ${DAY} THROUGH ${DAY}$`)

/** The file says its period in its title. Where it does not, its name tells the quarter. */
function dated(titles: readonly string[], options: EditionOptions, archive: string | undefined): EditionDates {
  const [stated] = titles.flatMap((title) => periodIn(oneLine(title).toUpperCase()) ?? [])
  if (!stated) return quarterlyEdition('ASP', titles, options, archive)
  // A title that was left over from the quarter before is refused, as in the other schedules.
  const [year = '', month = ''] = stated.from.split('-')
  if (options.effective_from === undefined) statedQuarter([`${year}Q${Math.ceil(Number(month) / 3)}`, ...titles])
  const effective_from = options.effective_from ?? stated.from
  const said = quarterlyEdition('ASP', [], { ...options, effective_from })
  return said.effective_from <= stated.to ? { ...said, effective_to: stated.to } : said
}

function periodIn(title: string): { from: string; to: string } | undefined {
  const [, ...parts] = PERIOD.exec(title) ?? []
  const [from, to] = [dayOf(parts.slice(0, 3)), dayOf(parts.slice(3))]
  return isDay(from) && isDay(to) && from <= to ? { from, to } : undefined
}

function dayOf([month = '', day = '', year = '']: readonly string[]): string {
  const number = String(MONTHS.indexOf(month) + 1)
  return `${year}-${number.padStart(2, '0')}-${day.padStart(2, '0')}`
}
