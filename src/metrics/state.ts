// How old and how sound what a service answers from is: for alerts.

import { statfsSync } from 'node:fs'
import { version } from '../../package.json' with { type: 'json' }
import { dayOf } from '../calendar.ts'
import type { Db } from '../db/db.ts'
import { listLooks } from '../fetch/store.ts'
import { clockSkew } from '../integrity/publication.ts'
import { listParts } from '../integrity/verification/store.ts'
import { chartFreshness } from '../registry/catalogue/chart-facts.ts'
import { CHARTS } from '../registry/charts.ts'
import { type Family, gauge, type Sample } from './exposition.ts'

/** What a service knows of itself without asking the store. */
export interface Condition {
  /** Undefined while there is no state of the registry in memory. */
  head: { size: number; signedAt: number; lookedMs: number; lagMs: number } | undefined
  /** Heavy work, running and waiting. */
  queued: number
  isLeaving: boolean
  /** Whether Valkey counts for all machines; undefined if none is set. */
  isCountedTogether: boolean | undefined
  cache: { hits: number; misses: number; bytes: number; targets: number }
}

const SECONDS = (ms: number): number => ms / 1_000
const flag = (value: boolean): Sample => ({ value: value ? 1 : 0 })

export function conditionFamilies(
  { head, queued, isLeaving, isCountedTogether, cache }: Condition,
  now: number,
): Family[] {
  return [
    gauge('atr_build_info', 'The version of the program', {
      labels: { version, bun: Bun.version },
      value: 1,
    }),
    gauge('process_resident_memory_bytes', 'Memory of the process', { value: process.memoryUsage.rss() }),
    gauge(
      'atr_ready',
      'Whether lookups can be answered now, and the service is not about to stop',
      flag(head !== undefined && !isLeaving),
    ),
    gauge('atr_queue_size', 'Heavy work, running and waiting', { value: queued }),
    { ...gauge('atr_ready_answer_hits_total', 'Answers that were ready-made', { value: cache.hits }), type: 'counter' },
    {
      ...gauge('atr_ready_answer_misses_total', 'Answers that had to be made', { value: cache.misses }),
      type: 'counter',
    },
    gauge('atr_ready_answer_bytes', 'Memory that ready-made answers take', { value: cache.bytes }),
    gauge('atr_ready_answer_targets', 'Addresses that have a ready-made answer', { value: cache.targets }),
    ...(head
      ? [
          gauge('atr_head_size', 'Entries of the registry log that answers are proved under', { value: head.size }),
          gauge('atr_head_age_seconds', 'Age of the newest state of the registry', {
            value: SECONDS(now - head.signedAt),
          }),
          gauge('atr_head_looked_seconds', 'Time since the store was last asked for a newer state', {
            value: SECONDS(head.lookedMs),
          }),
          gauge('atr_head_lag_seconds', 'How long a newer state has waited for its release files', {
            value: SECONDS(head.lagMs),
          }),
        ]
      : []),
    ...(isCountedTogether === undefined
      ? []
      : [gauge('atr_limits_shared', 'Whether Valkey counts requests for all machines', flag(isCountedTogether))]),
  ]
}

/** What the store knows. If it is away, only that. */
export async function storeFamilies(db: Db, folder: string, now: number): Promise<Family[]> {
  const began = performance.now()
  const disk = diskFamilies(folder)
  try {
    const skew = await clockSkew(db)
    const seconds = SECONDS(performance.now() - began)
    const [charts, parts, looks] = [
      await chartFreshness(db, dayOf(now), CHARTS),
      await listParts(db),
      await listLooks(db),
    ]
    return [
      ...disk,
      gauge('atr_database_up', 'Whether the store answers', { value: 1 }),
      gauge('atr_database_seconds', 'How long the store took for a short question', { value: seconds }),
      gauge('atr_clock_skew_seconds', 'By how much the clock of this machine is ahead of the database', {
        value: SECONDS(skew),
      }),
      gauge(
        'atr_chart_status',
        'How an edition in force stands to the calendar of its publisher: fresh, due, stale or expired',
        ...charts.map(({ chart, status }) => ({ labels: { chart, status }, value: 1 })),
      ),
      gauge(
        'atr_chart_ends_timestamp_seconds',
        'The end of the last day on which the edition of a chart is in force',
        ...charts.map(({ chart, effective_to }) => ({
          labels: { chart },
          value: SECONDS(Date.parse(effective_to)) + 86_400,
        })),
      ),
      gauge('atr_verification_failed_parts', 'Releases and logs whose last verification found a fault', {
        value: parts.filter(({ fault_count }) => fault_count > 0).length,
      }),
      gauge(
        'atr_verification_age_seconds',
        'Age of the oldest verification of a release or log',
        ...(parts.length > 0
          ? [{ value: SECONDS(now - Math.min(...parts.map(({ verified_at }) => verified_at))) }]
          : []),
      ),
      gauge(
        'atr_update_failures',
        'How often in a row the source of a chart could not be looked at or loaded',
        ...looks.map(({ chart, failures }) => ({ labels: { chart }, value: failures })),
      ),
      gauge(
        'atr_update_looked_timestamp_seconds',
        'When the source of a chart was looked at last',
        ...looks.map(({ chart, looked_at }) => ({ labels: { chart }, value: SECONDS(looked_at) })),
      ),
    ]
  } catch {
    return [...disk, gauge('atr_database_up', 'Whether the store answers', { value: 0 })]
  }
}

function diskFamilies(folder: string): Family[] {
  const { bavail, blocks, bsize } = statfsSync(folder)
  return [
    gauge('atr_disk_free_bytes', 'Room that is left on the disk of DATA_DIR', { value: bavail * bsize }),
    gauge('atr_disk_bytes', 'Size of the disk of DATA_DIR', { value: blocks * bsize }),
  ]
}
