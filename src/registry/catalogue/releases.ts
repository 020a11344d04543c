import { z } from 'zod'
import type { Db } from '../../db/db.ts'
import { Links, type ListAnswer, Page, pageInput } from '../../paging.ts'
import {
  type KnownRelease,
  listedRelease,
  RELEASE_STATES,
  releaseKey,
  replacementOf,
  stateOf,
} from '../../proof/catalogue/releases.ts'
import type { LostSource } from '../../proof/price/lost-source.ts'
import { isManifest, isWithdrawal, type Manifest, periodKey, type Withdrawal } from '../../proof/price/release.ts'
import { indexOfKey } from '../../proof/price/timeline.ts'
import { ourTurn } from '../../queue.ts'
import { type Charts, chartOf } from '../charts.ts'
import { AnswerProof } from '../lookup/answer-proof.ts'
import { LostSources } from '../lookup/answer-schema.ts'
import { chartId } from '../lookup/browse.ts'
import type { Proofs } from '../lookup/proofs.ts'
import { Proof } from '../lookup/row-schema.ts'
import type { View } from '../lookup/view.ts'
import { Days } from './coverage.ts'
import type { EntryProofs } from './entry-proofs.ts'
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
    in_force: Days.optional().meta({ description: 'Left out if it is in force on no day' }),
    published_at: z.iso.datetime(),
    withdrawn_at: z.iso.datetime().optional(),
    withdrawn_reason: z.string().optional().meta({ description: 'One of a few fixed words' }),
    row_count: z.int().min(0),
    rejected_count: z.int().min(0),
    supersedes: z.string().optional(),
    data_class: z.enum(['published', 'sample']),
    log_index: z.int().min(0).meta({ description: 'Its place in the registry log' }),
    withdrawn_log_index: z.int().min(0).optional(),
    about: z.strictObject({ sources_lost: LostSources }).optional(),
  })
  .meta({ id: 'ListedRelease' })

export const ReleaseList = z
  .strictObject({
    data: z.array(ListedRelease),
    page: Page,
    links: Links,
    from: z
      .int()
      .min(0)
      .meta({ description: 'The place in the timeline from which the page accounts for all that is in force' }),
    proof: Proof,
  })
  .meta({ id: 'ReleaseList' })

/** Every release that is in the public log, in the order of the timeline, so that a page can be proved from it. */
export async function listReleases(
  proofs: Proofs,
  log: EntryProofs,
  { limit, offset, chart, state }: ReleasesQuery,
  lostSources: (release: Manifest) => LostSource[],
): Promise<ListAnswer<typeof ReleaseList>> {
  const { view } = proofs
  const all = log.releasesOf(view)
  const fitting = all.filter(
    (each) => (chart ?? each.release.chart) === each.release.chart && (state ?? stateOf(each)) === stateOf(each),
  )
  const shown = fitting.slice(offset, offset + limit)
  const data: z.input<typeof ListedRelease>[] = []
  const entries: number[] = []
  for (const each of shown) {
    await ourTurn()
    const replacement = replacementOf(each, all)
    const lost = lostSources(each.release)
    data.push({ ...listedRelease(each), ...(lost.length > 0 && { about: { sources_lost: lost } }) })
    entries.push(each.log_index)
    if (each.withdrawal) entries.push(each.withdrawal.index)
    if (replacement) entries.push(replacement.log_index)
  }
  const from = placeOf(view, fitting, offset, chart)
  const proof = new AnswerProof(proofs)
  for (const stretch of stretchesOf(view, shown, from)) proof.addPeriods(stretch)
  const member = proof.member(await log.entries(view, entries))
  return { data, total: fitting.length, from, proof: member as unknown as z.input<typeof Proof> }
}

/** Where the timeline goes on after what the pages before have listed. */
function placeOf(view: View, fitting: readonly KnownRelease[], offset: number, chart: string | undefined): number {
  const before = fitting.slice(0, offset).findLast(({ period }) => period !== undefined)
  if (before) return indexOfKey(view.periods, `${releaseKey(before)}~`, periodKey)
  return chart === undefined ? 0 : indexOfKey(view.periods, `${chart}|`, periodKey)
}

/** The periods of a page with those on either side of them, and those around each release that is in force on no day. */
function stretchesOf(view: View, shown: readonly KnownRelease[], from: number): [number, number][] {
  const within = (start: number, end: number): [number, number] => [
    Math.max(0, start),
    Math.min(view.periods.length, end),
  ]
  const listed = shown.filter(({ period }) => period !== undefined).length
  const others = shown.flatMap((each): [number, number][] => {
    const place = indexOfKey(view.periods, releaseKey(each), periodKey)
    return each.period ? [] : [within(place - 1, place + 1)]
  })
  return [within(from - 1, from + listed + 1), ...others]
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
