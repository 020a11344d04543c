// Work that is repeated while the service runs.

import { setTimeout as sleep } from 'node:timers/promises'
import { StoreBusy } from './db/db.ts'
import { Problem } from './problem.ts'

const HOUR_MS = 3_600_000
const [SOON_MS, MINUTE_MS] = [2_000, 60_000]

/** How long to wait after a number of faults in a row. A busy store is back soon; other faults last longer. */
export const waitAfter = (fault: unknown, faults: number): number =>
  fault instanceof StoreBusy ? Math.min(MINUTE_MS, SOON_MS * 2 ** (faults - 1)) : HOUR_MS

/** Passes a fault on unless it is the same as the last one. `undefined` means that the fault is gone. */
export function tellOnce(tell: (event: { fault: unknown }) => void): (event: { fault: unknown } | undefined) => void {
  let last: string | undefined
  return (event) => {
    // The text of a refusal may have the time, so refusals are compared by their codes.
    const name = event && (event.fault instanceof Problem ? event.fault.code : String(event.fault))
    if (event && name !== last) tell(event)
    last = name
  }
}

export interface Job {
  /** Does the work that is due, and returns in how many milliseconds to call it again. */
  turn: () => Promise<number>
  /** Called once for each fault until it is gone. */
  tell: (event: { fault: unknown }) => void
  /** How many milliseconds to wait after a number of failed turns in a row. */
  waitAfter?: typeof waitAfter
}

/** Runs a job now and then as often as it asks, until it is stopped. Stopping waits for the current turn. */
export function repeat({ turn, tell, waitAfter: wait = waitAfter }: Job): { stop: () => Promise<void> } {
  let stopped = false
  let timer: ReturnType<typeof setTimeout> | undefined
  let running: Promise<void> = Promise.resolve()
  let faults = 0
  const tellFault = tellOnce(tell)
  const once = async (): Promise<void> => {
    let ms: number
    try {
      ms = await turn()
      faults = 0
      tellFault(undefined)
    } catch (fault) {
      ms = wait(fault, ++faults)
      tellFault({ fault })
    }
    // At most an hour: a timer cannot wait for a month, and the clock may be changed.
    if (!stopped) timer = setTimeout(start, Math.min(HOUR_MS, Math.max(1, ms)))
  }
  const start = (): void => {
    running = once()
  }
  start()
  return {
    async stop() {
      stopped = true
      clearTimeout(timer)
      await running
    },
  }
}

/** How long work runs before it pauses. Requests wait meanwhile, so it must be too short to notice. */
const SLICE_MS = 0.5

/** The shortest sleep. Timers have whole milliseconds, so shorter sleeps are added up. */
const LEAST_SLEEP_MS = 1

/** Limits work to a share of one processor: it pauses after each fraction of a millisecond, and sleeps in proportion. */
export class Pace {
  #since = performance.now()
  /** The sleep that is still due; negative if it slept too long. */
  #owedMs = 0

  constructor(
    /** The share in percent, up to 100. */
    readonly percent: number,
    /** Makes the next pause throw, which ends the work. */
    readonly signal: AbortSignal,
  ) {}

  async pause(): Promise<void> {
    this.signal.throwIfAborted()
    const now = performance.now()
    const worked = now - this.#since
    if (worked < SLICE_MS) return
    this.#owedMs += (worked * (100 - this.percent)) / this.percent
    if (this.#owedMs < LEAST_SLEEP_MS) await new Promise((resolve) => setImmediate(resolve))
    else await sleep(this.#owedMs, undefined, { signal: this.signal })
    this.#since = performance.now()
    this.#owedMs = Math.max(-LONGEST_CREDIT_MS, this.#owedMs - (this.#since - now))
  }
}

/** How much of a sleep that lasted too long is credited: work must not use much more than its share afterwards. */
const LONGEST_CREDIT_MS = 10
