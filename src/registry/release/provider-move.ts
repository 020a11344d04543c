import { commitToLog, type Publisher } from '../../integrity/publication.ts'
import { Problem } from '../../problem.ts'
import { isMove, MOVE_SCHEMA, type Provider, type ProviderMove } from '../../proof/price/release.ts'
import { appendWithState, standingNow } from '../state/state.ts'
import { isNamedBy } from './store.ts'

/** Why another file speaks for a provider. Words of ours only: they stand in the log for ever. */
export const MOVE_REASONS = ['owner_changed', 'file_reorganised', 'wrong_file', 'operator_decision'] as const
export type MoveReason = (typeof MOVE_REASONS)[number]

/**
 * Says that another hospital file speaks for an NPI from now on. It must name the NPI in a release that is published
 * and was not withdrawn; naming it is not enough, or any file could take over another hospital's answers.
 */
export const moveProvider = (
  publisher: Publisher,
  { npi, chart }: Provider,
  reason: MoveReason,
  now: number,
): Promise<{ npi: string; from: string | null; chart: string; log_index: number }> =>
  commitToLog(publisher, now, async (tx, append) => {
    if (!(await isNamedBy(tx, npi, chart)))
      throw new Problem('release_conflict', 'no published release of that chart names this NPI: publish one first')
    const { providers } = await standingNow(tx)
    const from = providers.find((each) => each.npi === npi)?.chart ?? null
    if (from === chart) throw new Problem('release_conflict', 'that chart speaks for this NPI already')
    const log_index = await appendWithState(tx, append, [moveOf({ npi, chart }, reason, now)], now)
    return { npi, from, chart, log_index }
  })

function moveOf({ npi, chart }: Provider, reason: MoveReason, now: number): ProviderMove {
  const entry = { schema: MOVE_SCHEMA, npi, chart, reason, recorded_at: new Date(now).toISOString() }
  if (!isMove(entry)) throw new Error('the move of a provider has a wrong form')
  return entry
}
