/** How a publisher keeps its charts: by quarter, the physicians' with the new year strict, or by the age of a file. */
export type ChartKind = 'cms_pfs' | 'cms_clfs' | 'cms_opps' | 'hospital_mrf'
export type Freshness = 'fresh' | 'due' | 'stale' | 'expired'

export interface FreshnessReport {
  cadence: 'quarterly' | 'yearly'
  effective_to: string
  next_effective_expected: string
  expected_by: string
  age_days: number
  overdue_days: number
  status: Freshness
  status_reason: string
  criteria: { due_before_days: number; stale_after_days: number; expired_after_days: number }
}

const DAY_MS = 86_400_000
const asMs = (day: string): number => Date.parse(`${day}T00:00:00Z`)
const asDay = (ms: number): string => new Date(ms).toISOString().slice(0, 10)
const plusDays = (day: string, days: number): string => asDay(asMs(day) + days * DAY_MS)
export const daysBetween = (from: string, to: string): number => Math.floor((asMs(to) - asMs(from)) / DAY_MS)

/** The first day of the quarter after the one that `day` lies in. */
function nextQuarter(day: string): string {
  const date = new Date(asMs(day))
  return asDay(Date.UTC(date.getUTCFullYear(), Math.floor(date.getUTCMonth() / 3) * 3 + 3, 1))
}

/**
 * Whether an edition still covers today, against the publisher's calendar and not the age of a file:
 * a third-quarter file is stale in late October though it is young, and a yearly one is fresh in month eleven.
 */
export function freshness(kind: ChartKind, effective_from: string, today: string): FreshnessReport {
  return kind === 'hospital_mrf' ? yearly(effective_from, today) : quarterly(kind, effective_from, today)
}

function quarterly(kind: ChartKind, effective_from: string, today: string): FreshnessReport {
  const next = nextQuarter(effective_from)
  // The physicians' conversion factor changes on the first of January, so an old edition is wrong, not only late.
  const newYear = kind === 'cms_pfs' && next.endsWith('-01-01')
  const criteria = { due_before_days: 30, stale_after_days: 15, expired_after_days: newYear ? 15 : 45 }
  return judge('quarterly', effective_from, today, next, criteria)
}

/** 45 CFR 180.50(e): hospitals update at least once a year. */
function yearly(last_updated_on: string, today: string): FreshnessReport {
  const criteria = { due_before_days: 30, stale_after_days: 1, expired_after_days: 35 }
  return judge('yearly', last_updated_on, today, plusDays(last_updated_on, 365), criteria)
}

function judge(
  cadence: FreshnessReport['cadence'],
  effective_from: string,
  today: string,
  next: string,
  criteria: FreshnessReport['criteria'],
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

function verdict(late: number, criteria: FreshnessReport['criteria']): [Freshness, string] {
  if (late >= criteria.expired_after_days) return ['expired', 'next_edition_long_overdue']
  if (late >= criteria.stale_after_days) return ['stale', 'next_edition_overdue']
  if (late >= 0) return ['due', 'next_edition_has_taken_effect']
  if (late >= -criteria.due_before_days) return ['due', 'next_edition_expected_soon']
  return ['fresh', 'covers_today']
}
