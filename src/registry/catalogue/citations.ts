import type { Db } from '../../db/db.ts'
import { latestEditions, loggedReleases } from '../store.ts'

/** The sources of each chart's latest edition on a day. */
export async function citedSources(db: Db, day: string) {
  const editions = await latestEditions(db, day)
  return editions.flatMap(({ chart, release_id, row_count: rows, manifest }) =>
    manifest.citations.map(({ url, file, sha256, bytes, media_type }) => ({
      chart,
      release_id,
      rows,
      url,
      file,
      sha256,
      bytes,
      media_type,
    })),
  )
}

/**
 * Says whether a later release of the same chart cites these bytes. An earlier one does not count: a publisher who goes back to
 * an old file has changed what was cited.
 */
export async function citedLater(db: Db): Promise<(release_id: string, sha256: string) => boolean> {
  const releases = new Map((await loggedReleases(db)).map((release) => [release.release_id, release]))
  return (release_id, sha256) => {
    const cited = releases.get(release_id)
    return [...releases.values()].some(
      ({ chart, log_index, manifest }) =>
        chart === cited?.chart &&
        log_index > cited.log_index &&
        manifest.citations.some((source) => source.sha256 === sha256),
    )
  }
}
