import type { Db } from '../../db/db.ts'
import { windowAt } from '../rule/provider.ts'
import { addTallies, tallies } from '../rule/tally.ts'
import { carryover, putCarryover } from './retention-store.ts'
import { sealOpen } from './seal.ts'
import * as ledger from './store.ts'

/** The latest release, as far as it decides which cases may go. */
interface LatestRelease {
  last_batch_id: number
  released_at: number
  noise: object | null
}

/**
 * The cases that may go: a release counted them when they already lay before its eight quarters. The ledger knows
 * years, so a case goes when its whole year does.
 */
const outgrown = (latest: LatestRelease): ledger.Cases => ({
  until_batch_id: latest.last_batch_id,
  before_year: windowAt(latest.released_at).years[0],
})

export const countOutgrown = async (db: Db, latest: LatestRelease | undefined): Promise<number> =>
  latest ? ledger.countCases(db, outgrown(latest)) : 0

/**
 * Removes the cases that may go, with their salts, and keeps of them only how many gave each answer to each question:
 * figures about all cases stay about all cases, so that nothing published moves because something was removed.
 * With noise nothing is carried: the windows of these cases are out, and are never counted again.
 */
export async function removeOutgrown(tx: Db, latest: LatestRelease | undefined): Promise<number> {
  const cases = await countOutgrown(tx, latest)
  if (!latest || cases === 0) return 0
  const which = outgrown(latest)
  if (latest.noise === null)
    await putCarryover(tx, addTallies(tallies(await ledger.outcomeCells(tx, which)), await carryover(tx)))
  await ledger.deleteCases(tx, which)
  await sealOpen(tx)
  return cases
}
