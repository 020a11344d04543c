// Work that is done again and again while the service runs.

import { setTimeout as sleep } from 'node:timers/promises'
import { StoreBusy } from './db/db.ts'
import { Problem } from './problem.ts'

const HOUR_MS = 3_600_000
const [SOON_MS, MINUTE_MS] = [2_000, 60_000]

/** How long to wait after so many faults in a row. A store that is busy or away is back soon; what else is wrong is not. */
export const waitAfter = (fault: unknown, faults: number): number =>
  fault instanceof StoreBusy ? Math.min(MINUTE_MS, SOON_MS * 2 ** (faults - 1)) : HOUR_MS

/** Tells of a fault unless it is the one that was told last; `undefined` says that there is none any more. */
export function tellOnce(tell: (said: { fault: unknown }) => void): (said: { fault: unknown } | undefined) => void {
  let last: string | undefined
  return (said) => {
    // A refusal names the hour it was tried in, so what tells one from another is its code.
    const name = said && (said.fault instanceof Problem ? said.fault.code : String(said.fault))
    if (said && name !== last) tell(said)
    last = name
  }
}

export interface Job {
  /** Does what is due, and answers in how many milliseconds there will be more. */
  turn: () => Promise<number>
  /** Told each fault once, until it has gone. */
  tell: (said: { fault: unknown }) => void
  /** In how many milliseconds a turn is tried again that failed, and so did those before it. */
  waitAfter?: typeof waitAfter
}

/** Runs a job at once and then whenever it asks for it, until it is stopped. Stopping waits for a turn under way. */
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
    // An hour at most: timers do not reach a month ahead, and a clock may be set.
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

/** So much work is done before it is paid for. Whoever asks meanwhile waits for its end, and should not notice. */
const SLICE_MS = 0.5

/** A timer waits in whole milliseconds: less than one is not slept, and is owed. */
const LEAST_SLEEP_MS = 1

/** Lets work use a share of one processor: after each part of a millisecond others have their turn, and it sleeps in proportion. */
export class Pace {
  #since = performance.now()
  /** How long it should have slept and has not. Below zero if it slept too long. */
  #owedMs = 0

  constructor(
    /** The share, up to 100. */
    readonly percent: number,
    /** Ends the work at its next pause, by an error. */
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

/** Of a sleep that lasted much too long, because others had work, not all is made up for at once. */
const LONGEST_CREDIT_MS = 10
