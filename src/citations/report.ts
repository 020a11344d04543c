// Citation health for the integrity report, from stored results only.

import type { Db } from '../db/db.ts'
import type { CitedByRelease } from './check.ts'
import { CITATION_STATES, type CitationState, type FailingState, isFailing, isLost } from './judgement.ts'
import { keyOf, listChecks, listCopies, type StoredCheck } from './store.ts'

const MOST_FAILING = 50
const DAY_MS = 86_400_000

interface CitationHealth {
  counts: Record<CitationState, number>
  oldest_check_at: string | null
  checked_last_24h: number
  archived_share: number | null
  total_failing: number
  failing: FailingCitation[]
  truncated: boolean
  last_check_at: string | null
}

export interface FailingCitation {
  chart_id: string
  release_id: string
  source_url: string
  status: FailingState
  http_status: number | null
  expected_sha256: string
  observed_sha256: string | null
  first_failed_at: string | null
  last_ok_at: string | null
  consecutive_failures: number
  rows_affected: number
  archived_copy: boolean
  next_check_at: string
}

/** Makes the citation health from the stored looks and copies. */
export async function citationHealthOf(
  db: Db,
  cited: readonly CitedByRelease[],
  now: number,
  hasArchive: boolean,
): Promise<CitationHealth> {
  const sound = new Set((await listCopies(db)).filter(({ is_sound }) => is_sound === 1).map(({ sha256 }) => sha256))
  return citationHealth(cited, await listChecks(db), now, hasArchive ? (sha256) => sound.has(sha256) : undefined)
}

/** `isArchived` is undefined if no archive is kept. */
function citationHealth(
  cited: readonly CitedByRelease[],
  checks: readonly StoredCheck[],
  now: number,
  isArchived: ((sha256: string) => boolean) | undefined,
): CitationHealth {
  const found = new Map(checks.map((check) => [keyOf(check), check]))
  const counts = Object.fromEntries(CITATION_STATES.map((state) => [state, 0])) as Record<CitationState, number>
  const failing: FailingCitation[] = []
  const times: number[] = []
  for (const source of cited) {
    const check = found.get(keyOf(source))
    counts[check?.state ?? 'unchecked']++
    if (!check) continue
    times.push(check.checked_at)
    const { state } = check
    if (isFailing(state)) failing.push(entryOf(source, check, state, isArchived?.(source.sha256) ?? false))
  }
  times.sort((a, b) => a - b)
  // Lost sources come first, because the list is cut.
  const rank = ({ status, archived_copy }: FailingCitation): number => (isLost(status, archived_copy) ? 0 : 1)
  failing.sort((a, b) => rank(a) - rank(b))
  const archived = isArchived && cited.filter(({ sha256 }) => isArchived(sha256)).length
  return {
    counts,
    oldest_check_at: instant(times[0]),
    checked_last_24h: times.filter((at) => now - at < DAY_MS).length,
    archived_share: archived === undefined || cited.length === 0 ? null : archived / cited.length,
    total_failing: failing.length,
    failing: failing.slice(0, MOST_FAILING),
    truncated: failing.length > MOST_FAILING,
    last_check_at: instant(times.at(-1)),
  }
}

const instant = (at: number | null | undefined): string | null =>
  at === null || at === undefined ? null : new Date(at).toISOString()

const entryOf = (
  source: CitedByRelease,
  check: StoredCheck,
  status: FailingState,
  archived_copy: boolean,
): FailingCitation => ({
  chart_id: source.chart,
  release_id: source.release_id,
  source_url: source.url,
  status,
  http_status: check.http_status,
  expected_sha256: source.sha256,
  observed_sha256: check.observed_sha256,
  first_failed_at: instant(check.first_failed_at),
  last_ok_at: instant(check.last_ok_at),
  consecutive_failures: check.failures,
  rows_affected: source.rows,
  archived_copy,
  next_check_at: new Date(check.next_check_at).toISOString(),
})
