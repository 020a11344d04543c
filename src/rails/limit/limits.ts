import type { Bucket, Quota } from '../../operation.ts'
import { lately, type NamedNetwork, type NetworkCount, NetworkCounts, secondsUntilRoom } from './network-counts.ts'
import { SlidingWindow, type WindowQuota, type WindowState } from './sliding-window.ts'

const WINDOW_SECONDS = 60
export const ANONYMOUS_RPM = 600_000
export const FAILED_AUTHENTICATION = 'failed-authentication'
export const FAILED_AUTHENTICATION_RPM = 10

/** Whom a request is counted for: a key, or an address and the networks that it is part of. */
export interface Caller {
  name: string
  /** The narrowest first. A key has none. */
  networks?: readonly Network[]
}

export interface Network extends NamedNetwork {
  kind: keyof typeof MULTIPLES | 'anonymous'
}

/** How many times the quota of one address all addresses of a network have together: a /56 and a /48 of IPv6, a /24 of IPv4. */
const MULTIPLES = { site: 4, network: 16 } as const
const everyone = (): Network => ({ name: 'everyone', kind: 'anonymous' })

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
    caller: Caller,
    cost?: number,
  ): LimitDecision | undefined | Promise<LimitDecision | undefined>
  /** The refusal that one more request would get; undefined if it has room. Counts nothing. */
  findRefusal(bucket: CountedBucket, caller: Caller): LimitDecision | undefined | Promise<LimitDecision | undefined>
}

export interface Limits {
  default_rpm: number
  reference_rpm: number
  log_rpm: number
  /** For all callers without a credential together, in each bucket. */
  anonymous_rpm?: number
  enabled: boolean
}

export interface BucketQuota extends WindowQuota {
  /** All callers together have no quota. */
  isForEachAlone?: true
}

/** The quota of each bucket. */
export function quotasOf({ default_rpm, reference_rpm, log_rpm }: Limits): Record<CountedBucket, BucketQuota> {
  const perMinute = (limit: number): WindowQuota => ({ limit, windowSeconds: WINDOW_SECONDS })
  return {
    default: perMinute(default_rpm),
    reference: perMinute(reference_rpm),
    log: perMinute(log_rpm),
    // A crowd must not make a balancer believe that the service is down.
    probe: { ...perMinute(log_rpm), isForEachAlone: true },
    [FAILED_AUTHENTICATION]: perMinute(FAILED_AUTHENTICATION_RPM),
  }
}

/** Counts of the requests in one bucket. Keys have a table of their own, which no crowd of addresses can fill. */
interface BucketCounts {
  addresses: SlidingWindow
  keys: SlidingWindow
  networks: NetworkCounts
}

const countsFor = ({ limit, windowSeconds }: WindowQuota, clockMs: () => number): BucketCounts => ({
  addresses: new SlidingWindow(limit, windowSeconds, clockMs),
  keys: new SlidingWindow(limit, windowSeconds, clockMs),
  networks: new NetworkCounts(windowSeconds),
})

/** Counts in this process. `clockMs` gives monotonic milliseconds, such as `performance.now`. */
export function makeLimiter(limits: Limits, clockMs: () => number): Limiter {
  if (!limits.enabled) return { take: () => undefined, findRefusal: () => undefined }
  const quotas = quotasOf(limits)
  const byBucket = new Map(Object.entries(quotas).map(([bucket, quota]) => [bucket, countsFor(quota, clockMs)]))
  const all = everyone()
  /** The refusal by the first network without room. */
  const fullNetwork = (
    bucket: CountedBucket,
    { networks = [] }: Caller,
    cost: number,
    now: number,
  ): LimitDecision | undefined => {
    const { networks: counts } = byBucket.get(bucket) as BucketCounts
    const quota = quotas[bucket]
    for (let i = 0; i <= networks.length; i++) {
      const network = networks[i] ?? all
      const limit = networkLimit(network, quota, limits)
      if (!counts.hasRoom(network, limit, cost, now))
        return networkDecision(bucket, network, limit, quota, counts.countOf(network, now), cost)
    }
    return undefined
  }
  return {
    take(bucket, caller, cost = 1) {
      const { addresses, keys, networks: counts } = byBucket.get(bucket) as BucketCounts
      const { networks } = caller
      if (!networks) return decisionOf(bucket, keys, keys.take(caller.name, cost))
      const now = clockMs()
      const full = fullNetwork(bucket, caller, cost, now)
      if (full) return full
      const state = addresses.take(caller.name, cost, now)
      if (state.allowed) {
        for (const network of networks) counts.add(network, cost, now)
        counts.add(all, cost, now)
      }
      return decisionOf(bucket, addresses, state)
    },
    findRefusal(bucket, caller) {
      const { addresses, keys } = byBucket.get(bucket) as BucketCounts
      const window = caller.networks ? addresses : keys
      if (window.hasRoom(caller.name)) return caller.networks && fullNetwork(bucket, caller, 1, clockMs())
      // The window is full, so this counts nothing.
      return decisionOf(bucket, window, window.take(caller.name))
    },
  }
}

/** Every network that a call without a credential is counted for. */
export const networksOf = ({ networks }: Caller): Network[] => (networks ? [...networks, everyone()] : [])

/** At least what one network may have. */
export function networkLimit(
  { kind }: Network,
  { limit, isForEachAlone }: BucketQuota,
  { anonymous_rpm = ANONYMOUS_RPM }: Limits,
): number {
  if (kind !== 'anonymous') return limit * MULTIPLES[kind]
  return isForEachAlone ? Number.MAX_SAFE_INTEGER : Math.max(anonymous_rpm, limit * MULTIPLES.network)
}

export const decisionOf = (
  bucket: CountedBucket,
  { limit, windowSeconds }: WindowQuota,
  { allowed, remaining, resetSeconds, waitSeconds }: WindowState,
): LimitDecision => ({ allowed, quota: { bucket, limit, windowSeconds, remaining, resetSeconds }, waitSeconds })

/** A network has no room. Its quota has a name of its own, because it is not that of the caller. */
export function networkDecision(
  bucket: CountedBucket,
  { kind }: Network,
  limit: number,
  { windowSeconds }: WindowQuota,
  count: NetworkCount,
  cost: number,
): LimitDecision {
  const resetSeconds = secondsUntilRoom(count, limit, cost, windowSeconds)
  const remaining = Math.max(0, Math.floor(limit - lately(count)))
  const quota = { bucket: `${bucket}-${kind}`, limit, windowSeconds, remaining, resetSeconds }
  return { allowed: false, quota, waitSeconds: cost > limit ? Infinity : resetSeconds }
}
