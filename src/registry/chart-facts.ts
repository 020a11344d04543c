import type { Db } from '../db/db.ts'
import type { ChartFacts, Facts, RowCheckFacts } from '../integrity/report.ts'
import { chartOf } from './charts.ts'
import { type Check, checksOf, countStated, findDelta } from './check-store.ts'
import { countContents } from './content-store.ts'
import { periodConflicts } from './edition-periods.ts'
import * as releases from './release-store.ts'
import { JUDGED_ON_READING, RULES, type Rule } from './rules.ts'
import * as store from './store.ts'

/** What the integrity report says of each chart's edition in force on a day. */
export async function chartFacts(db: Db, day: string): Promise<ChartFacts[]> {
  const inForce = await store.releasesInForce(db, day)
  const published = (await releases.listReleases(db)).filter(({ state }) => state === 'published')
  return Promise.all(
    inForce.map(async (release) => {
      const chart = chartOf(release.chart)
      if (!chart) throw new Error(`a release of an unknown chart is in force: ${release.release_id}`)
      const { manifest } = release
      const [first] = manifest.citations
      const counts = await countContents(db, release.release_no)
      const state = await releases.findRelease(db, release.release_id)
      const checks = await checksOf(db, release.release_no)
      const stated = await countStated(db, release.release_no)
      return {
        chart_id: chart.chart,
        kind: chart.kind,
        publisher: chart.publisher,
        release_id: release.release_id,
        edition: manifest.edition,
        effective_from: release.effective_from,
        retrieved_at: first?.retrieved_at ?? manifest.recorded_at,
        loaded_at: new Date(Number(state?.loaded_at ?? 0)).toISOString(),
        rows: release.row_count,
        withheld: checks.reduce((sum, { severity, failed }) => sum + (severity === 'withhold' ? failed : 0), 0),
        ...counts,
        citations: manifest.citations.length,
        source_sha256: first?.sha256 ?? '',
        source_bytes: first?.bytes ?? 0,
        data_class: manifest.data_class,
        delta: (await findDelta(db, release.release_no)) ?? null,
        checks: Object.entries(RULES).map(([id, rule]) => {
          const judged = JUDGED_ON_READING[chart.kind].some((each) => each === id) ? stated : 0
          return checkFacts(id, rule, checks, judged)
        }),
        ...periodConflicts(
          chart.kind,
          published.filter((each) => each.chart === chart.chart),
        ),
      }
    }),
  )
}

/** What a rule found; where it found nothing, how many it judged is known only of some. */
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
