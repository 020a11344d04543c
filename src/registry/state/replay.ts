import type { Db } from '../../db/db.ts'
import * as log from '../../integrity/store.ts'
import {
  isManifest,
  isOlderRelease,
  isOlderState,
  isState,
  isWithdrawal,
  type RegistryEntry,
} from '../../proof/price/release.ts'
import { Replay, type ReplayCode, registryEntryOf } from '../../proof/replay/registry-replay.ts'

/** A release or withdrawal, by its place in the log. */
interface LogPlace {
  index: number
  release_id: string
}
export interface ReplayedLog {
  faults: string[]
  /** Releases of the present form, and their withdrawals. */
  releases: LogPlace[]
  withdrawals: LogPlace[]
}

const SENTENCES: Record<ReplayCode, string> = {
  entry_unknown: 'is not one that this log has',
  release_id_reused: 'has the name of a release before it',
  revision_out_of_order: 'is an older revision than one before it',
  supersedes_wrong: 'names another predecessor than it has',
  withdrawal_unfounded: 'withdraws a release that is not there, or for the second time',
  move_unfounded: 'moves a provider to a chart that does not name it',
  state_wrong: 'is a state that does not follow from those before it',
  state_missing: 'does not follow a state',
  time_backwards: 'was recorded before an entry before it',
}

/** Replays the registry log from its stored entries: each is known and fits those before it, and so does each state. */
export async function replayLog(tx: Db): Promise<ReplayedLog> {
  const replayed: ReplayedLog = { faults: [], releases: [], withdrawals: [] }
  const tell = (index: number, code: ReplayCode): number =>
    replayed.faults.push(`registry log: entry ${index} ${SENTENCES[code]}`)
  const bodies = await log.leafBodies(tx, 'registry', 0, await log.countLeaves(tx, 'registry'))
  const entries: RegistryEntry[] = []
  const older = new Set<string>()
  const replay = new Replay()
  for (const [index, body] of bodies.entries()) {
    const entry = registryEntryOf(body)
    if (!entry) {
      // Nothing that follows can be judged without it.
      tell(index, 'entry_unknown')
      return replayed
    }
    for (const { code } of replay.add(entry)) tell(index, code)
    if (isManifest(entry)) replayed.releases.push({ index, release_id: entry.release_id })
    if (isOlderRelease(entry)) older.add(entry.release_id)
    if (isWithdrawal(entry) && !older.has(entry.release_id))
      replayed.withdrawals.push({ index, release_id: entry.release_id })
    entries.push(entry)
  }
  if (entries.length === 0) replayed.faults.push('registry log: it has no state')
  for (const { size } of await log.checkpoints(tx, 'registry'))
    if (size > 0 && !isState(entries[size - 1]) && !isOlderState(entries[size - 1]))
      replayed.faults.push(`registry log: the last entry of the checkpoint of size ${size} is not a state`)
  return replayed
}
