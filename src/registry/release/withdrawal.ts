import { commitToLog, type Publisher } from '../../integrity/publication.ts'
import { Problem } from '../../problem.ts'
import { canonical } from '../../proof/canonical-json.ts'
import { isWithdrawal, WITHDRAWAL_SCHEMA, type Withdrawal } from '../../proof/price/release.ts'
import type { WithdrawalReason } from '../../tables/withdrawals.ts'
import { appendWithState } from '../state/state.ts'
import type { ReleaseState } from './store.ts'
import * as releases from './store.ts'

/**
 * Takes a published release out of force, for every day: the edition before it is in force again, as far as its own
 * period goes. The entry in the log, the state that follows from it, the signed checkpoint and the new state of the
 * release commit together; it counts once the public checkpoint covers it.
 */
export async function withdraw(
  publisher: Publisher,
  release_id: string,
  reason: WithdrawalReason,
  now: number,
): Promise<ReleaseState> {
  const { db, log } = publisher
  const release = await releases.findRelease(db, release_id)
  if (release?.state !== 'published')
    throw new Problem('release_conflict', 'only a published release can be withdrawn, and only once')
  log.trace(1)
  return commitToLog(publisher, now, async (tx, append) => {
    const entry = withdrawalOf(release, reason, now)
    const withdrawal = canonical(entry)
    const withdrawn_index = await appendWithState(tx, append, [entry], now)
    const withdrawn = await releases.markWithdrawn(tx, release.release_no, { withdrawal, withdrawn_index })
    if (!withdrawn) throw new Problem('release_conflict', 'the release was withdrawn by someone else')
    return withdrawn
  })
}

function withdrawalOf({ release_id, chart }: ReleaseState, reason: WithdrawalReason, now: number): Withdrawal {
  const entry = { schema: WITHDRAWAL_SCHEMA, release_id, chart, reason, recorded_at: new Date(now).toISOString() }
  if (!isWithdrawal(entry)) throw new Error(`the withdrawal of ${release_id} has a wrong form`)
  return entry
}
