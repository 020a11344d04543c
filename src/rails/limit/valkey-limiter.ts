import { type Valkey, ValkeyScript } from '../../db/valkey.ts'
import { digestOf } from '../credential.ts'
import {
  type Caller,
  type CountedBucket,
  decisionOf,
  type LimitDecision,
  type Limiter,
  type Limits,
  networkDecision,
  networkLimit,
  networksOf,
  quotasOf,
} from './limits.ts'

/** How long Valkey is left alone after a fault. */
const AWAY_MS = 1_000

/**
 * The first key has the exact sliding window of the caller: the times of the accepted requests of the last seconds, in
 * microseconds of the one clock of Valkey, the oldest first. If that clock was set back, the caller begins anew. The other
 * keys have the counts of its networks, each with its limit, as `NetworkCounts` keeps them. Where one of them has no room,
 * nothing is counted. Returns which one that is, or 0, and its counts; else whether the request is accepted, how many are
 * counted, and the microseconds until the oldest is gone and until this request would fit.
 */
const TAKE = new ValkeyScript(`
local key, limit, window, cost, counts = KEYS[1], tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3]), ARGV[4] == '1'
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000000 + tonumber(time[2])
local networks, period, elapsed = {}, math.floor(now / window), now % window
for i = 2, #KEYS do
  local kept = redis.call('HMGET', KEYS[i], 'window', 'current', 'before')
  local age, current, before = period - (tonumber(kept[1]) or 0), tonumber(kept[2]) or 0, tonumber(kept[3]) or 0
  if age == 1 then current, before = 0, current elseif age ~= 0 then current, before = 0, 0 end
  if current + before * (1 - elapsed / window) + cost > tonumber(ARGV[3 + i]) then
    return { i - 1, current, before, math.floor(elapsed) }
  end
  networks[i] = { KEYS[i], current, before }
end
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
  if counts then
    for i = 1, cost do redis.call('RPUSH', key, string.format('%.0f', now)) end
    redis.call('PEXPIRE', key, math.ceil(window / 1000))
    size = size + cost
    for i = 2, #KEYS do
      local network = networks[i]
      redis.call('HSET', network[1], 'window', string.format('%.0f', period), 'current', network[2] + cost, 'before', network[3])
      redis.call('PEXPIRE', network[1], math.ceil(window / 500))
    end
  end
end
local function untilGone(i)
  local time = i >= 0 and i < size and redis.call('LINDEX', key, i)
  return time and tonumber(time) + window - now or 0
end
return { 0, allowed, size, untilGone(0), untilGone(size + cost - limit - 1) }
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
  const ask = async (
    bucket: CountedBucket,
    caller: Caller,
    cost: number,
    counts: '0' | '1',
  ): Promise<LimitDecision> => {
    const quota = quotas[bucket]
    const { limit, windowSeconds } = quota
    const networks = networksOf(caller)
    const keyOf = (what: string): string =>
      `atr:limit:${bucket}:${Buffer.from(digestOf(pepper, `limit of ${what}`)).toString('base64url')}`
    const most = networks.map((network) => networkLimit(network, quota, limits))
    const keys = [keyOf(caller.name), ...networks.map(({ name }) => keyOf(`network ${name}`))]
    const said = (await valkey.run(TAKE, keys, [limit, windowSeconds * 1_000_000, cost, counts, ...most])) as number[]
    const [full = 0, ...figures] = said
    const network = networks[full - 1]
    if (network) {
      const [current = 0, before = 0, elapsedUs = 0] = figures
      const count = { current, before, elapsed: elapsedUs / (windowSeconds * 1_000_000) }
      return networkDecision(bucket, network, most[full - 1] as number, quota, count, cost)
    }
    const [allowed = 0, size = 0, untilOldest = 0, untilRoom = 0] = figures
    const seconds = (us: number): number => Math.max(1, Math.ceil(us / 1_000_000))
    return decisionOf(bucket, quota, {
      allowed: allowed === 1,
      remaining: limit - size,
      resetSeconds: seconds(untilOldest),
      waitSeconds: cost > limit ? Infinity : seconds(untilRoom),
    })
  }
  /** Asks Valkey, or else this machine. */
  const either = async (
    question: () => Promise<LimitDecision>,
    instead: () => ReturnType<Limiter['take']>,
  ): Promise<LimitDecision | undefined> => {
    // While it is away, one request at a time tries whether it is back, and only that one waits for it.
    if (isAway && (isTrying || clockMs() < awayUntil)) return instead()
    isTrying = true
    try {
      const decision = await question()
      notice(false)
      return decision
    } catch {
      awayUntil = clockMs() + AWAY_MS
      notice(true)
      return instead()
    } finally {
      isTrying = false
    }
  }
  return {
    take: (bucket, caller, cost = 1) =>
      either(
        () => ask(bucket, caller, cost, '1'),
        () => own.take(bucket, caller, cost),
      ),
    findRefusal: (bucket, caller) =>
      either(
        async () => ask(bucket, caller, 1, '0'),
        () => own.findRefusal(bucket, caller),
      ).then((decision) => (decision?.allowed ? undefined : decision)),
  }
}
