import type { Db } from '../../db/db.ts'
import type { ReleaseState } from './store.ts'

// What a release holds: by code, by region, by provider.

/** How many rows a release has of each. */
export interface Totals {
  code: Map<string, number>
  region: Map<string, number>
  provider: Map<string, number>
}

export async function totalsOf(db: Db, release_no: number): Promise<Totals> {
  const totals = async (table: string, column: string): Promise<Map<string, number>> => {
    const rows = await db.query<{ name: string; row_count: number }>(
      `SELECT ${column} AS name, row_count FROM ${table} WHERE release_no = $1`,
      [release_no],
    )
    return new Map(rows.map(({ name, row_count }) => [name, row_count]))
  }
  return {
    code: await totals('release_code', 'cpt'),
    region: await totals('release_region', 'region'),
    provider: await totals('release_provider', 'npi'),
  }
}

export async function countContents(
  db: Db,
  release_no: number,
): Promise<{ codes: number; regions: number; providers: number }> {
  const [row] = await db.query<{ codes: number; regions: number; providers: number }>(
    `SELECT (SELECT COUNT(*) FROM release_code WHERE release_no = $1) AS codes,
            (SELECT COUNT(*) FROM release_region WHERE release_no = $1) AS regions,
            (SELECT COUNT(*) FROM release_provider WHERE release_no = $1) AS providers`,
    [release_no],
  )
  return { codes: row?.codes ?? 0, regions: row?.regions ?? 0, providers: row?.providers ?? 0 }
}

/**
 * Other charts with prices for one of a release's providers. A hospital's chart is named after the first NPI in its
 * file, so a file that lists them in another order begins a new chart beside the old one.
 */
export async function chartsSharingNpis(
  db: Db,
  { release_no, chart }: Pick<ReleaseState, 'release_no' | 'chart'>,
): Promise<string[]> {
  const rows = await db.query<{ chart: string }>(
    `SELECT DISTINCT r.chart FROM release_provider mine
       JOIN release_provider other ON other.npi = mine.npi
       JOIN release r ON r.release_no = other.release_no
      WHERE mine.release_no = $1 AND r.chart <> $2 AND r.state IN ('staged', 'published')
      ORDER BY r.chart`,
    [release_no, chart],
  )
  return rows.map((row) => row.chart)
}
