import type { Db } from '../../db/db.ts'
import { Problem } from '../../problem.ts'
import { kindOfRows } from '../../proof/price/charts.ts'
import { isEditKind } from '../../proof/price/edit-row.ts'
import type { Citation } from '../../proof/price/release.ts'
import type { Predecessors } from '../../proof/price/timeline.ts'
import { PUBLISHERS } from '../../tables/publishers.ts'
import { CHARTS, type Chart, type Charts, chartOf } from '../charts.ts'
import { openRelease } from '../rows/release-file-store.ts'
import { registryEntries } from '../state/state.ts'
import { BREAKER, type EditionLimit, type ExceededLimit, heldBy } from './breaker.ts'
import { canariesMissedBy } from './canaries.ts'
import { type Check, checksOf } from './check-store.ts'
import { chartsSharingNpis } from './contents.ts'
import { diffReleases, type PriceMoves, type ReleaseDiff } from './diff.ts'
import { countChangedIndices, periodFit } from './edition.ts'
import { type Loss, lossOf, lossText } from './loss.ts'
import { type TakenProviders, takenProviders, takenText } from './provider-move.ts'
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
  /** Losses: what its source states and the release does not. */
  loss: Loss
  /** The release it takes the place of; null for the first of its chart. */
  previous: string | null
  diff: ReleaseDiff | null
  /** Other charts that state prices for one of its providers. */
  shares_npis_with: string[]
  /** Its NPIs that are another chart's, or new in its own. */
  providers_taken: TakenProviders
  /** The limits it passes: it is not published unless each is overridden. */
  held: ExceededLimit[]
}

/** A chart that states no prices is held by the number of its rows, and as an edition. */
const WITHOUT_PRICES = { farMovePct: 25, holdsConflicts: false, lossUnit: 'lines' } as const

/** Judges a release by its stored rows and findings, against the one that it takes the place of. */
export async function checkRelease(
  db: Db,
  release: ReleaseState,
  onCompared?: (rows: number) => void,
  charts: Charts = CHARTS,
): Promise<ReleaseCheck> {
  const chart = chartOf(release.chart, charts)
  if (!chart) throw new Error(`a release of an unknown chart: ${release.release_id}`)
  const { farMovePct, holdsConflicts, lossUnit } = chart.breaker ?? WITHOUT_PRICES
  const predecessors = await releases.findPredecessors(db, release)
  const before = predecessors.revision ?? predecessors.edition
  const diff = before ? await diffReleases(db, before, release, onCompared) : undefined
  const stored = await checksOf(db, release.release_no)
  // A published release has this one already, from the day it was published.
  const moved = diff && !stored.some(({ rule }) => rule === 'R12') ? [movesCheck(diff, farMovePct)] : []
  const checks = [...stored, ...moved].sort((a, b) => (a.rule < b.rule ? -1 : 1))
  const failed = (severity: Check['severity']): number =>
    checks.reduce((sum, check) => sum + (check.severity === severity ? check.failed : 0), 0)
  const rows = release.row_count
  const rejected = release.rejected_count
  const loss = await lossOf(openRelease(db, release), release, checks, lossUnit)
  const providers_taken = await providersTakenBy(db, release)
  const edition = await editionLimits(db, chart, release, predecessors, checks)
  const canaries = missedCanaries(db, chart, release, checks)
  return {
    release_id: release.release_id,
    state: release.state,
    rows,
    rejected,
    withheld: failed('withhold'),
    flagged: failed('flag'),
    checks,
    loss,
    previous: before?.release_id ?? null,
    diff: diff ?? null,
    shares_npis_with: await chartsSharingNpis(db, release),
    providers_taken,
    held: heldBy({
      holdsConflicts,
      rows,
      stated: loss.stated,
      lost: loss.lost,
      conflicts: checks.find(({ rule }) => rule === 'R10')?.failed ?? 0,
      // A truncated schedule would hide implausible hospital prices, which are compared with it.
      before: before && diff && { rows: before.row_count, diff },
      edition: {
        ...edition,
        canaries: canaries.length,
        provider_taken: providers_taken.held.length + providers_taken.added.length,
      },
    }).map((limit) => ({ ...limit, ...detailsOf(limit, loss, canaries, takenText(providers_taken, release.chart)) })),
  }
}

/** Providers that a release would take over from files in the log. */
export async function providersTakenBy(db: Db, { chart, providers }: ReleaseState): Promise<TakenProviders> {
  if (providers === null) return { held: [], added: [] }
  return takenProviders(await registryEntries(db), { chart, npis: JSON.parse(providers) as string[] })
}

function detailsOf(
  { rule }: ExceededLimit,
  loss: Loss,
  canaries: string[],
  taken: string[],
): Pick<ExceededLimit, 'details'> {
  if (rule === 'rejected_share') return { details: lossText(loss) }
  if (rule === 'canaries') return { details: canaries }
  return rule === 'provider_taken' ? { details: taken } : {}
}

/** Faults of an edition as a whole, apart from its rows. */
async function editionLimits(
  db: Db,
  { chart, calendar, speaks }: Chart,
  release: ReleaseState,
  predecessors: Predecessors<ReleaseState>,
  checks: readonly Check[],
): Promise<Partial<Record<EditionLimit, number>>> {
  const citations = JSON.parse(release.citations) as Citation[]
  const before = predecessors.revision ?? predecessors.edition
  const isOfSameYear = before?.effective_from.slice(0, 4) === release.effective_from.slice(0, 4)
  const { gap, overlap } = periodFit(calendar, predecessors, release)
  const failed = (rule: string): number => checks.find((check) => check.rule === rule)?.failed ?? 0
  return {
    edits_lost: isEditKind(kindOfRows(chart)) ? failed('R03_field') + failed('R10') : 0,
    r11_gap: gap,
    r11_overlap: overlap,
    w03_short: failed('W03'),
    no_url: release.data_class === 'sample' ? 0 : citations.filter(({ url }) => url === '').length,
    gpci_changed:
      before && isOfSameYear && speaks === 'locality'
        ? countChangedIndices(openRelease(db, before), openRelease(db, release))
        : 0,
  }
}

/** Judged where the files came by themselves: whoever loads files by hand has looked at them. */
function missedCanaries(db: Db, { entry }: Chart, release: ReleaseState, checks: readonly Check[]): string[] {
  const publisher = PUBLISHERS.charts[entry]
  const isMissing = checks.some(({ rule, failed }) => rule === 'W13' && failed > 0)
  return publisher && isMissing ? canariesMissedBy(openRelease(db, release), release.row_count, publisher) : []
}

/** Rule R12: a schedule's prices move by the quarter, a hospital's charges by the whim. */
function movesCheck(diff: ReleaseDiff, farMovePct: 25 | 100): Check {
  const moved: PriceMoves = diff[`moved_over_${farMovePct}_pct`]
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

/** The refusal of a release that passes limits no one has set aside. A dry run leaves none to be looked at: it has no id. */
export function heldProblem(held: readonly ExceededLimit[], release_id: string | undefined): Problem {
  const why = held.map(({ rule, found, limit, details = [] }) =>
    [`${rule}: ${BREAKER[rule]} (${found}, limit ${limit})`, ...details].join('; '),
  )
  const see = release_id === undefined ? '' : `. See \`atr release check ${release_id}\``
  return new Problem('release_held', `${why.join('; ')}${see}`, { members: { held } })
}
