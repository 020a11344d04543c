import { z } from 'zod'
import type { Db } from '../../db/db.ts'
import { CursorPage, Links, pageInput } from '../../paging.ts'
import { Problem } from '../../problem.ts'
import { parseRegion } from '../../proof/lookup/region.ts'
import { isOfPlaces, keyPrefix, kindOfRows } from '../../proof/price/charts.ts'
import { ourTurn } from '../../queue.ts'
import { type Charts, chartIdPattern } from '../charts.ts'
import type { StoredRow } from '../rows/release-file-store.ts'
import type { Release } from '../store.ts'
import { aboutLost, type LostSourcesOf } from './answer.ts'
import { AnswerProof } from './answer-proof.ts'
import { AboutList } from './answer-schema.ts'
import { countRows, fits, pageOfRows, type RowFilter } from './pages.ts'
import { openPublished, type Proofs, rowUnderKey, unproved } from './proofs.ts'
import { AsOf, Code, Npi, RegionText } from './query.ts'
import { Proof, ShownAnyRow } from './row-schema.ts'
import type { View } from './view.ts'

export const chartId = (charts: Charts) =>
  z
    .string()
    .regex(chartIdPattern(charts))
    .meta({ description: 'the name of a chart', examples: ['cms-pfs'] })

export const browseQuery = (charts: Charts) =>
  z.strictObject({
    cpt: Code.optional(),
    ...pageInput,
    region: RegionText.optional().meta({
      description:
        'a region that rows have: `national`, a state as `US-CA` or `CA`, or a Medicare locality as `US-CA-05`',
      examples: ['US-CA-05'],
    }),
    npi: Npi.optional(),
    chart: chartId(charts).optional(),
    as_of: AsOf.optional(),
    after: z
      .string()
      .max(200)
      .regex(/^[A-Za-z0-9_-]+$/)
      .optional()
      .meta({ description: 'the cursor from `page.next_after`, to go past the largest offset' }),
  })
export type BrowseQuery = z.output<ReturnType<typeof browseQuery>>

export const RegistryPage = z
  .strictObject({
    data: z.array(ShownAnyRow),
    page: CursorPage,
    links: Links,
    as_of: z.iso.date(),
    proof: Proof,
    about: AboutList,
  })
  .meta({ id: 'RegistryPage' })

export interface BrowsePage {
  rows: { release: Release; stored: StoredRow }[]
  total: number
  /** The cursor of what follows; null if nothing does. */
  next_after: string | null
}

/** One page of everything in force on a day, ordered by chart and key. */
export async function browse(db: Db, view: View, query: BrowseQuery, day: string): Promise<BrowsePage> {
  if (query.after !== undefined && query.offset > 0) throw Problem.parameter('after', 'send offset or after, not both')
  const filter = { cpt: query.cpt, region: query.region && oneRegion(query.region), npi: query.npi }
  const cursor = query.after === undefined ? undefined : decodeCursor(query.after)
  const charts = view.charts.filter((chart) => (query.chart ?? chart) === chart && canFit(chart, filter))

  const rows: BrowsePage['rows'] = []
  let total = 0
  let skip = query.offset
  for (const chart of charts) {
    const release = view.editionOn(chart, day)
    if (!release) continue
    await ourTurn()
    const file = openPublished(db, release)
    const ofChart = { ...filter, prefix: (code: string) => keyPrefix(chart, code) }
    const held = await countRows(file, ofChart)
    total += held
    const room = query.limit + 1 - rows.length
    const passed = cursor !== undefined && chart < cursor.chart
    if (room > 0 && !passed && skip < held) {
      const after = cursor?.chart === chart ? cursor.key : ''
      const found = await pageOfRows(file, ofChart, { after, offset: skip, limit: room })
      // In a damaged file the keys can lead to fewer rows than it says that there are, or to others.
      const isShort = after === '' && found.length < Math.min(room, held - skip)
      if (isShort || !found.every(({ row_key }) => fits(row_key, filter))) throw unproved(release.release_id)
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

/**
 * Whether a row of a chart can have what was asked for: a ZIP code is no code, and the region of a place is not that of a
 * price, though both are spelled alike. An edit holds everywhere and for every provider.
 */
function canFit(chart: string, { cpt, region, npi }: Pick<RowFilter, 'cpt' | 'region' | 'npi'>): boolean {
  const isOfPrices = kindOfRows(chart) === undefined
  return isOfPrices || (region === undefined && npi === undefined && (cpt === undefined || !isOfPlaces(chart)))
}

/** The rows of a page: one that was left out between two others would be noticed. */
export function provedPage(proofs: Proofs, rows: BrowsePage['rows'], lostSources: LostSourcesOf) {
  const proof = new AnswerProof(proofs)
  const data = rows.map(({ release, stored }) => {
    rowUnderKey(release.release_id, stored)
    return proof.show({ release, stored })
  })
  const manifests = rows.map(({ release }) => release.manifest)
  return { data, proof: proof.member(), ...aboutLost(manifests, lostSources) }
}

function oneRegion(text: string): string {
  const parsed = parseRegion(text)
  if (parsed && 'region' in parsed && parsed.region) return parsed.region
  if (parsed && 'state' in parsed) return `US-${parsed.state}`
  if (parsed && 'area' in parsed) return parsed.area
  const message = 'browsing takes national, a state as US-XX, or a locality as US-XX-LL'
  throw new Problem('invalid_region', message, {
    errors: [{ name: 'region', code: 'invalid_region', message }],
    hint: 'Use `national`, a state as `US-CA` or `CA`, or a Medicare locality as `US-CA-05`. For a ZIP code, look the price up at `/reference`: its answer names the locality.',
  })
}

const encodeCursor = (chart: string, key: string): string => Buffer.from(`${chart} ${key}`).toString('base64url')

function decodeCursor(text: string): { chart: string; key: string } {
  const [chart = '', key = '', ...rest] = Buffer.from(text, 'base64url').toString('latin1').split(' ')
  if (!/^[a-z0-9:-]{1,40}$/.test(chart) || !/^[A-Za-z0-9|_-]{1,120}$/.test(key) || rest.length > 0)
    throw Problem.parameter('after', 'this cursor was not made by this service: take it from page.next_after')
  return { chart, key }
}
