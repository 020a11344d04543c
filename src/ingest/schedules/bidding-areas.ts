import { unreadable } from '../../files/unreadable.ts'
import { toHex, utf8 } from '../../proof/bytes.ts'
import { capitals } from '../../proof/lookup/question.ts'
import { sha256 } from '../../proof/sha256.ts'
import type { Source } from '../source.ts'
import { type Columns, isReadBy, readTable } from './table.ts'

// Where suppliers once bid for contracts, Medicare pays amounts of its own for some of the equipment. CMS has a file of these
// amounts, with a column for each area, and a list of the ZIP codes of each area. Both come with the equipment schedule.

/** There were about 130. */
export const MOST_AREAS = 400

/**
 * The name of an area in rows. Its own name is someone else's text, and is not repeated: whoever has the list finds the area by
 * the digest of the letters and digits of its short name, in capitals.
 */
export function areaOf(name: string): string | undefined {
  const letters = capitals(name).replaceAll(/[^A-Z0-9]/g, '')
  if (letters === '') return undefined
  const known = areas.get(letters)
  if (known !== undefined) return known
  const made = `CBA-${capitals(toHex(sha256(utf8(letters))).slice(0, 8))}`
  if (areas.size < MOST_AREAS) areas.set(letters, made)
  return made
}
const areas = new Map<string, string>()

const ZIPS = {
  state: { titles: ['CBA State', 'State'] },
  zip: { titles: ['CBA ZIP Code', 'CBA ZIP'] },
  area: { titles: ['CBA Name Short', 'CBA Short Name'] },
  quarter: { titles: ['Year/Qtr', 'Year Quarter'], optional: true },
} satisfies Columns

/** Known by the name that CMS gave it, `Former CBA ZIP Code File- JAN2026.csv`, and under any other name by its header. */
export const isBiddingAreaList = (source: Source): boolean =>
  /cba[ _-]?zip/i.test(source.name ?? source.file) ||
  /\bCBA ZIP\b/i.test(source.text.slice(0, 4_000)) ||
  (source.kind === 'xlsx' && isReadBy((each) => readTable(each, ZIPS, WHAT), source))

const WHAT = 'a list of ZIP codes of former bidding areas'

/** The area of each ZIP code that lies in one, and the line that says so. No area where two are listed: either may be meant. */
export type BiddingAreas = ReadonlyMap<string, { area: string | undefined; line: number }>

/** `year` is that of the ZIP codes beside it. CMS's lists of a January have been those of the autumn. */
export function biddingAreasIn(source: Source, year = ''): BiddingAreas {
  const zips = new Map<string, { area: string | undefined; line: number }>()
  for (const { line, cell } of readTable(source, ZIPS, WHAT).lines) {
    if (cell('zip') === '') continue
    const zip = cell('zip').padStart(5, '0')
    const area = areaOf(cell('area'))
    if (!/^[A-Z]{2} [0-9]{5}$/.test(`${cell('state')} ${zip}`) || area === undefined)
      throw unreadable(`this is not ${WHAT}`, line)
    const [, stated = year] = /^(20[0-9]{2})[0-9]{1,2}$/.exec(cell('quarter')) ?? []
    if (year !== '' && Math.abs(Number(stated) - Number(year)) > 1)
      throw unreadable(
        'the list of bidding areas is of another year than the ZIP5 file: give those of one quarter',
        line,
      )
    const known = zips.get(zip)
    zips.set(zip, known ? { ...known, area: known.area === area ? area : undefined } : { area, line })
  }
  if (zips.size === 0) throw unreadable('the list of ZIP codes of former bidding areas is empty')
  return zips
}
