import type { Db } from '../db/db.ts'
import { unreadable } from './csv.ts'
import type { Source } from './source.ts'
import * as store from './store.ts'

/** State, ZIP, contractor, locality, then at column 21 whether the +4 digits decide. */
const RECORD = /^[A-Z]{2}([0-9]{5})([0-9]{5})([0-9]{2}).{6}([01 ])/

/**
 * Replaces the table of ZIP codes with the CMS ZIP5 file, whole or not at all. A locality can cross a state
 * line (DC 01 has suburbs in Maryland and Virginia), so it is found by contractor and number, not by state.
 */
export async function loadZipLocalities(db: Db, source: Source): Promise<{ zips: number }> {
  const regions = await store.regionsByContractor(db)
  if (regions.size === 0) throw unreadable('the localities are not known yet: load a cms-pfs release first')
  const zips = new Map<string, { region: string; plus_four: number }>()
  for (const { text, line } of lines(source.text)) {
    if (text.trim() === '' || text.startsWith('\u001a')) continue
    const [, zip, contractor = '', locality = '', plusFour] = RECORD.exec(text) ?? []
    if (!zip) throw unreadable('this is not a ZIP5 file', line)
    const region = regions.get(`${contractor} ${locality}`)
    if (!region) throw unreadable('a ZIP code lies in a locality that the GPCI file does not have', line)
    zips.set(zip, { region, plus_four: plusFour === '1' ? 1 : 0 })
  }
  if (zips.size === 0) throw unreadable('the ZIP5 file has no ZIP codes')
  await db.transaction((tx) => store.replaceZipLocalities(tx, zips))
  return { zips: zips.size }
}

function* lines(text: string): Generator<{ text: string; line: number }> {
  for (let at = 0, line = 1; at < text.length; line++) {
    const end = text.indexOf('\n', at)
    yield { text: text.slice(at, end < 0 ? undefined : end).replace(/\r$/, ''), line }
    at = end < 0 ? text.length : end + 1
  }
}
