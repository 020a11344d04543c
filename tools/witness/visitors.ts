import { isIPv6 } from 'node:net'

const WINDOW_MS = 60_000
const MOST_VISITORS = 10_000
/** How much one address may ask for in a minute. A log that publishes all day needs a few; repeats are answered from memory. */
export const MOST_POINTS = 6_000
/** A request whose signature is not that of a log costs a check for nothing. */
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
    // A crowd that fills the table shares one count.
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

/** One subscriber usually has a whole IPv6 /64: written out or not, its first groups are the same for one peer. */
const blockOf = (address: string): string =>
  isIPv6(address) && !address.startsWith('::') ? address.split(':').slice(0, 4).join(':') : address
