import { randomBytes } from 'node:crypto'
import { closeSync, existsSync, openSync, readFileSync, unlinkSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { BucketTables } from './limits.ts'
import { NETWORK_TABLE_WORDS, NetworkCounts } from './network-counts.ts'
import type { CountingWindow, WindowQuota, WindowState } from './sliding-window.ts'

/** Callers are kept in sets; one that is full forgets the caller with the fewest requests. */
const SETS = 512
/** Only the operator makes keys. */
const KEY_SETS = 128
const WAYS = 16
/** How many moments are kept for a caller. A larger quota is counted in steps: see `SharedWindow`. */
const MOST_MOMENTS = 128
const HEADER_WORDS = 4
/** Longer than any process that runs needs for a few writes: its holder is dead, or stopped. */
const LOCK_MS = 50
const SPINS = 1_000
/** How far the clocks of two processes may be apart. */
const CLOCK_MS = 1_000

const PID = process.pid

const momentsOf = ({ limit }: WindowQuota): number => Math.min(limit, MOST_MOMENTS)
/** What is kept of each caller: a hash of two words, then these. */
const [NEWEST, START, USED, SIZE, CALLER_WORDS] = [2, 3, 4, 5, 6]
const setWords = (quota: WindowQuota): number => 1 + WAYS * (CALLER_WORDS + 2 * momentsOf(quota))

const wordsOf = (quota: WindowQuota): number => (SETS + KEY_SETS) * setWords(quota) + NETWORK_TABLE_WORDS

/** Memory for these quotas, in a file without a name. Processes open it at `path` while this one runs. */
export function makeSharedMemory(quotas: readonly WindowQuota[]): { path: string; [Symbol.dispose](): void } {
  const words = HEADER_WORDS + quotas.reduce((sum, quota) => sum + wordsOf(quota), 0)
  const folder = existsSync('/dev/shm') ? '/dev/shm' : tmpdir()
  const name = join(folder, `atr-limits-${process.pid}-${randomBytes(8).toString('hex')}`)
  const file = openSync(name, 'wx+', 0o600)
  unlinkSync(name)
  // Written whole: a file that grew when it is first used would kill the process where memory is short.
  const bytes = Buffer.alloc(words * 4)
  bytes.set(randomBytes(HEADER_WORDS * 4)) // so that nobody can choose addresses that share a set
  for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at)
  return { path: `/proc/${process.pid}/fd/${file}`, [Symbol.dispose]: () => closeSync(file) }
}

/** The tables of several quotas, in memory that other processes have open too. */
export function openSharedTables(
  path: string,
  quotas: readonly WindowQuota[],
  clockMs: () => number = machineClock(),
): (BucketTables & { addresses: SharedWindow; keys: SharedWindow })[] {
  const { buffer } = Bun.mmap(path)
  const seeds = new Int32Array(buffer, 0, HEADER_WORDS)
  let end = HEADER_WORDS
  const next = (words: number): Int32Array => {
    end += words
    return new Int32Array(buffer, (end - words) * 4, words)
  }
  return quotas.map((quota) => ({
    addresses: new SharedWindow(next(SETS * setWords(quota)), seeds, quota, clockMs),
    keys: new SharedWindow(next(KEY_SETS * setWords(quota)), seeds, quota, clockMs),
    networks: new NetworkCounts(quota.windowSeconds, clockMs, next(NETWORK_TABLE_WORDS), seeds),
  }))
}

/** Milliseconds since the machine was started: the same in every process, and never set back. */
function machineClock(): () => number {
  const uptimeMs = Number(readFileSync('/proc/uptime', 'utf8').split(' ')[0]) * 1000
  const origin = uptimeMs - performance.now()
  return () => origin + performance.now()
}

/**
 * An exact sliding window like `SlidingWindow`, counted in one place for several processes. It keeps moments and how
 * many requests each had. Where a quota is larger than the number of moments that are kept, requests within one step of
 * less than a hundredth of the window count as made at the last of them: never more than the quota is accepted, and
 * what is used up comes back at most one step late.
 *
 * Each set has a lock, held for a microsecond. Moments are whole milliseconds in 32 bits, compared by their difference.
 */
export class SharedWindow implements CountingWindow {
  readonly limit: number
  readonly windowSeconds: number
  readonly #windowMs: number
  readonly #moments: number
  readonly #stepMs: number
  readonly #setWords: number
  readonly #sets: number

  constructor(
    readonly words: Int32Array,
    readonly seeds: Int32Array,
    quota: WindowQuota,
    readonly clockMs: () => number,
  ) {
    this.limit = quota.limit
    this.windowSeconds = quota.windowSeconds
    this.#windowMs = quota.windowSeconds * 1000
    this.#moments = momentsOf(quota)
    this.#stepMs = quota.limit <= MOST_MOMENTS ? 1 : Math.ceil(this.#windowMs / (MOST_MOMENTS - 2))
    this.#setWords = setWords(quota)
    this.#sets = words.length / this.#setWords
  }

  hasRoom(who: string): boolean {
    return this.take(who, 0).remaining > 0
  }

  take(who: string, cost = 1): WindowState {
    const set = (this.#hash(who, 2) & (this.#sets - 1)) * this.#setWords
    this.#lock(set)
    try {
      const now = this.clockMs()
      const way = this.#wayOf(set, this.#hash(who, 0), this.#hash(who, 1), Math.floor(now) | 0)
      const caller = set + 1 + way * CALLER_WORDS
      const ring = set + 1 + WAYS * CALLER_WORDS + way * 2 * this.#moments
      return this.#count(caller, ring, now, cost)
    } finally {
      Atomics.compareExchange(this.words, set, PID, 0) // not if another has taken it over
    }
  }

  #hash(who: string, seed: number): number {
    return Bun.hash.xxHash32(who, (this.seeds[seed] as number) >>> 0) | 0
  }

  #lock(set: number): void {
    let holder = Atomics.compareExchange(this.words, set, 0, PID)
    for (let spins = 1; holder !== 0; spins++) {
      const isDead = spins === SPINS * LOCK_MS
      if (spins % SPINS === 0) Bun.sleepSync(1)
      const before = Atomics.compareExchange(this.words, set, isDead ? holder : 0, PID)
      if (before === (isDead ? holder : 0)) return
      if (before !== holder) spins = 0
      holder = before
    }
  }

  /**
   * The place of a caller in its set: its own, or else that of the one with the fewest requests, so that a crowd of new
   * names cannot make the window forget who has used up a quota. Of several, the one who has been quiet for longest.
   */
  #wayOf(set: number, first: number, second: number, now: number): number {
    const { words } = this
    let [place, fewest, most] = [0, Infinity, -Infinity]
    for (let way = 0; way < WAYS; way++) {
      const caller = set + 1 + way * CALLER_WORDS
      if (words[caller] === first && words[caller + 1] === second) return way
      const quiet = words[caller + USED] === 0 ? Infinity : this.#age(words[caller + NEWEST] as number, now)
      const size = quiet >= this.#windowMs ? 0 : (words[caller + SIZE] as number)
      if (size < fewest || (size === fewest && quiet > most)) [place, fewest, most] = [way, size, quiet]
    }
    words.set([first, second, 0, 0, 0, 0], set + 1 + place * CALLER_WORDS)
    return place
  }

  /** Milliseconds since a moment. One that seems to lie far ahead is of long ago: the number has come round. */
  #age(moment: number, now: number): number {
    const age = (now - moment) | 0
    return age < -CLOCK_MS ? Infinity : age
  }

  #count(caller: number, ring: number, nowMs: number, cost: number): WindowState {
    const { words, limit } = this
    const [whole, moments] = [Math.floor(nowMs), this.#moments]
    const now = whole | 0
    const at = (i: number): number => ring + 2 * ((start + i) % moments)
    // Another process may have died while it wrote: whatever is read stays in bounds.
    let start = ((words[caller + START] as number) >>> 0) % moments
    let used = Math.min((words[caller + USED] as number) >>> 0, moments)
    let size = Math.max(0, words[caller + SIZE] as number)
    while (used > 0 && this.#age(words[at(0)] as number, now) >= this.#windowMs) {
      size -= words[at(0) + 1] as number
      start = (start + 1) % moments
      used--
    }
    if (used === 0) size = 0
    const allowed = size + cost <= limit
    if (allowed && cost > 0) {
      // Rounded up, so that it counts for no less than the window.
      const moment = this.#notBefore(Math.ceil(nowMs) | 0, used > 0 ? (words[caller + NEWEST] as number) : undefined)
      const joins = used > 0 && (used === moments || this.#isOneStep(words[at(used - 1)] as number, moment))
      if (!joins) words[at(used++) + 1] = 0
      words[at(used - 1)] = moment
      ;(words[at(used - 1) + 1] as number) += cost
      words[caller + NEWEST] = moment
      size += cost
    }
    words[caller + START] = start
    words[caller + USED] = used
    words[caller + SIZE] = size
    const secondsUntilGone = (i: number): number => {
      const left = this.#windowMs - this.#age(words[at(i)] as number, now) - (nowMs - whole)
      return Math.max(1, Math.ceil(left / 1000))
    }
    let [tooMany, i] = [size + cost - limit, 0]
    for (; i < used && tooMany > (words[at(i) + 1] as number); i++) tooMany -= words[at(i) + 1] as number
    return {
      allowed,
      remaining: Math.max(0, limit - size),
      resetSeconds: used > 0 ? secondsUntilGone(0) : 1,
      waitSeconds: cost > limit ? Infinity : tooMany > 0 && i < used ? secondsUntilGone(i) : 1,
    }
  }

  /** The clocks of two processes are a few milliseconds apart. */
  #notBefore(moment: number, newest: number | undefined): number {
    return newest !== undefined && this.#age(newest, moment) < 0 ? newest : moment
  }

  #isOneStep(a: number, b: number): boolean {
    return Math.floor((a >>> 0) / this.#stepMs) === Math.floor((b >>> 0) / this.#stepMs)
  }
}
