import { type Job, Pace, repeat } from '../../job.ts'

export interface CycleOptions {
  /** How much of one processor the cycle may use, in percent. */
  cpuPercent: number
  /** How long after its verification a part is verified again. */
  everyMs: number
  now: () => number
  tell: Job['tell']
}

/** The part of `Verifier` that a cycle needs. */
interface CycleVerifier {
  nextPart(everyMs: number): Promise<{ part: string; dueAt: number }>
  verifyPart(part: string, now: () => number, pause: () => Promise<void>): Promise<void>
  forgetCopies(before: number): Promise<void>
}

/** Leaves the processor to other work after a start. */
const FIRST_WAIT_MS = 30_000
/** How often new parts are looked for: any process may publish a release at any time. */
const LOOK_EVERY_MS = 30_000

/** How long to wait where nothing is due before this moment. */
export const waitUntil = (dueAt: number, now: number): number => Math.min(dueAt - now, LOOK_EVERY_MS)

/** A machine that has verified nothing for this long is gone. */
const COPY_LIFE_MS = 3 * 86_400_000

/**
 * Verifies every part again and again, the one that was verified longest ago first. It reads the store in short
 * snapshots and files without any, and sleeps in proportion to its work. The verifier is loaded with the first turn.
 */
export function verifyInCycle(
  load: () => Promise<CycleVerifier>,
  { cpuPercent, everyMs, now, tell }: CycleOptions,
): { stop: () => Promise<void> } {
  const stopping = new AbortController()
  let isFirst = true
  let forgetAt = 0
  const turn = async (): Promise<number> => {
    if (isFirst) {
      isFirst = false
      return Math.min(everyMs, FIRST_WAIT_MS)
    }
    const verifier = await load()
    const next = await verifier.nextPart(everyMs)
    if (next.dueAt > now()) {
      if (forgetAt <= now()) {
        forgetAt = now() + everyMs
        await verifier.forgetCopies(now() - Math.max(COPY_LIFE_MS, 3 * everyMs))
      }
      return waitUntil(next.dueAt, now())
    }
    const pace = new Pace(cpuPercent, stopping.signal)
    try {
      await verifier.verifyPart(next.part, now, () => pace.pause())
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
