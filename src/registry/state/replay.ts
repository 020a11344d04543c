import type { Db } from '../../db/db.ts'
import * as log from '../../integrity/store.ts'
import { canonical } from '../../proof/canonical-json.ts'
import {
  MOVE_SCHEMA,
  RELEASE_SCHEMA,
  type RegistryEntry,
  type RegistryState,
  STATE_SCHEMA,
  WITHDRAWAL_SCHEMA,
} from '../../proof/price/release.ts'
import { standingAfter, stateOf } from '../../proof/price/timeline.ts'
import { entryOf } from './state.ts'

/** A release or withdrawal, by its place in the log. */
interface Logged {
  index: number
  release_id: string
}
export interface Replay {
  faults: string[]
  releases: Logged[]
  withdrawals: Logged[]
}

/** Replays the registry log from its stored entries: each is known and fits to those before it, and so does each state. */
export async function replayLog(tx: Db): Promise<Replay> {
  const replay: Replay = { faults: [], releases: [], withdrawals: [] }
  const bodies = await log.leafBodies(tx, 'registry', 0, await log.countLeaves(tx, 'registry'))
  const entries: RegistryEntry[] = []
  for (const [index, body] of bodies.entries()) {
    const entry = entryOf(body)
    if (!entry) {
      // Nothing that follows can be judged without it.
      replay.faults.push(`registry log: entry ${index} is not one that this log has`)
      return replay
    }
    const fault = faultIn(entry, index, entries, replay)
    if (fault) replay.faults.push(`registry log: entry ${index} ${fault}`)
    entries.push(entry)
  }
  if (entries.length === 0) replay.faults.push('registry log: it has no state')
  for (const { size } of await log.checkpoints(tx, 'registry'))
    if (size > 0 && entries[size - 1]?.schema !== STATE_SCHEMA)
      replay.faults.push(`registry log: the last entry of the checkpoint of size ${size} is not a state`)
  return replay
}

/** What is wrong with an entry, given those before it. Notes what it says of releases. */
function faultIn(
  entry: RegistryEntry,
  index: number,
  before: readonly RegistryEntry[],
  { releases, withdrawals }: Replay,
): string | undefined {
  const last = before.at(-1)
  if (entry.schema === STATE_SCHEMA) return faultInState(entry, before)
  const followsState = last?.schema === STATE_SCHEMA ? undefined : 'does not follow a state'
  if (entry.schema === RELEASE_SCHEMA) {
    const isNew = !releases.some(({ release_id }) => release_id === entry.release_id)
    const revision = Number(entry.release_id.split(':').at(-1))
    const later = before.some(
      (each) =>
        each.schema === RELEASE_SCHEMA &&
        each.chart === entry.chart &&
        each.edition === entry.edition &&
        Number(each.release_id.split(':').at(-1)) > revision,
    )
    releases.push({ index, release_id: entry.release_id })
    if (!isNew) return 'has the name of a release before it'
    return later ? 'is an older revision than one before it' : followsState
  }
  if (entry.schema === WITHDRAWAL_SCHEMA) {
    const isThere = before.some(
      (each) => each.schema === RELEASE_SCHEMA && each.release_id === entry.release_id && each.chart === entry.chart,
    )
    const isFirst = !withdrawals.some(({ release_id }) => release_id === entry.release_id)
    withdrawals.push({ index, release_id: entry.release_id })
    return isThere && isFirst ? followsState : 'withdraws a release that is not there, or for the second time'
  }
  if (entry.schema === MOVE_SCHEMA) {
    const isNamed = before.some(
      (each) => each.schema === RELEASE_SCHEMA && each.chart === entry.chart && each.providers?.includes(entry.npi),
    )
    return isNamed ? followsState : 'moves a provider to a chart that does not name it'
  }
  return undefined
}

/** A state after a state says the same again; any other follows from all entries before it. */
function faultInState(state: RegistryState, before: readonly RegistryEntry[]): string | undefined {
  const last = before.at(-1)
  const right =
    last?.schema === STATE_SCHEMA
      ? { ...last, recorded_at: state.recorded_at }
      : stateOf(standingAfter(before), state.recorded_at)
  return canonical(right) === canonical(state) ? undefined : 'is a state that does not follow from those before it'
}
