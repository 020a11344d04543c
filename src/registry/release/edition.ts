import { daysBetween, nextPeriod, periodEnd, plusDays } from '../../calendar.ts'
import type { Calendar } from '../../integrity/report/freshness.ts'
import type { Row } from '../../proof/price/row.ts'
import type { Predecessors } from '../../proof/price/timeline.ts'
import type { ReleaseFile } from '../rows/release-file-store.ts'

// How an edition fits to the one before it: in time, and in the indices that its prices are made with.

interface Edition {
  edition: string
  effective_from: string
  effective_to: string
}

/** Rule R11: the days between two editions that nothing is in force, or that both claim. */
export interface PeriodFit {
  gap: number
  overlap: number
}

/**
 * Whether an edition begins where the one before it ends, and holds on all days of the revision that it replaces. An
 * edition whose end the operator put off is not overlapped by the next one of the publisher's calendar. Where a
 * publisher may bring a new edition at any time, only two that begin on one day overlap.
 */
export function periodFit(
  calendar: Pick<Calendar, 'next'>,
  { edition, revision }: Predecessors<Edition>,
  later: Edition,
): PeriodFit {
  const fit = edition ? fitTo(calendar, edition, later) : { gap: 0, overlap: 0 }
  return { ...fit, gap: Math.max(fit.gap, revision ? daysLost(calendar, revision, later) : 0) }
}

/** The days of a revision, within the publisher's calendar, that the one in its place does not hold. */
function daysLost({ next }: Pick<Calendar, 'next'>, revision: Edition, later: Edition): number {
  const [end = ''] = [revision.effective_to, periodEnd(next, revision.effective_from)].sort()
  const [from, to] = [revision.effective_from, later.effective_from]
  return Math.max(0, daysBetween(from, to)) + Math.max(0, daysBetween(later.effective_to, end))
}

function fitTo(calendar: Pick<Calendar, 'next'>, before: Edition, later: Edition): PeriodFit {
  const gap = Math.max(0, daysBetween(before.effective_to, later.effective_from) - 1)
  const sameDay = before.effective_from === later.effective_from
  if (calendar.next === 'year_later' && !sameDay) return { gap, overlap: 0 }
  const [first = ''] = [plusDays(before.effective_to, 1), nextPeriod(calendar.next, before.effective_from)].sort()
  return { gap, overlap: Math.max(0, daysBetween(later.effective_from, first)) }
}

const ROWS_PER_READ = 2_000
const INDICES = ['work_gpci', 'practice_gpci', 'malpractice_gpci'] as const

/** The cost indices of each region, as the first code with a price of the formula states them. Empty where none does. */
function indicesOf(file: ReleaseFile): Map<string, string> {
  for (let from = 0; from < file.rowCount; from += ROWS_PER_READ) {
    const rows = file.rowsAt(from, from + ROWS_PER_READ)
    const first = rows.find(({ body }) => body.includes('"method":"pfs-formula/1"'))
    if (!first) continue
    const [code = ''] = first.row_key.split('|')
    const found = file.rowsUnder(`${code}|`)
    return new Map(found.map(({ body }) => JSON.parse(body) as Row).flatMap(indicesIn))
  }
  return new Map()
}

const indicesIn = ({ region, derivation: { method, inputs } }: Row): [string, string][] =>
  method === 'pfs-formula/1' ? [[region, INDICES.map((name) => inputs[name]).join(' ')]] : []

/** In how many regions two releases state other indices, or only one of them states any. */
export function countChangedIndices(before_file: ReleaseFile, later_file: ReleaseFile): number {
  const [before, later] = [indicesOf(before_file), indicesOf(later_file)]
  if (before.size === 0 || later.size === 0) return 0
  return [...new Set([...before.keys(), ...later.keys()])].filter((region) => before.get(region) !== later.get(region))
    .length
}
