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

/** The release of the calendar that was due last at `now`. */
export function lastReleaseAt(now: number): number {
  const date = new Date(now)
  for (let month = date.getUTCMonth(); ; month--) {
    const slot = slotOf(date.getUTCFullYear(), month)
    if (slot <= now) return slot
  }
}

export interface CalendarParts {
  parts: Parameters<typeof releaseIfDue>[0]
  /** Told what became of each release that was due: its id, or the fault that stopped it. The same fault is told once. */
  tell: (said: { release_id: string } | { fault: unknown }) => void
}

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

/**
 * Makes each release of the calendar once, however many processes run this on one store: the one that gets there
 * first makes it, and the others find it made. A release that came due while none was running is made at the start;
 * one that fails is tried again within the hour.
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
    // An hour at most: timers do not reach a month ahead, and a clock may be set.
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
