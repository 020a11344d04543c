// The check of a whole release, in a script of its own: few readers need it, and it needs the network for one proof anyway.

import { canonical } from '../../proof/canonical-json.ts'
import { parquetFacts } from '../../proof/export/parquet-rows.ts'
import { treeOfExport } from '../../proof/export/whole-export.ts'
import type { Manifest } from '../../proof/price/release.ts'
import type { Check } from './steps.ts'

/** The rows of an export are those of the release whose first row is proved by `body`, all of them and no other. */
export const exportCheck =
  (check: Check, content: string | Uint8Array): Check =>
  async (body, policy, asked, options) => {
    const verdict = await check(body, policy, asked, options)
    if (!verdict.ok) return verdict
    const tree = await treeOfExport(content)
    const release = verdict.rows[0]?.release
    const isWhole = tree?.row_count === release?.row_count && tree?.rows_root === release?.rows_root
    const isTrue = release && factsHold(typeof content === 'string' ? {} : parquetFacts(content), release)
    return tree && isWhole && isTrue
      ? { ...verdict, entries: tree.row_count }
      : { ok: false, reason: 'row_not_in_release' }
  }

/** A Parquet file names its release, and repeats what was published of it. */
function factsHold(facts: Readonly<Record<string, unknown>>, release: Manifest): boolean {
  const { release_id, rows_root } = release
  const published: Record<string, string> = { release_id, rows_root, manifest: canonical(release) }
  return Object.entries(facts).every(([name, fact]) => Object.hasOwn(published, name) && published[name] === fact)
}
