import { z } from 'zod'
import type { Db } from '../../db/db.ts'
import { Links, type ListAnswer, Page, pageInput } from '../../paging.ts'
import { isManifest, isWithdrawal, type Manifest, type Withdrawal } from '../../proof/price/release.ts'
import { type Charts, chartOf } from '../charts.ts'
import { chartId } from '../lookup/browse.ts'
import type { ListedRelease } from './store.ts'
import * as catalogue from './store.ts'

export const releasesQuery = (charts: Charts) =>
  z.strictObject({
    chart: chartId(charts).optional(),
    state: z.enum(['published', 'withdrawn']).optional().meta({ description: 'Only releases in this state' }),
    ...pageInput,
  })
export type ReleasesQuery = z.output<ReturnType<typeof releasesQuery>>

const ListedReleaseForm = z
  .strictObject({
    release_id: z.string().meta({ examples: ['cms-pfs:RVU26C:1'] }),
    chart: z.string(),
    edition: z.string(),
    state: z.enum(['published', 'withdrawn']),
    effective_from: z.iso.date(),
    effective_to: z.iso.date().meta({ description: 'The last day of the edition; a later edition ends it sooner' }),
    published_at: z.iso.datetime(),
    withdrawn_at: z.iso.datetime().nullable(),
    withdrawn_reason: z.string().nullable().meta({ description: 'One of a few fixed words' }),
    row_count: z.int().min(0),
    rejected_count: z.int().min(0),
    supersedes: z.string().nullable(),
    data_class: z.enum(['published', 'sample']),
    log_index: z.int().min(0).meta({ description: 'Its place in the registry log' }),
    withdrawn_log_index: z.int().min(0).nullable(),
  })
  .meta({ id: 'ListedRelease' })

export const ReleaseList = z
  .strictObject({ data: z.array(ListedReleaseForm), page: Page, links: Links })
  .meta({ id: 'ReleaseList' })

/** Every release that is in the public log, the one published last first. */
export async function listReleases(db: Db, query: ReleasesQuery): Promise<ListAnswer<typeof ReleaseList>> {
  const { limit, offset, chart = '', state = '' } = query
  const total = await catalogue.countListed(db, chart, state)
  const data = (await catalogue.pageOfListed(db, chart, state, { limit, offset })).map(listed)
  return { data, total }
}

function listed(release: ListedRelease): z.input<typeof ListedReleaseForm> {
  const manifest = JSON.parse(release.manifest) as Manifest
  const withdrawal = release.withdrawal === null ? null : (JSON.parse(release.withdrawal) as Withdrawal)
  return {
    release_id: release.release_id,
    chart: release.chart,
    edition: manifest.edition,
    state: withdrawal ? 'withdrawn' : 'published',
    effective_from: release.effective_from,
    effective_to: manifest.effective_to,
    published_at: manifest.recorded_at,
    withdrawn_at: withdrawal?.recorded_at ?? null,
    withdrawn_reason: withdrawal?.reason ?? null,
    row_count: manifest.row_count,
    rejected_count: manifest.rejected_count,
    supersedes: manifest.supersedes,
    data_class: manifest.data_class,
    log_index: release.log_index,
    withdrawn_log_index: release.withdrawn_index,
  }
}

/** A release or withdrawal in words of ours, and which entry of the registry log says so. */
export interface ReleaseNews {
  index: number
  title: string
  summary: string
  updated: string
  chart: string
}

const MOST_NEWS = 50

/** The last things that happened, newest first. An entry of a kind that is not known here is left out. */
export async function releaseNews(db: Db, charts: Charts): Promise<ReleaseNews[]> {
  const entries = await catalogue.lastEntries(db, MOST_NEWS)
  const titleOf = ({ chart }: Manifest | Withdrawal): string => chartOf(chart, charts)?.title ?? chart
  return entries.flatMap(({ index, text }): ReleaseNews[] => {
    const entry: unknown = JSON.parse(text)
    if (isManifest(entry)) {
      const sample = entry.data_class === 'sample' ? ' (sample data)' : ''
      const summary = `${titleOf(entry)}: ${entry.row_count} rows, in force from ${entry.effective_from} to ${entry.effective_to}${sample}`
      return [newsOf(index, 'published', entry, summary)]
    }
    if (!isWithdrawal(entry)) return []
    const summary = `${titleOf(entry)}: withdrawn (${entry.reason}); what it said is no longer in force`
    return [newsOf(index, 'withdrawn', entry, summary)]
  })
}

const newsOf = (index: number, kind: string, entry: Manifest | Withdrawal, summary: string): ReleaseNews => ({
  index,
  title: `${entry.release_id} ${kind}`,
  summary,
  updated: entry.recorded_at,
  chart: entry.chart,
})
