import type { Db } from '../db/db.ts'
import { unreadable } from './csv.ts'
import type { Source } from './source.ts'
import * as store from './store.ts'

const RECORD = /^([A-Z]{2})([0-9]{5})[0-9A-Z]{5}([0-9]{2}).{6}([01 ])/

/** Replaces the table of ZIP codes with the CMS ZIP5 file, whole or not at all. */
export async function loadZipLocalities(db: Db, source: Source): Promise<{ zips: number }> {
  const zips = new Map<string, { region: string; plus_four: number }>()
  for (const [i, line] of source.text.split(/\r?\n/).entries()) {
    if (line.trim() === '' || line.startsWith('\u001a')) continue
    const match = RECORD.exec(line)
    const [, state, zip, locality, plusFour] = match ?? []
    if (!match || !zip) throw unreadable('this is not a ZIP5 file', i + 1)
    zips.set(zip, { region: `US-${state}-${locality}`, plus_four: plusFour === '1' ? 1 : 0 })
  }
  if (zips.size === 0) throw unreadable('the ZIP5 file has no ZIP codes')
  await db.transaction((tx) => store.replaceZipLocalities(tx, zips))
  return { zips: zips.size }
}
