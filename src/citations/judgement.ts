// Judges a look at a cited source. Pure: the same history and the same look give the same state.

export const CITATION_STATES = [
  'ok',
  'not_modified',
  'redirected_permanent',
  'changed',
  'superseded',
  'gone',
  'unreachable',
  'blocked',
  'unchecked',
] as const
export type CitationState = (typeof CITATION_STATES)[number]

/** An observation at the address of a source. */
export type Observation =
  /** All bytes were read, and they are the cited bytes, alone or as a member of an archive. */
  | { kind: 'same_bytes' }
  /** The validators, or samples of the bytes, are the same as when all bytes were read last. */
  | { kind: 'same_fingerprint' }
  /** The bytes differ; the digest is set if all were read. */
  | { kind: 'other_bytes'; sha256: string | null }
  /** The answer is a refusal, or a web page where a file was cited. */
  | { kind: 'blocked' }
  /** The status is 404 or 410. */
  | { kind: 'missing' }
  /** There is no answer, or a status of a server fault. */
  | { kind: 'no_answer' }

export interface Look {
  at: number
  observation: Observation
  http_status: number | null
  /** Whether the address has moved for good (301, 308). */
  moved: boolean
}

export interface CitationRecord {
  state: CitationState
  http_status: number | null
  observed_sha256: string | null
  checked_at: number
  last_ok_at: number | null
  /** The first of the present failures; null if the last look was good. */
  first_failed_at: number | null
  failures: number
  next_check_at: number
}

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
/** How long to wait after the first failure, the second, and so on. */
const RETRY_HOURS = [1, 6, 24, 72]
const GONE_CHECKS = 3
const GONE_MS = 72 * HOUR_MS

const FAILING = ['changed', 'gone', 'unreachable', 'blocked'] as const
export type FailingState = (typeof FAILING)[number]

/** How often a good source is looked at: a schedule every week, a hospital's file every month. */
export const intervalDays = (chart: string): number => (chart.startsWith('hospital-mrf') ? 30 : 7)

export const isFailing = (state: CitationState): state is FailingState => FAILING.some((each) => each === state)

/** Whether nobody can see a source any more: it has changed or is gone, and no copy is kept. */
export const isLost = (state: CitationState, isCopied: boolean): boolean =>
  (state === 'changed' || state === 'gone') && !isCopied

interface CitationContext {
  chart: string
  /** Whether a later release of the chart cites these bytes: then the publisher replaced the file, and the new one is loaded. */
  isSuccessor: (sha256: string) => boolean
}

export function judge(
  before: CitationRecord | undefined,
  look: Look,
  { chart, isSuccessor }: CitationContext,
): CitationRecord {
  const failing = before !== undefined && before.first_failed_at !== null
  const failures = (failing ? before.failures : 0) + 1
  const first_failed_at = failing ? (before.first_failed_at as number) : look.at
  const state = stateOf(look, isSuccessor, { failures, first_failed_at, lastStatus: before?.http_status })
  const observed_sha256 = look.observation.kind === 'other_bytes' ? look.observation.sha256 : null
  const base = { state, http_status: look.http_status, observed_sha256, checked_at: look.at }
  if (!isFailing(state))
    return {
      ...base,
      last_ok_at: look.at,
      first_failed_at: null,
      failures: 0,
      next_check_at: look.at + intervalDays(chart) * DAY_MS,
    }
  const hours = RETRY_HOURS[Math.min(failures, RETRY_HOURS.length) - 1] as number
  return {
    ...base,
    last_ok_at: before?.last_ok_at ?? null,
    first_failed_at,
    failures,
    next_check_at: look.at + hours * HOUR_MS,
  }
}

interface FailureHistory {
  failures: number
  first_failed_at: number
  /** The HTTP status of the look before. */
  lastStatus: number | null | undefined
}

const MISSING = [404, 410]

function stateOf(
  { at, observation, moved }: Look,
  isSuccessor: CitationContext['isSuccessor'],
  { failures, first_failed_at, lastStatus }: FailureHistory,
): CitationState {
  switch (observation.kind) {
    case 'same_bytes':
      return moved ? 'redirected_permanent' : 'ok'
    case 'same_fingerprint':
      return moved ? 'redirected_permanent' : 'not_modified'
    case 'other_bytes':
      return observation.sha256 !== null && isSuccessor(observation.sha256) ? 'superseded' : 'changed'
    case 'blocked':
      return 'blocked'
    case 'missing': {
      // One 404 may be a temporary mistake; three over three days are not.
      const isOld = failures >= GONE_CHECKS && at - first_failed_at >= GONE_MS
      return isOld && MISSING.includes(lastStatus ?? 0) ? 'gone' : 'unreachable'
    }
    case 'no_answer':
      return 'unreachable'
  }
}
