import { DAY_MS } from '../../calendar.ts'
import { PARTS, type VerificationFacts } from '../verification/facts.ts'

/** Why a report is not `ok`: the rules are in docs/spec/integrity-report.md. One failure makes it `fail`. */
export interface Reasons {
  failures: string[]
  warnings: string[]
}

/** A cycle takes hours, so a part that was not verified for this long is not being verified at all. */
const OVERDUE_MS = 7 * DAY_MS

/** The reasons that come from charts and proofs. */
export function proofReasons(
  charts: readonly { chart_id: string; status: string }[],
  published: readonly { release_id: string; published_at: number }[],
  { parts, failing }: VerificationFacts,
  now: number,
): Reasons {
  const inState = (wanted: string): string[] =>
    charts.filter(({ status }) => status === wanted).map(({ chart_id }) => `chart_${wanted}:${chart_id}`)
  const isOverdue = published.some(
    ({ release_id, published_at }) => now - (parts.get(release_id)?.verified_at ?? published_at) > OVERDUE_MS,
  )
  const isUntried =
    parts.size === 0 || (published.length > 0 && !published.some(({ release_id }) => parts.has(release_id)))
  return {
    failures: [...inState('expired'), ...failing.map(({ part }) => `proofs_failed:${part}`)],
    warnings: [
      ...(charts.length === 0 ? ['no_chart_published'] : []),
      ...inState('stale'),
      ...(isUntried ? ['proofs_never_verified'] : isOverdue ? ['proofs_overdue'] : []),
    ],
  }
}

/** Releases in the log that were never verified. */
export const unverified = (
  published: readonly { release_id: string }[],
  { parts }: Pick<VerificationFacts, 'parts'>,
): string[] => published.flatMap(({ release_id }) => (parts.has(release_id) ? [] : release_id))

/** The time since which everything public has been verified; null while a release or a log never was. */
export function wholeSince(
  published: readonly { release_id: string }[],
  { parts, oldest_verification_at }: Pick<VerificationFacts, 'parts' | 'oldest_verification_at'>,
): number | null {
  const areLogsVerified = parts.has(PARTS.registry) && parts.has(PARTS.figures)
  return areLogsVerified && unverified(published, { parts }).length === 0 ? oldest_verification_at : null
}

export const instant = (at: number | null): string | null => (at === null ? null : new Date(at).toISOString())
