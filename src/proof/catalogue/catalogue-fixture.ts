// Lists of releases and editions from a registry in memory: those of an honest service, and any others of true parts.

import { type Manifest, type Period, periodKey, WITHDRAWAL_SCHEMA, type Withdrawal } from '../price/release.ts'
import { indexOfKey } from '../price/timeline.ts'
import { MemoryProof } from '../proof-fixture.ts'
import type { MemoryRegistry, MemoryRelease } from '../registry-fixture.ts'
import { type CoverageQuestion, holds, listedEdition } from './coverage.ts'
import {
  compareReleases,
  type KnownRelease,
  listedRelease,
  type ReleasesQuestion,
  releaseKey,
  replacementOf,
  stateOf,
} from './releases.ts'

export const PAGE = { limit: 50, total: 0, next_offset: null }

/** The places `[from, to)`, as far as there are any. */
export const placesIn = ({ standing: { periods } }: MemoryRegistry, [from, to]: readonly [number, number]): number[] =>
  Array.from({ length: Math.max(0, to - from) }, (_, i) => from + i).filter((place) => place in periods)

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
export const itemOf = (registry: MemoryRegistry, release: MemoryRelease) => listedRelease(knownOf(registry, release))

/** The entries that show a release of a list: its own, its withdrawal, and what counts in its place. */
export function entriesOf(registry: MemoryRegistry, release: MemoryRelease): number[] {
  const known = knownOf(registry, release)
  const all = registry.releases.map((each) => knownOf(registry, each))
  const later = replacementOf(known, all)
  return [known.log_index, ...(known.withdrawal ? [known.withdrawal.index] : []), ...(later ? [later.log_index] : [])]
}

/** The periods around the place of a release that is in force on no day. */
function around(registry: MemoryRegistry, release: MemoryRelease): number[] {
  const at = indexOfKey(registry.standing.periods, releaseKey({ release: release.manifest }), periodKey)
  return registry.isInForce(release) ? [] : placesIn(registry, [at - 1, at + 1])
}

/** A page of these releases with this stretch of the timeline, whatever they are. */
export async function releasesOf(
  registry: MemoryRegistry,
  releases: readonly MemoryRelease[],
  stretch: readonly [from: number, to: number],
  { from = 0, ...page }: { offset?: number; has_more?: boolean; from?: number } = {},
) {
  const proof = new MemoryProof(registry)
  proof.addPeriods(placesIn(registry, stretch))
  for (const release of releases) {
    proof.addEntries(entriesOf(registry, release))
    proof.addPeriods(around(registry, release))
  }
  return {
    data: releases.map((release) => itemOf(registry, release)),
    page: { ...PAGE, offset: 0, has_more: false, ...page },
    links: {},
    from,
    proof: await proof.member(),
  }
}

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
  const before = fitting.slice(0, offset).findLast(({ known }) => known.period)
  const begin = before ? `${releaseKey(before.known)}~` : chart === undefined ? '' : `${chart}|`
  const from = indexOfKey(periods, begin, periodKey)
  const listed = shown.filter(({ known }) => known.period).length
  const releases = shown.map(({ release }) => release)
  const has_more = offset + limit < fitting.length
  return releasesOf(registry, releases, [from - 1, from + listed + 1], { offset, has_more, from })
}

export const editionItem = (release: Manifest, period: Period) => ({
  ...listedEdition(release, period),
  about: {
    title: 'A schedule',
    codes: 1,
    code_prefixes: [],
    regions: { total: 0, list: [] },
    npis: { total: 0, list: [] },
  },
})

/** A page of these periods, whatever they are. */
export async function coverageOf(
  registry: MemoryRegistry,
  as_of: string,
  places: readonly number[],
  stretch: readonly [from: number, to: number],
  { from = 0, ...page }: { offset?: number; has_more?: boolean; from?: number } = {},
) {
  const proof = new MemoryProof(registry)
  const releases = places.map((place) => registry.releaseNamed((registry.standing.periods[place] as Period).release))
  for (const release of releases) if (release) proof.release(release)
  proof.addPeriods(placesIn(registry, stretch))
  return {
    data: places.map((place, i) =>
      editionItem(releases[i]?.manifest as Manifest, registry.standing.periods[place] as Period),
    ),
    page: { ...PAGE, offset: 0, has_more: false, ...page },
    links: {},
    as_of,
    from,
    proof: await proof.member(),
  }
}

/** Coverage of an honest service, by day and chart. */
export function coverageList(registry: MemoryRegistry, { as_of, chart, offset = 0 }: CoverageQuestion, limit = 50) {
  const { periods } = registry.standing
  const [begin, end] =
    chart === undefined
      ? [0, periods.length]
      : [indexOfKey(periods, `${chart}|`, periodKey), indexOfKey(periods, `${chart}|~`, periodKey)]
  const listed = periods.flatMap((period, i) =>
    holds(period, as_of) && (chart ?? period.chart) === period.chart ? i : [],
  )
  const has_more = offset + limit < listed.length
  const shown = listed.slice(offset, offset + limit)
  const from = (listed[Math.min(offset, listed.length) - 1] ?? begin - 1) + 1
  const to = has_more ? (shown.at(-1) as number) + 1 : end
  return coverageOf(registry, as_of, shown, [from - 1, to + 1], { offset, has_more, from })
}
