const MAX_CALLERS = 50_000
/** How many keys are looked at to find the one to drop. */
const CANDIDATES = 8

export interface WindowState {
  allowed: boolean
  remaining: number
  /** Whole seconds until the oldest counted request leaves the window; at least 1. */
  resetSeconds: number
  /** Whole seconds until a request of this cost would be allowed; at least 1. Infinity if it costs more than the limit. */
  waitSeconds: number
}

/** How many requests are accepted in how many seconds. */
export interface WindowQuota {
  limit: number
  windowSeconds: number
}

/**
 * An exact sliding window: no span of `windowSeconds` ever holds more than `limit` accepted requests.
 * A bucket that refills would accept a burst and its refill together, which is more than the published
 * `q` and `w` allow.
 *
 * A request may count as several: then either all of them fit into the window or none is counted.
 *
 * Refused requests are not counted. Memory is bounded: past `maxKeys` a key is dropped. It is one with few requests, so
 * that a crowd of new names cannot make the window forget who has used up a quota.
 */
export class SlidingWindow {
  readonly #callers = new Map<string, Times>()
  /** A ring in order of last use; what follows it is the least recent, what precedes it the most recent. */
  readonly #ends = new Times('')

  constructor(
    readonly limit: number,
    readonly windowSeconds: number,
    /** Monotonic: a clock that is set back must not reopen or freeze a window. */
    readonly clockMs: () => number,
    readonly maxKeys = MAX_CALLERS,
  ) {
    if (!Number.isInteger(limit) || limit < 1) throw new RangeError('a limit is a whole number of at least 1')
  }

  get size(): number {
    return this.#callers.size
  }

  /** Whether one more request would be accepted. Counts nothing. */
  hasRoom(key: string): boolean {
    const times = this.#callers.get(key)
    times?.dropThrough(this.clockMs() - this.windowSeconds * 1000)
    return (times?.size ?? 0) < this.limit
  }

  take(key: string, cost = 1, now = this.clockMs()): WindowState {
    const cutoff = now - this.windowSeconds * 1000
    const times = this.#callers.get(key) ?? this.#newCaller(key)
    times.dropThrough(cutoff)
    const allowed = times.size + cost <= this.limit
    if (allowed && cost > 0) times.push(now, cost)
    times.moveBefore(this.#ends)
    this.#forget(cutoff)
    return {
      allowed,
      remaining: this.limit - times.size,
      resetSeconds: secondsUntilGone(times.at(0), cutoff),
      waitSeconds:
        cost > this.limit ? Infinity : secondsUntilGone(times.at(times.size + cost - this.limit - 1), cutoff),
    }
  }

  #newCaller(key: string): Times {
    const times = new Times(key)
    this.#callers.set(key, times)
    return times
  }

  /** Drops at most two keys per call: more than one call can add, and never slow. */
  #forget(cutoff: number): void {
    for (let i = 0; i < 2; i++) {
      const oldest = this.#ends.next
      if (oldest === this.#ends) return
      if (oldest.newest <= cutoff) this.#drop(oldest)
      else if (this.#callers.size > this.maxKeys) this.#drop(this.#leastCounted(cutoff))
      else return
    }
  }

  #drop(times: Times): void {
    times.leave()
    this.#callers.delete(times.key)
  }

  /** The one with the fewest requests among those quiet for longest. Those with more go to the end of the line. */
  #leastCounted(cutoff: number): Times {
    let least = this.#ends.next
    let each = least
    for (let i = 0; i < CANDIDATES && each !== this.#ends; i++) {
      const { next } = each
      each.dropThrough(cutoff)
      if (each.size < least.size) {
        least.moveBefore(this.#ends)
        least = each
      } else if (each.size > least.size) each.moveBefore(this.#ends)
      each = next
    }
    return least
  }
}

/** `cutoff` is the last moment that no longer counts. */
const secondsUntilGone = (time: number | undefined, cutoff: number): number =>
  time === undefined ? 1 : Math.max(1, Math.ceil((time - cutoff) / 1000))

/**
 * The requests of one caller: a queue of moments, and how many requests each had. It grows as needed, so a caller with one
 * request costs a few bytes, and one with millions no more than there are milliseconds in the window.
 */
class Times {
  #ring = new Float64Array(2 * PAIR)
  #head = 0
  #moments = 0
  /** How many requests there are. */
  size = 0
  /** Neighbours in order of last use. Moving a caller there is cheaper than taking it out of a map and putting it back. */
  previous: Times = this
  next: Times = this

  constructor(readonly key: string) {}

  moveBefore(end: Times): void {
    if (end.previous === this) return
    this.leave()
    this.previous = end.previous
    this.next = end
    end.previous.next = this
    end.previous = this
  }

  leave(): void {
    this.previous.next = this.next
    this.next.previous = this.previous
  }

  /** The time of the last request that counted. */
  get newest(): number {
    return this.#moments === 0 ? -Infinity : (this.#ring[this.#placeOf(this.#moments - 1)] as number)
  }

  /** The time of the request at this index; the oldest is first. */
  at(index: number): number | undefined {
    if (index < 0) return undefined
    let before = index
    for (let i = 0; i < this.#moments; i++) {
      const place = this.#placeOf(i)
      before -= this.#ring[place + 1] as number
      if (before < 0) return this.#ring[place]
    }
    return undefined
  }

  /** Rounded up to a millisecond, so that they count for no less than the window. */
  push(time: number, count: number): void {
    const moment = Math.ceil(time)
    if (moment !== this.newest) {
      if (this.#moments * PAIR === this.#ring.length) this.#grow()
      const place = this.#placeOf(this.#moments++)
      this.#ring[place] = moment
      this.#ring[place + 1] = 0
    }
    ;(this.#ring[this.#placeOf(this.#moments - 1) + 1] as number) += count
    this.size += count
  }

  dropThrough(cutoff: number): void {
    while (this.#moments > 0 && (this.#ring[this.#head] as number) <= cutoff) {
      this.size -= this.#ring[this.#head + 1] as number
      this.#head = this.#placeOf(1)
      this.#moments--
    }
  }

  #placeOf(i: number): number {
    return (this.#head + i * PAIR) % this.#ring.length
  }

  #grow(): void {
    const larger = new Float64Array(this.#ring.length * 2)
    larger.set(this.#ring.subarray(this.#head))
    larger.set(this.#ring.subarray(0, this.#head), this.#ring.length - this.#head)
    this.#ring = larger
    this.#head = 0
  }
}

/** A moment, and how many. */
const PAIR = 2
