import { headOf, oneLine } from '../records.ts'
import type { Source } from '../source.ts'

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
/** PPRRVU2025_Oct.txt, PPRRVU23_JAN.csv, PPRRVU22_V1215.xlsx */
const FILE_NAME = /PPRRVU(?:20)?([0-9]{2})(?![0-9])[-_ ]*(JAN|APR|JUL|OCT)?/i
/** RVU24AR.zip, rvu26c-updated-06-30-2026.zip. An R is a revision between the quarters. */
const ARCHIVE_NAME = /RVU(?:20)?([0-9]{2})([A-D])(R?)(?![A-Z])/i

/**
 * The edition that a file says it is: by its title, or by its name or that of its archive where it has none. CMS
 * letters the quarters A to D, and each takes effect on the first day of its quarter. A correction between them has a
 * month of its own and says no more than the year: the operator must.
 */
export function saidEdition(source: Source): SaidEdition {
  const [, year, month] = TITLE.exec(oneLine(headOf(source))) ?? []
  const [, short, named] = FILE_NAME.exec(source.name ?? source.file) ?? []
  const archive = archiveEdition(source.archive)
  const said =
    year !== undefined
      ? editionOf(Number(year), month)
      : short !== undefined
        ? editionOf(2000 + Number(short), named)
        : archive
  // The name of the archive tells a revision from the quarter that it revises: the titles of both are the same.
  const agrees = said.year === archive.year && archive.edition?.startsWith(said.edition ?? '')
  return agrees ? archive : said
}

/** The folder or archive in which CMS ships the files of one edition. */
function archiveEdition(name: string | undefined): SaidEdition {
  const [, year, letter, revised] = ARCHIVE_NAME.exec(name ?? '') ?? []
  const quarter = QUARTERS.find((each) => each.letter === letter?.toUpperCase())
  if (year === undefined || !quarter) return {}
  const said = editionOf(2000 + Number(year), quarter.month)
  return revised ? { ...said, edition: `${said.edition}R` } : said
}

function editionOf(year: number, month: string | undefined): SaidEdition {
  const quarter = QUARTERS.find((each) => month?.toUpperCase().startsWith(each.month))
  if (!quarter) return { year }
  return { year, edition: `RVU${year % 100}${quarter.letter}`, effective_from: `${year}-${quarter.day}` }
}

/**
 * In 2024 a law changed the conversion factor from 9 March on, and CMS issued the January file again with it. Its
 * title is that of the first one: only the factor tells them apart.
 */
export function dated(said: SaidEdition, factor: string): SaidEdition {
  const revised = said.year === 2024 && said.edition?.startsWith('RVU24A') && Number(factor) === 33.2875
  return revised ? { year: 2024, edition: 'RVU24AR', effective_from: '2024-03-09' } : said
}
