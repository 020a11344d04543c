// The check of a body's one proof. What comes out are facts, all under one state of the registry: leaves of the timeline, of
// the providers and of releases. Input is hostile.

import { TABLES_DIGEST } from '../tables/digest.ts'
import { equalBytes, fromBase64 } from './bytes.ts'
import { canonical, isCompound } from './canonical-json.ts'
import { isProof, type LeafSet, type LogProof, type Proof } from './envelope.ts'
import { ensure, Failure, type Fault } from './fault.ts'
import { openCheckpoint } from './note/checkpoint.ts'
import type { TrustPolicy } from './note/policy.ts'
import type { TreeHead } from './note/tree-head.ts'
import { CHARTS, type ChartTable } from './price/charts.ts'
import { prolongedBy } from './price/prolonged.ts'
import {
  isManifest,
  type Manifest,
  type Period,
  type Provider,
  periodKey,
  providerKey,
  type RegistryEntry,
  type RegistryState,
} from './price/release.ts'
import { type AnyRow, rowKey } from './price/row.ts'
import { rowFault } from './price/row-of-release.ts'
import { leafOf, nameOf } from './price/timeline.ts'
import type { Members } from './shape.ts'
import { leafOfRow, type StatedRow } from './shown-rows.ts'
import { type PlacedLeaf, rootOfSet } from './tree/leaf-set.ts'
import { type Hash, includes } from './tree/merkle.ts'
import { type Indexed, type SortedLeaves, sortedLeaves } from './tree/sorted-leaves.ts'

export const REGISTRY_ORIGIN = /\/log\/registry$/
export const FIGURES_ORIGIN = /\/log\/figures$/

export async function headOf(checkpoint: string, policy: TrustPolicy): Promise<TreeHead> {
  const opened = await openCheckpoint(checkpoint, policy)
  if (!opened.ok) throw new Failure(opened.reason)
  return opened.head
}

/** Checks that an entry stands in the log. Returns the head of the log, which must be of the right kind. */
export async function inLog(
  entry: unknown,
  { checkpoint, index, inclusion = [] }: LogProof,
  policy: TrustPolicy,
  origin: RegExp,
  otherwise: Fault,
): Promise<TreeHead> {
  const head = await headOf(checkpoint, policy)
  ensure(origin.test(head.origin), 'log_of_other_kind')
  ensure(includes(index, head.size, leafOf(entry), inclusion.map(fromBase64), head.root), otherwise)
  return head
}

export interface ProvedRelease {
  release: Manifest
  /** Undefined if it is in force on no day. */
  period: Period | undefined
  /** All rows that were shown of it, in the answer and beside it. */
  rows: SortedLeaves<AnyRow>
}

/** The facts of a body. */
export interface Evidence {
  readonly policy: TrustPolicy
  readonly charts: ChartTable
  /** The only checkpoint of the body. */
  readonly checkpoint: string
  readonly state: RegistryState
  readonly timeline: SortedLeaves<Period>
  readonly providers: SortedLeaves<Provider>
  /** Entries of the log, by index. */
  readonly entries: ReadonlyMap<number, RegistryEntry>
  readonly releases: readonly ProvedRelease[]
  /** Known releases, by the leaf hash of their manifests. */
  readonly byName: ReadonlyMap<string, ProvedRelease>
}

/** Checks the proof of a body with the rows that it shows. */
export async function evidenceOf(
  body: Members,
  shown: readonly StatedRow[],
  policy: TrustPolicy,
  charts: ChartTable | undefined,
): Promise<Evidence> {
  const { proof } = body
  ensure(proof !== undefined, 'proof_missing')
  ensure(isProof(proof), 'proof_malformed')
  const { log, state } = proof
  ensure(hasCheckpointsOf(body, [log]), 'mixed_checkpoints')
  const head = await inLog(state, log, policy, REGISTRY_ORIGIN, 'state_not_in_log')
  ensure(log.index === head.size - 1, 'state_not_last')
  // A registry with schedules of its own tells its clients how they are looked up.
  ensure(charts !== undefined || state.tables === TABLES_DIGEST, 'tables_differ')

  const timeline = treeOf(proof.timeline, state.timeline_size, state.timeline_root, periodKey, 'period_not_in_timeline')
  ensure(timeline && isTimeline(timeline), 'periods_contradict')
  const providers = treeOf(
    proof.providers,
    state.providers_size,
    state.providers_root,
    providerKey,
    'provider_not_in_state',
  )
  ensure(providers && hasEachOnce(providers), 'periods_contradict')
  const entries = entriesOf(proof, head)
  const table = charts ?? CHARTS
  const releases = releasesOf(proof, shown, { timeline, entries, table })
  const byName = new Map(releases.map((each) => [nameOf(each.release), each]))
  ensure(byName.size === releases.length, 'repeated_item')
  return { policy, charts: table, checkpoint: log.checkpoint, state, timeline, providers, entries, releases, byName }
}

/** No other checkpoint may be anywhere in a body: someone may take it for the one that was opened. */
export function hasCheckpointsOf(body: Members, logs: readonly object[]): boolean {
  const search = (value: unknown): boolean =>
    !isCompound(value) ||
    Object.keys(value).every((name) =>
      name === 'checkpoint' ? logs.includes(value) : search((value as Members)[name]),
    )
  return search(body)
}

/** The leaves of a set, which must lead to the root. Undefined if they are not in the order of their keys. */
function treeOf<T>(
  set: LeafSet<T> | undefined,
  size: number,
  root: string,
  keyOf: (leaf: T) => string,
  otherwise: Fault,
): SortedLeaves<T> | undefined {
  const leaves = (set?.leaves ?? []).map(([index, leaf]) => ({ index, leaf, hash: leafOf(leaf) }))
  ensure(set === undefined || leadTo(leaves, set.hashes, size, root), otherwise)
  return sortedLeaves(leaves, size, keyOf)
}

function leadTo(leaves: readonly PlacedLeaf[], hashes: readonly string[] = [], size: number, root: string): boolean {
  const [beside, expected] = [hashes.map(fromBase64), fromBase64(root)]
  const found = beside.every((each) => each !== undefined) && rootOfSet(leaves, size, beside as Hash[])
  return found && expected ? equalBytes(found, expected) : false
}

/** Whether periods are periods, and those of one chart do not overlap. Sorted by key, only neighbours can. */
const isTimeline = ({ all }: SortedLeaves<Period>): boolean =>
  all.every(({ leaf: { chart, from, to } }, i) => {
    const before = all[i - 1]?.leaf
    return from <= to && (before?.chart !== chart || before.to < from)
  })

const hasEachOnce = ({ all }: SortedLeaves<Provider>): boolean =>
  all.every(({ leaf }, i) => all[i - 1]?.leaf.npi !== leaf.npi)

function entriesOf({ entries }: Proof, { size, root }: TreeHead): Map<number, RegistryEntry> {
  const leaves = (entries?.leaves ?? []).map(([index, entry]) => ({ index, entry, hash: leafOf(entry) }))
  const beside = (entries?.hashes ?? []).map(fromBase64)
  const isOfLog =
    entries === undefined ||
    (beside.every((each) => each !== undefined) &&
      equalBytes(rootOfSet(leaves, size, beside as Hash[]) ?? new Uint8Array(), root))
  ensure(isOfLog, 'entry_not_in_log')
  return new Map(leaves.map(({ index, entry }) => [index, entry]))
}

interface Context {
  timeline: SortedLeaves<Period>
  entries: ReadonlyMap<number, RegistryEntry>
  table: ChartTable
}

function releasesOf(proof: Proof, shown: readonly StatedRow[], context: Context): ProvedRelease[] {
  const { releases = [] } = proof
  ensure(
    shown.every(({ pointer }) => pointer.release < releases.length),
    'proof_malformed',
  )
  // By hand, because Node 20 has no `Map.groupBy`.
  const named = new Map<string, Period[]>()
  for (const { leaf } of context.timeline.all) named.set(leaf.release, [...(named.get(leaf.release) ?? []), leaf])
  const published = new Set([...context.entries.values()].filter(isManifest).map((release) => nameOf(release)))
  return releases.map(({ release, rows }, i) => {
    const periods = named.get(nameOf(release)) ?? []
    const [period] = periods
    const isOfRelease = period ? periods.every((each) => isPeriodOf(each, release)) : published.has(nameOf(release))
    ensure(isOfRelease, 'release_not_in_force')
    const leaves: (Indexed<AnyRow> & PlacedLeaf)[] = (rows?.leaves ?? []).map(([index, leaf]) => ({
      index,
      leaf,
      hash: leafOfRow(leaf),
    }))
    const beside = new Set(leaves.map(({ index }) => index))
    const own = new Map<number, StatedRow>()
    for (const each of shown) {
      if (each.pointer.release !== i) continue
      const { index } = each.pointer
      const known = own.get(index)
      // A row may be shown twice, and must then be the same. It never stands among the leaves too.
      ensure(!beside.has(index) && (!known || equalBytes(known.hash, each.hash)), 'rows_contradict')
      own.set(index, each)
      ensure(isSame(each.prolonged, prolongedBy(release).prolonged), 'body_contradicts_proof')
    }
    for (const [index, { row, hash }] of own) leaves.push({ index, leaf: row, hash })
    leaves.sort((a, b) => a.index - b.index)
    const { row_count, rows_root } = release
    const isProved = leaves.length === 0 ? rows === undefined : leadTo(leaves, rows?.hashes, row_count, rows_root)
    ensure(isProved, 'row_not_in_release')
    for (const { leaf } of leaves) {
      const fault = rowFault(leaf, release, context.table)
      if (fault) throw new Failure(fault)
    }
    const sorted = sortedLeaves<AnyRow>(leaves, row_count, rowKey)
    ensure(sorted, 'rows_contradict')
    return { release, period, rows: sorted }
  })
}

export const isPeriodOf = (period: Period, release: Manifest): boolean =>
  period.release === nameOf(release) &&
  period.chart === release.chart &&
  period.from === release.effective_from &&
  period.from <= period.to &&
  period.to <= release.effective_to

/** Null is not the same as a member that is left out. */
export const isSame = (a: unknown, b: unknown): boolean =>
  a === b || (a !== undefined && b !== undefined && canonical(a) === canonical(b))
