import type { Db } from '../../db/db.ts'
import { fromUtf8 } from '../../proof/bytes.ts'
import { readable } from '../store.ts'

// What there is: editions and entries of the log. What lookups ask too is in registry/store.ts.

/** From which day on the same editions are in force as on this one. Days between two editions have the same answers. */
export async function sameSince(db: Db, day: string): Promise<string> {
  const [row] = await db.query<{ since: string | null }>(
    `SELECT MAX(r.effective_from) AS since FROM release r WHERE ${readable('r')} AND r.effective_from <= $1`,
    [day],
  )
  return row?.since ?? ''
}

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
