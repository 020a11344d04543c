// The check of a whole release, in a script of its own: few readers need it, and it needs the network for one proof anyway.

import { isWholeExport } from '../../proof/export/whole-export.ts'
import type { Check } from './steps.ts'

/** The rows of an export are those of the release whose first row is proved by `body`, all of them and no other. */
export const exportCheck =
  (check: Check, content: string | Uint8Array): Check =>
  async (body, policy, asked, options) => {
    const verdict = await check(body, policy, asked, options)
    if (!verdict.ok) return verdict
    const release = verdict.rows[0]?.release
    return release && (await isWholeExport(content, release))
      ? { ...verdict, entries: release.row_count }
      : { ok: false, reason: 'row_not_in_release' }
  }
