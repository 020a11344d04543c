import { type Job, repeat, tellOnce } from '../job.ts'
import { utf8 } from '../proof/bytes.ts'
import { sha256 } from '../proof/sha256.ts'
import type { Log } from './log.ts'
import type { StoredCheckpoint } from './store.ts'

/** Everything that one public checkpoint stands for, as far as answers are made from it. It never changes. */
interface UnderHead {
  readonly head: StoredCheckpoint
}

/** How often the store is asked whether the head has moved. */
const EVERY_MS = 1_000
/**
 * While the database is away, what was seen last goes on answering for so long: as old as caches between us and a reader
 * may be anyway (`max-age=300`). Checkpoint and state are signed and dated, so a reader sees how old they are.
 */
const MOST_AGE_MS = 300_000

/**
 * What a log has made public, held in memory and replaced as a whole when its head moves. While it is followed, no
 * request asks the store for it; else each one does.
 */
export class Published<T extends UnderHead> {
  #seen: { made: T; stamp: string; at: number } | undefined
  #followers = 0
  /** Counts publications of this process: what was read before one is not put in memory after it. */
  #moves = 0

  constructor(
    log: Log,
    private readonly read: () => Promise<T>,
    private readonly clockMs: () => number = () => performance.now(),
    /** What answers depend on beside the head. */
    private readonly mark: () => string = () => '',
  ) {
    log.whenPublic(() => {
      this.#moves++
      this.#seen = undefined
    })
  }

  /** Undefined unless it is followed and was seen lately. */
  current(): T | undefined {
    return this.#fresh()?.made
  }

  /** From memory if it is there, else from the store. */
  at(): T | Promise<T> {
    return this.current() ?? this.look()
  }

  /** Names the head, the same in every process. Undefined if it is not known now. */
  stamp(): string | undefined {
    return this.#fresh()?.stamp
  }

  #fresh() {
    const seen = this.#seen
    return seen && this.#followers > 0 && this.clockMs() - seen.at <= MOST_AGE_MS ? seen : undefined
  }

  /** Asks the store. What is public meanwhile stays in memory until the new one is complete. */
  async look(): Promise<T> {
    const [moves, at] = [this.#moves, this.clockMs()]
    const made = await this.read()
    if (moves === this.#moves) this.#seen = { made, stamp: this.#stampOf(made), at }
    return made
  }

  #named: { note: string; text: string } | undefined

  #stampOf(made: T): string {
    const { size, note } = made.head
    if (this.#named?.note !== note) {
      const digest = Buffer.from(sha256(utf8(note))).toString('base64url')
      this.#named = { note, text: `${size}.${digest.slice(0, 12)}` }
    }
    return `${this.#named.text}${this.mark()}`
  }

  /** Looks at once and then every second. An outage is told once, and is no reason to stop answering. */
  follow(tell: Job['tell']): { stop: () => Promise<void> } {
    this.#followers++
    const tellFault = tellOnce(tell)
    const turn = async (): Promise<number> => {
      await this.look().then(
        () => tellFault(undefined),
        (fault) => tellFault({ fault }),
      )
      return EVERY_MS
    }
    const job = repeat({ turn, tell })
    return {
      stop: () => {
        this.#followers--
        return job.stop()
      },
    }
  }
}

/** A stamp for answers that depend on the day as well. Asked with every request, so its text is made once a day. */
export function dayStamp(
  { stamp }: { stamp: () => string | undefined },
  today: () => string,
): () => string | undefined {
  let made: { head: string; day: string; text: string } | undefined
  return () => {
    const [head, day] = [stamp(), today()]
    if (head === undefined) return undefined
    if (made?.head !== head || made.day !== day) made = { head, day, text: `${head} ${day}` }
    return made.text
  }
}
