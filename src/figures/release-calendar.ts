import { repeat } from '../job.ts'
import type { PublishingParts } from './release.ts'
import { latestRelease } from './store.ts'
import { lastReleaseAt, nextReleaseAt } from './window/calendar.ts'

export interface CalendarParts {
  parts: PublishingParts
  /** Called for each release that was due, with its id or the fault that prevented it. A repeated fault is reported once. */
  tell: (said: { release_id: string } | { fault: unknown }) => void
}

/**
 * Makes each release of the calendar once, however many processes run this on one store: the first one makes it, and the
 * others find it done. A release that was due while no process ran is made at the start; a failed release is tried again
 * within an hour.
 */
export const releaseOnCalendar = ({ parts, tell }: CalendarParts): ReturnType<typeof repeat> =>
  repeat({
    tell,
    async turn() {
      const now = parts.now()
      const slot = lastReleaseAt(now)
      const previous = await latestRelease(parts.db)
      if (previous && previous.released_at < slot) {
        const { releaseIfDue } = await import('./release.ts')
        const released = await releaseIfDue(parts, slot)
        if (released) tell({ release_id: released.release_id })
      }
      return nextReleaseAt(now) - parts.now()
    },
  })
