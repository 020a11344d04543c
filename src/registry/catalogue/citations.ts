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

/** Says whether any release of a chart cites these bytes. */
export async function citedBytes(db: Db): Promise<(chart: string, sha256: string) => boolean> {
  const releases = await loggedReleases(db)
  const cited = new Set(
    releases.flatMap(({ chart, manifest }) => manifest.citations.map(({ sha256 }) => `${chart} ${sha256}`)),
  )
  return (chart, sha256) => cited.has(`${chart} ${sha256}`)
}
