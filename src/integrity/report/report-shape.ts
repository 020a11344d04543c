import { z } from 'zod'

const count = z.int().min(0)
const instant = z.iso.datetime()
const day = z.iso.date()

const chartHealth = (kinds: readonly string[]) =>
  z
    .strictObject({
      chart_id: z.string(),
      kind: z.enum(kinds),
      publisher: z.string(),
      cadence: z.enum(['quarterly', 'yearly']),
      release_id: z.string(),
      release_label: z.string(),
      effective_from: day,
      effective_to: day,
      retrieved_at: instant,
      loaded_at: instant,
      next_effective_expected: day,
      expected_by: day,
      age_days: z.int(),
      overdue_days: count,
      status: z.enum(['fresh', 'due', 'stale', 'expired']),
      status_reason: z.string(),
      criteria: z.strictObject({ due_before_days: count, stale_after_days: count, expired_after_days: count }),
      rows: count,
      codes: count,
      regions: count,
      providers: count,
      source_sha256: z.string(),
      source_bytes: count,
      data_class: z.enum(['published', 'sample']),
      verified_at: instant
        .nullable()
        .meta({ description: 'When its rows were last re-derived; null if they never were' }),
      rows_failed: count.meta({ description: 'Its rows that failed then, and are not served' }),
      superseded: z
        .array(z.strictObject({ release_id: z.string(), superseded_by: z.string() }))
        .max(50)
        .meta({ description: 'Releases of the chart that a later revision of the same edition has replaced' }),
      superseded_count: count,
      delta: z
        .strictObject({
          previous_release: z.string(),
          added: count,
          removed: count,
          changed: count,
          unchanged: count,
          max_abs_change_pct: z.number().min(0),
        })
        .nullable()
        .meta({ description: 'Change from the release it replaced; null for the first of its chart' }),
    })
    .meta({ id: 'ChartHealth', 'x-plain': true })

const Check = z
  .strictObject({
    check_id: z.string(),
    severity: z.enum(['flag', 'withhold', 'reject']),
    status: z
      .enum(['pass', 'warn', 'fail', 'error', 'not_evaluated'])
      .meta({ description: '`not_evaluated`: the rule was not applied to anything' }),
    evaluated: count,
    failed: count,
    failed_pct: z.number().min(0),
    threshold: z.string(),
    sample_row_ids: z.array(z.string()),
    rule_version: z.string(),
  })
  .meta({ id: 'RowCheck' })

const CitationCounts = z.strictObject({
  ok: count.meta({ description: 'All bytes were read and are those that were cited' }),
  not_modified: count.meta({ description: 'The server\u2019s validators or samples of the bytes are as before' }),
  redirected_permanent: count,
  changed: count,
  superseded: count.meta({ description: 'Replaced by the publisher, and the new file is loaded' }),
  gone: count.meta({ description: 'Missing at three looks over three days' }),
  unreachable: count,
  blocked: count.meta({ description: 'Refused, or a page for people where a file was cited' }),
  unchecked: count.meta({ description: 'Cited sources of the editions in force whose addresses were never checked' }),
})

const FailingCitation = z
  .strictObject({
    chart_id: z.string(),
    release_id: z.string(),
    source_url: z.string(),
    status: z.enum(['changed', 'gone', 'unreachable', 'blocked']),
    http_status: z.int().nullable(),
    expected_sha256: z.string(),
    observed_sha256: z.string().nullable(),
    first_failed_at: instant.nullable(),
    last_ok_at: instant.nullable(),
    consecutive_failures: count,
    rows_affected: count,
    archived_copy: z.boolean(),
    next_check_at: instant,
  })
  .meta({ id: 'FailingCitation' })

const PublisherLook = z
  .strictObject({
    chart_id: z.string(),
    newest_edition: z.string().nullable().meta({ description: 'The newest edition shown, such as `2026 Q4`' }),
    newest_from: day.nullable(),
    looked_at: instant,
    trouble: z.string().nullable().meta({ description: 'The code of what went wrong at the last look' }),
    consecutive_failures: count,
    first_failed_at: instant.nullable(),
    next_look_at: instant,
  })
  .meta({ id: 'PublisherLook' })

const JobOutcome = z.strictObject({ at: instant, status: z.enum(['ok', 'failed']) })

/** The shape of the report for these kinds of chart. */
export const integrityReportOf = (kinds: readonly string[]) =>
  z
    .strictObject({
      report_version: z.string(),
      generated_at: instant.meta({
        description: 'When something in it changed last, the day among it: while nothing does, its bytes are the same',
      }),
      release_id: z.string().nullable(),
      status: z.enum(['ok', 'warn', 'fail']),
      status_reasons: z.array(z.string()),
      summary: z.strictObject({
        rows_served: count.meta({
          description: 'Rows of the latest edition of each chart, without those that are withheld or failed',
        }),
        rows_withheld: count.meta({ description: 'Rows of these editions that state that a price is withheld' }),
        rows_failed: count.meta({ description: 'Rows of these editions that failed their last verification' }),
        rows_rejected_last_load: count.meta({
          description: 'Lines that rules refused when these editions were loaded',
        }),
        proof_coverage: z.number().min(0).max(1).nullable().meta({
          description: 'Share of the rows that could be proved when they were last verified; null before that',
        }),
        charts: z.strictObject({
          fresh: count,
          due: count,
          stale: count,
          expired: count,
          unknown: count.meta({ description: 'Charts of which no edition has begun, or all were withdrawn' }),
        }),
        citations: CitationCounts,
        rows_by_chart_status: z.strictObject({ fresh: count, due: count, stale: count, expired: count }),
      }),
      charts: z.array(chartHealth(kinds)),
      citations: z.strictObject({
        oldest_check_at: instant.nullable(),
        checked_last_24h: count,
        archived_share: z
          .number()
          .min(0)
          .max(1)
          .nullable()
          .meta({ description: 'Share of cited sources of which a copy is kept; null without an archive' }),
        total_failing: count,
        failing: z.array(FailingCitation).max(50).meta({ description: 'Cited sources that failed their last check' }),
        truncated: z.boolean(),
      }),
      checks: z.array(Check),
      conflicts: z.strictObject({
        duplicates_merged: count,
        same_key_different_price: count,
        overlaps: count,
        gaps: count,
        periods: z
          .array(
            z.strictObject({
              chart_id: z.string(),
              release_id: z.string(),
              kind: z.enum(['gap', 'overlap']),
              days: z.int().min(1),
              from: day,
              to: day,
            }),
          )
          .max(50)
          .meta({
            description:
              'Days before an edition on which no edition of its chart is in force, or that the edition before it claims too',
          }),
        samples: z.array(z.string()).max(5).meta({ description: 'Keys with different prices' }),
      }),
      providers: z.strictObject({
        overlaps: count.meta({ description: 'NPIs that the files of several hospital charts name' }),
        moves: count.meta({ description: 'Moves of an NPI from one hospital chart to another, all in the log' }),
        samples: z
          .array(
            z.strictObject({
              npi: z.string(),
              chart: z.string().nullable().meta({ description: 'The chart that speaks for the NPI' }),
              charts: z.array(z.string()).meta({ description: 'All charts with a file that names the NPI' }),
              moved_from: z.string().nullable(),
              moved_at: instant.nullable(),
            }),
          )
          .meta({ description: 'The first 50 NPIs that are shared or were moved' }),
      }),
      proofs: z.strictObject({
        rows_without_proof: count
          .nullable()
          .meta({ description: 'Rows that failed when they were last verified; null before that' }),
        last_full_verification_at: instant.nullable().meta({
          description: 'Every release and log has been re-derived since then; null while one never was',
        }),
        last_verification_at: instant.nullable(),
        releases_unverified: count.meta({ description: 'Releases in the log that were not re-derived yet' }),
        rows_verified: count,
        rows_failed: count,
        total_failing: count,
        failing: z
          .array(
            z.strictObject({
              part: z.string().meta({ description: 'The name of a release, or of a log' }),
              verified_at: instant,
              first_failed_at: instant,
              rows_failed: count,
              fault_count: z.int().min(1),
              faults: z.array(z.string()).max(5),
            }),
          )
          .max(50)
          .meta({ description: 'What failed its last verification: such rows and entries are not served' }),
        log_size: count,
        root_hash: z.string(),
        checkpoint_at: instant,
        key_id: z.string(),
        witnesses: count.meta({ description: 'How many witnesses have cosigned the public checkpoint' }),
      }),
      figures: z.strictObject({
        release_id: z.string().nullable(),
        released_at: instant.nullable(),
        next_release_at: instant,
        sdc_rule_version: z.string(),
        metrics_suppressed: count,
        disclosure_audit: z.enum(['pass', 'fail']).nullable(),
      }),
      publishers: z
        .array(PublisherLook)
        .max(200)
        .meta({ description: 'What the publishers have shown, by the last look of `atr fetch` or `atr update`' }),
      jobs: z.strictObject({
        last_load: z
          .strictObject({ at: instant, status: z.enum(['ok', 'failed', 'unfinished']) })
          .nullable()
          .meta({
            description:
              '`unfinished`: still running, or interrupted. A load refused before its first row is not recorded',
          }),
        last_verification: JobOutcome.nullable(),
        last_link_check: JobOutcome.nullable(),
        last_disclosure_audit: JobOutcome.nullable(),
      }),
    })
    .meta({
      id: 'IntegrityReport',
      'x-plain': true,
      'x-long': true,
      description: 'Chart staleness and citation health, computed from stored state',
    })
export type IntegrityReport = z.output<ReturnType<typeof integrityReportOf>>
