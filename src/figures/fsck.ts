import type { Db } from '../db/db.ts'
import { equalBytes, utf8 } from '../proof/bytes.ts'
import { replay } from './replay.ts'
import * as store from './store.ts'

/** Compares every change with the log entry that it is, and decides every release again from its tallies. */
export async function checkChanges(db: Db): Promise<string[]> {
  const entries = await store.changesAndLeaves(db)
  const unlogged = entries.flatMap(({ seq, entry, body }) =>
    entry !== null && body !== null && equalBytes(utf8(entry), new Uint8Array(body))
      ? []
      : [`figures log: change ${seq} is not the log entry it should be`],
  )
  return [...unlogged, ...replay(await store.releases(db))]
}
