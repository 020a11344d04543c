import { DAY_MS } from '../../calendar.ts'
import type { VerificationFacts } from '../verification/facts.ts'

/** Why a report is not `ok`: the rules are in docs/spec/integrity-report.md. One failure makes it `fail`. */
export interface Reasons {
  failures: string[]
  warnings: string[]
}

/** A cycle takes hours: what has not been verified for so long is not being verified at all. */
const OVERDUE_MS = 7 * DAY_MS

/** What charts and proofs give reason for. */
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
  return {
    failures: [...inState('expired'), ...failing.map(({ part }) => `proofs_failed:${part}`)],
    warnings: [
      ...(charts.length === 0 ? ['no_chart_published'] : []),
      ...inState('stale'),
      ...(parts.size === 0 ? ['proofs_never_verified'] : isOverdue ? ['proofs_overdue'] : []),
    ],
  }
}

export const instant = (at: number | null): string | null => (at === null ? null : new Date(at).toISOString())
