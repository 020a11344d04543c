import type { ConversionFactorKind } from './cms-pfs.ts'
import type { Source } from './source.ts'

/** What a relative value file says about itself. Each part may be missing: the fixed-width form has no title. */
export interface SaidEdition {
  year?: number
  edition?: string
  effective_from?: string
}

const QUARTERS: readonly { month: string; letter: string; day: string }[] = [
  { month: 'JAN', letter: 'A', day: '01-01' },
  { month: 'APR', letter: 'B', day: '04-01' },
  { month: 'JUL', letter: 'C', day: '07-01' },
  { month: 'OCT', letter: 'D', day: '10-01' },
]

/** "2026 National Physician Fee Schedule Relative Value File July Release" */
const TITLE =
  /\b(20[0-9]{2}) National Physician Fee Schedule Relative Value File(?: (January|April|July|October) Release)?/i
/** PPRRVU2025_Oct.txt, PPRRVU23_JAN.csv */
const FILE_NAME = /PPRRVU(?:20)?([0-9]{2})[_-]?(JAN|APR|JUL|OCT)/i

/** Where a title can stand: before the header. */
const HEAD = 4_096

/**
 * The edition that a file says it is: by its title, or by its name where it has none. CMS letters the quarters
 * A to D, and each takes effect on the first day of its quarter. A correction between them has a month of its own
 * and says no more than the year: the operator must.
 */
export function saidEdition(source: Source): SaidEdition {
  const [, year, month] = TITLE.exec(source.text.slice(0, HEAD)) ?? []
  if (year !== undefined) return editionOf(Number(year), month)
  const [, short, named] = FILE_NAME.exec(source.name ?? source.file) ?? []
  return short === undefined ? {} : editionOf(2000 + Number(short), named)
}

function editionOf(year: number, month: string | undefined): SaidEdition {
  const quarter = QUARTERS.find((each) => month?.toUpperCase().startsWith(each.month))
  if (!quarter) return { year }
  return { year, edition: `RVU${year % 100}${quarter.letter}`, effective_from: `${year}-${quarter.day}` }
}

/** Which of a year's two conversion factors a file was made with, where its title or its name says so. */
export function conversionFactorKind(source: Pick<Source, 'file' | 'text'>): ConversionFactorKind | undefined {
  const title = TITLE.exec(source.text.slice(0, HEAD))
  const said = `${title ? source.text.slice(title.index, title.index + 200).split(/[\r\n]/)[0] : ''} ${source.file}`
  if (/non[-_ ]?QPP|non[-_ ]?qualifying/i.test(said)) return 'non_qualifying_apm'
  return /QPP|qualifying/i.test(said) ? 'qualifying_apm' : undefined
}
