import { dayOf } from '../../calendar.ts'
import type { VerificationFacts } from '../verification/facts.ts'
import type { VerifiedPart } from '../verification/store.ts'
import { type Calendar, freshness } from './freshness.ts'
import { instant, proofReasons, type Reasons, unverified, wholeSince } from './reasons.ts'
import type { IntegrityReport } from './report-shape.ts'

/** The registry's facts about the edition in force of a chart. */
export interface ChartFacts {
  chart_id: string
  kind: string
  calendar: Calendar
  publisher: string
  release_id: string
  edition: string
  effective_from: string
  effective_to: string
  retrieved_at: string
  loaded_at: string
  rows: number
  withheld: number
  codes: number
  regions: number
  providers: number
  source_sha256: string
  source_bytes: number
  data_class: 'published' | 'sample'
  /** The differences from the edition it replaced; null for the first edition of its chart. */
  delta: IntegrityReport['charts'][number]['delta']
  /** The results of the rules: an entry for every rule, evaluated or not. */
  checks: RowCheckFacts[]
  /** Overlaps and gaps between the periods of its editions. */
  periods: IntegrityReport['conflicts']['periods']
  /** Releases of the chart that a later revision of the same edition has replaced. */
  superseded: IntegrityReport['charts'][number]['superseded']
}

export interface RowCheckFacts {
  check_id: string
  severity: 'reject' | 'withhold' | 'flag'
  threshold: string
  rule_version: string
  evaluated: number
  failed: number
  sample_row_ids: string[]
}

export interface FiguresFacts {
  release_id: string | null
  released_at: string | null
  next_release_at: string
  sdc_rule_version: string
  metrics_suppressed: number
  disclosure_audit: 'pass' | 'fail' | null
  audited_at: string | null
}

/** NPIs that hospital files share. */
export interface ProviderFacts {
  /** NPIs that the files of several charts name. */
  overlaps: number
  /** Moves of an NPI from one chart to another. */
  moves: number
  /** Each NPI that is shared or was moved. */
  shared: IntegrityReport['providers']['samples']
}

export interface Facts {
  charts: ChartFacts[]
  /** Charts in the log of which no edition has begun, or all were withdrawn: nothing can be said about their age. */
  unknown_charts: number
  /** Every release in the log, withdrawn since or not, and when it was published. */
  published: { release_id: string; published_at: number }[]
  providers: ProviderFacts
  figures: FiguresFacts
  /** The latest load, in force or not. */
  last_load: IntegrityReport['jobs']['last_load']
  /** The public checkpoint, and how many of the configured witnesses have cosigned it. */
  log: { size: number; root: string; checkpoint_at: string; key_id: string; witnesses: number }
  verification: VerificationFacts
  citations: IntegrityReport['citations'] & {
    counts: IntegrityReport['summary']['citations']
    last_check_at: string | null
  }
  /** The last looks at the pages of the publishers. */
  publishers: IntegrityReport['publishers']
}

/** How many looks are listed. */
const MOST_LOOKS = 200

type FailingCitation = IntegrityReport['citations']['failing'][number]

const MOST_SAMPLES = 5
const MOST_LISTED = 50

/** Makes the report from stored facts and the day. The same input gives the same report. */
export function integrityReport(facts: Facts, now: number): IntegrityReport {
  const today = dayOf(now)
  const { verification } = facts
  const charts = facts.charts.map((chart) => chartEntry(chart, today, verification))
  const checks = ruleChecks(facts)
  const { audited_at, ...figures } = facts.figures
  const failed = (fits: (check: (typeof checks)[number]) => boolean): number =>
    checks.filter(fits).reduce((sum, check) => sum + check.failed, 0)
  const periods = facts.charts.flatMap((chart) => chart.periods)
  const ofKind = (kind: 'gap' | 'overlap'): typeof periods => periods.filter((each) => each.kind === kind)
  const conflicting = checks.find(({ check_id }) => check_id === 'R10')
  const { failures, warnings } = statusReasons(facts, charts, now)
  const byStatus = (status: string): typeof charts => charts.filter((chart) => chart.status === status)
  const rowsOf = (list: typeof charts): number => list.reduce((sum, { rows }) => sum + rows, 0)
  const rows_withheld = facts.charts.reduce((sum, chart) => sum + chart.withheld, 0)
  const rows_failed = charts.reduce((sum, chart) => sum + chart.rows_failed, 0)
  const { overlaps, moves, shared } = facts.providers
  const { counts: _, last_check_at, ...citations } = facts.citations
  return {
    report_version: '2.0.0',
    generated_at: newest(facts, today),
    release_id: latest(facts.charts),
    status: failures.length > 0 ? 'fail' : warnings.length > 0 ? 'warn' : 'ok',
    status_reasons: [...failures, ...warnings],
    summary: {
      rows_served: Math.max(0, rowsOf(charts) - rows_withheld - rows_failed),
      rows_withheld,
      rows_failed,
      rows_rejected_last_load: failed(({ severity, check_id }) => severity === 'reject' && check_id !== 'R01'),
      proof_coverage: coverage(verification),
      charts: {
        fresh: byStatus('fresh').length,
        due: byStatus('due').length,
        stale: byStatus('stale').length,
        expired: byStatus('expired').length,
        unknown: facts.unknown_charts,
      },
      citations: facts.citations.counts,
      rows_by_chart_status: {
        fresh: rowsOf(byStatus('fresh')),
        due: rowsOf(byStatus('due')),
        stale: rowsOf(byStatus('stale')),
        expired: rowsOf(byStatus('expired')),
      },
    },
    charts,
    citations,
    checks,
    conflicts: {
      duplicates_merged: failed(({ check_id }) => check_id === 'R09'),
      same_key_different_price: conflicting?.failed ?? 0,
      overlaps: ofKind('overlap').length,
      gaps: ofKind('gap').length,
      periods: periods.slice(0, MOST_LISTED),
      samples: (conflicting?.sample_row_ids ?? []).slice(0, MOST_SAMPLES),
    },
    providers: { overlaps, moves, samples: shared.slice(0, MOST_LISTED) },
    proofs: {
      rows_without_proof: verification.parts.size === 0 ? null : verification.rows_failed,
      last_full_verification_at: instant(wholeSince(facts.published, verification)),
      last_verification_at: instant(verification.last_verification_at),
      releases_unverified: unverified(facts.published, verification).length,
      rows_verified: verification.rows_verified,
      rows_failed: verification.rows_failed,
      total_failing: verification.failing.length,
      failing: verification.failing.slice(0, MOST_LISTED).map(failingPart),
      log_size: facts.log.size,
      root_hash: facts.log.root,
      checkpoint_at: facts.log.checkpoint_at,
      key_id: facts.log.key_id,
      witnesses: facts.log.witnesses,
    },
    figures,
    publishers: facts.publishers.slice(0, MOST_LOOKS),
    jobs: {
      last_load: facts.last_load,
      last_verification: outcome(instant(verification.last_verification_at), verification.failing.length > 0),
      last_link_check: outcome(last_check_at, citations.total_failing > 0),
      last_disclosure_audit: outcome(audited_at, figures.disclosure_audit === 'fail'),
    },
  }
}

const outcome = (at: string | null, hasFailed: boolean) =>
  at === null ? null : { at, status: hasFailed ? ('failed' as const) : ('ok' as const) }

/** The rules for the status: docs/spec/integrity-report.md. */
function statusReasons(facts: Facts, charts: Parameters<typeof proofReasons>[0], now: number): Reasons {
  const { failures, warnings } = proofReasons(charts, facts.published, facts.verification, now)
  const ahead = facts.charts.flatMap(({ periods }) =>
    periods.filter(({ kind, to }) => kind === 'gap' && to >= dayOf(now)).map((gap) => `gap_ahead:${gap.release_id}`),
  )
  const isAuditFailed = facts.figures.disclosure_audit === 'fail'
  return {
    failures: [...failures, ...(isAuditFailed ? ['disclosure_audit_failed'] : []), ...citationReasons(facts, true)],
    warnings: [...warnings, ...ahead, ...citationReasons(facts, false)],
  }
}

const failingPart = ({ part, verified_at, first_failed_at, rows_failed, fault_count, faults }: VerifiedPart) => ({
  part,
  verified_at: new Date(verified_at).toISOString(),
  first_failed_at: new Date(first_failed_at ?? verified_at).toISOString(),
  rows_failed,
  fault_count,
  faults: faults.slice(0, MOST_SAMPLES),
})

/** The time of the last change in the report, the new day included. While nothing changes, the report has the same bytes. */
function newest({ log, verification, citations, figures, last_load, publishers }: Facts, today: string): string {
  const times = [
    `${today}T00:00:00.000Z`,
    log.checkpoint_at,
    instant(verification.last_verification_at),
    citations.last_check_at,
    ...publishers.map(({ looked_at }) => looked_at),
    figures.audited_at,
    figures.released_at,
    last_load?.at ?? null,
  ]
  return times.reduce((last: string, at) => (at !== null && at > last ? at : last), '')
}

/** A failure is a source that has changed or is gone, and of which no copy is kept: nobody can see it any more. */
function citationReasons({ citations }: Facts, isFailure: boolean): string[] {
  const isLost = ({ status, archived_copy }: FailingCitation): boolean =>
    ['changed', 'gone'].includes(status) && !archived_copy
  const wanted = citations.failing.filter((failing) => isLost(failing) === isFailure)
  return [...new Set(wanted.map(({ status, chart_id }) => `citation_${status}:${chart_id}`))]
}

/** The share of rows that could be proved when they were last verified; unknown before that. */
const coverage = ({ parts, rows_verified, rows_failed }: VerificationFacts): number | null => {
  if (parts.size === 0) return null
  return rows_verified === 0 ? 1 : Math.floor(((rows_verified - rows_failed) / rows_verified) * 10_000) / 10_000
}

function chartEntry(chart: ChartFacts, today: string, { parts }: VerificationFacts): IntegrityReport['charts'][number] {
  const verified = parts.get(chart.release_id)
  const { kind, calendar, effective_from, effective_to } = chart
  return {
    chart_id: chart.chart_id,
    kind,
    publisher: chart.publisher,
    release_id: chart.release_id,
    release_label: chart.edition,
    effective_from,
    retrieved_at: chart.retrieved_at,
    loaded_at: chart.loaded_at,
    ...freshness(calendar, effective_from, today, effective_to),
    rows: chart.rows,
    codes: chart.codes,
    regions: chart.regions,
    providers: chart.providers,
    source_sha256: chart.source_sha256,
    source_bytes: chart.source_bytes,
    data_class: chart.data_class,
    verified_at: instant(verified?.verified_at ?? null),
    rows_failed: verified?.rows_failed ?? 0,
    superseded: chart.superseded.slice(0, MOST_LISTED),
    superseded_count: chart.superseded.length,
    delta: chart.delta,
  }
}

/** One line for each rule, over all charts. */
function ruleChecks({ charts, verification }: Facts): IntegrityReport['checks'] {
  const byRule = Map.groupBy(
    charts.flatMap((chart) => chart.checks),
    ({ check_id }) => check_id,
  )
  return [...byRule.values()].map((found) => {
    const [first] = found as [RowCheckFacts]
    // Rule R01, that stored rows match their trees, is evaluated by verification.
    const stored = first.check_id === 'R01' && verification.parts.size > 0 ? verification : undefined
    const evaluated = stored?.rows_verified ?? found.reduce((sum, check) => sum + check.evaluated, 0)
    const failed = stored?.rows_failed ?? found.reduce((sum, check) => sum + check.failed, 0)
    return {
      ...first,
      status: statusOf(first.check_id, evaluated, failed),
      evaluated,
      failed,
      failed_pct: evaluated === 0 ? 0 : Math.round((failed / evaluated) * 10_000) / 100,
      sample_row_ids: found.flatMap((check) => check.sample_row_ids).slice(0, MOST_SAMPLES),
    }
  })
}

/** A rule that was never evaluated has not passed. */
function statusOf(check_id: string, evaluated: number, failed: number): IntegrityReport['checks'][number]['status'] {
  if (failed > 0) return check_id === 'R01' ? 'fail' : 'warn'
  return evaluated > 0 ? 'pass' : 'not_evaluated'
}

const latest = (charts: readonly ChartFacts[]): string | null =>
  [...charts].sort((a, b) => (a.loaded_at < b.loaded_at ? 1 : -1))[0]?.release_id ?? null
