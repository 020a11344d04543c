import { z } from 'zod'
import type { Db } from '../../db/db.ts'
import { pageInput } from '../../paging.ts'
import { Problem } from '../../problem.ts'
import { type Charts, chartIdPattern } from '../charts.ts'
import type { Release, StoredRow } from '../store.ts'
import * as store from '../store.ts'
import { ourTurn } from '../turn.ts'
import { countRows, pageOfRows, type RowFilter } from './browse-store.ts'
import { AsOf, Code, Npi, RegionText } from './reference.ts'
import { parseRegion } from './region.ts'

export const chartId = (charts: Charts) =>
  z
    .string()
    .regex(chartIdPattern(charts))
    .meta({ description: 'Only this chart', examples: ['cms-pfs'] })

export const browseQuery = (charts: Charts) =>
  z.strictObject({
    cpt: Code.optional(),
    ...pageInput,
    region: RegionText.optional(),
    npi: Npi.optional(),
    chart: chartId(charts).optional(),
    as_of: AsOf.optional(),
    after: z
      .string()
      .max(200)
      .regex(/^[A-Za-z0-9_-]+$/)
      .optional()
      .meta({ description: 'Cursor from `page.next_after`, to go past the largest offset' }),
  })
export type BrowseQuery = z.output<ReturnType<typeof browseQuery>>

export interface Browsed {
  rows: { release: Release; stored: StoredRow }[]
  total: number
  /** The cursor of what follows; null if nothing does. */
  next_after: string | null
}

/** One page of everything in force on a day, ordered by chart and key. */
export async function browse(db: Db, query: BrowseQuery, day: string): Promise<Browsed> {
  if (query.after !== undefined && query.offset > 0) throw Problem.parameter('after', 'send offset or after, not both')
  const filter: RowFilter = { cpt: query.cpt, region: query.region && oneRegion(query.region), npi: query.npi }
  const cursor = query.after === undefined ? undefined : decodeCursor(query.after)
  const { chart = '', npi = '', cpt = '' } = query
  const shown = await store.chartsInForce(db, day, { chart, npi, cpt, region: filter.region ?? '' })

  const rows: Browsed['rows'] = []
  let total = 0
  let skip = query.offset
  for (const release of shown) {
    await ourTurn()
    const held = await countRows(db, release, filter)
    total += held
    const room = query.limit + 1 - rows.length
    const passed = cursor !== undefined && release.chart < cursor.chart
    if (room > 0 && !passed && skip < held) {
      const after = cursor?.chart === release.chart ? cursor.key : ''
      const found = await pageOfRows(db, release.release_no, filter, { after, offset: skip, limit: room })
      rows.push(...found.map((stored) => ({ release, stored })))
    }
    if (!passed) skip = Math.max(0, skip - held)
  }

  const more = rows.length > query.limit
  const shownRows = rows.slice(0, query.limit)
  const last = shownRows.at(-1)
  const next_after = more && last ? encodeCursor(last.release.chart, last.stored.row_key) : null
  return { rows: shownRows, total, next_after }
}

function oneRegion(text: string): string {
  const parsed = parseRegion(text)
  if (parsed.level === 'national') return 'national'
  if (parsed.level === 'locality') return parsed.region
  throw new Problem('invalid_region', 'browsing takes `national` or a locality as US-XX-LL')
}

const encodeCursor = (chart: string, key: string): string => Buffer.from(`${chart} ${key}`).toString('base64url')

function decodeCursor(text: string): { chart: string; key: string } {
  const [chart = '', key = '', ...rest] = Buffer.from(text, 'base64url').toString('latin1').split(' ')
  if (!/^[a-z0-9:-]{1,40}$/.test(chart) || !/^[A-Za-z0-9|_-]{1,120}$/.test(key) || rest.length > 0)
    throw Problem.parameter('after', 'the cursor is not one that this service gave')
  return { chart, key }
}
