import { type Valkey, ValkeyScript } from '../../db/valkey.ts'
import { digestOf } from '../credential.ts'
import { type CountedBucket, decisionOf, type Limiter, type Limits, quotasOf, type WindowState } from './limits.ts'

/** How long Valkey is left alone after a fault. */
const AWAY_MS = 1_000

/**
 * The exact sliding window: the times of the accepted requests of the last seconds, in microseconds of the one clock of
 * Valkey, the oldest first. If that clock was set back, the caller begins anew. Returns whether the request is accepted,
 * how many are counted, and the microseconds until the oldest is gone and until this request would fit.
 */
const TAKE = new ValkeyScript(`
local key, limit, window, cost = KEYS[1], tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000000 + tonumber(time[2])
local newest = redis.call('LINDEX', key, -1)
if newest and tonumber(newest) > now then redis.call('DEL', key) end
local oldest = redis.call('LINDEX', key, 0)
while oldest and tonumber(oldest) <= now - window do
  redis.call('LPOP', key)
  oldest = redis.call('LINDEX', key, 0)
end
local size = redis.call('LLEN', key)
local allowed = 0
if size + cost <= limit then
  allowed = 1
  for i = 1, cost do redis.call('RPUSH', key, string.format('%.0f', now)) end
  redis.call('PEXPIRE', key, math.ceil(window / 1000))
  size = size + cost
end
local function untilGone(i)
  local time = i >= 0 and i < size and redis.call('LINDEX', key, i)
  return time and tonumber(time) + window - now or 0
end
return { allowed, size, untilGone(0), untilGone(size + cost - limit - 1) }
`)

export interface ValkeyLimits {
  valkey: Pick<Valkey, 'run'>
  /** Keys the names of callers: addresses are not stored as they are. */
  pepper: Uint8Array
  /** Counts while Valkey is away. */
  own: Limiter
  clockMs: () => number
  /** Told when Valkey goes away, and when it is back. */
  tell: (isAway: boolean) => void
}

/**
 * Counts in Valkey, for all machines together. While Valkey is away each machine counts for itself, from nothing: the
 * service goes on answering, and nobody gets more than the quota from any one machine.
 */
export function valkeyLimiter(limits: Limits, { valkey, pepper, own, clockMs, tell }: ValkeyLimits): Limiter {
  if (!limits.enabled) return own
  const quotas = quotasOf(limits)
  let awayUntil = -Infinity
  let isAway = false
  let isTrying = false
  const notice = (away: boolean): void => {
    if (away !== isAway) tell(away)
    isAway = away
  }
  const ask = async (bucket: CountedBucket, who: string, cost: number): Promise<WindowState> => {
    const { limit, windowSeconds } = quotas[bucket]
    const key = `atr:limit:${bucket}:${Buffer.from(digestOf(pepper, `limit of ${who}`)).toString('base64url')}`
    const said = (await valkey.run(TAKE, key, [limit, windowSeconds * 1_000_000, cost])) as number[]
    const [allowed = 0, size = 0, untilOldest = 0, untilRoom = 0] = said
    const seconds = (us: number): number => Math.max(1, Math.ceil(us / 1_000_000))
    return {
      allowed: allowed === 1,
      remaining: limit - size,
      resetSeconds: seconds(untilOldest),
      waitSeconds: cost > limit ? Infinity : seconds(untilRoom),
    }
  }
  return {
    async take(bucket, who, cost = 1) {
      // While it is away, one request at a time tries whether it is back, and only that one waits for it.
      if (isAway && (isTrying || clockMs() < awayUntil)) return own.take(bucket, who, cost)
      isTrying = true
      try {
        const state = await ask(bucket, who, cost)
        notice(false)
        return decisionOf(bucket, quotas[bucket], state)
      } catch {
        awayUntil = clockMs() + AWAY_MS
        notice(true)
        return own.take(bucket, who, cost)
      } finally {
        isTrying = false
      }
    },
  }
}
