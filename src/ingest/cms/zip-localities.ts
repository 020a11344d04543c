import type { Db } from '../../db/db.ts'
import { textLines } from '../../files/text-lines.ts'
import { unreadable } from '../../files/unreadable.ts'
import type { Source } from '../source.ts'
import * as store from './store.ts'
import { type Columns, type Line, readTable } from './table.ts'

/** State, ZIP, contractor, locality, then at column 21 whether the +4 digits decide. */
const RECORD = /^[A-Z]{2}([0-9]{5})([0-9]{5})([0-9]{2}).{6}([01 ])/
const COLUMNS = {
  state: { titles: ['STATE'] },
  zip: { titles: ['ZIP CODE', 'ZIP'] },
  carrier: { titles: ['CARRIER'] },
  locality: { titles: ['LOCALITY'] },
  plus_four: { titles: ['PLUS 4 FLAG', 'PLUS FOUR FLAG'] },
} satisfies Columns

interface Stated {
  line: number
  zip: string
  contractor: string
  locality: string
  plus_four: number
}

/**
 * Replaces the table of ZIP codes with the CMS ZIP5 file, whole or not at all. A locality can cross a state
 * line (DC 01 has suburbs in Maryland and Virginia), so it is found by contractor and number, not by state.
 */
export async function loadZipLocalities(db: Db, given: readonly Source[]): Promise<{ zips: number }> {
  const source = chooseZip5(given)
  const regions = await store.regionsByContractor(db)
  if (regions.size === 0) throw unreadable('the localities are not known yet: load a cms-pfs release first')
  const zips = new Map<string, { region: string; plus_four: number }>()
  for (const { line, zip, contractor, locality, plus_four } of statedIn(source)) {
    const region = regions.get(`${contractor} ${locality}`)
    if (!region)
      throw unreadable('a ZIP code lies in a locality that no GPCI file loaded so far has: load that of its year', line)
    const known = zips.get(zip)
    if (known && (known.region !== region || known.plus_four !== plus_four))
      throw unreadable('a ZIP code is listed twice, in different localities: get the ZIP5 file again', line)
    zips.set(zip, { region, plus_four })
  }
  if (zips.size === 0) throw unreadable('the ZIP5 file has no ZIP codes')
  await db.transaction((tx) => store.replaceZipLocalities(tx, zips))
  return { zips: zips.size }
}

/** CMS ships the table as text and as a workbook, beside the layout and the one of nine digits. The text is taken. */
function chooseZip5(given: readonly Source[]): Source {
  const [only] = given
  if (only && given.length === 1) return only // whatever is wrong with it is said when it is read
  const named = given.filter(({ file }) => /ZIP5(?!ly)/i.test(file))
  const texts = named.filter(({ kind }) => kind !== 'xlsx')
  const [found, ...more] = texts.length > 0 ? texts : named
  if (!found || more.length > 0)
    throw unreadable('there is no ZIP5 file among these, or several: give the one that is meant')
  return found
}

function* statedIn(source: Source): Generator<Stated> {
  if (source.kind !== 'xlsx' && !isTable(source.text)) return yield* fixedWidth(source.text)
  for (const line of readTable(source, COLUMNS, 'a ZIP5 file').lines) if (line.cell('zip') !== '') yield statedBy(line)
}

const isTable = (text: string): boolean => /^[^\n]{0,500}ZIP ?CODE/i.test(text)

function* fixedWidth(text: string): Generator<Stated> {
  for (const { text: record, line } of textLines(text)) {
    if (record.trim() === '') continue
    const [, zip, contractor = '', locality = '', plusFour] = RECORD.exec(record) ?? []
    if (!zip) throw unreadable('this is not a ZIP5 file', line)
    yield { line, zip, contractor, locality, plus_four: plusFour === '1' ? 1 : 0 }
  }
}

/** A spreadsheet drops the zeros in front of a number. */
function statedBy({ line, cell }: Line): Stated {
  const padded = (name: string, length: number): string => cell(name).padStart(length, '0')
  const stated = { zip: padded('zip', 5), contractor: padded('carrier', 5), locality: padded('locality', 2) }
  const flag = cell('plus_four')
  if (!/^[0-9]{5} [0-9]{5} [0-9]{2}$/.test(Object.values(stated).join(' ')) || !/^[01]?$/.test(flag))
    throw unreadable('this is not a ZIP5 file', line)
  return { line, ...stated, plus_four: flag === '1' ? 1 : 0 }
}
