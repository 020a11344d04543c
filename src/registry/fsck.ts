import type { Db } from '../db/db.ts'
import { equalBytes, utf8 } from '../proof/bytes.ts'
import { isWithdrawal, type Manifest } from '../proof/row.ts'
import { rederive } from './publish.ts'
import type { ReleaseState } from './release-store.ts'
import * as releases from './release-store.ts'

/** Re-derives every published release from its stored rows, and its manifest and withdrawal from the log. */
export async function checkReleases(db: Db): Promise<{ faults: string[]; rows: number }> {
  const faults: string[] = []
  let rows = 0
  for (const release of await releases.listReleases(db)) {
    if (release.state !== 'published' && release.state !== 'withdrawn') continue
    const wrong = await rederive(db, release)
    rows += Number(release.row_count)
    faults.push(...[wrong, await checkManifest(db, release), await checkWithdrawal(db, release)].filter(isFault))
  }
  const lost = await releases.countEntriesWithoutRelease(db)
  if (lost > 0) faults.push(`${lost} releases or withdrawals are in the log and not in the store`)
  return { faults, rows }
}

const isFault = (fault: string | undefined): fault is string => fault !== undefined

async function checkManifest(db: Db, { release_no, release_id, rows_root }: ReleaseState): Promise<string | undefined> {
  const entry = await releases.findEntry(db, release_no, 'manifest')
  if (!entry || !equalBytes(utf8(entry.text), entry.body))
    return `${release_id}: the manifest is not the log entry it should be`
  if ((JSON.parse(entry.text) as Manifest).rows_root !== rows_root)
    return `${release_id}: the manifest names another root`
  return undefined
}

/** A release is withdrawn if and only if an entry of the log says so of this release. */
async function checkWithdrawal(db: Db, release: ReleaseState): Promise<string | undefined> {
  const { release_no, release_id, chart, state } = release
  const marked = release.withdrawn_index !== null || release.withdrawal !== null
  if (state === 'published') return marked ? `${release_id}: it is withdrawn in part` : undefined
  const entry = await releases.findEntry(db, release_no, 'withdrawal')
  if (!entry || !equalBytes(utf8(entry.text), entry.body))
    return `${release_id}: the withdrawal is not the log entry it should be`
  const said: unknown = JSON.parse(entry.text)
  const sound = isWithdrawal(said) && said.release_id === release_id && said.chart === chart
  return sound ? undefined : `${release_id}: the withdrawal is of another release`
}
