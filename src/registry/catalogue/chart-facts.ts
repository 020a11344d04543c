import { plusDays } from '../../calendar.ts'
import type { Db } from '../../db/db.ts'
import { type Calendar, freshness } from '../../integrity/report/freshness.ts'
import type { ChartFacts, Facts, RowCheckFacts } from '../../integrity/report/report.ts'
import { lastRevisions } from '../../proof/price/timeline.ts'
import { ourTurn } from '../../queue.ts'
import { type Charts, chartOf } from '../charts.ts'
import { type Check, checksOf, findDelta } from '../release/check-store.ts'
import { contentsOf, type ReleaseContents } from '../release/contents.ts'
import { periodFit } from '../release/edition.ts'
import { RULES, type Rule } from '../release/rules.ts'
import type { ReleaseState } from '../release/store.ts'
import * as releases from '../release/store.ts'
import { openRelease } from '../rows/release-file-store.ts'
import type { Release } from '../store.ts'
import * as store from '../store.ts'

/** Facts for the integrity report on each chart's latest edition on a day, whether or not it has run out. */
export async function chartFacts(db: Db, day: string, charts: Charts): Promise<ChartFacts[]> {
  const latest = await store.latestEditions(db, day)
  const published = (await releases.listReleases(db)).filter(({ state }) => state === 'published')
  const byChart = Map.groupBy(published, ({ chart }) => chart)
  const facts: ChartFacts[] = []
  for (const release of latest) {
    await ourTurn()
    facts.push(await factsOf(db, release, byChart.get(release.chart) ?? [], charts))
  }
  return facts
}

async function factsOf(
  db: Db,
  release: Release,
  editions: readonly ReleaseState[],
  charts: Charts,
): Promise<ChartFacts> {
  const chart = chartOf(release.chart, charts)
  if (!chart) throw new Error(`a release of an unknown chart is in force: ${release.release_id}`)
  const { manifest } = release
  const [first] = manifest.citations
  const state = editions.find(({ release_id }) => release_id === release.release_id)
  const checks = await checksOf(db, release.release_no)
  const held = contentsIn(db, release, state?.contents ?? null, checks)
  return {
    chart_id: chart.chart,
    kind: chart.kind,
    calendar: chart.calendar,
    publisher: chart.publisher,
    release_id: release.release_id,
    edition: manifest.edition,
    effective_from: release.effective_from,
    effective_to: manifest.effective_to,
    retrieved_at: first?.retrieved_at ?? manifest.recorded_at,
    loaded_at: new Date(state?.loaded_at ?? 0).toISOString(),
    rows: release.row_count,
    withheld: held.withheld,
    codes: held.codes,
    regions: held.regions,
    providers: held.providers,
    source_sha256: first?.sha256 ?? '',
    source_bytes: first?.bytes ?? 0,
    data_class: manifest.data_class,
    delta: (await findDelta(db, release.release_no)) ?? null,
    checks: Object.entries(RULES).map(([id, rule]) => {
      const judged = chart.judgedOnReading.some((each) => each === id) ? held.stated : 0
      return checkFacts(id, rule, checks, judged)
    }),
    periods: periodConflicts(chart.calendar, editions),
    superseded: supersededIn(editions),
  }
}

/** As it was counted when the release was staged; of one that was staged before that was done, from its file. */
function contentsIn(db: Db, release: Release, stored: string | null, checks: readonly Check[]): ReleaseContents {
  if (stored !== null) return JSON.parse(stored) as ReleaseContents
  const withheld = checks.reduce((sum, { severity, failed }) => sum + (severity === 'withhold' ? failed : 0), 0)
  return contentsOf(openRelease(db, release), withheld)
}

/** The latest edition of every chart, in force or expired, and how fresh it is on a day. */
export async function chartFreshness(db: Db, day: string, charts: Charts) {
  const latest = await store.latestEditions(db, day)
  return latest.flatMap(({ release_id, row_count, manifest }) => {
    const entry = chartOf(manifest.chart, charts)
    if (!entry) return []
    const { chart, edition, effective_from, effective_to, data_class } = manifest
    const { status, status_reason, next_effective_expected } = freshness(
      entry.calendar,
      effective_from,
      day,
      effective_to,
    )
    const held = {
      chart,
      title: entry.title,
      release_id,
      edition,
      effective_from,
      effective_to,
      rows: row_count,
      data_class,
    }
    return [{ ...held, status, status_reason, next_effective_expected }]
  })
}

/**
 * These facts as pages show them. The report calls a list expired that its publisher should have replaced long ago; for readers
 * it is so when it gives no price any more.
 */
export async function shownCharts(db: Db, day: string, charts: Charts) {
  return (await chartFreshness(db, day, charts)).map((chart) =>
    chart.status === 'expired' && chart.effective_to >= day ? { ...chart, status: 'overdue' as const } : chart,
  )
}

/** Findings of a rule; where it found nothing, how many it judged is known only of some. */
function checkFacts(
  check_id: string,
  { severity, threshold, version }: Rule,
  checks: readonly Check[],
  judged: number,
): RowCheckFacts {
  const found = checks.find(({ rule }) => rule === check_id)
  return {
    check_id,
    severity,
    threshold,
    rule_version: version,
    evaluated: found?.evaluated ?? judged,
    failed: found?.failed ?? 0,
    sample_row_ids: found?.sample_keys ?? [],
  }
}

/** When a file was last loaded, published since or not. A load that was refused before its first row leaves no trace. */
export async function lastLoad(db: Db): Promise<Facts['last_load']> {
  const last = await releases.findLastLoad(db)
  return last ? { at: new Date(last.at).toISOString(), status: last.ended ? 'ok' : 'unfinished' } : null
}

/** Entries of the log beside the latest editions. */
export async function publishedFacts(db: Db, day: string): Promise<Pick<Facts, 'published' | 'unknown_charts'>> {
  const logged = (await releases.listReleases(db)).filter(({ published_at }) => published_at !== null)
  const known = new Set((await store.latestEditions(db, day)).map(({ chart }) => chart))
  return {
    published: logged.map(({ release_id, published_at }) => ({ release_id, published_at: published_at ?? 0 })),
    unknown_charts: new Set(logged.map(({ chart }) => chart).filter((chart) => !known.has(chart))).size,
  }
}

const inLogOrder = (published: readonly ReleaseState[]): ReleaseState[] =>
  published.toSorted((a, b) => (a.log_index ?? 0) - (b.log_index ?? 0))

/** Rule R11: whether the periods of a chart's editions meet. Revisions that were replaced do not count. */
function periodConflicts(calendar: Calendar, published: readonly ReleaseState[]): ChartFacts['periods'] {
  const editions = lastRevisions(inLogOrder(published))
  const inOrder = editions.sort((a, b) => (a.effective_from < b.effective_from ? -1 : 1))
  return inOrder.flatMap((later, i) => {
    const earlier = inOrder[i - 1]
    const { gap, overlap } = periodFit(calendar, { edition: earlier, revision: undefined }, later)
    const { chart: chart_id, release_id, effective_from } = later
    const found = (kind: 'gap' | 'overlap', days: number, from: string) =>
      days > 0 ? [{ chart_id, release_id, kind, days, from, to: plusDays(from, days - 1) }] : []
    return [...found('overlap', overlap, effective_from), ...found('gap', gap, plusDays(effective_from, -gap))]
  })
}

/** A newer file for the same edition replaces the ones before it. */
function supersededIn(published: readonly ReleaseState[]): ChartFacts['superseded'] {
  const inOrder = inLogOrder(published)
  return inOrder.flatMap(({ release_id, edition }, i) => {
    const newer = inOrder.slice(i + 1).findLast((later) => later.edition === edition)
    return newer ? [{ release_id, superseded_by: newer.release_id }] : []
  })
}
