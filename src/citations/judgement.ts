// What a look at a cited source means. Pure: the same history and the same look give the same state.

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

/** What was seen at the address of a source. */
export type Sight =
  /** All its bytes were read, and they are those that were cited, alone or as a member of an archive. */
  | { kind: 'same_bytes' }
  /** Its validators, or samples of its bytes, are those of the last time that all of it was read. */
  | { kind: 'same_signs' }
  /** Other bytes; the digest if all were read. */
  | { kind: 'other_bytes'; sha256: string | null }
  /** Refused, or a page for people where a file was cited. */
  | { kind: 'blocked' }
  /** 404 or 410. */
  | { kind: 'missing' }
  /** No answer, or one that blames the server. */
  | { kind: 'no_answer' }

export interface Look {
  at: number
  sight: Sight
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
  /** Since when it has failed without a break; null while it does not. */
  first_failed_at: number | null
  failures: number
  next_check_at: number
}

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
/** After the first failure, the second, and so on. */
const RETRY_HOURS = [1, 6, 24, 72]
const GONE_CHECKS = 3
const GONE_MS = 72 * HOUR_MS

export const FAILING = ['changed', 'gone', 'unreachable', 'blocked'] as const
export type FailingState = (typeof FAILING)[number]

/** How often a healthy source is looked at: a schedule every week, a hospital's file every month. */
export const intervalDays = (chart: string): number => (chart.startsWith('hospital-mrf') ? 30 : 7)

export const isFailing = (state: CitationState): state is FailingState => FAILING.some((each) => each === state)

/** A source that is another one now, or is gone, and of which there is no copy, cannot be shown to anybody any more. */
export const isLost = (state: CitationState, isCopied: boolean): boolean =>
  (state === 'changed' || state === 'gone') && !isCopied

export interface Context {
  chart: string
  /** Whether a later release of the chart cites these bytes: then the publisher has replaced the file, and we have it. */
  isSuccessor: (sha256: string) => boolean
}

export function judge(before: CitationRecord | undefined, look: Look, { chart, isSuccessor }: Context): CitationRecord {
  const failing = before !== undefined && before.first_failed_at !== null
  const failures = (failing ? before.failures : 0) + 1
  const first_failed_at = failing ? (before.first_failed_at as number) : look.at
  const state = stateOf(look, isSuccessor, { failures, first_failed_at, wasMissing: before?.http_status })
  const observed_sha256 = look.sight.kind === 'other_bytes' ? look.sight.sha256 : null
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

interface Failing {
  failures: number
  first_failed_at: number
  wasMissing: number | null | undefined
}

const MISSING = [404, 410]

function stateOf({ at, sight, moved }: Look, isSuccessor: Context['isSuccessor'], failing: Failing): CitationState {
  switch (sight.kind) {
    case 'same_bytes':
      return moved ? 'redirected_permanent' : 'ok'
    case 'same_signs':
      return moved ? 'redirected_permanent' : 'not_modified'
    case 'other_bytes':
      return sight.sha256 !== null && isSuccessor(sight.sha256) ? 'superseded' : 'changed'
    case 'blocked':
      return 'blocked'
    case 'missing': {
      // One 404 may be a mistake of an afternoon; three over three days are not.
      const isOld = failing.failures >= GONE_CHECKS && at - failing.first_failed_at >= GONE_MS
      return isOld && MISSING.includes(failing.wasMissing ?? 0) ? 'gone' : 'unreachable'
    }
    case 'no_answer':
      return 'unreachable'
  }
}
