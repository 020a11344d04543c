import { Problem } from '../problem.ts'
import { releaseIfDue } from './release.ts'

const HOUR_MS = 3_600_000

/** The first Tuesday of a month, 00:00 UTC. Months may run over the end of the year. */
function slotOf(year: number, month: number): number {
  const weekday = new Date(Date.UTC(year, month, 1)).getUTCDay()
  return Date.UTC(year, month, 1 + ((2 - weekday + 7) % 7))
}

/** The release calendar (rule F4): the next release after `now`. */
export function nextReleaseAt(now: number): number {
  const date = new Date(now)
  for (let month = date.getUTCMonth(); ; month++) {
    const slot = slotOf(date.getUTCFullYear(), month)
    if (slot > now) return slot
  }
}

/** The latest release of the calendar that was due at `now`. */
export function lastReleaseAt(now: number): number {
  const date = new Date(now)
  for (let month = date.getUTCMonth(); ; month--) {
    const slot = slotOf(date.getUTCFullYear(), month)
    if (slot <= now) return slot
  }
}

export interface CalendarParts {
  parts: Parameters<typeof releaseIfDue>[0]
  /** Called for each release that was due, with its id or the fault that stopped it. A repeated fault is reported once. */
  tell: (result: { release_id: string } | { fault: unknown }) => void
}

/** Reports a fault unless it is the same as the last one; `undefined` means that there is no fault any more. */
export function tellOnce(tell: (result: { fault: unknown }) => void): (result: { fault: unknown } | undefined) => void {
  let last: string | undefined
  return (result) => {
    // The text of a refusal contains the time, so refusals are compared by their code.
    const name = result && (result.fault instanceof Problem ? result.fault.code : String(result.fault))
    if (result && name !== last) tell(result)
    last = name
  }
}

/**
 * Makes each release of the calendar once, however many processes run this on one store: the first one makes it, and
 * the others find it done. A release that was due while no process ran is made at the start; a failed one is tried
 * again within an hour.
 */
export function releaseOnCalendar({ parts, tell }: CalendarParts): { stop: () => Promise<void> } {
  let stopped = false
  let timer: ReturnType<typeof setTimeout> | undefined
  let running: Promise<void> = Promise.resolve()
  const tellFault = tellOnce(tell)
  const turn = async (): Promise<void> => {
    const now = parts.now()
    try {
      const released = await releaseIfDue(parts, lastReleaseAt(now))
      if (released) tell({ release_id: released.release_id })
      tellFault(undefined)
    } catch (fault) {
      tellFault({ fault })
    }
    // At most an hour: timers cannot wait for a month, and the clock may be changed.
    if (!stopped) timer = setTimeout(start, Math.min(HOUR_MS, Math.max(1, nextReleaseAt(now) - parts.now())))
  }
  const start = (): void => {
    running = turn()
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
