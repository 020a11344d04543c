import { timingSafeEqual } from 'node:crypto'
import { type Db, StoreFault } from '../db/db.ts'
import { digestOf } from './credential.ts'
import * as store from './store.ts'

const MARK = 'agent-trust-registry: the pepper of this store'

/** Records in a new store which pepper belongs to it, as a digest. */
export const sealPepper = (tx: Db, pepper: Uint8Array): Promise<void> =>
  store.insertPepperCheck(tx, digestOf(pepper, MARK))

/** Throws if the pepper is not the one of this store: every credential would fail with it. */
export async function checkPepper(db: Db, pepper: Uint8Array): Promise<void> {
  const digest = await store.findPepperCheck(db)
  if (digest?.length !== 32 || !timingSafeEqual(digest, digestOf(pepper, MARK)))
    throw new StoreFault('the pepper does not belong to this store: check PEPPER_FILE')
}
