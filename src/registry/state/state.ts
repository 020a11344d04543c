import { DAY_MS } from '../../calendar.ts'
import { type Db, StoreFault } from '../../db/db.ts'
import { commitToLog, cosignAgain, type Publisher } from '../../integrity/publication.ts'
import * as log from '../../integrity/store.ts'
import { type Job, repeat } from '../../job.ts'
import { utf8 } from '../../proof/bytes.ts'
import { canonical } from '../../proof/canonical-json.ts'
import { isState, type RegistryEntry, type RegistryState } from '../../proof/price/release.ts'
import { type Standing, standingAfter, stateOf } from '../../proof/price/timeline.ts'
import { registryEntryOf } from '../../proof/replay/registry-replay.ts'

// The entries of the registry log and the state that follows from them: whatever changes what is in force is
// appended here, so that the last leaf of every checkpoint is a state.

/** Adds entries to a log in the transaction under way; returns the index of the first. */
type Append = (bodies: readonly Uint8Array[]) => Promise<number>

/** Every entry of the registry log as stored, signed or being added in this transaction. */
export async function registryEntries(db: Db): Promise<RegistryEntry[]> {
  const bodies = await log.leafBodies(db, 'registry', 0, await log.countLeaves(db, 'registry'))
  return bodies.map((body, index) => {
    const entry = registryEntryOf(body)
    if (!entry) throw new StoreFault(`entry ${index} of the registry log has a wrong form: run \`atr fsck\``)
    return entry
  })
}

/** The releases in force by the entries that the store holds. */
export const standingNow = async (db: Db): Promise<Standing> => standingAfter(await registryEntries(db))

/** Appends what changed, and the state that follows from it, under one checkpoint. Returns the index of the first. */
export async function appendWithState(
  tx: Db,
  append: Append,
  entries: readonly RegistryEntry[],
  now: number,
): Promise<number> {
  const standing = standingAfter([...(await registryEntries(tx)), ...entries])
  const state = stateOf(standing, new Date(now).toISOString())
  return append([...entries, state].map((entry) => utf8(canonical(entry))))
}

async function newestState(db: Db): Promise<RegistryState | undefined> {
  const leaves = await log.countLeaves(db, 'registry')
  const [body] = await log.leafBodies(db, 'registry', leaves - 1, leaves)
  const entry = body && registryEntryOf(body)
  return isState(entry) ? entry : undefined
}

/** When the next state is due: a day after the newest. */
async function dueAt(db: Db): Promise<number> {
  const newest = await newestState(db)
  return newest ? Date.parse(newest.recorded_at) + DAY_MS : 0
}

/**
 * Appends the state again when the newest is a day old: how old a view of the registry is can be seen from it. Any
 * number of processes may do this on one store: the first one appends, and the others find it done.
 */
export async function stateIfDue(publisher: Publisher, now: number): Promise<boolean> {
  if ((await dueAt(publisher.db)) > now) return false
  return commitToLog(publisher, now, async (tx, append) => {
    if ((await dueAt(tx)) > now) return false
    await appendWithState(tx, append, [], now)
    return true
  })
}

/**
 * Appends a state each day, until it is stopped. Witnesses cosign it; of `others`, logs that may not change for months, they
 * cosign the same checkpoint again.
 */
export const scheduleStates = (
  publisher: Publisher,
  others: readonly Publisher[],
  now: () => number,
  tell: Job['tell'],
): ReturnType<typeof repeat> =>
  repeat({
    tell,
    async turn() {
      await stateIfDue(publisher, now())
      for (const each of [publisher, ...others]) await cosignAgain(each, now())
      return (await dueAt(publisher.db)) - now()
    },
  })
