import type { Db } from '../db/db.ts'
import type { Log } from './log.ts'
import type { StoredCheckpoint } from './store.ts'
import * as store from './store.ts'

/** The witnesses that must cosign a checkpoint before it is public. */
export interface Cosign {
  /** Whether a note has enough cosignatures. Witnesses may have been added after it was signed. */
  isEnough(note: string): Promise<boolean>
  /** Returns the note with a quorum of cosignatures, or throws with the reason. */
  ask(db: Db, log: Log, signed: StoredCheckpoint): Promise<string>
}

/** Without witnesses, the operator's signature is enough. */
export const noWitnesses: Cosign = {
  isEnough: async () => true,
  ask: async (_db, _log, signed) => signed.note,
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
  log.trace(5)
  // Under the database's write lock, so that two publishers cannot move it backwards between them.
  await db.transaction(async (tx) => log.lock.advance(log.name, await store.checkpoints(tx, log.name)))
  log.trace(6)
  const signed = await log.signed(db)
  const head = await log.head(db)
  if (head.size >= signed.size && (await cosign.isEnough(head.note))) return
  const note = await cosign.ask(db, log, signed)
  log.trace(7)
  await store.putHead(db, log.name, { ...signed, note })
  log.trace(8)
}
