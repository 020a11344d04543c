import { daysBetween, nextPeriod, plusDays, type Rhythm } from '../../calendar.ts'

interface Criteria {
  due_before_days: number
  stale_after_days: number
  expired_after_days: number
}

/** When a publisher's next edition takes effect, and how late it may be. */
export interface Calendar extends Criteria {
  /** The next edition begins with the next quarter, the next calendar or federal year, or a year after this one. */
  next: Rhythm
  /** Replaces `expired_after_days` for an edition that was due on the first of January. */
  expired_after_days_in_new_year?: number
}
export type Freshness = 'fresh' | 'due' | 'stale' | 'expired'

interface FreshnessReport {
  cadence: 'quarterly' | 'yearly'
  effective_to: string
  next_effective_expected: string
  expected_by: string
  age_days: number
  overdue_days: number
  status: Freshness
  status_reason: string
  criteria: Criteria
}

const CADENCE: Record<Rhythm, FreshnessReport['cadence']> = {
  quarter: 'quarterly',
  calendar_year: 'yearly',
  fiscal_year: 'yearly',
  year_later: 'yearly',
}

/**
 * Judges by the publisher's calendar whether an edition still covers today. The age of the file does not matter: a
 * third-quarter file is stale in late October though it is young, and a yearly one is fresh in its eleventh month. An
 * edition that states its own end has expired after that day, whatever the calendar says.
 */
export function freshness(
  calendar: Calendar,
  effective_from: string,
  today: string,
  effective_to?: string,
): FreshnessReport {
  const next = nextPeriod(calendar.next, effective_from)
  const { due_before_days, stale_after_days, expired_after_days, expired_after_days_in_new_year } = calendar
  const inNewYear = next.endsWith('-01-01') ? expired_after_days_in_new_year : undefined
  const criteria = { due_before_days, stale_after_days, expired_after_days: inNewYear ?? expired_after_days }
  const report = judge(CADENCE[calendar.next], effective_from, today, next, criteria)
  if (effective_to === undefined) return report
  const hasEnded = today > effective_to
  return { ...report, effective_to, ...(hasEnded ? { status: 'expired', status_reason: 'period_has_ended' } : {}) }
}

function judge(
  cadence: FreshnessReport['cadence'],
  effective_from: string,
  today: string,
  next: string,
  criteria: Criteria,
): FreshnessReport {
  const late = daysBetween(next, today)
  const [status, status_reason] = verdict(late, criteria)
  return {
    cadence,
    effective_to: plusDays(next, -1),
    next_effective_expected: next,
    expected_by: plusDays(next, criteria.stale_after_days),
    age_days: daysBetween(effective_from, today),
    overdue_days: Math.max(0, late - criteria.stale_after_days),
    status,
    status_reason,
    criteria,
  }
}

function verdict(late: number, criteria: Criteria): [Freshness, string] {
  if (late >= criteria.expired_after_days) return ['expired', 'next_edition_long_overdue']
  if (late >= criteria.stale_after_days) return ['stale', 'next_edition_overdue']
  if (late >= 0) return ['due', 'next_edition_has_taken_effect']
  if (late >= -criteria.due_before_days) return ['due', 'next_edition_expected_soon']
  return ['fresh', 'covers_today']
}
