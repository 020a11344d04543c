// The replay of the registry log, as anyone can do it: each entry has a known form, and fits the entries before it.

import { fromUtf8 } from '../bytes.ts'
import { canonical } from '../canonical-json.ts'
import {
  isManifest,
  isMove,
  isOlderRelease,
  isOlderState,
  isState,
  isWithdrawal,
  type Manifest,
  type OlderRelease,
  type OlderState,
  type ProviderMove,
  type RegistryEntry,
  type RegistryState,
  type Withdrawal,
} from '../price/release.ts'
import { predecessorsIn, type Standing } from '../price/timeline.ts'
import { RunningStanding } from './running-standing.ts'

/** The faults of an entry, given the entries before it. */
export type ReplayCode =
  | 'entry_unknown'
  | 'release_id_reused'
  | 'revision_out_of_order'
  | 'supersedes_wrong'
  | 'withdrawal_unfounded'
  | 'move_unfounded'
  | 'state_wrong'
  | 'state_missing'
  | 'time_backwards'
export interface ReplayFault {
  code: ReplayCode
  /** The part of the entry that shows it. */
  detail: string
  /** The state that would be right, as canonical JSON. */
  expected?: string
}

/** The service accepts a clock that is this far behind. */
const CLOCK_MS = 5_000

/** Reads an entry from the bytes of a leaf; undefined unless they are the canonical text of an entry of a known form. */
export function registryEntryOf(body: Uint8Array | string): RegistryEntry | undefined {
  try {
    const text = typeof body === 'string' ? body : fromUtf8(body)
    const value: unknown = JSON.parse(text)
    const isOlder = isOlderRelease(value) || isOlderState(value)
    const isKnown = isOlder || isManifest(value) || isWithdrawal(value) || isMove(value) || isState(value)
    // A second spelling of a value, or a name that occurs twice, does not give the same text again.
    return isKnown && canonical(value) === text ? value : undefined
  } catch {
    return undefined
  }
}

/** Reads the entries of a log one after the other, and remembers what later ones may refer to. */
export class Replay {
  readonly #running = new RunningStanding()
  readonly #releases = new Map<string, AnyRelease>()
  /** By chart and edition, the release with the highest revision. */
  readonly #newest = new Map<string, AnyRelease>()
  readonly #withdrawn = new Set<string>()
  #last: RegistryEntry | undefined
  /** Whether the log has come to the entries of this form. Those of an older form are before them. */
  #isUpgraded = false
  /** The latest time of any entry. A clock that goes back in small steps is noticed too. */
  #latest: string | undefined

  /** The periods and providers after the entries so far. */
  get standing(): Standing {
    return this.#running.standing
  }

  /** Adds an entry and returns its faults. An entry that is not `judged` is only added, which is faster. */
  add(entry: RegistryEntry, judged = true): ReplayFault[] {
    const faults = judged ? [...this.#ofTime(entry), ...this.#ofOrder(entry), ...this.#ofKind(entry)] : []
    if (isManifest(entry) || isOlderRelease(entry)) this.#note(entry)
    if (isWithdrawal(entry)) this.#withdrawn.add(entry.release_id)
    this.#running.add(entry)
    this.#last = entry
    this.#isUpgraded ||= isManifest(entry) || isState(entry)
    if (this.#latest === undefined || Date.parse(entry.recorded_at) > Date.parse(this.#latest))
      this.#latest = entry.recorded_at
    return faults
  }

  #note(release: AnyRelease): void {
    if (!this.#releases.has(release.release_id)) this.#releases.set(release.release_id, release)
    const newest = this.#newest.get(editionOf(release))
    if (!newest || revisionOf(release) >= revisionOf(newest)) this.#newest.set(editionOf(release), release)
  }

  #ofTime({ recorded_at }: RegistryEntry): ReplayFault[] {
    const before = this.#latest
    const isBack = before !== undefined && Date.parse(recorded_at) < Date.parse(before) - CLOCK_MS
    return isBack ? [{ code: 'time_backwards', detail: `${recorded_at} after ${before}` }] : []
  }

  #ofOrder(entry: RegistryEntry): ReplayFault[] {
    if ([entry, this.#last].some((each) => isState(each) || isOlderState(each))) return []
    return [{ code: 'state_missing', detail: 'the entry before it is not a state' }]
  }

  #ofKind(entry: RegistryEntry): ReplayFault[] {
    if (isOlderRelease(entry) || isOlderState(entry)) return this.#ofOlder(entry)
    if (isManifest(entry)) return this.#ofRelease(entry)
    if (isWithdrawal(entry)) return this.#ofWithdrawal(entry)
    return isMove(entry) ? this.#ofMove(entry) : this.#ofState(entry as RegistryState)
  }

  /** Nothing is in force by such an entry, so only its place and the name of a release are judged. */
  #ofOlder(entry: OlderRelease | OlderState): ReplayFault[] {
    if (this.#isUpgraded) return [{ code: 'entry_unknown', detail: `${entry.schema} after entries of a newer form` }]
    return isOlderRelease(entry) ? this.#ofName(entry) : []
  }

  #ofRelease(release: Manifest): ReplayFault[] {
    const { release_id, chart, supersedes } = release
    const faults = this.#ofName(release)
    if (faults.some(({ code }) => code === 'release_id_reused')) return faults
    const before = predecessorsIn(this.#running.releasesOf(chart), release)
    const right = (before.revision ?? before.edition)?.release_id ?? null
    if (supersedes !== right)
      faults.push({ code: 'supersedes_wrong', detail: `${release_id} names ${supersedes} and not ${right}` })
    return faults
  }

  #ofName(release: AnyRelease): ReplayFault[] {
    const { release_id } = release
    if (this.#releases.has(release_id)) return [{ code: 'release_id_reused', detail: release_id }]
    const newest = this.#newest.get(editionOf(release))
    return newest && revisionOf(newest) > revisionOf(release)
      ? [{ code: 'revision_out_of_order', detail: `${release_id} after ${newest.release_id}` }]
      : []
  }

  #ofWithdrawal({ release_id, chart }: Withdrawal): ReplayFault[] {
    const isRight = this.#releases.get(release_id)?.chart === chart && !this.#withdrawn.has(release_id)
    return isRight ? [] : [{ code: 'withdrawal_unfounded', detail: release_id }]
  }

  #ofMove(move: ProviderMove): ReplayFault[] {
    const isFounded = this.#isUpgraded ? this.#running.isNamed(move) : this.#isNamedByOlder(move)
    return isFounded ? [] : [{ code: 'move_unfounded', detail: `${move.npi} to ${move.chart}` }]
  }

  #isNamedByOlder({ npi, chart }: ProviderMove): boolean {
    return this.#releases
      .values()
      .some((each) => each.chart === chart && each.providers?.includes(npi) && !this.#withdrawn.has(each.release_id))
  }

  #ofState(state: RegistryState): ReplayFault[] {
    const { recorded_at } = state
    const expected = canonical(this.#running.stateAt(state))
    // A state that repeats a wrong one is not a second fault.
    const isAgain = isState(this.#last) && canonical({ ...this.#last, recorded_at }) === canonical(state)
    return isAgain || expected === canonical(state)
      ? []
      : [{ code: 'state_wrong', detail: `it was recorded at ${recorded_at}`, expected }]
  }
}

type AnyRelease = Manifest | OlderRelease
const revisionOf = ({ release_id }: AnyRelease): number => Number(release_id.split(':').at(-1))
const editionOf = ({ chart, edition }: AnyRelease): string => `${chart} ${edition}`
