import { z } from 'zod'
import type { Db } from '../../db/db.ts'
import { Links, type ListAnswer, Page, pageInput } from '../../paging.ts'
import {
  type KnownRelease,
  listedRelease,
  RELEASE_PROOF,
  RELEASE_STATES,
  type ReleaseProof as ReleaseProofForm,
  releaseKey,
  replacementOf,
  stateOf,
} from '../../proof/catalogue/releases.ts'
import type { TimelineProof as TimelineProofForm } from '../../proof/catalogue/timeline-proof.ts'
import type { LostSource } from '../../proof/price/lost-source.ts'
import { isManifest, isWithdrawal, type Manifest, periodKey, type Withdrawal } from '../../proof/price/release.ts'
import { indexOfKey } from '../../proof/price/timeline.ts'
import { ourTurn } from '../../queue.ts'
import { type Charts, chartOf } from '../charts.ts'
import { LostSources } from '../lookup/answer-schema.ts'
import { chartId } from '../lookup/browse.ts'
import type { View } from '../lookup/view.ts'
import { type ListProofs, timelineProof } from './list-proofs.ts'
import { Days, ReleaseProof, TimelineProof } from './proof-schema.ts'
import * as catalogue from './store.ts'

export const releasesQuery = (charts: Charts) =>
  z.strictObject({
    chart: chartId(charts).optional(),
    state: z.enum(RELEASE_STATES).optional().meta({ description: 'Only releases in this state' }),
    ...pageInput,
  })
export type ReleasesQuery = z.output<ReturnType<typeof releasesQuery>>

const ListedRelease = z
  .strictObject({
    release_id: z.string().meta({ examples: ['cms-pfs:RVU26C:1'] }),
    chart: z.string(),
    edition: z.string(),
    state: z.enum(RELEASE_STATES).meta({
      description:
        '`replaced`: a later revision of its edition, or a later release of the same first day, counts in its place',
    }),
    effective_from: z.iso.date(),
    effective_to: z.iso.date().meta({ description: 'The last day of the edition; a later edition ends it sooner' }),
    in_force: Days.nullable().meta({ description: 'Null if it is in force on no day' }),
    published_at: z.iso.datetime(),
    withdrawn_at: z.iso.datetime().nullable(),
    withdrawn_reason: z.string().nullable().meta({ description: 'One of a few fixed words' }),
    row_count: z.int().min(0),
    rejected_count: z.int().min(0),
    supersedes: z.string().nullable(),
    data_class: z.enum(['published', 'sample']),
    log_index: z.int().min(0).meta({ description: 'Its place in the registry log' }),
    withdrawn_log_index: z.int().min(0).nullable(),
    proof: ReleaseProof,
    sources_lost: LostSources.optional(),
  })
  .meta({ id: 'ListedRelease' })

export const ReleaseList = z
  .strictObject({
    data: z.array(ListedRelease),
    page: Page,
    links: Links,
    proof: TimelineProof.optional().meta({ description: 'Left out if the page is of too long a stretch of time' }),
  })
  .meta({ id: 'ReleaseList' })

/** Every release that is in the public log, in the order of the timeline, so that a page can be proved from it. */
export async function listReleases(
  proofs: ListProofs,
  view: View,
  { limit, offset, chart, state }: ReleasesQuery,
  lostSources: (release: Manifest) => LostSource[],
): Promise<ListAnswer<typeof ReleaseList>> {
  const fitting = proofs
    .releasesOf(view)
    .filter(
      (each) => (chart ?? each.release.chart) === each.release.chart && (state ?? stateOf(each)) === stateOf(each),
    )
  const shown = fitting.slice(offset, offset + limit)
  const data: z.input<typeof ListedRelease>[] = []
  for (const each of shown) {
    await ourTurn()
    const replacement = replacementOf(each, proofs.releasesOf(view))
    const lost = lostSources(each.release)
    data.push({
      ...listedRelease(each),
      proof: await releaseProof(proofs, view, each, replacement),
      ...(lost.length > 0 ? { sources_lost: lost } : {}),
    })
  }
  const proof = proofOf(view, shown, chart)
  return { data, total: fitting.length, ...(proof ? { proof } : {}) }
}

const releaseProof = async (
  proofs: ListProofs,
  view: View,
  { release, log_index, withdrawal }: KnownRelease,
  replacement: KnownRelease | undefined,
): Promise<ReleaseProofForm> => ({
  type: RELEASE_PROOF,
  release,
  inclusion: await proofs.inclusion(view, log_index),
  withdrawal: withdrawal
    ? { entry: withdrawal.entry, inclusion: await proofs.inclusion(view, withdrawal.index) }
    : null,
  replaced_by: replacement
    ? {
        release: replacement.release,
        index: replacement.log_index,
        inclusion: await proofs.inclusion(view, replacement.log_index),
      }
    : null,
})

/** The periods of a page, and the one on either side of it. Without releases, those around the place of the chart. */
function proofOf(view: View, shown: readonly KnownRelease[], chart = ''): TimelineProofForm | undefined {
  const [first, last] = [shown[0], shown.at(-1)]
  const from = first ? releaseKey(first) : `${chart}|`
  const to = last ? releaseKey(last) : from
  const place = (key: string): number => indexOfKey(view.periods, key, periodKey)
  // A release that is in force on no day comes after the one in force in its place.
  const begin = place(first && !first.period ? `${from}~` : from)
  return timelineProof(view, Math.max(0, begin - 1), Math.min(view.periods.length, place(`${to}~`) + 1))
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
