// The proof of neighbouring periods of the timeline: what is in force when, without a gap.

import { equalBytes, fromBase64 } from '../bytes.ts'
import { type Facts, isPeriodOf } from '../facts.ts'
import { ensure } from '../fault.ts'
import { isLogProof, type LogProof } from '../price/proofs.ts'
import { isPeriod, isState, type Manifest, type Period, periodKey, type RegistryState } from '../price/release.ts'
import { leafOf, nameOf } from '../price/timeline.ts'
import { both, closed, count, listOf, oneOf, path } from '../shape.ts'
import { decodePath } from '../tree/leaf-set.ts'
import { rootFromRange } from '../tree/leaves.ts'

export const TIMELINE_PROOF = 'agent-trust-registry/timeline-proof@v2'
/** A list with more periods has no proof. */
export const MAX_PERIODS = 2_000

/** Neighbouring leaves of the timeline. `from` is the index of the first. */
export interface TimelineRun {
  from: number
  periods: Period[]
  left_path: string[]
  right_path: string[]
}
export interface TimelineProof {
  type: typeof TIMELINE_PROOF
  runs: TimelineRun[]
  state: RegistryState
  log: LogProof
}

export const isTimelineRun = closed({
  from: count,
  periods: both(listOf(isPeriod, MAX_PERIODS), (value) => (value as unknown[]).length > 0),
  left_path: path,
  right_path: path,
})
export const isTimelineProof = closed({
  type: oneOf(TIMELINE_PROOF),
  runs: listOf(isTimelineRun),
  state: isState,
  log: isLogProof,
}) as (value: unknown) => value is TimelineProof

/** A period and its index in the timeline. */
export interface PlacedPeriod {
  index: number
  period: Period
}

/** Adds the state to the facts, and checks each run against it. */
export async function addTimeline(facts: Facts, { runs, state, log }: TimelineProof): Promise<PlacedPeriod[][]> {
  await facts.addState(state, log)
  return checkRuns(runs, state)
}

/** Checks the periods of each run against a state that is a fact. */
export const checkRuns = (runs: readonly TimelineRun[], state: RegistryState): PlacedPeriod[][] =>
  runs.map((run) => {
    ensure(leadsTo(run, state), 'period_not_in_timeline')
    ensure(isSorted(run.periods), 'leaves_contradict')
    return run.periods.map((period, i) => ({ index: run.from + i, period }))
  })

function leadsTo({ from, periods, left_path, right_path }: TimelineRun, state: RegistryState): boolean {
  const [left, right, expected] = [decodePath(left_path), decodePath(right_path), fromBase64(state.timeline_root)]
  if (!left || !right || !expected) return false
  const root = rootFromRange(from, periods.map(leafOf), state.timeline_size, left, right)
  return root !== undefined && equalBytes(root, expected)
}

/** Whether periods are in the order of their keys, and those of one chart do not overlap. */
const isSorted = (periods: readonly Period[]): boolean =>
  periods.every((period, i) => {
    const before = periods[i - 1]
    if (period.from > period.to) return false
    if (!before) return true
    return periodKey(before) < periodKey(period) && (before.chart !== period.chart || before.to < period.from)
  })

/** The period in which a release is in force; undefined if there is none. A period with its name and other days is a lie. */
export function findPeriod(placed: readonly PlacedPeriod[], release: Manifest): PlacedPeriod | undefined {
  const found = placed.find(({ period }) => period.release === nameOf(release))
  ensure(!found || isPeriodOf(found.period, release), 'release_not_in_force')
  return found
}

/** Whether a run reaches the beginning and the end of a chart, or, without one, of the timeline. */
export function reachesEnds(
  run: readonly PlacedPeriod[],
  chart: string | undefined,
  size: number,
): [begins: boolean, ends: boolean] {
  const [first, last] = [run[0], run.at(-1)]
  if (!first || !last) return [size === 0, size === 0]
  const isOutside = ({ period }: PlacedPeriod, side: 'before' | 'after'): boolean =>
    chart !== undefined && period.chart !== chart && periodKey(period) < `${chart}|` === (side === 'before')
  return [first.index === 0 || isOutside(first, 'before'), last.index === size - 1 || isOutside(last, 'after')]
}
