import { type Calendar, freshness } from '../../integrity/freshness.ts'

interface Edition {
  release_id: string
  edition: string
  effective_from: string
}

/** Rule R11, for the editions of one chart. */
export interface PeriodConflicts {
  /** Editions that begin on the day another one does: the later published hides the earlier. */
  overlaps: string[]
  /** Editions before which a period that the publisher has editions for went without one. */
  gaps: string[]
}

/**
 * Whether the periods of a chart's editions meet. One is in force until the next begins, so no day has two or none;
 * but two editions of one day are one too many, and one that stands in for the next period is stale there.
 */
export function periodConflicts(calendar: Calendar, editions: readonly Edition[]): PeriodConflicts {
  const conflicts: PeriodConflicts = { overlaps: [], gaps: [] }
  const inOrder = [...editions].sort((a, b) => (a.effective_from < b.effective_from ? -1 : 1))
  for (const [i, later] of inOrder.entries()) {
    const earlier = inOrder[i - 1]
    if (!earlier) continue
    const { next_effective_expected: expected } = freshness(calendar, earlier.effective_from, later.effective_from)
    const sameDay = earlier.effective_from === later.effective_from
    // A newer file for the same edition is a correction, not a conflict.
    if (sameDay && earlier.edition !== later.edition) conflicts.overlaps.push(later.release_id)
    else if (later.effective_from > expected) conflicts.gaps.push(later.release_id)
  }
  return conflicts
}
