import { AsyncLocalStorage } from 'node:async_hooks'
import { isRush } from './front-door.ts'
import { Problem } from './problem.ts'

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
const RETRY_SECONDS = 5
/** How long work may run before it lets others go first. */
const SLICE_MS = 2
/** Heavy work goes on after this time even if there is always light work to do. */
const STARVED_MS = 20

/** The caller has hung up: nobody reads the answer, so the work ends. */
export class CallerGone extends Problem {
  constructor() {
    super('unavailable', 'the caller has hung up', { retryAfterSeconds: RETRY_SECONDS })
  }
}

interface Job {
  begin: () => void
  refuse: (problem: Problem) => void
}

interface Stretch {
  signal: AbortSignal | undefined
  since: number
}

const stretch = new AsyncLocalStorage<Stretch>()

/**
 * Lets other requests go first: long work that waits for this between its pieces does not delay them. In the queue it
 * yields only when a few milliseconds are used up, and ends the work if its caller has hung up.
 */
export async function turn(): Promise<void> {
  const mine = stretch.getStore()
  if (mine && performance.now() - mine.since < SLICE_MS) return
  if (!mine) return new Promise((resolve) => setImmediate(resolve))
  await nextRound()
  if (mine.signal?.aborted) throw new CallerGone()
  mine.since = performance.now()
}

const waiting: (() => void)[] = []

/** One piece of heavy work goes on in a round of the event loop if no request waits, and new ones are looked at in between. */
const nextRound = (): Promise<void> =>
  new Promise((resolve) => {
    waiting.push(resolve)
    if (waiting.length === 1) setImmediate(goOn)
  })

let lastRound = 0

function goOn(): void {
  const now = performance.now()
  if (!isRush() || now - lastRound > STARVED_MS) {
    lastRound = now
    waiting.shift()?.()
  }
  if (waiting.length > 0) setImmediate(goOn)
}

/**
 * Where heavy work waits, so that nobody can make the service slow for those who ask for little. Callers take turns; one
 * caller has few places, and all together have a bounded number. Who finds no place is refused at once.
 */
export class WorkQueue {
  readonly #limits: QueueLimits
  /** By caller, in the order in which they are served. */
  readonly #waiting = new Map<string, Job[]>()
  readonly #places = new Map<string, number>()
  #running = 0
  #count = 0

  constructor(limits: Partial<QueueLimits> = {}) {
    this.#limits = { ...LIMITS, ...limits }
  }

  /** How much work there is, running and waiting. */
  get size(): number {
    return this.#count
  }

  /** `signal` is asked for only here: making one costs more than many answers. */
  async run<T>(who: string, work: () => Promise<T>, signal?: () => AbortSignal): Promise<T> {
    const hungUp = signal?.()
    await this.#enter(who, hungUp)
    try {
      await nextRound()
      return await stretch.run({ signal: hungUp, since: performance.now() }, work)
    } finally {
      this.#running--
      this.#leave(who)
      this.#next()
    }
  }

  async #enter(who: string, signal: AbortSignal | undefined): Promise<void> {
    const { atOnce, waiting, perCaller } = this.#limits
    const mine = this.#places.get(who) ?? 0
    if (mine >= perCaller || this.#count >= atOnce + waiting) throw busy()
    if (signal?.aborted) throw new CallerGone()
    this.#places.set(who, mine + 1)
    this.#count++
    if (this.#running < atOnce) this.#running++
    else await this.#wait(who, signal)
  }

  #wait(who: string, signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      const hangUp = (): void => job.refuse(new CallerGone())
      const timer = setTimeout(() => job.refuse(busy()), this.#limits.waitMs)
      const settle = (): void => {
        clearTimeout(timer)
        signal?.removeEventListener('abort', hangUp)
      }
      const job: Job = {
        begin: () => {
          settle()
          resolve()
        },
        refuse: (problem) => {
          settle()
          this.#withdraw(who, job)
          reject(problem)
        },
      }
      signal?.addEventListener('abort', hangUp)
      this.#waiting.set(who, [...(this.#waiting.get(who) ?? []), job])
    })
  }

  /** The next caller in line has the free place, and goes to the end of the line with what else it waits for. */
  #next(): void {
    const [who, jobs] = this.#waiting.entries().next().value ?? []
    if (who === undefined || jobs === undefined || this.#running >= this.#limits.atOnce) return
    const [job, ...rest] = jobs
    this.#waiting.delete(who)
    if (rest.length > 0) this.#waiting.set(who, rest)
    this.#running++
    job?.begin()
  }

  #withdraw(who: string, job: Job): void {
    const rest = (this.#waiting.get(who) ?? []).filter((each) => each !== job)
    if (rest.length > 0) this.#waiting.set(who, rest)
    else this.#waiting.delete(who)
    this.#leave(who)
  }

  #leave(who: string): void {
    this.#count--
    const left = (this.#places.get(who) ?? 1) - 1
    if (left > 0) this.#places.set(who, left)
    else this.#places.delete(who)
  }
}

const busy = (): Problem =>
  new Problem('unavailable', 'the service is busy with other requests that take long', {
    retryAfterSeconds: RETRY_SECONDS,
  })
