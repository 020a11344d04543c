// The registry log: its entries are read and replayed, and the faults that they have are raised as alarms.

import type { RegistryEntry } from '../../src/proof/price/release.ts'
import { isState } from '../../src/proof/price/release.ts'
import type { Standing } from '../../src/proof/price/timeline.ts'
import { Replay, type ReplayFault, registryEntryOf } from '../../src/proof/replay/registry-replay.ts'
import { type Evidence, entryEvidence, textOrBytes } from './evidence.ts'
import { entriesFrom, type LogView, type Parts } from './log.ts'
import type { Fault, Memory } from './memory.ts'

export interface ReplayResult {
  /** Undefined at the places of entries of an unknown kind, which are left out of the rest. */
  entries: (RegistryEntry | undefined)[]
  standing: Standing
  /** The faults of the entries from a place on. */
  faults: Fault[]
}

/** Reads the new entries of the log, replays all of them, and raises the faults of the new ones. */
export async function followEntries(
  parts: Parts,
  memory: Memory,
  registry: LogView | undefined,
): Promise<ReplayResult> {
  const added = registry ? ((await entriesFrom('registry', parts, registry, memory.entries.length)) ?? []) : []
  for (const body of added) memory.entries.push(textOrBytes(body))
  const replayed = replay(memory.entries, memory.replayed)
  for (const fault of replayed.faults) memory.faults.push(fault)
  memory.replayed = memory.entries.length
  raiseFaults(parts, memory, replayed.faults)
  // Only a checkpoint whose entries were all read can lack its state.
  const size = registry?.leaves.length ?? 0
  if (size > 0 && memory.entries.length === size && !isState(replayed.entries.at(-1)))
    parts.alarms.raise(
      'state_missing',
      `the last entry of the checkpoint of size ${size} is not a state`,
      evidenceOf(memory, size - 1),
    )
  return replayed
}

export function replay(texts: readonly string[], from: number): ReplayResult {
  const history = new Replay()
  const faults: Fault[] = []
  const entries = texts.map((text, place) => {
    const entry = registryEntryOf(text)
    const found: ReplayFault[] = entry
      ? history.add(entry, place >= from)
      : [{ code: 'entry_unknown', detail: 'later checks leave it out' }]
    if (place >= from)
      for (const { code, detail, expected } of found)
        faults.push({ code, detail: `entry ${place}, ${detail}`, entry: place, ...(expected ? { expected } : {}) })
    return entry
  })
  return { entries, standing: history.standing, faults }
}

/** Raises the last in the log first: an operator can add faults, and cannot make old ones newer. */
export function raiseFaults({ alarms }: Parts, memory: Memory, faults: readonly Fault[]): void {
  for (const { code, detail, entry, expected } of faults.toReversed())
    alarms.raise(code, detail, { ...evidenceOf(memory, entry), ...(expected ? { expected } : {}) })
}

const evidenceOf = ({ registry, entries }: Memory, place: number): Evidence =>
  registry ? entryEvidence(registry, place, entries[place] ?? '') : {}
