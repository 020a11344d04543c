import type { Db } from '../db/db.ts'
import type { Log } from '../integrity/log.ts'
import { type Cosign, commitToLog } from '../integrity/publication.ts'
import { Problem } from '../problem.ts'
import { toBase64, utf8 } from '../proof/bytes.ts'
import { canonical } from '../proof/canonical-json.ts'
import type { ChangeEntry } from './answers.ts'
import { auditText, storeAudit } from './audit.ts'
import { planExact } from './exact-plan.ts'
import { removeOutgrown } from './ledger/retention.ts'
import { ledgerLeaves, ledgerRoot, sealOpen } from './ledger/seal.ts'
import { insertReleaseSeal } from './ledger/seal-store.ts'
import { carryover, ledgerState } from './ledger/store.ts'
import * as providers from './provider-store.ts'
import type { Audit } from './rule/audit.ts'
import type { Move } from './rule/disclosure.ts'
import type { Dice } from './rule/laplace.ts'
import { RULE_2, spendOf } from './rule/rule-2.ts'
import { type Series, seriesFor, seriesOf } from './series.ts'
import { stateLeaf } from './state.ts'
import * as store from './store.ts'
import { nextWindowAt } from './window/calendar.ts'
import { closeWindow, openWindow, withholdsAll } from './window/plan.ts'
import { windowLeaves } from './window/seal.ts'
import * as windowStore from './window/store.ts'

export interface FiguresParts {
  db: Db
  /** The figures log. */
  log: Log
  /** Epoch milliseconds. */
  now: () => number
}

export type PublishingParts = FiguresParts & {
  cosign: Cosign
  /** The source of noise. */
  dice: Dice
  /** Whether old cases are removed (see ledger/retention.ts). */
  retention?: boolean | undefined
}

export interface ReleaseResult {
  release_id: string
  changes: number
  /** How many old cases were removed. */
  removed: number
  /** True if the window of this quarter or month was closed before. This is the release that closed it. */
  already_released: boolean
  figures: store.PublicFigures
}

/**
 * Makes a release of the figures. The window and its noise, the release, its changes, their log entries, the final state
 * and the signed checkpoint commit together; a crash before that leaves the previous release in force.
 *
 * Under rule 2 a release closes a window, once in each quarter or month, whether cases came or not. In between it changes
 * nothing.
 */
export const releaseFigures = (
  parts: PublishingParts & { exact?: boolean | undefined; newSeries?: boolean | undefined },
): Promise<ReleaseResult> => release(parts, (previous) => seriesFor(previous, parts)) as Promise<ReleaseResult>

/** Makes the release that was due at `slot`, unless there was one since. If several processes try, one succeeds. */
export const releaseIfDue = (parts: PublishingParts, slot: number): Promise<ReleaseResult | undefined> =>
  release(
    parts,
    // A person decides on the first release: if it came as soon as there are enough cases, its day would reveal their number.
    (previous) => (!previous || previous.released_at >= slot ? undefined : seriesOf(previous)),
    slot,
  )

/** A release that is decided and not yet stored. */
interface Plan {
  release: Omit<store.FigureRelease, 'release_no' | 'release_id' | 'released_at' | 'last_batch_id' | 'log_size'>
  moves: Move[]
  audit: Audit
  /** Writes the rows that belong to the release. */
  store: (tx: Db, release_no: number) => Promise<unknown>
}

async function release(
  parts: PublishingParts,
  chooseSeries: (previous: store.FigureRelease | undefined) => Series | undefined,
  slot?: number,
): Promise<ReleaseResult | undefined> {
  const { db, log, now, cosign, retention } = parts
  let audit: Audit | undefined
  try {
    return await commitToLog({ db, log, cosign }, now(), async (tx, append) => {
      const previous = await store.latestRelease(tx)
      const series = chooseSeries(previous)
      if (!series) return undefined
      // A clock set back must not put a release before the one it follows.
      const released_at = Math.max(now(), previous?.released_at ?? 0)
      const windows = series === 'noised' ? await windowStore.windows(tx) : []
      if (previous && seriesOf(previous) === series && nextWindowAt(windows, RULE_2) > (slot ?? released_at))
        return slot === undefined ? unchanged(previous) : undefined
      const removed = retention ? await removeOutgrown(tx, previous) : 0
      const plan =
        series === 'exact'
          ? await exactRelease(tx, previous, released_at)
          : await noisedRelease(tx, previous, { windows, released_at, dice: parts.dice })
      if (!plan && slot !== undefined) return undefined
      if (!plan) throw new Problem('figures_held', NOTHING_TO_SAY)
      audit = plan.audit
      if (!audit.ok) throw new Problem('figures_held', auditText(audit))
      const release = await publish(tx, plan, { previous, released_at, size: (await log.signed(tx)).size })
      const changes = await changesOf(tx, release, plan.moves)
      const recorded_at = Math.max(now(), released_at)
      await append([...changes.map(({ entry }) => utf8(entry)), stateLeaf(release, recorded_at)])
      await store.insertChanges(tx, release, changes)
      await storeAudit(tx, audit, released_at)
      const { release_id, figures } = release
      return { release_id, changes: changes.length, removed, already_released: false, figures }
    })
  } catch (error) {
    if (audit && !audit.ok) await storeAudit(db, audit, now())
    throw error
  }
}

const NOTHING_TO_SAY = `a first release would say nothing: it needs ${RULE_2.min_cases} cases. Import more outcomes, then release`

const unchanged = ({ release_id, figures }: store.FigureRelease): ReleaseResult => ({
  release_id,
  changes: 0,
  removed: 0,
  already_released: true,
  figures,
})

async function exactRelease(tx: Db, previous: store.FigureRelease | undefined, released_at: number): Promise<Plan> {
  const { figures, basis, moves, refreshed, audit } = await planExact(tx, previous, released_at)
  return {
    release: { figures, basis, window_no: null, refreshes_providers: refreshed !== undefined },
    moves,
    audit,
    store: (tx, release_no) => providers.insertProviderRecords(tx, release_no, refreshed ?? []),
  }
}

/** Undefined if it would be the first release and all figures were withheld. */
async function noisedRelease(
  tx: Db,
  previous: store.FigureRelease | undefined,
  { windows, ...given }: { windows: windowStore.FigureWindow[]; released_at: number; dice: Dice },
): Promise<Plan | undefined> {
  const open = await openWindow(tx, windows)
  if (!previous && withholdsAll(open, given.released_at)) return undefined
  const { moves, ...release } = await closeWindow(tx, open, previous, given)
  return {
    release: { ...release, basis: null },
    moves,
    // Noised figures reveal the same whatever else a reader knows, so there is nothing to audit.
    audit: { ok: true, cells: moves.length, pinned: [] },
    store: async () => undefined,
  }
}

async function publish(
  tx: Db,
  plan: Plan,
  { previous, released_at, size }: { previous: store.FigureRelease | undefined; released_at: number; size: number },
): Promise<store.FigureRelease> {
  const release: store.FigureRelease = {
    ...plan.release,
    release_no: (previous?.release_no ?? 0) + 1,
    release_id: nextReleaseId(new Date(released_at).toISOString().slice(0, 10), previous?.release_id),
    released_at,
    last_batch_id: (await ledgerState(tx)).last_batch_id,
    log_size: size + plan.moves.length + 1,
  }
  await store.insertRelease(tx, release)
  await plan.store(tx, release.release_no)
  return release
}

async function changesOf(tx: Db, release: store.FigureRelease, moves: readonly Move[]): Promise<store.StoredChange[]> {
  const ledger_root = await seal(tx, release)
  const first = release.log_size - 1 - moves.length
  return moves.map((move, i) => ({
    seq: first + i,
    metric: move.metric,
    entry: canonical(changeEntry(first + i, release, move, ledger_root)),
  }))
}

/** Seals the ledger that the release was made from. A store from before seals existed gets them here. */
async function seal(tx: Db, { release_no, release_id, window_no }: store.FigureRelease): Promise<string> {
  await sealOpen(tx)
  const windows = window_no === null ? [] : [...(await windowLeaves(tx, window_no)).values()]
  const leaves = [...(await ledgerLeaves(tx, release_id, await carryover(tx))), ...windows]
  const root = ledgerRoot(leaves)
  await insertReleaseSeal(tx, release_no, root, leaves)
  return toBase64(root)
}

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
  sdc_rule_version: release.figures.sdc_rule_version,
  ledger_root,
  ...(release.figures.noise && { epsilon: spendOf(move.metric, release.figures.noise) }),
})

/** `2026-11-03.1`: the day in UTC and a counter within it. */
export function nextReleaseId(day: string, previous: string | undefined): string {
  const [previousDay, counter] = previous?.split('.') ?? []
  return `${day}.${previousDay === day ? Number(counter) + 1 : 1}`
}
