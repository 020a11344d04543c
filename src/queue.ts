import { AsyncLocalStorage } from 'node:async_hooks'
import { Problem } from './problem.ts'

// Decides whose work goes on next. One thread answers everybody, so nobody may keep it for long: light work goes first,
// callers take turns, and after each piece of work that had to wait the sockets are looked at again.

/** How long requests are answered as they come. Later ones of the same round of the event loop wait in line. */
const ROUND_MS = 4
/** How long heavy work may run before it lets others go first. */
const SLICE_MS = 2
/** Heavy work goes on after this time even if there is always light work to do. */
const STARVED_MS = 20
const RETRY_SECONDS = 5

/** Items that wait, by caller. Callers take turns, however much one of them has asked for. */
class Line<Item> {
  readonly #callers = new Map<string, Item[]>()
  size = 0

  add(who: string, item: Item): void {
    const items = this.#callers.get(who)
    if (items) items.push(item)
    else this.#callers.set(who, [item])
    this.size++
  }

  /** Takes an item of the caller whose turn it is, who then goes to the end of the line. */
  take(): Item | undefined {
    const [who, items] = this.#callers.entries().next().value ?? []
    if (who === undefined || items === undefined) return undefined
    const item = items.shift()
    this.#callers.delete(who)
    if (items.length > 0) this.#callers.set(who, items)
    this.size--
    return item
  }

  /** Takes an item out of its turn. False if it does not wait any more. */
  remove(who: string, item: Item): boolean {
    const items = this.#callers.get(who) ?? []
    const at = items.indexOf(item)
    if (at < 0) return false
    items.splice(at, 1)
    if (items.length === 0) this.#callers.delete(who)
    this.size--
    return true
  }
}

const light = new Line<() => void>()
/** Heavy work whose slice is over. */
const paused: (() => void)[] = []
let lastSlice = 0
let isRoundDue = false

/** Does one piece of the work that waits. New requests are read before the next one. */
function round(): void {
  isRoundDue = false
  const now = performance.now()
  const isHeavyDue = light.size === 0 || now - lastSlice > STARVED_MS
  const slice = isHeavyDue ? paused.shift() : undefined
  if (slice) lastSlice = now
  const next = slice ?? light.take()
  scheduleRound()
  next?.()
}

function scheduleRound(): void {
  if (isRoundDue || light.size + paused.length === 0) return
  isRoundDue = true
  setImmediate(round)
}

/** When the first request of this round of the event loop came. */
let roundBegan: number | undefined

function isEarlyInRound(): boolean {
  const now = performance.now()
  if (roundBegan === undefined) {
    roundBegan = now
    setImmediate(() => {
      roundBegan = undefined
    })
  }
  return now - roundBegan < ROUND_MS
}

/** Does light work: at once while there is little to do, else when it is the caller's turn. */
export function inTurn<T>(who: string, work: () => T | Promise<T>): T | Promise<T> {
  if (light.size === 0 && isEarlyInRound()) return work()
  return new Promise((resolve, reject) => {
    light.add(who, () => void Promise.try(work).then(resolve, reject))
    scheduleRound()
  })
}

interface HeavyWork {
  signal: AbortSignal | undefined
  sliceBegan: number
}

const heavy = new AsyncLocalStorage<HeavyWork>()

const nextSlice = (): Promise<void> =>
  new Promise((resolve) => {
    paused.push(resolve)
    scheduleRound()
  })

/**
 * Lets other requests go first: long work that waits for this between its pieces does not delay them. In a queue it
 * yields only when a few milliseconds are used up, and ends the work if its caller has hung up.
 */
export async function ourTurn(): Promise<void> {
  const work = heavy.getStore()
  if (!work) return new Promise((resolve) => setImmediate(resolve))
  if (performance.now() - work.sliceBegan < SLICE_MS) return
  await nextSlice()
  if (work.signal?.aborted) throw new CallerGone()
  work.sliceBegan = performance.now()
}

/** The caller has hung up: nobody reads the answer, so the work ends. */
export class CallerGone extends Problem {
  constructor() {
    super('unavailable', 'the caller has hung up', { retryAfterSeconds: RETRY_SECONDS })
  }
}

const busy = (): Problem =>
  new Problem('unavailable', 'the service is busy with other requests that take long', {
    retryAfterSeconds: RETRY_SECONDS,
  })

export interface QueueLimits {
  /** How many run at once, slice by slice, so that short work is not kept waiting by long work. */
  atOnce: number
  /** How many may wait, of all callers together. */
  waiting: number
  /** How many one caller may have, running and waiting. */
  perCaller: number
  waitMs: number
}

const LIMITS: QueueLimits = { atOnce: 4, waiting: 48, perCaller: 8, waitMs: 10_000 }

/** Bounds heavy work: one caller has few places, and all together a bounded number. Without a place it is refused at once. */
export class Queue {
  readonly #limits: QueueLimits
  readonly #waiting = new Line<() => void>()
  readonly #places = new Map<string, number>()
  #running = 0
  #size = 0

  constructor(limits: Partial<QueueLimits> = {}) {
    this.#limits = { ...LIMITS, ...limits }
  }

  /** How much work there is, running and waiting. */
  get size(): number {
    return this.#size
  }

  /** Does heavy work in its turn. `signal` is aborted when the caller hangs up. */
  async run<T>(who: string, work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    this.#takePlace(who)
    try {
      await this.#begin(who, signal)
      try {
        await nextSlice()
        return await heavy.run({ signal, sliceBegan: performance.now() }, work)
      } finally {
        this.#end()
      }
    } finally {
      this.#leavePlace(who)
    }
  }

  #takePlace(who: string): void {
    const { atOnce, waiting, perCaller } = this.#limits
    const places = this.#places.get(who) ?? 0
    if (places >= perCaller || this.#size >= atOnce + waiting) throw busy()
    this.#places.set(who, places + 1)
    this.#size++
  }

  #leavePlace(who: string): void {
    const places = (this.#places.get(who) ?? 1) - 1
    if (places > 0) this.#places.set(who, places)
    else this.#places.delete(who)
    this.#size--
  }

  /** Waits until it may run. Refused after a while, or when the caller hangs up. */
  async #begin(who: string, signal: AbortSignal | undefined): Promise<void> {
    if (signal?.aborted) throw new CallerGone()
    if (this.#running < this.#limits.atOnce) {
      this.#running++
      return
    }
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const refuse = (problem: Problem): void => {
      if (this.#waiting.remove(who, resolve)) reject(problem)
    }
    const hangUp = (): void => refuse(new CallerGone())
    const timer = setTimeout(() => refuse(busy()), this.#limits.waitMs)
    signal?.addEventListener('abort', hangUp)
    this.#waiting.add(who, resolve)
    try {
      await promise
    } finally {
      clearTimeout(timer)
      signal?.removeEventListener('abort', hangUp)
    }
  }

  /** Gives its place among those that run to the next caller in line. */
  #end(): void {
    const begin = this.#waiting.take()
    if (begin) begin()
    else this.#running--
  }
}
