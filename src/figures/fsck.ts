import { isDeepStrictEqual } from 'node:util'
import type { Db } from '../db/db.ts'
import { equalBytes, fromUtf8, toBase64, utf8 } from '../proof/bytes.ts'
import { canonical } from '../proof/canonical-json.ts'
import { figuresFaults } from '../proof/figures-replay.ts'
import { GrowingTree } from '../proof/tree/merkle.ts'
import type { ChangeEntry } from './answers.ts'
import { exactStates } from './exact-plan.ts'
import { batchLeaves, caseLeaf, ledgerRoot } from './ledger/seal.ts'
import * as seals from './ledger/seal-store.ts'
import * as ledger from './ledger/store.ts'
import { replayExact, replayNoised } from './rule/replay.ts'
import { addTallies, METRICS, tallies } from './rule/tally.ts'
import { emptyState, parseState, stateOf } from './state.ts'
import * as store from './store.ts'
import { isWindowLeaf, windowLeaves } from './window/seal.ts'
import * as windowStore from './window/store.ts'

const NAMES = [...METRICS].sort()

/**
 * Compares every change and every state with its log entry, decides every release again from its tallies, and recomputes
 * the seals of the ledger from its cases and their salts.
 */
export async function checkFigures(db: Db): Promise<string[]> {
  try {
    return await checkAll(db)
  } catch (error) {
    // A stored text of another form is damage.
    if (error instanceof SyntaxError || error instanceof TypeError)
      return ['figures: the store has a text that this program has not written: restore it from a backup']
    throw error
  }
}

async function checkAll(db: Db): Promise<string[]> {
  const entries = await store.changesAndLeaves(db)
  const releases = await store.releases(db)
  const misnamed = releases.filter(({ figures }) => !isDeepStrictEqual(Object.keys(figures.metrics).sort(), NAMES))
  if (misnamed.length > 0)
    return misnamed.map(
      ({ release_id }) =>
        `figures release ${release_id}: its figures do not have the names that they were released under`,
    )
  const logged = entries.flatMap(({ entry }) => (entry === null ? [] : [JSON.parse(entry) as ChangeEntry]))
  return [
    ...checkEntries(entries, releases),
    ...replayReleases(releases),
    ...(await checkWindows(db, releases)),
    ...(await checkProviderWindows(db, releases)),
    ...(await checkLedger(db)),
    ...(await checkReleaseSeals(db, releases, logged)),
    ...(await checkLatest(db, releases.at(-1))),
  ]
}

/** Each entry of the log is a stored change or the state after a release, and follows from the entries before it. */
function checkEntries(
  entries: Awaited<ReturnType<typeof store.changesAndLeaves>>,
  releases: readonly store.FigureRelease[],
): string[] {
  const ends = new Map(releases.map((release) => [release.log_size - 1, release]))
  const faults = entries.flatMap(({ seq, metric, entry, body }) => {
    const release = ends.get(seq)
    ends.delete(seq)
    if (entry !== null && !release)
      return body !== null && equalBytes(utf8(entry), body) && (JSON.parse(entry) as ChangeEntry).metric === metric
        ? []
        : [`figures log: change ${seq} differs from its log entry`]
    const state = body === null || entry !== null ? undefined : parseState(body)
    // The first entry of a log is the state before any release.
    const isExpected = release !== undefined || seq === 0
    if (!state || !isExpected) return [unexpected(seq)]
    const expected = release
      ? stateOf(release, state.recorded_at)
      : emptyState(state.recorded_at, state.sdc_rule_version)
    return canonical(state) === canonical(expected) ? [] : [unexpected(seq)]
  })
  faults.push(...[...ends.values()].map(({ release_id }) => `figures log: no state after ${release_id}`))
  if (faults.length > 0) return faults
  const log = entries.map(({ body }) => JSON.parse(fromUtf8(body as Uint8Array)) as unknown)
  return figuresFaults(log).map((index) => `figures log: entry ${index} does not follow from those before it`)
}

const unexpected = (seq: number): string =>
  `figures log: entry ${seq} is neither a stored change nor the state after its release`

/** Decides each series of exact releases again. Releases with the noise from before rule 2 are only compared with the log. */
function replayReleases(releases: readonly store.FigureRelease[]): string[] {
  const series: store.FigureRelease[][] = [[]]
  for (const release of releases)
    if (exactStates(release)) series.at(-1)?.push(release)
    else series.push([])
  return series.flatMap((one) =>
    replayExact(one.flatMap(({ release_id, basis }) => (basis ? [{ release_id, ...basis }] : []))),
  )
}

/** Each window belongs to the release that closed it, and published figures follow from noised windows alone. */
async function checkWindows(db: Db, releases: readonly store.FigureRelease[]): Promise<string[]> {
  const windows = await windowStore.windows(db)
  const noised = releases.filter(({ window_no }) => window_no !== null)
  const faults = noised.flatMap((release, i) => {
    const { release_id, released_at, window_no, last_batch_id, figures } = release
    const window = windows[i]
    if (
      window?.window_no !== i + 1 ||
      window_no !== i + 1 ||
      window.closed_at !== released_at ||
      window.last_batch_id !== last_batch_id ||
      window.unit !== figures.unit
    )
      return [`figures release ${release_id}: its window is missing, or is not the one that it closed`]
    return replayNoised({
      release_id,
      as_of: new Date(released_at).toISOString(),
      unit: window.unit,
      windows: windows.slice(0, i + 1).map(({ tally }) => tally),
      published: {
        rule_version: figures.sdc_rule_version,
        of: figures.metrics,
        median_band: figures.median_band ?? null,
        counts_standard_error: figures.counts_standard_error ?? null,
      } as Parameters<typeof replayNoised>[0]['published'],
    })
  })
  const stray = await windowStore.countStrayWindows(db)
  return [
    ...faults,
    ...(windows.length > noised.length ? ['figures: a window belongs to no release'] : []),
    ...(stray > 0 ? [`figures: ${stray} windows of providers belong to no window`] : []),
  ]
}

/** The noised counts of providers are those that the release of their window sealed. Older programs did not seal them. */
async function checkProviderWindows(db: Db, releases: readonly store.FigureRelease[]): Promise<string[]> {
  const sealed = new Map(
    (await seals.releaseSeals(db)).map(({ release_no, leaves }) => [release_no, leaves as object[]]),
  )
  const now = await windowLeaves(db)
  return releases.flatMap(({ release_no, release_id, window_no }) => {
    const leaf = sealed.get(release_no)?.find(isWindowLeaf)
    if (window_no === null || !leaf) return []
    const stored = now.get(window_no) ?? { ...leaf, providers: 0 }
    const isSame =
      leaf.window_no === window_no && leaf.providers === stored.providers && leaf.rows_root === stored.rows_root
    return isSame ? [] : [`figures release ${release_id}: the windows of its providers are not those that were sealed`]
  })
}

/** Every case has a salt, every salt has a case, and together they give the stored root of each file. */
async function checkLedger(db: Db): Promise<string[]> {
  const stored = await seals.batchSeals(db)
  const trees = new Map(stored.map(({ batch_id }) => [batch_id, new GrowingTree()]))
  let unsalted = 0
  for await (const rows of seals.allCases(db))
    for (const row of rows)
      if (row.salt) trees.get(row.batch_id)?.add(caseLeaf(row, row.salt))
      // Files from before seals existed are sealed at the next change or release.
      else if (trees.has(row.batch_id)) unsalted++
  const broken = stored.flatMap(({ batch_id, cases, rows_root }) => {
    const tree = trees.get(batch_id)
    return tree?.size === cases && equalBytes(tree.root, rows_root)
      ? []
      : [`ledger: the cases of batch ${batch_id} differ from those that were sealed`]
  })
  const stray = await seals.countStraySalts(db)
  return [
    ...broken,
    ...(unsalted > 0 ? [`ledger: ${unsalted} cases have no salt`] : []),
    ...(stray > 0 ? [`ledger: ${stray} salts belong to no case`] : []),
  ]
}

/** The seal of each release is the root of its leaves, and its changes in the log name that root. */
async function checkReleaseSeals(
  db: Db,
  releases: readonly store.FigureRelease[],
  logged: readonly ChangeEntry[],
): Promise<string[]> {
  const sealed = new Map((await seals.releaseSeals(db)).map((seal) => [seal.release_no, seal]))
  return releases.flatMap(({ release_no, release_id }) => {
    const seal = sealed.get(release_no)
    const named = new Set(
      logged.filter((entry) => entry.release_id === release_id).map(({ ledger_root }) => ledger_root),
    )
    // A release from before seals existed has none, and its changes name none.
    if (!seal && (named.size === 0 || (named.size === 1 && named.has(undefined)))) return []
    const [first] = (seal?.leaves ?? []) as { release_id?: string }[]
    const sound =
      seal &&
      first?.release_id === release_id &&
      equalBytes(ledgerRoot(seal.leaves), seal.ledger_root) &&
      [...named].every((root) => root === toBase64(seal.ledger_root))
    return sound
      ? []
      : [
          `figures release ${release_id}: its seal differs from the root of its leaves, or from the one its changes name`,
        ]
  })
}

/** The ledger matches the latest release, unless it was corrected since. */
async function checkLatest(db: Db, latest: store.FigureRelease | undefined): Promise<string[]> {
  const seal = latest && (await seals.releaseSeals(db)).find(({ release_no }) => release_no === latest.release_no)
  if (!latest || !seal) return []
  const { last_batch_id, last_correction_id } = await ledger.ledgerState(db)
  // The old content of corrected and deleted cases is gone, so there is nothing to compare.
  if (last_correction_id > latest.last_batch_id) return []
  const faults: string[] = []
  const [first, ...more] = seal.leaves as [{ carried: unknown }, ...object[]]
  const batches = more.filter((leaf) => !isWindowLeaf(leaf))
  const now = (await batchLeaves(db)).filter(({ batch_id }) => batch_id <= latest.last_batch_id)
  const removed = await ledger.carryover(db)
  if (canonical(now) !== canonical(batches) || canonical(first.carried) !== canonical(removed))
    faults.push(`figures release ${latest.release_id}: the ledger differs from the one it was made from`)
  if (!exactStates(latest) || last_batch_id > latest.last_batch_id) return faults
  const counted = addTallies(tallies(await ledger.outcomeCells(db)), removed)
  if (canonical(counted) !== canonical(latest.basis?.tallies.of))
    faults.push(`figures release ${latest.release_id}: its tallies differ from those of the ledger`)
  return faults
}
