// The check of an export, in a script of its own, because few readers need it. It loads the proof of one row anyway.

import { openParquet } from '../../files/parquet.ts'
import { type ExportContent, isWholeExport } from '../../proof/export/whole-export.ts'
import { failed } from '../../proof/fault.ts'
import type { PageCheck } from './steps.ts'

/** Checks that an export has the rows of the release whose first row `body` proves: all of them and no other. */
export const exportCheck =
  (check: PageCheck, exported: string | Uint8Array): PageCheck =>
  async (body, policy, asked, options) => {
    const verdict = await check(body, policy, asked, options)
    if (!verdict.ok) return verdict
    const release = verdict.rows[0]?.release
    const content = contentOf(exported)
    return release && content !== undefined && (await isWholeExport(content, release))
      ? { ...verdict, entries: release.row_count }
      : failed('row_not_in_release')
  }

/** Opens a Parquet file; undefined if it is not an export. Text is CSV or NDJSON. */
function contentOf(exported: string | Uint8Array): ExportContent | undefined {
  if (typeof exported === 'string') return exported
  try {
    return openParquet(exported)
  } catch {
    return undefined
  }
}
