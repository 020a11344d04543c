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
   * Whether a note has enough cosignatures that are not older than `since` in epoch milliseconds. Witnesses may have been
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

/** A log and the witnesses that must cosign it before anything is public. */
export interface Publisher {
  db: Db
  log: Log
  cosign: Cosign
  /** The clock of this machine in epoch milliseconds, which must agree with that of the database. */
  machineNow?: () => number
}

/** How far the clock of a machine that publishes may be from that of the database, which all machines share. */
export const MOST_SKEW_MS = 5_000

/** By how many milliseconds the clock of this machine is ahead of the database's; negative if it is behind. */
export async function clockSkew(db: Db, machineNow: () => number = Date.now): Promise<number> {
  const before = machineNow()
  const database = await db.now()
  // The database read its clock at some time between the two.
  return (before + machineNow()) / 2 - database
}

/**
 * Refuses to sign with a wrong clock: what one machine signs ahead of time, no other could follow until then, although its own
 * clock is right.
 */
async function needRightClock({ db, machineNow }: Publisher): Promise<void> {
  const skew = await clockSkew(db, machineNow)
  if (Math.abs(skew) <= MOST_SKEW_MS) return
  const seconds = Math.round(Math.abs(skew) / 1_000)
  const side = skew > 0 ? 'ahead of' : 'behind'
  throw new StoreFault(
    `the clock of this machine is ${seconds} seconds ${side} that of the database: correct it (NTP) before publishing; nothing was changed`,
  )
}

/**
 * Runs `work`, which appends to a log, in one transaction, and makes the result public.
 *
 * Steps: 2 the lock agrees and entries are inserted, 3 they are read back and hashed, 4 the checkpoint is
 * signed and everything commits, 5 the lock moves, 6 it has moved, 7 witnesses have cosigned, 8 the new
 * checkpoint is public. A crash before the commit leaves nothing; one after it leaves work for `finish`.
 */
export async function commitToLog<T>(
  publisher: Publisher,
  now: number,
  work: (tx: Db, append: (bodies: readonly Uint8Array[]) => Promise<number>) => Promise<T>,
): Promise<T> {
  const { db, log, cosign } = publisher
  await needRightClock(publisher)
  // A crash can leave a signed checkpoint that is not public. Finish it first, because witnesses must not skip it.
  if ((await log.head(db)).size < (await log.signed(db)).size) await finish({ db, log, cosign })
  const result = await db.transaction(async (tx) => {
    log.lock.advance(log.name, await store.checkpoints(tx, log.name))
    return work(tx, (bodies) => log.append(tx, bodies, now))
  })
  await finish({ db, log, cosign })
  return result
}

/** Makes the last signed checkpoint public: the remaining steps after a commit, or after a crash. */
export async function finish({ db, log, cosign }: Publisher): Promise<void> {
  try {
    log.trace(5)
    // Under the write lock of the database, so that two publishers cannot move the checkpoint lock backwards.
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
 * Has the witnesses cosign the public checkpoint again after a day. The times of cosignatures show readers how old a view
 * is, even if nothing changes in the log.
 */
export async function cosignAgain({ db, log, cosign }: Publisher, now: number): Promise<void> {
  const isDue = async (): Promise<boolean> => !(await cosign.isEnough((await log.head(db)).note, now - DAY_MS))
  if (!(await isDue())) return
  await finish({ db, log, cosign })
  if (!(await isDue())) return
  const signed = await log.signed(db)
  await makePublic(db, log, signed.size, await cosign.ask(db, log, signed))
}

/** Reads the signatures again under the write lock: the keys may have been rotated while witnesses were asked. */
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

/** Adds signature lines to a note. A line replaces an older one by the same key. */
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

/** News of a signed checkpoint that is not public: each failed attempt to make it public, and the success at the end. */
export type WaitingNews = { log: string; fault: unknown } | { log: string; fault?: undefined }

interface WaitingParts {
  publishers: readonly Publisher[]
  tell: (news: WaitingNews) => void
  /** Called if the store cannot be read. */
  tellFault: Job['tell']
  lookMs?: number
}

/**
 * Makes signed checkpoints public that wait for witnesses or were left by a crash, and calls `tell` after each attempt.
 * A checkpoint is taken up only when it still waits at the second look: another process may be publishing it just now.
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
