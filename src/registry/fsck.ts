import type { Db } from '../db/db.ts'
import { equalBytes, utf8 } from '../proof/bytes.ts'
import type { Manifest } from '../proof/row.ts'
import { rederive } from './publish.ts'
import * as releases from './release-store.ts'

/** Re-derives every published release from its stored rows, and its manifest from the log. */
export async function checkReleases(db: Db): Promise<{ faults: string[]; rows: number }> {
  const faults: string[] = []
  let rows = 0
  for (const release of await releases.listReleases(db)) {
    if (release.state !== 'published' && release.state !== 'withdrawn') continue
    const wrong = await rederive(db, release)
    if (wrong) faults.push(wrong)
    rows += Number(release.row_count)
    const entry = await releases.findManifestEntry(db, release.release_no)
    if (!entry || !equalBytes(utf8(entry.manifest), entry.body))
      faults.push(`${release.release_id}: the manifest is not the log entry it should be`)
    else if ((JSON.parse(entry.manifest) as Manifest).rows_root !== release.rows_root)
      faults.push(`${release.release_id}: the manifest names another root`)
  }
  const lost = await releases.countEntriesWithoutRelease(db)
  if (lost > 0) faults.push(`${lost} releases are in the log and not in the store`)
  return { faults, rows }
}
