import { isIPv6 } from 'node:net'

const WINDOW_MS = 60_000
const MOST_VISITORS = 10_000
/** The points of one address in a minute. A log that publishes all day needs a few; repeats are answered from memory. */
export const MOST_POINTS = 6_000
/** The points of a request that no log has signed: checking it was in vain. */
export const FAILURE_POINTS = 100

/** Counts what each address asks for. Past the limit it is refused until the minute is over. */
export class Visitors {
  #points = new Map<string, number>()
  #since = -Infinity

  constructor(readonly clockMs: () => number) {}

  /** Whether the address may ask for more. */
  isWelcome(address: string): boolean {
    this.#turn()
    return (this.#points.get(blockOf(address)) ?? 0) < MOST_POINTS
  }

  count(address: string, points: number): void {
    this.#turn()
    const name = blockOf(address)
    // When the table is full, all further addresses share one count.
    const counted = this.#points.has(name) || this.#points.size < MOST_VISITORS ? name : 'others'
    this.#points.set(counted, (this.#points.get(counted) ?? 0) + points)
  }

  get waitSeconds(): number {
    return Math.max(1, Math.ceil((this.#since + WINDOW_MS - this.clockMs()) / 1000))
  }

  #turn(): void {
    const now = this.clockMs()
    if (now - this.#since < WINDOW_MS) return
    this.#points = new Map()
    this.#since = now
  }
}

/** The address, or the first four groups of an IPv6 address: a subscriber usually has a whole /64. */
const blockOf = (address: string): string =>
  isIPv6(address) && !address.startsWith('::') ? address.split(':').slice(0, 4).join(':') : address
