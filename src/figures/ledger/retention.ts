import type { Db } from '../../db/db.ts'
import { windowAt } from '../rule/provider.ts'
import { addTallies, tallies } from '../rule/tally.ts'
import { sealOpen } from './seal.ts'
import * as ledger from './store.ts'

/** The columns of the latest release that decide which cases are removed. */
interface LatestRelease {
  last_batch_id: number
  released_at: number
  /** Null under rule 1. */
  window_no: number | null
}

/**
 * The cases to remove: the latest release counted them, and they are older than its eight quarters. The ledger knows only
 * years, so a case is removed when its whole year is older.
 */
const outgrown = (latest: LatestRelease): ledger.CaseSelection => ({
  until_batch_id: latest.last_batch_id,
  before_year: windowAt(latest.released_at).years[0],
})

export const countOutgrown = async (db: Db, latest: LatestRelease | undefined): Promise<number> =>
  latest ? ledger.countCases(db, outgrown(latest)) : 0

/**
 * Removes old cases with their salts, and keeps only how many of them gave each answer to each question. Figures about all
 * cases still count them, so no published figure changes. Under rule 2 nothing is kept, because the windows of these
 * cases are closed and never counted again.
 */
export async function removeOutgrown(tx: Db, latest: LatestRelease | undefined): Promise<number> {
  const cases = await countOutgrown(tx, latest)
  if (!latest || cases === 0) return 0
  const which = outgrown(latest)
  if (latest.window_no === null)
    await ledger.putCarryover(tx, addTallies(tallies(await ledger.outcomeCells(tx, which)), await ledger.carryover(tx)))
  await ledger.deleteCases(tx, which)
  await sealOpen(tx)
  return cases
}
