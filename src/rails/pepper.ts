import { timingSafeEqual } from 'node:crypto'
import { type Db, StoreFault } from '../db/db.ts'
import { digestOf } from './credential.ts'
import * as store from './store.ts'

const MARK = 'agent-trust-registry: the pepper of this store'

/** Notes in a new store which pepper is its own, without saying what it is. */
export const sealPepper = (tx: Db, pepper: Uint8Array): Promise<void> =>
  store.insertPepperCheck(tx, digestOf(pepper, MARK))

/** With another pepper every credential would look wrong: better to stop than to turn everyone away. */
export async function checkPepper(db: Db, pepper: Uint8Array): Promise<void> {
  const digest = await store.findPepperCheck(db)
  if (digest?.length !== 32 || !timingSafeEqual(digest, digestOf(pepper, MARK)))
    throw new StoreFault('the pepper is not the one this store was made with: check PEPPER_FILE')
}
