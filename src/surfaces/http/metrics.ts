import type { CacheFigures } from './reply-cache.ts'
import type { RequestLine } from './request-line.ts'

/** Counts how often a route gave a status, and how long that took in all. */
interface Tally {
  requests: number
  ms: number
}

/** Counts requests for Prometheus. Routes and statuses are words of ours, so nobody can add series. */
export class RequestMetrics {
  readonly #tallies = new Map<string, Map<number, Tally>>()

  count({ route, status, ms }: RequestLine): void {
    const known = this.#tallies.get(route)?.get(status)
    const tally = known ?? { requests: 0, ms: 0 }
    if (!known) this.#tallies.set(route, (this.#tallies.get(route) ?? new Map<number, Tally>()).set(status, tally))
    tally.requests++
    tally.ms += ms
  }

  /** The Prometheus text format, version 0.0.4. */
  text(cache: CacheFigures, memoryBytes: number): string {
    const each = (value: (tally: Tally) => number): string[] =>
      [...this.#tallies].flatMap(([route, statuses]) =>
        [...statuses].map(([status, tally]) => `{route="${route}",status="${status}"} ${value(tally)}`),
      )
    return [
      metric(
        'atr_requests_total',
        'counter',
        'Requests answered',
        each(({ requests }) => requests),
      ),
      metric(
        'atr_request_seconds_total',
        'counter',
        'Time from a request to its answer',
        each(({ ms }) => ms / 1000),
      ),
      metric('atr_ready_answer_hits_total', 'counter', 'Answers that were ready-made', [` ${cache.hits}`]),
      metric('atr_ready_answer_misses_total', 'counter', 'Answers that had to be made', [` ${cache.misses}`]),
      metric('atr_ready_answer_bytes', 'gauge', 'Memory that ready-made answers take', [` ${cache.bytes}`]),
      metric('atr_ready_answer_targets', 'gauge', 'Addresses that have a ready-made answer', [` ${cache.targets}`]),
      metric('process_resident_memory_bytes', 'gauge', 'Memory of the process', [` ${memoryBytes}`]),
    ].join('')
  }
}

const metric = (name: string, type: 'counter' | 'gauge', help: string, samples: readonly string[]): string =>
  `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${samples.map((sample) => `${name}${sample}\n`).join('')}`
