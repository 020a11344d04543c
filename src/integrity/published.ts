import { StoreBusy } from '../db/db.ts'
import { type Job, repeat, tellOnce } from '../job.ts'
import { utf8 } from '../proof/bytes.ts'
import { sha256 } from '../proof/sha256.ts'
import type { Log } from './log.ts'
import type { StoredCheckpoint } from './store.ts'

/** Data that is derived from one public checkpoint. It never changes. */
interface HeadView {
  readonly head: StoredCheckpoint
}

/** Says that the view is of an older head than the store's, because the files of the newest releases are not here. */
export interface Lag {
  /** On the clock of the views, in milliseconds. */
  since: number
  /** Why the files could not be fetched. */
  fault?: unknown
}

/** The view is older than may be answered from. The message is for callers and for the operator. */
export class ReplicaBehind extends StoreBusy {
  constructor(cause: unknown) {
    super(cause, 'this machine does not have the files of the newest releases: try again, or ask another machine')
  }
}

/** How a view may lag behind the store. */
export interface LagRule {
  lag: () => Lag | undefined
  /** How long answers are given from an older head. */
  mostMs: number
}
const NEVER_BEHIND: LagRule = { lag: () => undefined, mostMs: 0 }

/** How often the store is asked whether the head has moved. */
const EVERY_MS = 1_000
/**
 * How long the last view is served while the database is away: caches may keep an answer for as long (`max-age=300`).
 * Checkpoint and state are signed and dated, so a reader sees how old they are.
 */
const MOST_AGE_MS = 300_000

/**
 * Keeps the view of a log's public checkpoint in memory, and replaces it as a whole when the head moves. While `follow`
 * runs, requests do not ask the store for it; otherwise each one does.
 */
export class Published<T extends HeadView> {
  #last: { view: T; stamp: string; at: number } | undefined
  #followers = 0
  /** Counts publications of this process: a view that was read before one is not put in memory after it. */
  #moves = 0

  constructor(
    log: Log,
    private readonly read: () => Promise<T>,
    private readonly clockMs: () => number = () => performance.now(),
    /** Changes when something changes that answers depend on, apart from the head. */
    private readonly mark: () => string = () => '',
    private readonly behind: LagRule = NEVER_BEHIND,
  ) {
    log.whenPublic(() => {
      this.#moves++
      this.#last = undefined
    })
  }

  /** The view in memory; undefined unless `follow` runs and the view is recent. */
  current(): T | undefined {
    return this.#fresh()?.view
  }

  /** The view in memory, or else the view in the store. */
  at(): T | Promise<T> {
    return (
      this.current() ??
      this.look().catch((fault: unknown) => {
        // The database went away, and meanwhile another request has read the view.
        const view = this.current()
        if (view === undefined) throw fault
        return view
      })
    )
  }

  /** How old the head in memory is, and how long ago the store was last asked for it; undefined if there is none. */
  age(): { head: StoredCheckpoint; lookedMs: number; lagMs: number } | undefined {
    if (!this.#last) return undefined
    const now = this.clockMs()
    const late = this.behind.lag()
    return { head: this.#last.view.head, lookedMs: now - this.#last.at, lagMs: late ? now - late.since : 0 }
  }

  /** A name for the head that is the same in every process. Undefined if there is no recent view in memory. */
  stamp(): string | undefined {
    return this.#fresh()?.stamp
  }

  #fresh() {
    const last = this.#last
    return last && this.#followers > 0 && this.clockMs() - last.at <= MOST_AGE_MS ? last : undefined
  }

  /** Reads the view from the store. The old view stays in memory until the new one is complete. */
  async look(): Promise<T> {
    const [moves, at] = [this.#moves, this.clockMs()]
    const view = await this.read()
    const { lag, mostMs } = this.behind
    const late = lag()
    if (late && at - late.since > mostMs) {
      this.#last = undefined
      throw new ReplicaBehind(late.fault)
    }
    if (moves === this.#moves) this.#last = { view, stamp: this.#stampOf(view), at }
    return view
  }

  #headName: { note: string; text: string } | undefined

  #stampOf({ head: { size, note } }: T): string {
    if (this.#headName?.note !== note) {
      const digest = Buffer.from(sha256(utf8(note))).toString('base64url')
      this.#headName = { note, text: `${size}.${digest.slice(0, 12)}` }
    }
    return `${this.#headName.text}${this.mark()}`
  }

  /** Looks at once and then every second. An outage is reported once, and answers go on. */
  follow(tell: Job['tell']): { stop: () => Promise<void> } {
    this.#followers++
    const tellFault = tellOnce(tell)
    const turn = async (): Promise<number> => {
      await this.look().then(
        () => {
          const { fault } = this.behind.lag() ?? {}
          tellFault(fault === undefined ? undefined : { fault })
        },
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

/** A stamp for answers that depend on the day too. Every request asks for it, so its text is made once for each day. */
export function dayStamp(
  { stamp }: { stamp: () => string | undefined },
  today: () => string,
): () => string | undefined {
  let last: { head: string; day: string; text: string } | undefined
  return () => {
    const [head, day] = [stamp(), today()]
    if (head === undefined) return undefined
    if (last?.head !== head || last.day !== day) last = { head, day, text: `${head} ${day}` }
    return last.text
  }
}
