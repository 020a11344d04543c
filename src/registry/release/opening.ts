// Every command does this to the releases of a store when it opens it.

import { type Db, StoreBusy, StoreFault } from '../../db/db.ts'
import { otherForm } from '../rows/file-summary-store.ts'
import { openRelease } from '../rows/release-file-store.ts'
import type { NewRelease } from './store.ts'
import * as releases from './store.ts'

/**
 * Whether every release that answers has a file: a service that has lost its files must say so before it is asked. Files
 * that another machine has made are fetched, also those of staged releases. One that was withdrawn may be without.
 */
export async function checkFiles(db: Db): Promise<void> {
  for (const { release_id, state, file } of await releases.listReleases(db)) {
    if (state === 'loading') continue
    const bring = async (): Promise<boolean> => file !== null && (await db.files.bring(file))
    if (state === 'staged' || state === 'withdrawn')
      await bring().catch(() => false) // only those who publish it need it, or look at its rows
    else if (!(await bring()))
      throw new StoreFault(`the file of release ${release_id} is missing: restore it from a backup, or set RELEASES`)
    else if (openRelease(db, { release_id, file }).isOfOtherForm()) throw new StoreFault(otherForm(release_id))
  }
}

export const loadLock = ({ chart, edition }: Pick<NewRelease, 'chart' | 'edition'>): string =>
  `loading ${chart} ${edition}`

/**
 * Removes what loads left that died: of any edition that no living process loads. Every command does this when it
 * opens the store.
 */
export async function removeAbandonedLoads(db: Db): Promise<void> {
  for (const { chart, edition } of await releases.findLoading(db)) {
    const hold = await db.takeLock(loadLock({ chart, edition }))
    if (!hold) continue
    try {
      for (const left of await releases.findUnfinished(db, chart, edition)) await releases.deleteUnfinished(db, left)
    } catch (error) {
      // While the storage of the files is away, whoever does not need it can work: a later command removes what is left.
      if (!(db.files.remote && error instanceof StoreBusy)) throw error
    } finally {
      hold.release()
    }
  }
}
