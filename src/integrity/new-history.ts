import type { Db } from '../db/db.ts'
import { fromBase64, toBase64 } from '../proof/bytes.ts'
import { type NoteSigner, signNote } from '../proof/note/signed-note.ts'
import { formatTreeHead } from '../proof/note/tree-head.ts'
import { EMPTY_ROOT, type Hash } from '../proof/tree/merkle.ts'
import type { Log } from './log.ts'
import * as store from './store.ts'

/**
 * Begins a new history with the entries of a store: signs its tree with another key, under another origin. Nothing is
 * signed under the old origin any more, so that its readers cannot be shown a fork. Returns the new checkpoint.
 */
export async function beginHistory(tx: Db, log: Log, signer: NoteSigner): Promise<string> {
  const { size, root, signed_at } = await log.signed(tx)
  await store.forgetCheckpoints(tx, log.name)
  const sign = async (at: number, hash: Hash): Promise<string> => {
    const note = await signNote(formatTreeHead({ origin: signer.name, size: at, root: hash }), [signer])
    await store.insertCheckpoint(tx, log.name, { size: at, root: toBase64(hash), note, signed_at })
    return note
  }
  const first = await sign(0, EMPTY_ROOT)
  const note = size === 0 ? first : await sign(size, fromBase64(root) as Hash)
  await store.putHead(tx, log.name, { size, root, note, signed_at })
  return note
}
