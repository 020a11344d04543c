// A whole release as it is exported: one row in each line, exactly the bytes that were hashed.

import { toBase64, utf8 } from '../../proof/bytes.ts'
import { isAnyRow } from '../../proof/price/row.ts'
import { GrowingTree, leafHash } from '../../proof/tree/merkle.ts'
import type { Check } from './steps.ts'

/** Whether a text is an export: several lines, and the first is a row without a proof. */
export function isExport(text: string): boolean {
  const end = text.indexOf('\n')
  try {
    return end > 0 && isAnyRow(JSON.parse(text.slice(0, end)))
  } catch {
    return false
  }
}

/** The rows of an export are those of the release whose first row is proved by `body`, all of them and no other. */
export const exportCheck =
  (check: Check, rows: string): Check =>
  async (body, policy, asked, options) => {
    const verdict = await check(body, policy, asked, options)
    if (!verdict.ok) return verdict
    const tree = new GrowingTree()
    for (const line of rows.split('\n')) if (line !== '') tree.add(leafHash(utf8(line)))
    const release = verdict.rows[0]?.release
    const isWhole = tree.size === release?.row_count && toBase64(tree.root) === release.rows_root
    return isWhole ? { ...verdict, entries: tree.size } : { ok: false, reason: 'row_not_in_release' }
  }
