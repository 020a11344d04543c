import type { Db } from '../../db/db.ts'
import { PROVIDER_CELLS, type ProviderTally } from '../rule/provider-window.ts'
import type { Unit, WindowTally } from '../rule/rule-2.ts'

/** A closed window. Its tally has noise; the exact counts are not kept. */
export interface FigureWindow {
  window_no: number
  closed_at: number
  /** The last file that it counts. */
  last_batch_id: number
  unit: Unit
  tally: WindowTally
}

/** All windows, oldest first. */
export async function windows(db: Db): Promise<FigureWindow[]> {
  const rows = await db.query<Omit<FigureWindow, 'tally'> & { tally: string }>(
    'SELECT window_no, closed_at, last_batch_id, unit, tally FROM figure_window ORDER BY window_no',
  )
  return rows.map((row) => ({ ...row, tally: JSON.parse(row.tally) as WindowTally }))
}

export const insertWindow = (tx: Db, window: FigureWindow): Promise<unknown> =>
  tx.query('INSERT INTO figure_window (window_no, closed_at, last_batch_id, unit, tally) VALUES ($1, $2, $3, $4, $5)', [
    window.window_no,
    window.closed_at,
    window.last_batch_id,
    window.unit,
    JSON.stringify(window.tally),
  ])

export const insertProviderWindows = (
  tx: Db,
  window_no: number,
  tallies: readonly (readonly [npi: string, tally: ProviderTally])[],
): Promise<void> =>
  tx.insertMany(
    'provider_window',
    ['npi', 'window_no', 'tally'],
    tallies.map(([npi, tally]) => [npi, window_no, JSON.stringify(PROVIDER_CELLS.map((cell) => tally[cell]))]),
  )

/** The windows of a provider that were closed at or after a time, up to a window. */
export async function providerWindows(
  db: Db,
  npi: string,
  { since, window_no }: { since: number; window_no: number },
): Promise<{ unit: Unit; tally: ProviderTally }[]> {
  const rows = await db.query<{ unit: Unit; tally: string }>(
    `SELECT w.unit, p.tally FROM provider_window p JOIN figure_window w ON w.window_no = p.window_no
      WHERE p.npi = $1 AND p.window_no <= $2 AND w.closed_at >= $3 ORDER BY p.window_no`,
    [npi, window_no, since],
  )
  return rows.map(({ unit, tally }) => {
    const counts = JSON.parse(tally) as number[]
    return { unit, tally: Object.fromEntries(PROVIDER_CELLS.map((cell, i) => [cell, counts[i]])) as ProviderTally }
  })
}

const ROWS_PER_READ = 10_000

interface StoredProviderWindow {
  npi: string
  window_no: number
  /** The stored text. */
  tally: string
}

/** The stored windows of every provider, in the order of their NPIs: all windows, or one. */
export async function* storedProviderWindows(db: Db, window_no = 0): AsyncGenerator<StoredProviderWindow[]> {
  let last: Pick<StoredProviderWindow, 'npi' | 'window_no'> | undefined = { npi: '', window_no: 0 }
  while (last) {
    const rows: StoredProviderWindow[] = await db.query(
      `SELECT npi, window_no, tally FROM provider_window
        WHERE (npi, window_no) > ($1, $2) AND (window_no = $3 OR $3 = 0) ORDER BY npi, window_no LIMIT ${ROWS_PER_READ}`,
      [last.npi, last.window_no, window_no],
    )
    yield rows
    last = rows.length < ROWS_PER_READ ? undefined : rows.at(-1)
  }
}

/** How many provider windows belong to no window. There are none unless another program wrote them. */
export async function countStrayWindows(db: Db): Promise<number> {
  const [row] = await db.query<{ n: number }>(
    `SELECT COUNT(*) AS n FROM provider_window p
      WHERE NOT EXISTS (SELECT 1 FROM figure_window w WHERE w.window_no = p.window_no)`,
  )
  return row?.n ?? 0
}
