// The registry log as a monitor remembers it, replayed.

import type { RegistryEntry } from '../../src/proof/price/release.ts'
import type { Standing } from '../../src/proof/price/timeline.ts'
import { Replay, type ReplayFault, registryEntryOf } from '../../src/proof/replay/registry-replay.ts'
import type { Fault } from './memory.ts'

export interface ReplayResult {
  /** All entries that are known for what they are; undefined at the places of others, which are left out of the rest. */
  entries: (RegistryEntry | undefined)[]
  standing: Standing
  /** The faults of the entries from a place on. */
  faults: Fault[]
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
