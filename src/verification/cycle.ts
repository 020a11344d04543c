import { forgetCopies } from '../integrity/verification/store.ts'
import { type Job, Pace, repeat } from '../job.ts'
import type { Verified } from './verify.ts'

export interface CycleOptions {
  /** How much of one processor it may use, in percent. */
  cpuPercent: number
  /** A part is verified again so long after it was verified. */
  everyMs: number
  now: () => number
  tell: Job['tell']
}

/** After a start others have the processor first. */
const FIRST_WAIT_MS = 30_000
/** A release may be published at any time, also by another process: so often it is looked whether there is a new part. */
const LOOK_EVERY_MS = 30_000

/** How long to wait where nothing is due before this moment. */
export const waitUntil = (dueAt: number, now: number): number => Math.min(dueAt - now, LOOK_EVERY_MS)

/** A machine that has verified nothing for so long is gone. */
const COPY_LIFE_MS = 3 * 86_400_000

/**
 * Verifies every part again and again, the one that was verified longest ago first. It reads the store in short
 * snapshots and files without any, and sleeps in proportion to its work.
 */
export function verifyInCycle(verified: Verified, options: CycleOptions): { stop: () => Promise<void> } {
  const stopping = new AbortController()
  const { everyMs, now, tell } = options
  let isFirst = true
  let forgetAt = 0
  const turn = async (): Promise<number> => {
    if (isFirst) {
      isFirst = false
      return Math.min(everyMs, FIRST_WAIT_MS)
    }
    const { nextPart, verifyPart } = await import('./verify.ts')
    const next = await nextPart(verified, everyMs)
    if (next.dueAt > now()) {
      if (forgetAt <= now()) {
        forgetAt = now() + everyMs
        await forgetCopies(verified.db, verified.db.files.copy, now() - Math.max(COPY_LIFE_MS, 3 * everyMs))
      }
      return waitUntil(next.dueAt, now())
    }
    const pace = new Pace(options.cpuPercent, stopping.signal)
    try {
      await verifyPart(verified, next.part, now, () => pace.pause())
    } catch (error) {
      if (!stopping.signal.aborted) throw error
    }
    return 1
  }
  const job = repeat({ turn, tell })
  return {
    stop: () => {
      stopping.abort()
      return job.stop()
    },
  }
}
