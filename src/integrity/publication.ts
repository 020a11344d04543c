import { DAY_MS } from '../calendar.ts'
import { type Db, DiskFault, StoreFault } from '../db/db.ts'
import { type Job, repeat } from '../job.ts'
import { equalBytes } from '../proof/bytes.ts'
import { type NoteSignature, parseNote, signatureLine } from '../proof/note/signed-note.ts'
import { keepEntries } from './entry-journal.ts'
import type { Log } from './log.ts'
import type { StoredCheckpoint } from './store.ts'
import * as store from './store.ts'

/** The witnesses that must cosign a checkpoint before it is public. */
export interface Cosign {
  /**
   * Whether a note has enough cosignatures, none of them older than `since` in epoch milliseconds. Witnesses may have been
   * added after it was signed.
   */
  isEnough(note: string, since?: number): Promise<boolean>
  /** Returns the signature lines of a quorum, or throws with the reason. */
  ask(db: Db, log: Log, signed: StoredCheckpoint): Promise<string[]>
}

/** Without witnesses, the operator's signature is enough. */
export const noWitnesses: Cosign = {
  isEnough: async () => true,
  ask: async () => [],
}

/** A log, and the witnesses that must cosign it before anything is public. */
export interface Publisher {
  db: Db
  log: Log
  cosign: Cosign
}

/**
 * Runs `work`, which appends to a log, in one transaction, and makes the result public.
 *
 * Steps: 2 the lock agrees and entries are inserted, 3 they are read back and hashed, 4 the checkpoint is
 * signed and everything commits, 5 the lock moves, 6 it has moved, 7 witnesses have cosigned, 8 the new
 * checkpoint is public. A crash before the commit leaves nothing; one after it leaves work for `finish`.
 */
export async function commitToLog<T>(
  { db, log, cosign }: Publisher,
  now: number,
  work: (tx: Db, append: (bodies: readonly Uint8Array[]) => Promise<number>) => Promise<T>,
): Promise<T> {
  // Finish first what a crash left signed but not public: witnesses must not skip it.
  if ((await log.head(db)).size < (await log.signed(db)).size) await finish({ db, log, cosign })
  const result = await db.transaction(async (tx) => {
    log.lock.advance(log.name, await store.checkpoints(tx, log.name))
    return work(tx, (bodies) => log.append(tx, bodies, now))
  })
  await finish({ db, log, cosign })
  return result
}

/** Makes public what was signed: the remaining steps after a commit, or after a crash. */
export async function finish({ db, log, cosign }: Publisher): Promise<void> {
  try {
    log.trace(5)
    // Under the database's write lock, so that two publishers cannot move it backwards between them.
    await db.transaction(async (tx) => {
      await keepEntries(tx, log)
      log.lock.advance(log.name, await store.checkpoints(tx, log.name))
    })
    log.trace(6)
    const signed = await log.signed(db)
    const head = await log.head(db)
    if (head.size >= signed.size && (await cosign.isEnough(head.note))) return
    await makePublic(db, log, signed.size, await cosign.ask(db, log, signed))
    log.trace(8)
  } catch (error) {
    if (!(error instanceof DiskFault)) throw error
    throw new StoreFault(
      `${error.reason}: what was to be published is signed and kept, and not public yet; make room, and run \`atr log publish\`, which makes it public`,
      { cause: error },
    )
  }
}

/**
 * Has the witnesses cosign the public checkpoint again if they have not done so for a day: readers tell from the times of
 * cosignatures how old a view is, also of a log in which nothing changes.
 */
export async function cosignAgain({ db, log, cosign }: Publisher, now: number): Promise<void> {
  const isDue = async (): Promise<boolean> => !(await cosign.isEnough((await log.head(db)).note, now - DAY_MS))
  if (!(await isDue())) return
  await finish({ db, log, cosign })
  if (!(await isDue())) return
  const signed = await log.signed(db)
  await makePublic(db, log, signed.size, await cosign.ask(db, log, signed))
}

/** Under the write lock, and with the signatures of now: the keys may have been rotated while witnesses were asked. */
async function makePublic(db: Db, log: Log, size: number, lines: readonly string[]): Promise<void> {
  log.trace(7)
  await db.transaction(async (tx) => {
    const signed = await store.findCheckpoint(tx, log.name, size)
    const head = await log.head(tx)
    if (!signed) throw new StoreFault(`the ${log.name} log has no checkpoint: restore the store from a backup`)
    const note = withLines(head.size === size ? head.note : signed.note, lines)
    await store.putHead(tx, log.name, { ...signed, note })
  })
  log.announce()
}

/** A note with further signature lines, each in place of an older one by the same key. */
function withLines(text: string, lines: readonly string[]): string {
  const note = parseNote(text)
  const added = parseNote(`${note?.text ?? ''}\n${lines.join('')}`)?.signatures ?? []
  const isReplaced = ({ name, id }: NoteSignature): boolean =>
    added.some((line) => line.name === name && equalBytes(line.id, id))
  if (!note) return text
  return `${note.text}\n${[...note.signatures.filter((line) => !isReplaced(line)), ...added].map(signatureLine).join('')}`
}

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
