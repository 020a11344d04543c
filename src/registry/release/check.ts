import type { Db } from '../../db/db.ts'
import { Problem } from '../../problem.ts'
import { CHARTS, type Charts, chartOf } from '../charts.ts'
import { BREAKER, type Held, heldBy } from './breaker.ts'
import { type Check, checksOf, countStated } from './check-store.ts'
import { chartsSharingNpis } from './content-store.ts'
import { diffReleases, type Moved, type ReleaseDiff } from './diff.ts'
import { RULES } from './rules.ts'
import type { ReleaseState } from './store.ts'
import * as releases from './store.ts'

/** Everything there is to know of a release before it is published. */
export interface ReleaseCheck {
  release_id: string
  state: ReleaseState['state']
  rows: number
  rejected: number
  withheld: number
  flagged: number
  checks: Check[]
  /** The release it takes the place of; null for the first of its chart. */
  previous: string | null
  diff: ReleaseDiff | null
  /** Other charts that state prices for one of its providers. */
  shares_npis_with: string[]
  /** The limits it passes: it is not published unless each is overridden. */
  held: Held[]
}

/** Judges a release by its stored rows and findings, against the one that it takes the place of. */
export async function checkRelease(
  db: Db,
  release: ReleaseState,
  onCompared?: (rows: number) => void,
  charts: Charts = CHARTS,
): Promise<ReleaseCheck> {
  const chart = chartOf(release.chart, charts)
  if (!chart) throw new Error(`a release of an unknown chart: ${release.release_id}`)
  const { farMovePct, holdsConflicts, rejectedOf } = chart.breaker
  const before = await releases.findPredecessor(db, release)
  const diff = before ? await diffReleases(db, before.release_no, release.release_no, onCompared) : undefined
  const stored = await checksOf(db, release.release_no)
  // A published release has this one already, from the day it was published.
  const moved = diff && !stored.some(({ rule }) => rule === 'R12') ? [movesCheck(diff, farMovePct)] : []
  const checks = [...stored, ...moved].sort((a, b) => (a.rule < b.rule ? -1 : 1))
  const failed = (severity: Check['severity']): number =>
    checks.reduce((sum, check) => sum + (check.severity === severity ? check.failed : 0), 0)
  const rows = release.row_count
  const rejected = release.rejected_count
  const stated = rejectedOf === 'rows' ? await countStated(db, release.release_no) : judgedIn(checks) - rejected
  return {
    release_id: release.release_id,
    state: release.state,
    rows,
    rejected,
    withheld: failed('withhold'),
    flagged: failed('flag'),
    checks,
    previous: before?.release_id ?? null,
    diff: diff ?? null,
    shares_npis_with: await chartsSharingNpis(db, release),
    held: heldBy({
      holdsConflicts,
      rows,
      stated,
      rejected,
      conflicts: checks.find(({ rule }) => rule === 'R10')?.failed ?? 0,
      // What hospitals charge is measured by this schedule: a cut one would hide what is implausible.
      before: before && diff && { rows: before.row_count, diff },
    }),
  }
}

/** Of a hospital's file its lines count, not the rows they come to: forty lines, one for each payer, are one price. */
const judgedIn = (checks: readonly Check[]): number =>
  Math.max(0, ...checks.filter(({ severity }) => severity === 'reject').map(({ evaluated }) => evaluated))

/** Rule R12: a schedule's prices move by the quarter, a hospital's charges by the whim. */
function movesCheck(diff: ReleaseDiff, farMovePct: 25 | 100): Check {
  const moved: Moved = diff[`moved_over_${farMovePct}_pct`]
  return {
    rule: 'R12',
    severity: RULES.R12.severity,
    evaluated: diff.changed + diff.unchanged,
    failed: moved.count,
    sample_lines: [],
    sample_keys: moved.sample_keys,
  }
}

export async function getRelease(db: Db, release_id: string): Promise<ReleaseState> {
  const found = await releases.findRelease(db, release_id)
  if (!found) throw new Problem('release_not_found')
  return found
}

/** The refusal of a release that passes limits no one has set aside. */
export function heldProblem(release_id: string, held: readonly Held[]): Problem {
  const why = held.map(({ rule, found, limit }) => `${rule}: ${BREAKER[rule]} (${found}, limit ${limit})`)
  return new Problem('release_held', `${why.join('; ')}. See \`atr release check ${release_id}\``, {
    members: { held },
  })
}
