import type { Db } from '../db/db.ts'

export async function replaceZipLocalities(
  tx: Db,
  zips: ReadonlyMap<string, { region: string; plus_four: number }>,
): Promise<void> {
  await tx.query('DELETE FROM zip_locality')
  const rows = [...zips].map(([zip, { region, plus_four }]) => [zip, region, plus_four])
  await tx.insertMany('zip_locality', ['zip', 'region', 'plus_four'], rows)
}
