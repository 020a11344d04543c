import type { Bucket, Quota } from '../../operation.ts'

const WINDOW_SECONDS = 60
const MAX_CALLERS = 50_000
export const FAILED_AUTHENTICATION = 'failed-authentication'
export const FAILED_AUTHENTICATION_RPM = 10

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

/** Counts the requests of each caller, as one or as several: either all of them fit or none is counted. */
export interface CountingWindow extends Readonly<WindowQuota> {
  take(who: string, cost?: number): WindowState
}

/**
 * An exact sliding window: no span of `windowSeconds` ever holds more than `limit` accepted requests.
 * A bucket that refills would accept a burst and its refill together, which is more than the published
 * `q` and `w` allow.
 *
 * A request may count as several: then either all of them fit into the window or none is counted.
 *
 * Refused requests are not counted. Memory is bounded: past `maxKeys` the least recently used key is dropped.
 */
export class SlidingWindow implements CountingWindow {
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

  take(key: string, cost = 1): WindowState {
    const now = this.clockMs()
    const cutoff = now - this.windowSeconds * 1000
    const times = this.#callers.get(key) ?? this.#newCaller(key)
    times.dropThrough(cutoff)
    const allowed = times.size + cost <= this.limit
    if (allowed) for (let i = 0; i < cost; i++) times.push(now)
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
      if (oldest === this.#ends || (oldest.newest > cutoff && this.#callers.size <= this.maxKeys)) return
      oldest.leave()
      this.#callers.delete(oldest.key)
    }
  }
}

/** `cutoff` is the last moment that no longer counts. */
const secondsUntilGone = (time: number | undefined, cutoff: number): number =>
  time === undefined ? 1 : Math.max(1, Math.ceil((time - cutoff) / 1000))

/** The times of one caller: a queue that grows as needed, so a caller with one request costs a few bytes. */
class Times {
  #ring = new Float64Array(4)
  #head = 0
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
    this.previous = this
    this.next = this
  }

  /** The time of the last request that counted. */
  get newest(): number {
    return this.at(this.size - 1) ?? -Infinity
  }

  /** The time at this index; the oldest is first. */
  at(i: number): number | undefined {
    return i < 0 || i >= this.size ? undefined : this.#at(i)
  }

  push(time: number): void {
    if (this.size === this.#ring.length) this.#grow()
    this.#ring[(this.#head + this.size) % this.#ring.length] = time
    this.size++
  }

  dropThrough(cutoff: number): void {
    while (this.size > 0 && this.#at(0) <= cutoff) {
      this.#head = (this.#head + 1) % this.#ring.length
      this.size--
    }
  }

  #at(i: number): number {
    return this.#ring[(this.#head + i) % this.#ring.length] as number
  }

  #grow(): void {
    const larger = new Float64Array(this.#ring.length * 2)
    for (let i = 0; i < this.size; i++) larger[i] = this.#at(i)
    this.#ring = larger
    this.#head = 0
  }
}

export interface LimitDecision {
  allowed: boolean
  quota: Quota
  waitSeconds: number
}

export type CountedBucket = Bucket | typeof FAILED_AUTHENTICATION

/** Counts a request, as one or as several; undefined when limits are off. A promise where another machine counts. */
export interface Limiter {
  take(
    bucket: CountedBucket,
    who: string,
    cost?: number,
  ): LimitDecision | undefined | Promise<LimitDecision | undefined>
}

export interface Limits {
  default_rpm: number
  reference_rpm: number
  log_rpm: number
  enabled: boolean
}

/** The quota of each bucket. */
export function quotasOf({ default_rpm, reference_rpm, log_rpm }: Limits): Record<CountedBucket, WindowQuota> {
  const perMinute = (limit: number): WindowQuota => ({ limit, windowSeconds: WINDOW_SECONDS })
  return {
    default: perMinute(default_rpm),
    reference: perMinute(reference_rpm),
    log: perMinute(log_rpm),
    [FAILED_AUTHENTICATION]: perMinute(FAILED_AUTHENTICATION_RPM),
  }
}

/** The windows of one process. `clockMs`: monotonic milliseconds, such as `performance.now`. */
export const ownWindows =
  (clockMs: () => number) =>
  (quotas: readonly WindowQuota[]): CountingWindow[] =>
    quotas.map(({ limit, windowSeconds }) => new SlidingWindow(limit, windowSeconds, clockMs))

/** `windowsOf` makes a window for each quota, in their order. */
export function makeLimiter(
  limits: Limits,
  windowsOf: (quotas: readonly WindowQuota[]) => readonly CountingWindow[],
): Limiter {
  if (!limits.enabled) return { take: () => undefined }
  const quotas = quotasOf(limits)
  const windows = windowsOf(Object.values(quotas))
  const byBucket = new Map(Object.keys(quotas).map((bucket, i) => [bucket, windows[i]]))
  return {
    take(bucket, who, cost) {
      const window = byBucket.get(bucket)
      return window && decisionOf(bucket, window, window.take(who, cost))
    },
  }
}

export const decisionOf = (
  bucket: CountedBucket,
  { limit, windowSeconds }: WindowQuota,
  { allowed, remaining, resetSeconds, waitSeconds }: WindowState,
): LimitDecision => ({ allowed, quota: { bucket, limit, windowSeconds, remaining, resetSeconds }, waitSeconds })
