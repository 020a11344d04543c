import type { Db } from '../../db/db.ts'

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
