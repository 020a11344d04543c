import type { Db } from '../db/db.ts'
import { countLeaves, leafBodies } from '../integrity/store.ts'
import { isOlderState } from '../proof/price/release.ts'
import { registryEntryOf } from '../proof/replay/registry-replay.ts'

/** A release of an older form: `due` until its successor is published, `left` where the operator went on without it. */
export interface OlderRecord {
  release_id: string
  /** Tells with which options it was loaded: see `sourceDigest`. */
  source_digest: string
  /** The file of its rows. Null when it was removed. */
  file: string | null
  standing: 'due' | 'left' | 'done'
}

export const listOlder = (db: Db): Promise<OlderRecord[]> =>
  db.query('SELECT release_id, source_digest, file, standing FROM older_release ORDER BY release_id')

export async function markOlder(tx: Db, release_id: string, standing: OlderRecord['standing']): Promise<void> {
  await tx.query('UPDATE older_release SET standing = $2 WHERE release_id = $1', [release_id, standing])
}

export async function forgetFile(tx: Db, file: string): Promise<void> {
  await tx.query('UPDATE older_release SET file = NULL WHERE file = $1', [file])
}

/** Whether a release of the present form has this file too: places have the same rows in both forms. */
export async function isFileNamed(tx: Db, file: string): Promise<boolean> {
  return (await tx.query('SELECT release_no FROM release WHERE file = $1', [file])).length > 0
}

/** Whether a store cannot be served before `atr upgrade` has run: a release is due, or its log ends in an older state. */
export async function isOfOlderForm(db: Db): Promise<boolean> {
  const [due] = await db.query("SELECT release_id FROM older_release WHERE standing = 'due' LIMIT 1")
  if (due) return true
  const leaves = await countLeaves(db, 'registry')
  const [last] = await leafBodies(db, 'registry', leaves - 1, leaves)
  return last !== undefined && isOlderState(registryEntryOf(last))
}
