import { type Job, repeat } from '../job.ts'
import { finish, type Publisher } from './publication.ts'

const LOOK_MS = 5_000
const LONGEST_MS = 60_000

/** What is told while something signed is not public: each time that it could not be made public, and when it was. */
export type WaitingNews = { log: string; fault: unknown } | { log: string; fault?: undefined }

export interface WaitingParts {
  publishers: readonly Publisher[]
  tell: (news: WaitingNews) => void
  /** Told of a store that cannot be read. */
  tellFault: Job['tell']
  lookMs?: number
}

/**
 * Makes public what was signed and waits, for witnesses that were away or after a crash, and raises an alarm as long as
 * it waits. What another process is publishing just now is left to it: only what still waits at the second look is taken up.
 */
export function followWaiting({ publishers, tell, tellFault, lookMs = LOOK_MS }: WaitingParts): {
  stop: () => Promise<void>
} {
  const waiting = new Map<string, { size: number; tries: number }>()
  const look = async (publisher: Publisher): Promise<void> => {
    const { db, log } = publisher
    const { size } = await log.signed(db)
    const before = waiting.get(log.name)
    if ((await log.head(db)).size >= size) {
      if (before && before.tries > 0) tell({ log: log.name })
      waiting.delete(log.name)
      return
    }
    const isLeft = before !== undefined && before.size === size
    const tries = isLeft ? before.tries + 1 : 0
    waiting.set(log.name, { size, tries })
    if (!isLeft) return
    try {
      await finish(publisher)
      tell({ log: log.name })
      waiting.delete(log.name)
    } catch (fault) {
      tell({ log: log.name, fault })
    }
  }
  return repeat({
    tell: tellFault,
    async turn() {
      for (const publisher of publishers) await look(publisher)
      const tries = Math.max(0, ...[...waiting.values()].map((each) => each.tries))
      return Math.min(LONGEST_MS, lookMs * 2 ** Math.max(0, tries - 1))
    },
  })
}
