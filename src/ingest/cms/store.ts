import type { Db } from '../../db/db.ts'

export async function replaceZipLocalities(
  tx: Db,
  zips: ReadonlyMap<string, { region: string; plus_four: number }>,
): Promise<void> {
  await tx.query('DELETE FROM zip_locality')
  const rows = [...zips].map(([zip, { region, plus_four }]) => [zip, region, plus_four])
  await tx.insertMany('zip_locality', ['zip', 'region', 'plus_four'], rows)
}

/** With the release that is made of the same GPCI file: they stand and go together. */
export async function insertLocalities(
  tx: Db,
  release_no: number,
  localities: readonly { mac: string; region: string }[],
): Promise<void> {
  const regions = new Map(localities.map(({ mac, region }) => [`${mac} ${region.slice(-2)}`, region]))
  const rows = [...regions].map(([pair, region]) => [release_no, ...pair.split(' '), region])
  await tx.insertMany('release_locality', ['release_no', 'contractor', 'locality', 'region'], rows)
}

/**
 * By `contractor locality`, as the ZIP5 file names them: those of the newest edition of the physician schedule that is
 * published, or if none is, of the newest that is staged. What an older or a withdrawn one says does not count.
 */
export async function regionsByContractor(db: Db): Promise<Map<string, string>> {
  const rows = await db.query<{ contractor: string; locality: string; region: string }>(
    `SELECT contractor, locality, region FROM release_locality
      WHERE release_no = (
        SELECT r.release_no FROM release r
         WHERE r.state IN ('staged', 'published')
           AND EXISTS (SELECT 1 FROM release_locality l WHERE l.release_no = r.release_no)
         ORDER BY CASE r.state WHEN 'published' THEN 0 ELSE 1 END, r.effective_from DESC, r.release_no DESC
         LIMIT 1)`,
  )
  return new Map(rows.map(({ contractor, locality, region }) => [`${contractor} ${locality}`, region]))
}
