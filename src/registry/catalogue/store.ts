import type { Db } from '../../db/db.ts'
import { fromUtf8 } from '../../proof/bytes.ts'

// Entries of the log. Statements that lookups need too are in registry/store.ts.

/** The last manifests and withdrawals of the public registry log, newest first. The states between them are no news. */
export async function lastEntries(db: Db, most: number): Promise<{ index: number; text: string }[]> {
  const rows = await db.query<{ leaf_index: number; body: Uint8Array }>(
    `SELECT leaf_index, body FROM log_leaf
      WHERE log = 'registry' AND leaf_index < (SELECT size FROM log_head WHERE log = 'registry')
        AND leaf_index IN (SELECT log_index FROM release WHERE log_index IS NOT NULL
                           UNION ALL SELECT withdrawn_index FROM release WHERE withdrawn_index IS NOT NULL)
      ORDER BY leaf_index DESC LIMIT $1`,
    [most],
  )
  return rows.map(({ leaf_index, body }) => ({ index: leaf_index, text: fromUtf8(body) }))
}
