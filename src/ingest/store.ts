import type { Db } from '../db/db.ts'

export async function replaceZipLocalities(
  tx: Db,
  zips: ReadonlyMap<string, { region: string; plus_four: number }>,
): Promise<void> {
  await tx.query('DELETE FROM zip_locality')
  const rows = [...zips].map(([zip, { region, plus_four }]) => [zip, region, plus_four])
  await tx.insertMany('zip_locality', ['zip', 'region', 'plus_four'], rows)
}

export async function putContractorLocalities(
  db: Db,
  localities: readonly { mac: string; region: string }[],
): Promise<void> {
  await db.transaction(async (tx) => {
    for (const { mac, region } of localities)
      await tx.query(
        `INSERT INTO contractor_locality (contractor, locality, region) VALUES ($1, $2, $3)
         ON CONFLICT (contractor, locality) DO UPDATE SET region = excluded.region`,
        [mac, region.slice(-2), region],
      )
  })
}

/** By `contractor locality`, as the ZIP5 file names them. */
export async function regionsByContractor(db: Db): Promise<Map<string, string>> {
  const rows = await db.query<{ contractor: string; locality: string; region: string }>(
    'SELECT contractor, locality, region FROM contractor_locality',
  )
  return new Map(rows.map(({ contractor, locality, region }) => [`${contractor} ${locality}`, region]))
}
