import { dayOf } from '../../calendar.ts'
import type { Verification } from '../store.ts'
import { type Calendar, freshness } from './freshness.ts'
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
  /** How it differs from the edition it replaced; null for the first of its chart. */
  delta: IntegrityReport['charts'][number]['delta']
  /** What the rules found in it: an entry for every rule, evaluated or not. */
  checks: RowCheckFacts[]
  /** Editions of the chart whose periods overlap or leave a gap. */
  overlaps: string[]
  gaps: string[]
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
  providers: ProviderFacts
  figures: FiguresFacts
  /** The latest load, in force or not. */
  last_load: IntegrityReport['jobs']['last_load']
  /** The public checkpoint, and how many of the witnesses that are named have cosigned it. */
  log: { size: number; root: string; checkpoint_at: string; key_id: string; witnesses: number }
  verification: Verification | undefined
  citations: IntegrityReport['citations'] & {
    counts: IntegrityReport['summary']['citations']
    last_check_at: string | null
  }
}

type FailingCitation = IntegrityReport['citations']['failing'][number]

const MOST_SAMPLES = 5
const MOST_PROVIDERS = 50

/** Makes the report from stored facts and the day: the same input gives the same report. */
export function integrityReport(facts: Facts, now: number): IntegrityReport {
  const today = dayOf(now)
  const charts = facts.charts.map((chart) => chartEntry(chart, today))
  const checks = ruleChecks(facts)
  const { audited_at, ...figures } = facts.figures
  const failed = (fits: (check: (typeof checks)[number]) => boolean): number =>
    checks.filter(fits).reduce((sum, check) => sum + check.failed, 0)
  const overlaps = facts.charts.flatMap((chart) => chart.overlaps)
  const gaps = facts.charts.flatMap((chart) => chart.gaps)
  const conflicting = checks.find(({ check_id }) => check_id === 'R10')
  const reasons = [
    ...(charts.length === 0 ? ['no_chart_published'] : []),
    ...charts.filter(({ status }) => status === 'stale').map(({ chart_id }) => `chart_stale:${chart_id}`),
    ...(facts.verification === undefined ? ['proofs_never_verified'] : []),
    ...citationReasons(facts, false),
  ]
  const failures = [
    ...charts.filter(({ status }) => status === 'expired').map(({ chart_id }) => `chart_expired:${chart_id}`),
    ...((facts.verification?.faults ?? 0) > 0 ? ['proofs_failed'] : []),
    ...citationReasons(facts, true),
  ]
  const byStatus = (status: string): typeof charts => charts.filter((chart) => chart.status === status)
  const rowsOf = (list: typeof charts): number => list.reduce((sum, { rows }) => sum + rows, 0)
  const { overlaps: shared, moves, shared: sides } = facts.providers
  const { counts: _, last_check_at, ...citations } = facts.citations
  return {
    report_version: '1.4.0',
    generated_at: new Date(now).toISOString(),
    release_id: latest(facts.charts),
    status: failures.length > 0 ? 'fail' : reasons.length > 0 ? 'warn' : 'ok',
    status_reasons: [...failures, ...reasons],
    summary: {
      rows_served: rowsOf(charts) - facts.charts.reduce((sum, chart) => sum + chart.withheld, 0),
      rows_withheld: facts.charts.reduce((sum, chart) => sum + chart.withheld, 0),
      rows_rejected_last_load: failed(({ severity, check_id }) => severity === 'reject' && check_id !== 'R01'),
      proof_coverage: coverage(facts.verification),
      charts: {
        fresh: byStatus('fresh').length,
        due: byStatus('due').length,
        stale: byStatus('stale').length,
        expired: byStatus('expired').length,
        unknown: 0,
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
    citations: citations,
    checks,
    conflicts: {
      duplicates_merged: failed(({ check_id }) => check_id === 'R09'),
      same_key_different_price: conflicting?.failed ?? 0,
      overlaps: overlaps.length,
      gaps: gaps.length,
      samples: [...(conflicting?.sample_row_ids ?? []), ...overlaps, ...gaps].slice(0, MOST_SAMPLES),
    },
    providers: { overlaps: shared, moves, samples: sides.slice(0, MOST_PROVIDERS) },
    proofs: {
      rows_without_proof: facts.verification?.rows_failed ?? null,
      last_full_verification_at: facts.verification ? new Date(facts.verification.verified_at).toISOString() : null,
      rows_verified: facts.verification?.rows_verified ?? 0,
      rows_failed: facts.verification?.rows_failed ?? 0,
      log_size: facts.log.size,
      root_hash: facts.log.root,
      checkpoint_at: facts.log.checkpoint_at,
      key_id: facts.log.key_id,
      witnesses: facts.log.witnesses,
    },
    figures,
    jobs: {
      last_load: facts.last_load,
      last_link_check: last_check_at
        ? { at: last_check_at, status: citations.total_failing > 0 ? 'failed' : 'ok' }
        : null,
      last_disclosure_audit: audited_at
        ? { at: audited_at, status: figures.disclosure_audit === 'fail' ? 'failed' : 'ok' }
        : null,
    },
  }
}

/** A source that is another one now, or is gone, and of which there is no copy, cannot be shown to anybody any more. */
function citationReasons({ citations }: Facts, isFailure: boolean): string[] {
  const isLost = ({ status, archived_copy }: FailingCitation): boolean =>
    ['changed', 'gone'].includes(status) && !archived_copy
  const wanted = citations.failing.filter((failing) => isLost(failing) === isFailure)
  return [...new Set(wanted.map(({ status, chart_id }) => `citation_${status}:${chart_id}`))]
}

/** The share of rows that could be proved at the last full verification; unknown before any. */
const coverage = (verification: Verification | undefined): number | null => {
  if (!verification) return null
  const { rows_verified, rows_failed } = verification
  return rows_verified === 0 ? 1 : Math.floor(((rows_verified - rows_failed) / rows_verified) * 10_000) / 10_000
}

function chartEntry(chart: ChartFacts, today: string): IntegrityReport['charts'][number] {
  const { kind, calendar, effective_from, effective_to } = chart
  return {
    chart_id: chart.chart_id,
    kind,
    publisher: chart.publisher,
    release_id: chart.release_id,
    release_label: chart.edition,
    effective_from,
    published_on: null,
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
    superseded_by: null,
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
    // Whether the stored rows still match their trees is known from the last full verification.
    const stored = first.check_id === 'R01' ? verification : undefined
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
