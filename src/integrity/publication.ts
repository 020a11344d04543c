import type { Db } from '../db/db.ts'
import type { Log } from './log.ts'
import type { StoredCheckpoint } from './store.ts'
import * as store from './store.ts'

/** Those who must agree to a checkpoint before it is public. */
export interface Cosign {
  /** Whether a note bears what is asked for. Witnesses may have been named after it was signed. */
  isEnough(note: string): Promise<boolean>
  /** Returns the note with a quorum of cosignatures, or throws and says why not. */
  ask(db: Db, log: Log, signed: StoredCheckpoint): Promise<string>
}

/** Without witnesses the operator's signature is all there is. */
export const noWitnesses: Cosign = {
  isEnough: async () => true,
  ask: async (_db, _log, signed) => signed.note,
}

/** A log and those who must agree to what it says before it is public. */
export interface Publisher {
  db: Db
  log: Log
  cosign: Cosign
}

/**
 * Adds to a log whatever `work` appends, in one transaction with the rest of its work, and makes it public.
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
  // What a crash left signed but not public goes first, or the witnesses would be asked to skip it.
  if ((await log.head(db)).size < (await log.signed(db)).size) await finish({ db, log, cosign })
  const result = await db.transaction(async (tx) => {
    log.lock.advance(log.name, await store.checkpoints(tx, log.name))
    return work(tx, (bodies) => log.append(tx, bodies, now))
  })
  await finish({ db, log, cosign })
  return result
}

/** Makes public what has been signed: the rest of the way after a commit, or after a crash. */
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
