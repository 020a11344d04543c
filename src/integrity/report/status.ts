import { z } from 'zod'
import { dayOf } from '../../calendar.ts'
import type { VerificationFacts } from '../verification/facts.ts'
import type { Freshness } from './freshness.ts'
import { instant, proofReasons, wholeSince } from './reasons.ts'

/** The latest edition of a chart, and how fresh it is. */
export interface ChartFreshness {
  chart: string
  title: string
  release_id: string
  edition: string
  effective_from: string
  effective_to: string
  rows: number
  data_class: 'published' | 'sample'
  status: Freshness
  status_reason: string
  next_effective_expected: string
}

interface StatusFacts {
  charts: readonly ChartFreshness[]
  published: readonly { release_id: string; published_at: number }[]
  verification: VerificationFacts
  logs: StatusAnswer['logs']
}

const MOST_CHARTS = 200
const MOST_FAILING = 50
const count = z.int().min(0)
const day = z.iso.date()

const ChartStatus = z.strictObject({
  chart: z.string(),
  title: z.string(),
  release_id: z.string(),
  edition: z.string(),
  effective_from: day,
  effective_to: day.meta({ description: 'No price of it is answered with after this day' }),
  rows: count,
  data_class: z.enum(['published', 'sample']),
  status: z.enum(['fresh', 'due', 'stale', 'expired']),
  status_reason: z.string(),
  next_effective_expected: day,
})

export const StatusAnswer = z
  .strictObject({
    status: z.enum(['ok', 'warn', 'fail']),
    status_reasons: z.array(z.string()),
    as_of: day,
    charts_total: count,
    charts: z
      .array(ChartStatus)
      .max(MOST_CHARTS)
      .meta({ description: 'The latest edition of each chart, in force or expired; at most 200' }),
    verification: z
      .strictObject({
        last_full_verification_at: z.iso.datetime().nullable(),
        last_verification_at: z.iso.datetime().nullable(),
        rows_verified: count,
        rows_failed: count,
        failing: z.array(z.string()).max(MOST_FAILING).meta({
          description: 'Releases and logs that failed: the rows and entries that are wrong are not served',
        }),
      })
      .meta({ description: 'Everything that is public is re-derived from stored bytes again and again' }),
    logs: z.array(
      z.strictObject({
        origin: z.string(),
        size: count,
        root_hash: z.string(),
        signed_at: z.iso.datetime(),
        witnesses: z.strictObject({ configured: count, cosigned: count, quorum: count }),
      }),
    ),
  })
  .meta({
    id: 'ServiceStatus',
    'x-spec': 'integrity-report.md',
    description: 'How fresh each chart is, the last verification, and the public checkpoints',
  })
export type StatusAnswer = z.output<typeof StatusAnswer>

/** Makes the public part of the integrity report from stored facts and the day. */
export function statusAnswer({ charts, published, verification, logs }: StatusFacts, now: number): StatusAnswer {
  const { failures, warnings } = proofReasons(
    charts.map(({ chart: chart_id, status }) => ({ chart_id, status })),
    published,
    verification,
    now,
  )
  return {
    status: failures.length > 0 ? 'fail' : warnings.length > 0 ? 'warn' : 'ok',
    status_reasons: [...failures, ...warnings],
    as_of: dayOf(now),
    charts_total: charts.length,
    charts: charts.slice(0, MOST_CHARTS),
    verification: {
      last_full_verification_at: instant(wholeSince(published, verification)),
      last_verification_at: instant(verification.last_verification_at),
      rows_verified: verification.rows_verified,
      rows_failed: verification.rows_failed,
      failing: verification.failing.slice(0, MOST_FAILING).map(({ part }) => part),
    },
    logs,
  }
}
