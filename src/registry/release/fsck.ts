import { isDeepStrictEqual } from 'node:util'
import { type Db, StoreFault } from '../../db/db.ts'
import { Verdict } from '../../integrity/verification/verdict.ts'
import { equalBytes, utf8 } from '../../proof/bytes.ts'
import { canonical } from '../../proof/canonical-json.ts'
import { HOSPITAL_LIST } from '../../proof/price/charts.ts'
import { isManifest, isWithdrawal, type Manifest } from '../../proof/price/release.ts'
import { openRelease } from '../rows/release-file-store.ts'
import { replayLog } from '../state/replay.ts'
import { checksOf, findDelta, findDiff } from './check-store.ts'
import { diffReleases, type ReleaseDiff } from './diff.ts'
import { rederive } from './rederive.ts'
import type { ReleaseState } from './store.ts'
import * as releases from './store.ts'

/** Whether the store has every release and withdrawal that the log names, and the log is one that can be. */
export async function checkHistory(tx: Db): Promise<string[]> {
  const { faults, releases: logged, withdrawals } = await replayLog(tx)
  const all = await releases.listReleases(tx)
  const lost =
    logged.filter(
      ({ index, release_id }) => !all.some((each) => each.log_index === index && each.release_id === release_id),
    ).length +
    withdrawals.filter(
      ({ index, release_id }) => !all.some((each) => each.withdrawn_index === index && each.release_id === release_id),
    ).length
  return lost > 0 ? [...faults, `${lost} releases or withdrawals are in the log and not in the store`] : faults
}

export const isPublished = ({ state }: Pick<ReleaseState, 'state'>): boolean =>
  state === 'published' || state === 'withdrawn'

/**
 * Re-derives a release from its stored rows, and compares with them what else the store says of it. `tx` must show the
 * store as it was at one moment.
 */
export async function checkRelease(
  tx: Db,
  release: ReleaseState,
  all: readonly ReleaseState[],
  pause: () => Promise<void>,
): Promise<Verdict> {
  const hasRows = release.state !== 'loading' && !isGone(tx, release)
  const verdict = hasRows ? await rederive(tx, release, pause) : new Verdict()
  if (hasRows && verdict.failedCount < release.row_count) addFaults(verdict, [checkProviders(tx, release)], release)
  await checkStatements(tx, release, all, verdict)
  return verdict
}

/**
 * Whether a release was withdrawn, and its file is away or of another version. Nothing is answered from it, and its rows are
 * still committed to by the log: that is no fault.
 */
export const isGone = (db: Pick<Db, 'files'>, { state, file, release_id }: ReleaseState): boolean =>
  state === 'withdrawn' &&
  (file === null || !db.files.has(file) || openRelease(db, { release_id, file }).isOfOtherForm())

/** Compares what the store says of a release with the log: its manifest, its withdrawal, what the rules found in it. */
export async function checkStatements(
  tx: Db,
  release: ReleaseState,
  all: readonly ReleaseState[],
  verdict: Verdict,
): Promise<void> {
  if (!isPublished(release)) return addFaults(verdict, [checkUnpublished(release)])
  const inManifest = await checkManifest(tx, release)
  addFaults(verdict, [...inManifest, await checkWithdrawal(tx, release)], release)
  const delta = inManifest.length === 0 ? await checkDelta(tx, release, all) : undefined
  addFaults(verdict, [delta, await checkRules(tx, release)])
}

/** Where they are about the release as a whole, none of its rows is served. */
function addFaults(verdict: Verdict, faults: readonly (string | undefined)[], whole?: ReleaseState): void {
  for (const fault of faults) if (fault !== undefined) verdict.add(fault, whole && [0, whole.row_count])
}

/** A release in the log has been published, whatever its state says. */
function checkUnpublished({ release_id, ...release }: ReleaseState): string | undefined {
  const { log_index, published_at, withdrawal, withdrawn_index } = release
  const isMarked = [log_index, published_at, withdrawal, withdrawn_index].some((value) => value !== null)
  return isMarked ? `${release_id}: it is in the log and not in the state of a release that is` : undefined
}

async function checkManifest(tx: Db, release: ReleaseState): Promise<string[]> {
  const { release_no, release_id } = release
  const entry = await releases.findEntry(tx, release_no, 'manifest')
  if (!entry || !equalBytes(utf8(entry.text), entry.body))
    return [`${release_id}: the manifest is not the log entry it should be`]
  const manifest: unknown = JSON.parse(entry.text)
  if (!isManifest(manifest)) return [`${release_id}: the manifest has a wrong form`]
  const columns = columnsOf(release)
  const differing = (Object.keys(columns) as (keyof Manifest)[]).filter(
    (name) => canonical(columns[name]) !== canonical(manifest[name] ?? null),
  )
  const faults = differing.map((name) => `${release_id}: the manifest says another ${name}`)
  if (release_id !== `${release.chart}:${release.edition}:${release.revision}`)
    faults.push(`${release_id}: its revision is not the one in its name`)
  return faults
}

/** Facts that both the store and the manifest state. */
const columnsOf = (release: ReleaseState): { [member in keyof Manifest]?: unknown } => ({
  release_id: release.release_id,
  chart: release.chart,
  edition: release.edition,
  effective_from: release.effective_from,
  effective_to: release.effective_to,
  period_by: release.period_by,
  publisher_until: release.publisher_until,
  data_class: release.data_class,
  citations: JSON.parse(release.citations) as Manifest['citations'],
  row_count: release.row_count,
  unreadable_lines: release.unreadable_lines,
  rejected_count: release.rejected_count,
  edits_left_out: release.edits_left_out,
  rows_root: release.rows_root ?? '',
  recorded_at: new Date(release.published_at ?? 0).toISOString(),
  providers: providersOf(release),
})

const providersOf = ({ providers }: ReleaseState): string[] | null =>
  providers === null ? null : (JSON.parse(providers) as string[])

/** Rows that both have, and those that only one has, must come to as many as there are. */
async function checkDelta(tx: Db, release: ReleaseState, all: readonly ReleaseState[]): Promise<string | undefined> {
  const { release_no, release_id, row_count } = release
  const entry = await releases.findEntry(tx, release_no, 'manifest')
  const { supersedes = null } = (entry ? JSON.parse(entry.text) : {}) as Partial<Manifest>
  const delta = await findDelta(tx, release_no)
  const before = all.find((each) => each.release_id === supersedes)
  if (!delta && supersedes === null) return undefined
  const common = delta ? delta.changed + delta.unchanged : 0
  const sound =
    delta?.previous_release === supersedes &&
    common + (delta?.added ?? 0) === row_count &&
    common + (delta?.removed ?? 0) === before?.row_count
  return sound ? undefined : `${release_id}: how it differs from the release before it does not add up`
}

/** The comparison with the release before, made again from the rows of both. */
export async function checkDiff(
  tx: Db,
  release: ReleaseState,
  all: readonly ReleaseState[],
): Promise<string | undefined> {
  const { release_no, release_id } = release
  const [kept, delta] = [await findDiff(tx, release_no), await findDelta(tx, release_no)]
  const before = all.find((each) => each.release_id === delta?.previous_release)
  const isRederived = !kept || !before || (await isDiff(tx, before, release, kept))
  return isRederived ? undefined : `${release_id}: how it differs from the release before it is not what their rows say`
}

/** Whether this is how two releases differ. Of a file that cannot be read, `rederive` tells. */
async function isDiff(tx: Db, before: ReleaseState, release: ReleaseState, kept: ReleaseDiff): Promise<boolean> {
  try {
    return isDeepStrictEqual(await diffReleases(tx, before, release), kept)
  } catch (error) {
    if (error instanceof StoreFault) return true
    throw error
  }
}

/** The providers that a release has prices of are those that its manifest names. The list of hospitals has prices of none. */
function checkProviders(tx: Db, release: ReleaseState): string | undefined {
  if (release.chart === HOSPITAL_LIST) return undefined
  const stored = [...openRelease(tx, release).totals('provider').keys()]
  const named = [...(providersOf(release) ?? [])].sort()
  const sound = canonical(stored) === canonical(named)
  return sound ? undefined : `${release.release_id}: the providers of its rows are not those of the manifest`
}

/** The rejected lines, rule by rule, come to the number in the manifest. */
async function checkRules(
  tx: Db,
  { release_no, release_id, rejected_count }: ReleaseState,
): Promise<string | undefined> {
  const checks = await checksOf(tx, release_no)
  const rejected = checks.reduce((sum, check) => sum + (check.severity === 'reject' ? check.failed : 0), 0)
  const sound = rejected === rejected_count
  return sound ? undefined : `${release_id}: what the rules found in it is not what the manifest says`
}

/** A release is withdrawn if and only if an entry of the log says so of this release. */
async function checkWithdrawal(tx: Db, release: ReleaseState): Promise<string | undefined> {
  const { release_no, release_id, chart, state } = release
  const marked = release.withdrawn_index !== null || release.withdrawal !== null
  if (state === 'published') return marked ? `${release_id}: it is withdrawn in part` : undefined
  const entry = await releases.findEntry(tx, release_no, 'withdrawal')
  if (!entry || !equalBytes(utf8(entry.text), entry.body))
    return `${release_id}: the withdrawal is not the log entry it should be`
  const said: unknown = JSON.parse(entry.text)
  const sound = isWithdrawal(said) && said.release_id === release_id && said.chart === chart
  return sound ? undefined : `${release_id}: the withdrawal is of another release`
}
