// Neighbouring periods of the timeline, proved at once: what is in force when, and that no period between was left out.

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
/** More periods than this are shown in no list: such a list has no proof. */
export const MAX_PERIODS = 2_000

/** Neighbouring leaves of the timeline, the first of them at `from`. */
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

/** A period at its place in the timeline. */
export interface PlacedPeriod {
  index: number
  period: Period
}

/** The state becomes known, and each run is checked against it. */
export async function addTimeline(facts: Facts, { runs, state, log }: TimelineProof): Promise<PlacedPeriod[][]> {
  await facts.addState(state, log)
  return checkRuns(runs, state)
}

/** The periods of each run, at their places in the timeline of a state that is known. */
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

/** In the order of their keys, and of one chart one after the other. */
const isSorted = (periods: readonly Period[]): boolean =>
  periods.every((period, i) => {
    const before = periods[i - 1]
    if (period.from > period.to) return false
    if (!before) return true
    return periodKey(before) < periodKey(period) && (before.chart !== period.chart || before.to < period.from)
  })

/** Where in these periods a release is in force; undefined where it is not. A period that only names it is a lie. */
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
