import type { Db } from '../db/db.ts'
import * as ledger from './ledger/store.ts'
import * as providers from './provider-store.ts'
import { type Audit, audit } from './rule/audit.ts'
import { type Decision, decide, type FigureStates, type Move } from './rule/disclosure.ts'
import { type Figure, RULE } from './rule/figure.ts'
import { beginsQuarter, type CaseBand, type ProviderRecord, refresh, windowAt } from './rule/provider.ts'
import { addTallies, METRICS, type Metric, tallies } from './rule/tally.ts'
import * as store from './store.ts'

/** The content of a release of exact figures (rule 1) that is not made yet. */
interface ExactPlan {
  figures: store.PublicFigures
  basis: NonNullable<store.FigureRelease['basis']>
  moves: Move[]
  decisions: Record<Metric, Decision>
  /** Undefined if the statistics of providers are not refreshed. */
  refreshed: [npi: string, record: ProviderRecord][] | undefined
  audit: Audit
}

/** Decides on the whole ledger. Read-only. */
export async function planExact(
  db: Db,
  previous: store.FigureRelease | undefined,
  released_at: number,
): Promise<ExactPlan> {
  const as_of = new Date(released_at).toISOString()
  const { data_class, ...batches } = await ledger.ledgerState(db)
  const of = addTallies(tallies(await ledger.outcomeCells(db)), await ledger.carryover(db))
  const given = { as_of, ...batches, of }
  const before = exactStates(previous)
  const { states, moves, decisions } = decide(given, before, RULE)
  const history = await store.exactFigures(db)
  const metrics = figuresOf(states)
  const auditWith = (bands: Bands): Audit => audit([...history, { as_of, metrics }], bands, RULE)
  const refreshing = await refreshIfDue(db, released_at, auditWith)
  return {
    figures: { sdc_rule_version: RULE.version, data_class, noise: null, metrics, exact: true },
    basis: { tallies: given, states },
    moves: before || !previous ? moves : moves.map((move) => afterSeries(move, previous)),
    decisions,
    refreshed: refreshing?.moved,
    audit: refreshing?.audit ?? auditWith(await providers.bandCounts(db)),
  }
}

/** The decisions of a release under rule 1; undefined under another rule. */
export const exactStates = (release: store.FigureRelease | undefined): FigureStates | undefined =>
  release?.figures.noise === null ? release.basis?.states : undefined

/** The first change of a series has the old value of the series before it, whatever its rule was. */
const afterSeries = (move: Move, { figures }: store.FigureRelease): Move => ({
  ...move,
  old: figures.metrics[move.metric],
  reason: 'method_change',
})

type Bands = Partial<Record<CaseBand, number>>

/**
 * The new records of providers, at the first release of a quarter (P7). Undefined at other times, and if the bands and
 * the count of all cases together would reveal small providers; the next release tries again then.
 */
async function refreshIfDue(
  db: Db,
  released_at: number,
  auditWith: (bands: Bands) => Audit,
): Promise<{ moved: NonNullable<ExactPlan['refreshed']>; audit: Audit } | undefined> {
  if (!beginsQuarter(released_at, await providers.lastRefreshAt(db))) return undefined
  const before = await providers.providerRecords(db)
  const moved = refresh(await ledger.providerCells(db, windowAt(released_at).years), before, RULE)
  const audit = auditWith(bandsOf(before, moved))
  return audit.pinned.some(({ kind }) => kind === 'providers') ? undefined : { moved, audit }
}

const figuresOf = ({ of }: FigureStates): Record<Metric, Figure> =>
  Object.fromEntries(METRICS.map((metric) => [metric, of[metric].figure])) as Record<Metric, Figure>

function bandsOf(before: ReadonlyMap<string, ProviderRecord>, moved: NonNullable<ExactPlan['refreshed']>): Bands {
  const counts: Bands = {}
  for (const { band } of new Map([...before, ...moved]).values()) counts[band.value] = (counts[band.value] ?? 0) + 1
  return counts
}
