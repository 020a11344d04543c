import { unreadable } from '../../files/unreadable.ts'
import type { PlaceRow } from '../../proof/price/row.ts'
import type { Source } from '../source.ts'
import { type BiddingAreas, isBiddingAreaList } from './bidding-areas.ts'
import { type Columns, readTable } from './table.ts'

// Two lists of ZIP codes come with the equipment schedule: rural ZIP codes, and those of former bidding areas.

export const isList = (source: Source): boolean => isRuralList(source) || isBiddingAreaList(source)

/** Entries of the lists for a ZIP code, and their lines: the one that lists it, or else the head of the list. */
export interface ListEntries {
  says: Pick<PlaceRow, 'rural' | 'bidding_area'>
  at: PlaceRow['locator']
}

export const listedIn =
  (
    rural: { of: RuralZips; citation: number } | undefined,
    bidding: { of: BiddingAreas; citation: number } | undefined,
  ) =>
  (zip: string): ListEntries => ({
    says: { ...(rural && { rural: rural.of.has(zip) }), ...(bidding && areaFor(zip, bidding.of)) },
    at: [
      ...(rural ? [{ citation: rural.citation, line: rural.of.get(zip) ?? 1 }] : []),
      ...(bidding ? [{ citation: bidding.citation, line: bidding.of.get(zip)?.line ?? 1 }] : []),
    ],
  })

function areaFor(zip: string, areas: BiddingAreas): Pick<PlaceRow, 'bidding_area'> {
  const found = areas.get(zip)
  if (!found) return { bidding_area: null }
  return found.area === undefined ? {} : { bidding_area: found.area }
}

/** A line for each ZIP code that is rural to the equipment schedule. */
const RURAL = {
  state: { titles: ['STATE'] },
  zip: { titles: ['DMEPOS RURAL ZIP CODE', 'RURAL ZIP CODE', 'ZIP CODE', 'ZIP'] },
  quarter: { titles: ['YEAR/QTR', 'YEAR QUARTER'], optional: true },
} satisfies Columns

/** Known by the names that CMS gave it, `DMERuralZIP26.csv` and `DME Rural Zip Code Quarter 3 2026.csv`, and a text under any other name by its header. */
export const isRuralList = ({ name, file, text }: Source): boolean =>
  /rural[ _-]?zip/i.test(name ?? file) || /\bRURAL ZIP CODE\b/i.test(text.slice(0, 2_000))

/** The line of each ZIP code that is listed. */
export type RuralZips = ReadonlyMap<string, number>

/** `quarter` is that of the ZIP codes beside it, as 20261. */
export function ruralZipsIn(source: Source, quarter = ''): RuralZips {
  const zips = new Map<string, number>()
  for (const { line, cell } of readTable(source, RURAL, 'a list of rural ZIP codes').lines) {
    if (cell('zip') === '') continue
    const zip = cell('zip').padStart(5, '0')
    if (!/^[A-Z]{2} [0-9]{5}$/.test(`${cell('state')} ${zip}`))
      throw unreadable('this is not a list of rural ZIP codes: give the one of the equipment schedule', line)
    if (quarter !== '' && Math.abs(quartersIn(cell('quarter')) - quartersIn(quarter)) > 1)
      throw unreadable(
        'the list of rural ZIP codes is of another quarter than the ZIP5 file: give those of one quarter',
        line,
      )
    if (!zips.has(zip)) zips.set(zip, line)
  }
  if (zips.size === 0) throw unreadable('the list of rural ZIP codes is empty')
  return zips
}

/** A quarter as a number, to compare two; NaN where the list does not say it. CMS's list of a January has been that of the autumn. */
function quartersIn(text: string): number {
  const { year, quarter } = /^(?<year>20[0-9]{2})0?(?<quarter>[1-4])$/.exec(text)?.groups ?? {}
  return Number(year) * 4 + Number(quarter)
}
