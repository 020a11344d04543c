// The replay of the figures log, for those who read all entries: each entry follows from the entries before it.

import { canonical } from './canonical-json.ts'
import { isChangeEntry } from './entries.ts'
import { type FiguresState, isFiguresState } from './figures.ts'

interface Change {
  seq: number
  release_id: string
  released_at: string
  metric: string
  old: unknown
  new: unknown
  old_as_of: string | null
  new_as_of: string
  sdc_rule_version: string
}
interface FigureValue {
  value: unknown
  as_of: string | null
}
const NOTHING: FigureValue = { value: null, as_of: null }
/** The service accepts a clock that is this far behind. */
const CLOCK_MS = 5_000
const COUNTS = ['cases_floor10', 'settlements_floor10'] as const

/** The indexes of entries that do not follow, and the size of the log if it does not end with a state. */
export function figuresFaults(entries: readonly unknown[]): number[] {
  const replay = new FiguresReplay()
  const faults = [...entries.keys()].filter((place) => !replay.add(entries[place], place))
  return entries.length === 0 || isFiguresState(entries.at(-1)) ? faults : [...faults, entries.length]
}

class FiguresReplay {
  readonly #current = new Map<string, FigureValue>()
  #state: FiguresState | undefined
  /** The changes since the last state: a release that has not ended. */
  #open: Change[] = []
  /** The latest time at which a state was recorded. */
  #latest = Number.NEGATIVE_INFINITY

  add(entry: unknown, place: number): boolean {
    if (isFiguresState(entry)) return this.#addState(entry)
    return isChangeEntry(entry) && this.#addChange(entry as unknown as Change, place)
  }

  #addChange(change: Change, place: number): boolean {
    const before = this.#current.get(change.metric) ?? NOTHING
    const [first] = this.#open
    const follows =
      change.seq === place &&
      this.#state !== undefined &&
      change.old === before.value &&
      change.old_as_of === before.as_of &&
      change.new_as_of === change.released_at &&
      (first === undefined || isOfRelease(first, change)) &&
      this.#open.every(({ metric }) => metric !== change.metric)
    this.#open.push(change)
    this.#current.set(change.metric, { value: change.new, as_of: change.new_as_of })
    return follows
  }

  /** A state has the value of the last change of each figure, and the release of the changes before it. */
  #addState(state: FiguresState): boolean {
    const [first] = this.#open
    const before = this.#state
    const follows =
      (before === undefined) === (state.release_id === null) &&
      (first === undefined || isOfRelease(first, { ...state, released_at: state.as_of })) &&
      (state.release_id === null || state.release_id !== before?.release_id) &&
      (before?.as_of ?? '') <= (state.as_of ?? '') &&
      Object.entries(state.metrics).every(([metric, { value, as_of }]) => {
        const last = this.#current.get(metric) ?? NOTHING
        return last.value === value && last.as_of === as_of
      }) &&
      COUNTS.every((metric) => (this.#current.get(metric) ?? NOTHING).value === state[metric]) &&
      this.#isInTime(state) &&
      (before === undefined || this.#mayFollow(before, state))
    this.#open = []
    this.#state = state
    this.#latest = Math.max(this.#latest, Date.parse(state.recorded_at))
    return follows
  }

  /** Whether a state was recorded after the states before it, and after its own release. */
  #isInTime({ recorded_at, as_of }: FiguresState): boolean {
    const made = as_of === null ? this.#latest : Math.max(this.#latest, Date.parse(as_of))
    return Date.parse(recorded_at) >= made - CLOCK_MS
  }

  /** Whether everything beside the values is as before, unless a change says that the figure was decided anew. */
  #mayFollow(before: FiguresState, state: FiguresState): boolean {
    const isFirst = before.release_id === null
    const isNewRule = isFirst || state.sdc_rule_version !== before.sdc_rule_version
    const moved = new Set(this.#open.map(({ metric }) => metric))
    const figuresStay = Object.entries(state.metrics).every(([metric, { reason, definition }]) => {
      const old = before.metrics[metric as keyof FiguresState['metrics']]
      return (
        (reason === old.reason || moved.has(metric)) &&
        (definition === old.definition || (moved.has(metric) && isNewRule))
      )
    })
    // A new series begins with a change of every metric under another version of the rule.
    const isSeries =
      isFirst || (isNewRule && [...Object.keys(state.metrics), ...COUNTS].every((metric) => moved.has(metric)))
    const noiseStays =
      canonical(state.noise ?? null) === canonical(before.noise ?? null) ||
      (moved.size > 0 && (state.noise === undefined) === (before.noise === undefined))
    const markStays = state.unit === before.unit && (before.exact === undefined || state.exact === true)
    return (
      figuresStay &&
      (isSeries || (noiseStays && markStays)) &&
      (before.data_class !== 'sample' || state.data_class === 'sample')
    )
  }
}

type OfRelease = { release_id: string | null; released_at: string | null; sdc_rule_version: string }
const isOfRelease = (one: OfRelease, other: OfRelease): boolean =>
  one.release_id === other.release_id &&
  one.released_at === other.released_at &&
  one.sdc_rule_version === other.sdc_rule_version
