import type { Db } from '../db/db.ts'
import type { Log } from '../integrity/log.ts'
import { type Cosign, commitToLog } from '../integrity/publication.ts'
import { Problem } from '../problem.ts'
import { toBase64, utf8 } from '../proof/bytes.ts'
import { canonical } from '../proof/canonical-json.ts'
import type { ChangeEntry } from './answers.ts'
import { removeOutgrown } from './ledger/retention.ts'
import { carryover } from './ledger/retention-store.ts'
import { ledgerLeaves, ledgerRoot, sealOpen } from './ledger/seal.ts'
import { insertReleaseSeal } from './ledger/seal-store.ts'
import * as ledger from './ledger/store.ts'
import * as providers from './provider-store.ts'
import { type Audit, audit } from './rule/audit.ts'
import { type Decision, decide, type FigureStates, type Move } from './rule/disclosure.ts'
import { RULE } from './rule/figure.ts'
import { addWindow, decideNoised, type Noise, noised, parseEpsilon, type Random, spendOf } from './rule/noise.ts'
import { beginsQuarter, type CaseBand, type ProviderRecord, refresh, windowAt } from './rule/provider.ts'
import { addTallies, type Metric, tallies } from './rule/tally.ts'
import { stateLeaf } from './state.ts'
import * as store from './store.ts'

export interface FiguresParts {
  db: Db
  /** The figures log. */
  log: Log
  /** Epoch milliseconds. */
  now: () => number
}

export interface NoiseDraw {
  /** A decimal: see F10. */
  epsilon: string
  random: Random
}

export interface ReleaseResult {
  release_id: string
  changes: number
  /** Cases that were removed for their age. */
  removed: number
}

export type PublishingParts = FiguresParts & {
  cosign: Cosign
  /** Whether old cases are removed (see ledger/retention.ts). */
  retention?: boolean | undefined
}

/**
 * Makes a release of the figures from the whole ledger. The release, its changes, their log entries, the state that
 * ends them and the signed checkpoint commit together; a crash before that leaves the previous release in force.
 *
 * Every run is a release, whether figures changed or not. Skipping the others would reveal that no case behind a
 * withheld figure had changed.
 */
export const releaseFigures = (parts: PublishingParts & { draw?: NoiseDraw | undefined }): Promise<ReleaseResult> =>
  release(parts, () => ({ draw: parts.draw })) as Promise<ReleaseResult>

/**
 * Makes the release that was due at `slot`, unless there was one since. It uses noise if the first release did. If
 * several processes try, one succeeds.
 */
export const releaseIfDue = (
  parts: PublishingParts & { random: Random },
  slot: number,
): Promise<ReleaseResult | undefined> =>
  release(parts, (previous) => {
    if ((previous?.released_at ?? 0) >= slot) return undefined
    const epsilon = previous?.noise?.epsilon
    return { draw: epsilon === undefined ? undefined : { epsilon, random: parts.random } }
  })

async function release(
  { db, log, now, cosign, retention }: PublishingParts,
  decideHow: (previous: store.FigureRelease | undefined) => { draw: NoiseDraw | undefined } | undefined,
): Promise<ReleaseResult | undefined> {
  let found: Audit | undefined
  try {
    return await commitToLog({ db, log, cosign }, now(), async (tx, append) => {
      const previous = await store.latestRelease(tx)
      const how = decideHow(previous)
      if (!how) return undefined
      const removed = retention ? await removeOutgrown(tx, previous) : 0
      const plan = await planRelease(tx, previous, { size: (await log.signed(tx)).size, now: now(), draw: how.draw })
      found = plan.audit
      if (!found.ok) throw new Problem('figures_held', pinnedText(found))
      const { release, moves } = plan
      await store.insertRelease(tx, release)
      await providers.insertProviderRecords(tx, release.release_no, plan.refreshed)
      const ledger_root = await seal(tx, release)
      const first = release.log_size - 1 - moves.length
      const changes = moves.map((move, i) => ({
        seq: first + i,
        metric: move.metric,
        entry: canonical(changeEntry(first + i, release, move, ledger_root)),
      }))
      await append([
        ...changes.map(({ entry }) => utf8(entry)),
        stateLeaf(release, Math.max(now(), release.released_at)),
      ])
      await store.insertChanges(tx, release, changes)
      await noteAudit(tx, found, release.released_at)
      return { release_id: release.release_id, changes: moves.length, removed }
    })
  } catch (error) {
    if (found && !found.ok) await noteAudit(db, found, now())
    throw error
  }
}

/** Ties the release to the ledger it was made from. A store from before seals existed gets them here. */
async function seal(tx: Db, { release_no, release_id }: store.FigureRelease): Promise<string> {
  await sealOpen(tx)
  const leaves = await ledgerLeaves(tx, release_id, await carryover(tx))
  const root = ledgerRoot(leaves)
  await insertReleaseSeal(tx, release_no, root, leaves)
  return toBase64(root)
}

export interface Plan {
  release: store.FigureRelease
  moves: Move[]
  /** Undefined with noise, where no figure is held back. */
  decisions: Record<Metric, Decision> | undefined
  refreshed: [npi: string, standing: ProviderRecord][]
  audit: Audit
}

/** What a release made now would contain. Read-only. */
export async function planRelease(
  db: Db,
  previous: store.FigureRelease | undefined,
  { size, now, draw }: { size: number; now: number; draw?: NoiseDraw | undefined },
): Promise<Plan> {
  // A clock set back must not put a release before the one it follows.
  const released_at = Math.max(now, previous?.released_at ?? 0)
  const as_of = new Date(released_at).toISOString()
  const { data_class, ...batches } = await ledger.ledgerState(db)
  const noise = noiseOf(draw, previous)
  const given = { as_of, ...batches, of: await talliesFor(db, previous, draw) }
  const decided = noise
    ? { ...decideNoised(given, previous?.states, RULE), decisions: undefined }
    : decide(given, previous?.states, RULE)
  const history = await store.publishedFigures(db)
  const candidate = { as_of, noise, metrics: figuresOf(decided.states) }
  const auditWith = (bands: Bands): Audit => auditOf([...history, candidate], bands)
  const refreshing = noise ? undefined : await refreshIfDue(db, released_at, auditWith)
  const release: store.FigureRelease = {
    release_no: (previous?.release_no ?? 0) + 1,
    release_id: nextReleaseId(as_of.slice(0, 10), previous?.release_id),
    released_at,
    last_batch_id: batches.last_batch_id,
    refreshes_providers: refreshing !== undefined,
    log_size: size + decided.moves.length + 1,
    data_class,
    noise,
    tallies: given,
    states: decided.states,
  }
  const audit = refreshing?.audit ?? auditWith(await providers.bandCounts(db))
  return { release, ...decided, refreshed: refreshing?.moved ?? [], audit }
}

type Bands = Partial<Record<CaseBand, number>>

/**
 * The new records of providers, at the first release of a quarter (P7). Undefined at other times, and if the bands
 * together with the count of all cases would reveal the small providers: then the next release tries again.
 */
async function refreshIfDue(
  db: Db,
  released_at: number,
  auditWith: (bands: Bands) => Audit,
): Promise<{ moved: Plan['refreshed']; audit: Audit } | undefined> {
  if (!beginsQuarter(released_at, await providers.lastRefreshAt(db))) return undefined
  const before = await providers.providerRecords(db)
  const moved = refresh(await ledger.providerCells(db, windowAt(released_at).years), before, RULE)
  const audit = auditWith(bandsOf(before, moved))
  return audit.pinned.some(({ kind }) => kind === 'providers') ? undefined : { moved, audit }
}

/** Tallies of the whole ledger and of removed cases; with noise, of earlier windows as published and a draw of the cases since. */
async function talliesFor(db: Db, previous: store.FigureRelease | undefined, draw: NoiseDraw | undefined) {
  const epsilon = draw && parseEpsilon(draw.epsilon)
  if (!draw || !epsilon) return addTallies(tallies(await ledger.outcomeCells(db)), await carryover(db))
  const window = tallies(await ledger.outcomeCells(db, { after_batch_id: previous?.last_batch_id ?? 0 }))
  return addWindow(previous?.tallies.of, noised(window, epsilon, draw.random))
}

/** A ledger is published with noise from the first release on, or never: one exact figure would undo the noise of all. */
function noiseOf(draw: NoiseDraw | undefined, previous: store.FigureRelease | undefined): Noise | null {
  if (draw && !parseEpsilon(draw.epsilon))
    throw new Problem('figures_held', 'epsilon must be a decimal above 0 and at most 10')
  if (previous && (previous.noise !== null) !== (draw !== undefined))
    throw new Problem(
      'figures_held',
      'noise must be used from the first release on, or never: this ledger began the other way',
    )
  return draw ? { mechanism: 'discrete_laplace', epsilon: draw.epsilon, windows: 'disjoint' } : null
}

const figuresOf = ({ of }: FigureStates) =>
  Object.fromEntries(Object.entries(of).map(([metric, { figure }]) => [metric, figure])) as Parameters<
    typeof audit
  >[0][number]['metrics']

function bandsOf(before: ReadonlyMap<string, ProviderRecord>, moved: Plan['refreshed']): Bands {
  const counts: Bands = {}
  for (const { band } of new Map([...before, ...moved]).values()) counts[band.value] = (counts[band.value] ?? 0) + 1
  return counts
}

/** Figures with noise need no audit: their protection does not depend on what else is known. */
const auditOf = (history: (Parameters<typeof audit>[0][number] & { noise: Noise | null })[], bands: Bands): Audit =>
  audit(
    history.filter(({ noise }) => noise === null),
    bands,
    RULE,
  )

/** Audits everything that was ever published, and stores the result. */
export async function auditFigures({ db, now }: Pick<FiguresParts, 'db' | 'now'>): Promise<Audit> {
  const found = auditOf(await store.publishedFigures(db), await providers.bandCounts(db))
  await noteAudit(db, found, now())
  return found
}

const noteAudit = (db: Db, { cells, pinned }: Audit, audited_at: number): Promise<unknown> =>
  store.putAudit(db, { audited_at, cells, pinned: pinned.length })

const pinnedText = ({ pinned }: Audit): string =>
  `published figures would pin ${pinned.length} hidden counts; first: ${pinned
    .slice(0, 3)
    .map(({ kind, metric, as_of }) => `${kind} ${metric} ${as_of}`)
    .join('; ')}`

/** An entry contains published values only: no case, no exact count, no difference, no free text. */
const changeEntry = (seq: number, release: store.FigureRelease, move: Move, ledger_root: string): ChangeEntry => ({
  seq,
  release_id: release.release_id,
  released_at: new Date(release.released_at).toISOString(),
  metric: move.metric,
  old: move.old?.value ?? null,
  new: move.new.value,
  old_as_of: move.old?.as_of ?? null,
  new_as_of: move.new.as_of,
  reason: move.reason,
  sdc_rule_version: release.states.rule_version,
  ledger_root,
  ...(release.noise && { epsilon: spendOf(move.metric, release.noise) }),
})

/** `2026-11-03.1`: the day in UTC and a counter within it. */
export function nextReleaseId(day: string, previous: string | undefined): string {
  const [previousDay, counter] = previous?.split('.') ?? []
  return `${day}.${previousDay === day ? Number(counter) + 1 : 1}`
}
