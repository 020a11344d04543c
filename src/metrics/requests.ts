import type { RequestLine } from '../surfaces/http/request-line.ts'
import { counter, type Family, type Sample } from './exposition.ts'

/** The upper bounds of the buckets, in seconds: from a ready-made answer to the longest that a proxy waits. */
const BOUNDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30] as const

/** How long the answers of a route took, and how often it gave each status. */
interface Tally {
  statuses: Map<number, number>
  /** How many were not longer than each bound, and than the one before it were. */
  buckets: Float64Array
  count: number
  seconds: number
}

/** Counts requests. Routes and statuses are words of ours. */
export class RequestMetrics {
  readonly #tallies = new Map<string, Tally>()

  count({ route, status, ms }: RequestLine): void {
    let tally = this.#tallies.get(route)
    if (!tally) {
      tally = { statuses: new Map(), buckets: new Float64Array(BOUNDS.length), count: 0, seconds: 0 }
      this.#tallies.set(route, tally)
    }
    const seconds = ms / 1_000
    const at = BOUNDS.findIndex((bound) => seconds <= bound)
    if (at >= 0) (tally.buckets[at] as number) += 1
    tally.count++
    tally.seconds += seconds
    tally.statuses.set(status, (tally.statuses.get(status) ?? 0) + 1)
  }

  families(): Family[] {
    const tallies = [...this.#tallies]
    return [
      counter(
        'atr_requests_total',
        'Requests answered',
        ...tallies.flatMap(([route, { statuses }]) =>
          [...statuses].map(([status, value]) => ({ labels: { route, status }, value })),
        ),
      ),
      {
        name: 'atr_request_duration_seconds',
        type: 'histogram',
        help: 'Time from a request to its answer',
        samples: tallies.flatMap(([route, tally]) => histogramOf(route, tally)),
      },
    ]
  }
}

function histogramOf(route: string, { buckets, count, seconds }: Tally): Sample[] {
  let below = 0
  const bounded = BOUNDS.map((le, at) => {
    below += buckets[at] ?? 0
    return { suffix: '_bucket', labels: { route, le }, value: below }
  })
  return [
    ...bounded,
    { suffix: '_bucket', labels: { route, le: '+Inf' }, value: count },
    { suffix: '_sum', labels: { route }, value: seconds },
    { suffix: '_count', labels: { route }, value: count },
  ]
}
