// Lists of releases and editions from a registry in memory: those of an honest service, and any others of true parts.

import { toBase64 } from '../bytes.ts'
import { type Manifest, type Period, periodKey, WITHDRAWAL_SCHEMA, type Withdrawal } from '../price/release.ts'
import { leafOf } from '../price/timeline.ts'
import type { MemoryRegistry, MemoryRelease } from '../registry-fixture.ts'
import { HashTree } from '../tree/hash-tree.ts'
import { type CoverageQuestion, EDITION_PROOF, holds, listedEdition } from './coverage.ts'
import {
  compareReleases,
  type KnownRelease,
  listedRelease,
  RELEASE_PROOF,
  type ReleasesQuestion,
  releaseKey,
  replacementOf,
  stateOf,
} from './releases.ts'
import { TIMELINE_PROOF, type TimelineProof, type TimelineRun } from './timeline-proof.ts'

export const PAGE = { limit: 50, total: 0, next_offset: null }

/** The periods `[from, to)` of the timeline. */
export function runOf({ standing: { periods } }: MemoryRegistry, from: number, to: number): TimelineRun {
  const { left, right } = new HashTree(periods.map(leafOf)).sides(from, to)
  return {
    from,
    periods: periods.slice(from, to),
    left_path: left.map(toBase64),
    right_path: right.map(toBase64),
  }
}

export async function timelineOf(
  registry: MemoryRegistry,
  ...stretches: readonly [from: number, to: number][]
): Promise<TimelineProof> {
  const runs = stretches.filter(([from, to]) => from < to).map(([from, to]) => runOf(registry, from, to))
  return { type: TIMELINE_PROOF, runs, state: registry.state, log: await registry.proof() }
}

/** All that there is to know of a release. */
export function knownOf({ entries, standing }: MemoryRegistry, { manifest, name }: MemoryRelease): KnownRelease {
  const at = entries.findIndex(
    (entry) => entry.schema === WITHDRAWAL_SCHEMA && entry.release_id === manifest.release_id,
  )
  return {
    release: manifest,
    log_index: entries.indexOf(manifest),
    period: standing.periods.find((period) => period.release === name),
    withdrawal: at < 0 ? undefined : { entry: entries[at] as Withdrawal, index: at },
  }
}

/** A release as a list shows it. */
export function itemOf(registry: MemoryRegistry, release: MemoryRelease) {
  const known = knownOf(registry, release)
  const tree = new HashTree(registry.log.leaves)
  const inclusion = (index: number): string[] => tree.path(index).map(toBase64)
  const withdrawal = known.withdrawal && {
    entry: known.withdrawal.entry,
    inclusion: inclusion(known.withdrawal.index),
  }
  const all = registry.releases.map((each) => knownOf(registry, each))
  return {
    ...listedRelease(known),
    proof: {
      type: RELEASE_PROOF,
      release: known.release,
      inclusion: inclusion(known.log_index),
      withdrawal: withdrawal ?? null,
      replaced_by: replacedBy(replacementOf(known, all), inclusion),
    },
  }
}

export const replacedBy = (later: KnownRelease | undefined, inclusion: (index: number) => string[]) =>
  later ? { release: later.release, index: later.log_index, inclusion: inclusion(later.log_index) } : null

/** A page of these releases with this stretch of the timeline, whatever they are. */
export const releasesOf = async (
  registry: MemoryRegistry,
  releases: readonly MemoryRelease[],
  stretch: [from: number, to: number],
  page: { offset?: number; has_more?: boolean } = {},
) => ({
  data: releases.map((release) => itemOf(registry, release)),
  page: { ...PAGE, offset: 0, has_more: false, ...page },
  links: {},
  proof: await timelineOf(registry, stretch),
})

/** The list of an honest service. */
export function releaseList(registry: MemoryRegistry, asked: ReleasesQuestion = {}, limit = 50) {
  const { chart, state, offset = 0 } = asked
  const fitting = registry.releases
    .map((release) => ({ release, known: knownOf(registry, release) }))
    .filter(({ known }) => (chart ?? known.release.chart) === known.release.chart)
    .filter(({ known }) => (state ?? stateOf(known)) === stateOf(known))
    .sort((a, b) => compareReleases(a.known, b.known))
  const shown = fitting.slice(offset, offset + limit)
  const { periods } = registry.standing
  const [first, last] = [shown[0]?.known, shown.at(-1)?.known]
  const before = (period: Period): boolean => {
    const key = periodKey(period)
    if (!first) return key < `${chart}|`
    return key < releaseKey(first) || (key === releaseKey(first) && !first.period)
  }
  const upTo = (period: Period): boolean => (last ? periodKey(period) <= releaseKey(last) : before(period))
  const from = Math.max(0, periods.filter(before).length - 1)
  const to = Math.min(periods.length, periods.filter(upTo).length + 1)
  const releases = shown.map(({ release }) => release)
  return releasesOf(registry, releases, [from, to], { offset, has_more: offset + limit < fitting.length })
}

/** An edition as coverage shows it. What it holds is invented: nothing of it is proved. */
export const editionItem = (release: Manifest, period: Period) => ({
  ...listedEdition(release, period),
  title: 'A schedule',
  codes: 1,
  code_prefixes: [],
  regions: { total: 0, list: [] },
  npis: { total: 0, list: [] },
  code: null,
  proof: { type: EDITION_PROOF, release },
})

/** A page of these periods, whatever they are. */
export const coverageOf = async (
  registry: MemoryRegistry,
  as_of: string,
  places: readonly number[],
  stretch: [from: number, to: number],
  page: { offset?: number; has_more?: boolean } = {},
) => ({
  data: places.map((place) => {
    const period = registry.standing.periods[place] as Period
    return editionItem(registry.releaseNamed(period.release)?.manifest as Manifest, period)
  }),
  page: { ...PAGE, offset: 0, has_more: false, ...page },
  links: {},
  as_of,
  proof: await timelineOf(registry, stretch),
})

/** Coverage of an honest service, by day and chart. */
export function coverageList(registry: MemoryRegistry, { as_of, chart, offset = 0 }: CoverageQuestion, limit = 50) {
  const { periods } = registry.standing
  const ofChart = periods.flatMap((period, i) => (period.chart === chart ? i : []))
  const at = periods.filter((period) => periodKey(period) < `${chart}|`).length
  const [begin, end] =
    chart === undefined ? [0, periods.length] : [Math.max(0, at - 1), Math.min(periods.length, at + ofChart.length + 1)]
  const listed = periods.flatMap((period, i) =>
    holds(period, as_of) && (chart ?? period.chart) === period.chart ? i : [],
  )
  const has_more = offset + limit < listed.length
  const shown = listed.slice(offset, offset + limit)
  const from = offset === 0 ? begin : (listed[offset - 1] as number)
  return coverageOf(registry, as_of, shown, [from, has_more ? (shown.at(-1) as number) + 1 : end], { offset, has_more })
}
