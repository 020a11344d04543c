import { type Db, StoreFault } from '../../db/db.ts'
import type { Release } from '../store.ts'
import { openRelease } from './release-file-store.ts'

/** Whether the files of all these releases are on this machine. */
export const areHere = ({ files }: Db, releases: readonly Release[]): boolean =>
  releases.every(({ file }) => files.has(file))

/** Fetches the files of releases that another machine has published. Each must say what the log says of its release. */
export async function bringFiles(db: Db, releases: readonly Release[]): Promise<void> {
  for (const release of releases) {
    if (db.files.has(release.file)) continue
    const isWhole = await db.files.bring(release.file)
    const header = isWhole ? openRelease(db, release).header() : undefined
    if (header?.row_count !== release.row_count || header.rows_root !== release.manifest.rows_root)
      throw new StoreFault(
        `the file of release ${release.release_id} is missing: restore it from a backup, or set RELEASES`,
      )
  }
}
