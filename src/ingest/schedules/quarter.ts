import { dayOf } from '../../calendar.ts'
import { unreadable } from '../../files/unreadable.ts'
import { Problem } from '../../problem.ts'
import { isDay } from '../../proof/shape.ts'

/** A quarter of a year, in which CMS issues an edition of each of its schedules. */
export interface Quarter {
  year: number
  quarter: number
}

const MONTHS = ['jan', 'apr', 'jul', 'oct']
/** Titles are short. A sentence that names a month tells of something else. */
const MAX_TITLE = 120

/** The quarter that the titles of a file name, its own name first; undefined where none of them does. */
export function statedQuarter(titles: readonly string[]): Quarter | undefined {
  const stated = titles.filter((title) => title.length <= MAX_TITLE).flatMap((title) => quarterIn(title) ?? [])
  const [first] = stated
  if (stated.some(({ year, quarter }) => year !== first?.year || quarter !== first.quarter))
    throw unreadable('the file names two different quarters: give --edition and --effective-from')
  return first
}

function quarterIn(title: string): Quarter | undefined {
  const numbered = /(20[0-9]{2})[^0-9A-Za-z]*Q([1-4])(?![0-9])/i.exec(title)
  if (numbered) return { year: Number(numbered[1]), quarter: Number(numbered[2]) }
  // The laboratory schedule's archives are called 26CLABQ2.
  const short = /(?:^|[^0-9])([0-9]{2})CLABQ([1-4])/i.exec(title)
  if (short) return { year: 2000 + Number(short[1]), quarter: Number(short[2]) }
  // A month, but not the day on which someone saved the file.
  const dated = /(20[0-9]{2})[-_.](01|04|07|10)(?![-_.]?[0-9])/.exec(title)
  if (dated) return { year: Number(dated[1]), quarter: (Number(dated[2]) + 2) / 3 }
  const named =
    /(?<month>jan|apr|jul|oct)[a-z]*[^0-9a-z]{0,3}(?:web[^0-9a-z])?(?<year>20[0-9]{2})/i.exec(title)?.groups ??
    /(?<year>20[0-9]{2})[^0-9a-z]{0,3}(?<month>jan|apr|jul|oct)/i.exec(title)?.groups
  if (!named) return undefined
  return { year: Number(named['year']), quarter: MONTHS.indexOf((named['month'] ?? '').toLowerCase()) + 1 }
}

const twoDigits = (number: number): string => String(number).padStart(2, '0')
const startOf = ({ year, quarter }: Quarter): string => `${year}-${twoDigits(quarter * 3 - 2)}-01`

function quarterOf(day: string): Quarter {
  return { year: Number(day.slice(0, 4)), quarter: Math.ceil(Number(day.slice(5, 7)) / 3) }
}

/** The last day on which something in an edition that takes effect on `day` can begin to apply. */
export function quarterEnd(day: string): string {
  const { year, quarter } = quarterOf(day)
  return dayOf(Date.UTC(year, quarter * 3, 0))
}

/** The name and first day of an edition, if the operator gives them. */
export interface EditionOptions {
  edition?: string | undefined
  effective_from?: string | undefined
}

/** Dates a schedule by its quarter: OPPS26Q4 for the series OPPS. */
export const quarterly =
  (series: string) =>
  (titles: readonly string[], options: EditionOptions, archive?: string): { edition: string; effective_from: string } =>
    quarterlyEdition(series, titles, options, archive)

/** The edition and its first day: as the operator says, and otherwise by the quarter that the file or its archive names. */
export function quarterlyEdition(
  series: string,
  titles: readonly string[],
  given: EditionOptions,
  archive = '',
): { edition: string; effective_from: string } {
  const stated = given.effective_from === undefined ? (statedQuarter(titles) ?? statedQuarter([archive])) : undefined
  const effective_from = given.effective_from ?? (stated && startOf(stated))
  if (effective_from === undefined || !isDay(effective_from))
    throw new Problem(
      'invalid_parameter',
      'give --effective-from, a day as YYYY-MM-DD: the file does not name its quarter',
    )
  const { year, quarter } = quarterOf(effective_from)
  return { edition: given.edition ?? `${series}${twoDigits(year % 100)}Q${quarter}`, effective_from }
}
