import { statSync } from 'node:fs'
import type { Db } from '../../db/db.ts'
import { packed } from '../../db/s3-files.ts'
import { type FiledRelease, openRelease } from './release-file-store.ts'

interface FiledAs extends FiledRelease {
  file: string
  log_index: number
}

/** The files of releases, for others to fetch. `releases` are those that the public log names. */
export const fileSource = (db: Pick<Db, 'files'>, releases: () => Promise<readonly FiledAs[]>) => ({
  list: async () => filesOf(db, await releases()),
  find: async (file: string) => packedFile(db, await releases(), file),
})

/** Which file each of these releases has, in the order of the log. One whose file is not here is left out. */
function filesOf({ files }: Pick<Db, 'files'>, releases: readonly FiledAs[]) {
  return [...releases]
    .sort((a, b) => a.log_index - b.log_index)
    .flatMap(({ release_id, file }) => {
      const found = statSync(files.pathOf(file), { throwIfNoEntry: false })
      return found ? [{ release_id, file, bytes: found.size }] : []
    })
}

/** The compressed bytes of a file that one of these releases has. One with rows that failed their verification is a fault. */
function packedFile(
  db: Pick<Db, 'files'>,
  releases: readonly FiledAs[],
  file: string,
): (() => AsyncIterable<Uint8Array>) | undefined {
  const release = releases.find((each) => each.file === file)
  if (!release) return undefined
  const opened = openRelease(db, release)
  if (opened.failed.length > 0 || !db.files.has(file)) throw opened.fault()
  return () => packed(db.files.pathOf(file))
}
