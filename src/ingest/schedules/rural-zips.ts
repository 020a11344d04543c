import { unreadable } from '../../files/unreadable.ts'
import type { Source } from '../source.ts'
import { type Columns, readTable } from './table.ts'

/** CMS's list, which its archive of the equipment schedule holds: a line for each ZIP code that is rural to that schedule. */
const COLUMNS = {
  state: { titles: ['STATE'] },
  zip: { titles: ['DMEPOS RURAL ZIP CODE', 'RURAL ZIP CODE', 'ZIP CODE', 'ZIP'] },
  quarter: { titles: ['YEAR/QTR', 'YEAR QUARTER'], optional: true },
} satisfies Columns

/** As CMS has called it: `DMERuralZIP26.csv`, `DME Rural Zip Code Quarter 3 2026.csv`. Under any name a text is known by its header. */
export const isRuralList = ({ name, file, text }: Source): boolean =>
  /rural[ _-]?zip/i.test(name ?? file) || /\bRURAL ZIP CODE\b/i.test(text.slice(0, 2_000))

/** The line of each ZIP code that is listed. */
export type RuralZips = ReadonlyMap<string, number>

/** `quarter` is that of the ZIP codes beside it, as 20261. */
export function ruralZipsIn(source: Source, quarter = ''): RuralZips {
  const zips = new Map<string, number>()
  for (const { line, cell } of readTable(source, COLUMNS, 'a list of rural ZIP codes').lines) {
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

/** So that two can be compared; NaN where the list does not say it. CMS's list of a January has been that of the autumn. */
function quartersIn(text: string): number {
  const { year, quarter } = /^(?<year>20[0-9]{2})0?(?<quarter>[1-4])$/.exec(text)?.groups ?? {}
  return Number(year) * 4 + Number(quarter)
}
