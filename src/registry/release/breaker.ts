import type { OverrideReason } from '../../tables/service-reasons.ts'
import type { ReleaseDiff } from './diff.ts'

/** The limits beyond which a release is held until the operator says why it may go out. */
export const BREAKER = {
  row_count_drop: 'the release has at least 10 % fewer rows than the release that it replaces',
  prices_moved: 'more than 20 % of the rows in both releases changed by more than 25 %, or gained or lost a price',
  rejected_share: 'more than 1 % of the prices in the source are not in the release',
  conflicting_keys: 'a schedule states different prices under one key',
  r11_gap: 'some days would have no edition: days before this one, or days of the revision that it replaces',
  r11_overlap: 'the release begins before the previous edition ends, and is not a revision of it',
  w03_short: 'the source has far fewer lines than any edition that was published',
  no_url: 'a source has no --url, so that proofs cannot say where it is from',
  gpci_changed: 'regions have different cost indices (GPCI) than in the release of the same year that it replaces',
  canaries: 'rows that every edition of the chart has are missing or have other values: it may be another file',
  edits_moved: 'more than 10 % of the limits, pairs or primary codes were added or changed, or are gone',
  edits_lost:
    'edits of the source cannot be read or contradict each other, so the release would say that there are none',
  provider_taken: 'the file names NPIs that belong to another hospital file, or are new in its own chart',
} as const
export type BreakerRule = keyof typeof BREAKER
export const BREAKER_RULES = Object.keys(BREAKER) as BreakerRule[]

export interface Override {
  rule: BreakerRule
  reason: OverrideReason
}

/** A limit that was passed: what was found, and what is allowed, both in percent, or counted. */
export interface ExceededLimit {
  rule: BreakerRule
  found: number
  limit: number
  /** Its subject, in sentences. */
  details?: string[]
}

export interface Facts {
  /** Whether the chart is held when it states different prices under one key. */
  holdsConflicts: boolean
  rows: number
  /** How much the source states, and how much of it is not in the release, see `lossOf`. */
  stated: number
  lost: number
  /** Keys with different prices in this source: rule R10. */
  conflicts: number
  /** The release it takes the place of, and how they differ. */
  before: { rows: number; diff: ReleaseDiff } | undefined
  /** Counted faults of the edition as a whole: there may be none. */
  edition: Partial<Record<EditionLimit, number>>
}

const EDITION_LIMITS = [
  'r11_gap',
  'r11_overlap',
  'w03_short',
  'no_url',
  'gpci_changed',
  'canaries',
  'edits_lost',
  'provider_taken',
] as const
export type EditionLimit = (typeof EDITION_LIMITS)[number]

/** Which limits a release passes. */
export function heldBy({ holdsConflicts, rows, stated, lost, conflicts, before, edition }: Facts): ExceededLimit[] {
  const held: ExceededLimit[] = []
  if (before) {
    const drop = ((before.rows - rows) / Math.max(1, before.rows)) * 100
    if (rows * 10 <= before.rows * 9) held.push({ rule: 'row_count_drop', found: tidy(drop), limit: 10 })
    const { changed, unchanged, moved_over_25_pct: moved } = before.diff
    const common = changed + unchanged
    if (moved.count * 5 > common)
      held.push({ rule: 'prices_moved', found: tidy((moved.count / common) * 100), limit: 20 })
    const { edits } = before.diff
    const share = edits ? ((edits.added + edits.changed) / Math.max(1, edits.before)) * 100 : 0
    if (share > 10) held.push({ rule: 'edits_moved', found: tidy(share), limit: 10 })
  }
  if (lost * 100 > stated) held.push({ rule: 'rejected_share', found: tidy((lost / stated) * 100), limit: 1 })
  if (holdsConflicts && conflicts > 0) held.push({ rule: 'conflicting_keys', found: conflicts, limit: 0 })
  for (const rule of EDITION_LIMITS) {
    const found = edition[rule] ?? 0
    if (found > 0) held.push({ rule, found, limit: 0 })
  }
  return held
}

const tidy = (value: number): number => Math.round(value * 100) / 100

/** Sets every limit aside for one reason: for invented data, which is not held to any. */
export const overrideAll = (reason: OverrideReason): Override[] => BREAKER_RULES.map((rule) => ({ rule, reason }))

/** The overrides that were needed, in the order of the limits. One for a limit that was not passed says nothing. */
export const usedOverrides = (held: readonly ExceededLimit[], overrides: readonly Override[]): Override[] =>
  held.flatMap(({ rule }) => overrides.find((each) => each.rule === rule) ?? [])

/** The limits that no one has set aside. */
export const stillHeld = (held: readonly ExceededLimit[], overrides: readonly Override[]): ExceededLimit[] =>
  held.filter(({ rule }) => !overrides.some((override) => override.rule === rule))
