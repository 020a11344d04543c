import { unreadable } from '../../files/unreadable.ts'
import { Problem } from '../../problem.ts'
import { stayCode } from '../../proof/price/code.ts'
import { AMOUNT, inpatientBaseCents, type StayInputs, WEIGHT } from '../../proof/price/inpatient-base.ts'
import { dollars } from '../../proof/price/physician-fee.ts'
import type { Locator, Row } from '../../proof/price/row.ts'
import { isDay } from '../../proof/shape.ts'
import { type Findings, note } from '../../registry/release/rules.ts'
import { bareNumber, noAmount } from '../findings.ts'
import { wholeFiles } from '../reader.ts'
import { oneLine, tableRecords } from '../records.ts'
import { fail, isOneOf, perSource, type Reread, whole } from '../reread.ts'
import type { Source } from '../source.ts'
import type { EditionOptions } from './quarter.ts'
import {
  absent,
  type EditionDates,
  indicatorsOf,
  type RowBase,
  refused,
  type ScheduleReader,
  type ScheduleReading,
} from './schedule.ts'
import { chooseSource, type Line, readTable, refuseProposed, rowsInOrder, type Table } from './table.ts'

const WEIGHTS = 'Table 5 of the inpatient rule'
const AMOUNTS = 'Tables 1A to 1E of the inpatient rule'

/**
 * The columns of Table 5. Since 2023 a weight may not fall by more than a tenth in a year: the column after that cap is
 * paid by, and not the one before it, which differs for 30 groups of 2026.
 */
const COLUMNS = {
  cpt: { titles: ['MS-DRG'] },
  weight: { titles: ['Weights - 10% Cap Applied'] },
  post_acute: { titles: ['Final Post-Acute DRG', 'Final Rule Post-Acute DRG', 'Post-Acute DRG'], optional: true },
  special_pay: { titles: ['Final Special Pay DRG', 'Final Rule Special Pay DRG', 'Special Pay DRG'], optional: true },
  geometric_days: { titles: ['Geometric mean LOS'], optional: true },
  arithmetic_days: { titles: ['Arithmetic mean LOS'], optional: true },
} as const

/** Medicare's federal base rate for each group of stays, at a wage index of 1.0000: the weights times the standardized amounts. */
export const reader: ScheduleReader = {
  open,
  read: wholeFiles(open),
  reread: rereadStays,
  finds: (source, cpt) => [...linesOf(whole(source))].some((line) => codeOf(line) === cpt),
  options: [],
}

function open(given: readonly Source[], options: EditionOptions, rejects: Findings): ScheduleReading {
  const source = chooseSource(given, weightsIn, WEIGHTS)
  const table = weightsIn(source)
  refuseProposed(table.titles)
  const amountFiles = given.flatMap((each) => (each === source ? [] : (amountsIn(each) ?? [])))
  const [amounts, ...more] = amountFiles
  if (!amounts) throw unreadable(`give ${AMOUNTS} too: without them a weight is no amount`)
  if (more.length > 0) throw unreadable(`there are several files that could be ${AMOUNTS}: give one of them`)
  const dates = datedBy(table, amounts, options)
  const rows = rowsInOrder(made(table.lines, amounts, dates.effective_from, rejects), rejects)
  if (rows.length === 0) throw unreadable(`${WEIGHTS} has no line that can be read`)
  return { ...dates, rows, row_total: rows.length, line_total: rows.length, cited: [source, amounts.source] }
}

const weightsIn = (source: Source): Table => readTable(source, COLUMNS, WEIGHTS)

/** The standardized amounts for a hospital that reported quality data and uses electronic records, and where they are stated. */
interface StandardAmounts extends Omit<StayInputs, 'weight'> {
  source: Source
  year: number | undefined
  lines: readonly [operating: number, capital: number]
}

const FULL_UPDATE = /^Hospital Submitted Quality Data and is a Meaningful EHR User\b/i

/**
 * Table 1B, which holds for wage indices of at most 1.0000, and Table 1D. Table 1A divides the same total otherwise: where the two
 * totals differ, a table was torn.
 */
function amountsIn(source: Source): StandardAmounts | undefined {
  const operating = new Map<string, { labor: string; nonlabor: string; line: number }>()
  let capital: { rate: string; line: number } | undefined
  let [table, heading, year, isFull] = ['', '', undefined as number | undefined, false]
  for (const { line, cells } of tableRecords(source)) {
    const [first = '', second = ''] = cells.map(oneLine)
    const named = /^TABLE 1([A-E])\b/i.exec(first)
    year ??= fiscalYearIn([first])
    if (named) {
      table = (named[1] ?? '').toUpperCase()
      isFull = false
    }
    isFull ||= FULL_UPDATE.test(first)
    const amount = bareNumber(first)
    if (/^[AB]$/.test(table) && isFull && isPair(heading) && AMOUNT.test(amount) && !operating.has(table))
      operating.set(table, { labor: amount, nonlabor: bareNumber(second), line })
    if (table === 'D' && /^National$/i.test(first)) capital ??= { rate: bareNumber(second), line }
    heading = `${first}|${second}`
  }
  const [above, upTo] = [operating.get('A'), operating.get('B')]
  if (!above || !upTo || !capital) return undefined
  const sums = [above, upTo].map(({ labor, nonlabor }) => cents(labor) + cents(nonlabor))
  if (![above.nonlabor, upTo.nonlabor, capital.rate].every((text) => AMOUNT.test(text)) || sums[0] !== sums[1])
    throw unreadable(`${AMOUNTS}: the totals of Tables 1A and 1B are not the same; download the file again`, upTo.line)
  const { labor, nonlabor } = upTo
  return { source, year, labor, nonlabor, capital: capital.rate, lines: [upTo.line, capital.line] }
}
const isPair = (heading: string): boolean => /^Labor-related\|Nonlabor-related$/i.test(heading)
const cents = (amount: string): number => Number(amount.replace('.', ''))

/** The federal year that a title names: it begins on the first of October before. */
function fiscalYearIn(titles: readonly string[]): number | undefined {
  const years = titles.flatMap((title) => /(?<![A-Za-z0-9])FY[ _]?(20[0-9]{2})(?![0-9])/i.exec(title)?.[1] ?? [])
  return years[0] === undefined ? undefined : Number(years[0])
}

function datedBy(
  { titles }: Table,
  amounts: StandardAmounts,
  { edition, effective_from }: EditionOptions,
): EditionDates {
  const year = fiscalYearIn(titles)
  if (year !== undefined && amounts.year !== undefined && year !== amounts.year)
    throw unreadable('the weights and the standardized amounts are of different years: give those of one year')
  const from = effective_from ?? (year === undefined ? undefined : `${year - 1}-10-01`)
  if (from === undefined || !isDay(from))
    throw new Problem(
      'invalid_parameter',
      'give --effective-from, a day as YYYY-MM-DD: the files do not name their year',
    )
  return { edition: edition ?? `FY${year ?? from.slice(0, 4)}`, effective_from: from }
}

/** Spreadsheets drop the zeros in front of a number. */
const codeOf = (line: Line): string | undefined => stayCode(line.code('cpt').padStart(3, '0'))

function* made(
  lines: Iterable<Line>,
  amounts: StandardAmounts,
  effective_from: string,
  rejects: Findings,
): Generator<{ line: number; row: Row }> {
  for (const line of lines) {
    const code = codeOf(line)
    if (code !== undefined) yield { line: line.line, row: stayRow(line, code, amounts, effective_from) }
    // Footnotes are below the list.
    else if (line.cell('weight') !== '') note(rejects, 'R03', line.line)
  }
}

function stayRow(line: Line, code: string, amounts: StandardAmounts, effective_from: string): Row {
  const locator: Locator = [
    { citation: 0, line: line.line },
    ...amounts.lines.map((each) => ({ citation: 1, line: each })),
  ]
  const flag = (name: string): readonly [string, RegExp] => [line.cell(name), /^(Yes|No)$/]
  const days = (name: string): readonly [string, RegExp] => [tenths(line.number(name)), /^\d{1,3}\.\d$/]
  const base: RowBase = {
    code,
    payer: null,
    modifier: null,
    region: 'national',
    npi: null,
    basis: 'medicare_ipps',
    setting: 'inpatient',
    class: null,
    effective_from,
    indicators: indicatorsOf({
      post_acute: flag('post_acute'),
      special_pay: flag('special_pay'),
      geometric_days: days('geometric_days'),
      arithmetic_days: days('arithmetic_days'),
    }),
    locator,
  }
  const stated = line.number('weight')
  const nothing = noAmount(stated)
  if (nothing !== undefined) return absent(base, 'no_price_stated', 'no-amount/1', { rate: nothing })
  const weight = /^\d{1,3}(\.\d{1,4})?$/.test(stated) ? padded(stated, 4) : ''
  if (!WEIGHT.test(weight)) return refused(base, 'R02')
  const { labor, nonlabor, capital } = amounts
  const paid = inpatientBaseCents({ weight, labor, nonlabor, capital })
  const price = { amount: dollars(paid.operating + paid.capital), currency: 'USD', per: null } as const
  const inputs = { weight, labor, nonlabor, capital, wage_index: '1.0000' }
  return { ...base, kind: 'price', price, flags: [], derivation: { method: 'ipps-base/1', inputs } }
}

function padded(decimal: string, places: number): string {
  const [units = '', fraction = ''] = decimal.split('.')
  return `${units}.${fraction.padEnd(places, '0')}`
}
/** Days have one decimal, which a workbook leaves out where it is zero. */
const tenths = (text: string): string => (/^\d{1,3}$/.test(text) ? `${text}.0` : text)

function* linesOf(source: Source): Generator<Line> {
  try {
    yield* weightsIn(source).lines
  } catch (error) {
    // The other file that a release cites has no groups.
    if (!(error instanceof Problem)) throw error
  }
}

/** The three cited lines must make the same row again. Each group has one line. */
function rereadStays(): Reread {
  const weights = perSource((source) => new Map([...linesOf(whole(source))].map((line) => [line.line, line])))
  const amounts = perSource((source) => amountsIn(whole(source)))
  return (row, places) => {
    const [of, operating, capital] = places
    const line = of && weights(of.source).get(of.line)
    const stated = operating && amounts(operating.source)
    if (!line || !stated || stated.lines[0] !== operating.line || stated.lines[1] !== capital?.line)
      return fail('line_not_found')
    const code = codeOf(line)
    const again = code && stayRow(line, code, stated, row.effective_from)
    return again ? isOneOf(row, [{ ...again, locator: row.locator }]) : fail('line_not_found')
  }
}
