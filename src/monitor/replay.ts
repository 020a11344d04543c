// Replays the registry log as anyone can: each entry is one that the log knows, and fits to those before it.

import { canonical, JsonError, parseJson } from '../proof/canonical-json.ts'
import {
  isManifest,
  isMove,
  isState,
  isWithdrawal,
  type Manifest,
  type ProviderMove,
  type RegistryEntry,
  type RegistryState,
  type Withdrawal,
} from '../proof/price/release.ts'
import { predecessorsIn, standingAfter, stateOf } from '../proof/price/timeline.ts'
import type { AlarmCode } from './alarm.ts'
import type { Fault } from './memory.ts'

/** A clock that is this far behind is taken by the service. */
const CLOCK_MS = 5_000

/** What a text says, if it is the canonical text of an entry of the registry log. */
export function entryOf(text: string): RegistryEntry | undefined {
  try {
    const said: unknown = parseJson(text)
    // What the parser makes has no prototype; what is checked and hashed again may have none either.
    const isKnown = isManifest(said) || isWithdrawal(said) || isMove(said) || isState(said)
    return isKnown && canonical(said) === text ? (said as RegistryEntry) : undefined
  } catch (error) {
    if (error instanceof JsonError) return undefined
    throw error
  }
}

type Found = { code: AlarmCode; detail: string }

/** The entries of a log one after the other, with what the later ones may refer to. */
class History {
  readonly entries: RegistryEntry[] = []
  readonly #releases = new Map<string, Manifest>()
  readonly #withdrawn = new Set<string>()
  #last: RegistryEntry | undefined

  /** Adds an entry, and says what is wrong with it. A state is recomputed only if it is `judged`. */
  add(entry: RegistryEntry, judged: boolean): Found[] {
    const found = judged ? [...this.#ofTime(entry), ...this.#ofOrder(entry), ...this.#ofKind(entry)] : []
    if (isManifest(entry) && !this.#releases.has(entry.release_id)) this.#releases.set(entry.release_id, entry)
    if (isWithdrawal(entry)) this.#withdrawn.add(entry.release_id)
    this.entries.push(entry)
    this.#last = entry
    return found
  }

  #ofTime({ recorded_at }: RegistryEntry): Found[] {
    const isBack = this.#last && Date.parse(recorded_at) < Date.parse(this.#last.recorded_at) - CLOCK_MS
    return isBack ? [{ code: 'time_backwards', detail: `${recorded_at} after ${this.#last?.recorded_at}` }] : []
  }

  #ofOrder(entry: RegistryEntry): Found[] {
    if (isState(entry) || isState(this.#last)) return []
    return [{ code: 'state_missing', detail: 'the entry before it is no state' }]
  }

  #ofKind(entry: RegistryEntry): Found[] {
    if (isManifest(entry)) return this.#ofRelease(entry)
    if (isWithdrawal(entry)) return this.#ofWithdrawal(entry)
    return isMove(entry) ? this.#ofMove(entry) : this.#ofState(entry as RegistryState)
  }

  #ofRelease({ release_id, chart, edition, effective_from, supersedes }: Manifest): Found[] {
    if (this.#releases.has(release_id)) return [{ code: 'release_id_reused', detail: release_id }]
    const published = [...this.#releases.values()].filter((each) => each.chart === chart)
    const later = published.find(
      (each) => each.edition === edition && revisionOf(each.release_id) > revisionOf(release_id),
    )
    const standing = published.filter((each) => !this.#withdrawn.has(each.release_id))
    const before = predecessorsIn(standing, { chart, edition, effective_from })
    const right = (before.revision ?? before.edition)?.release_id ?? null
    return [
      ...(later ? [{ code: 'revision_out_of_order', detail: `${release_id} after ${later.release_id}` } as const] : []),
      ...(supersedes === right
        ? []
        : [{ code: 'supersedes_wrong', detail: `${release_id} names ${supersedes} and not ${right}` } as const]),
    ]
  }

  #ofWithdrawal({ release_id, chart }: Withdrawal): Found[] {
    const isRight = this.#releases.get(release_id)?.chart === chart && !this.#withdrawn.has(release_id)
    return isRight ? [] : [{ code: 'withdrawal_unfounded', detail: release_id }]
  }

  #ofMove({ npi, chart }: ProviderMove): Found[] {
    const isNamed = [...this.#releases.values()].some(
      (each) => each.chart === chart && !this.#withdrawn.has(each.release_id) && each.providers?.includes(npi) === true,
    )
    return isNamed ? [] : [{ code: 'move_unfounded', detail: `${npi} to ${chart}` }]
  }

  #ofState(state: RegistryState): Found[] {
    const { recorded_at } = state
    // A state after a state says the same again.
    const right = isState(this.#last)
      ? { ...this.#last, recorded_at }
      : stateOf(standingAfter(this.entries), recorded_at)
    const isRight = canonical(right) === canonical(state)
    return isRight ? [] : [{ code: 'state_wrong', detail: `it was recorded at ${recorded_at}` }]
  }
}

const revisionOf = (release_id: string): number => Number(release_id.split(':').at(-1))

/** All entries that are known for what they are, and the faults of those from a place on. */
export function replay(texts: readonly string[], from: number): { entries: RegistryEntry[]; faults: Fault[] } {
  const history = new History()
  const faults: Fault[] = []
  for (const [place, text] of texts.entries()) {
    const entry = entryOf(text)
    const found: Found[] = entry
      ? history.add(entry, place >= from)
      : [{ code: 'entry_unknown', detail: 'it is left out of all that follows' }]
    if (place >= from)
      for (const { code, detail } of found) faults.push({ code, detail: `entry ${place}, ${detail}`, entry: place })
  }
  return { entries: history.entries, faults }
}
