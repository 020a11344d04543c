// What an answer has proved, and nothing else: leaves of releases, of the timeline and of the providers, all under one
// state of the registry. Input is hostile: each thing is checked before it becomes a fact.

import { fromBase64, toBase64, utf8 } from './bytes.ts'
import { canonical } from './canonical-json.ts'
import type { Need, Reply } from './lookup/asking.ts'
import { type CheckpointFault, openCheckpoint } from './note/checkpoint.ts'
import type { TrustPolicy } from './note/policy.ts'
import { CHARTS, type ChartTable, PLACE_CHART } from './price/charts.ts'
import type { LogProof, PeriodProof, ProviderProof, SharedRelease } from './price/proofs.ts'
import {
  type Manifest,
  type Period,
  type Provider,
  periodKey,
  providerKey,
  type RegistryState,
} from './price/release.ts'
import { type AnyRow, MAX_LEAF_BYTES, rowKey, rowText } from './price/row.ts'
import { rowFault } from './price/row-of-release.ts'
import { leafOf, nameOf } from './price/timeline.ts'
import { LeafSet } from './tree/leaf-set.ts'
import { type Hash, includes, leafHash } from './tree/merkle.ts'

export type FactFault =
  | CheckpointFault
  | 'row_too_large'
  | 'leaf_hash_mismatch'
  | 'row_not_in_release'
  | 'row_not_of_release'
  | 'locator_not_cited'
  | 'release_not_in_log'
  | 'release_not_in_force'
  | 'state_not_in_log'
  | 'state_not_last'
  | 'period_not_in_timeline'
  | 'provider_not_in_state'
  | 'log_of_other_kind'
  | 'mixed_checkpoints'
  | 'leaves_contradict'

export type Failure<F extends string = FactFault> = { ok: false; reason: F }
export const OK = { ok: true } as const
export type Result = typeof OK | Failure
const fail = (reason: FactFault): Failure => ({ ok: false, reason })

/** Thrown where the rule needs what was not proved. */
export class NotProved extends Error {}

export const decodePath = (encoded: readonly string[]): Hash[] | undefined => {
  const hashes = encoded.map(fromBase64)
  return hashes.every((hash): hash is Hash => hash?.length === 32) ? hashes : undefined
}

/** Whether a leaf hash stands at this place of the tree with this root. */
export function stands(
  leaf: Hash,
  index: number,
  encoded: readonly string[],
  size: number,
  encodedRoot: string,
): boolean {
  const path = decodePath(encoded)
  const root = fromBase64(encodedRoot)
  return path !== undefined && root !== undefined && includes(index, size, leaf, path, root)
}

/** The leaf of a row, which is not too large and, where a hash is stated, has that hash. */
export function leafOfRow(row: AnyRow, leaf_hash?: string): { hash: Hash } | Failure {
  const body = utf8(rowText(row))
  if (body.length > MAX_LEAF_BYTES) return fail('row_too_large')
  const hash = leafHash(body)
  return leaf_hash !== undefined && toBase64(hash) !== leaf_hash ? fail('leaf_hash_mismatch') : { hash }
}

/** Whether a period is one that this release can be in force in. */
export const isPeriodOf = (period: Period, release: Manifest): boolean =>
  period.release === nameOf(release) &&
  period.chart === release.chart &&
  period.from === release.effective_from &&
  period.from <= period.to &&
  period.to <= release.effective_to

export const REGISTRY_ORIGIN = /\/log\/registry$/
export const FIGURES_ORIGIN = /\/log\/figures$/

/** Whether an entry is in a log of the right kind; the checkpoint that was opened. */
export async function inLog(
  entry: unknown,
  proof: LogProof,
  policy: TrustPolicy,
  origin: RegExp,
  otherwise: 'release_not_in_log' | 'state_not_in_log' | 'entry_not_in_log',
): Promise<{ ok: true; size: number } | Failure<FactFault | 'entry_not_in_log'>> {
  const opened = await openCheckpoint(proof.checkpoint, policy)
  if (!opened.ok) return opened
  if (!origin.test(opened.head.origin)) return { ok: false, reason: 'log_of_other_kind' }
  const path = decodePath(proof.inclusion)
  const { size, root } = opened.head
  const isThere = path !== undefined && includes(proof.index, size, leafOf(entry), path, root)
  return isThere ? { ok: true, size } : { ok: false, reason: otherwise }
}

export const inRegistryLog = (
  entry: unknown,
  proof: LogProof,
  policy: TrustPolicy,
  otherwise: 'release_not_in_log' | 'state_not_in_log',
): Promise<{ ok: true; size: number } | Failure> =>
  inLog(entry, proof, policy, REGISTRY_ORIGIN, otherwise) as Promise<{ ok: true; size: number } | Failure>

interface ProvedRelease {
  manifest: Manifest
  rows: LeafSet<AnyRow>
}

export class Facts {
  /** The only checkpoint of the answer. */
  checkpoint: string | undefined
  state: RegistryState | undefined
  /** State and log as they were proved: a second one must be the same to the letter. */
  #under: string | undefined
  /** By the leaf hash of the manifest. */
  readonly #releases = new Map<string, ProvedRelease>()
  #periods: LeafSet<Period> | undefined
  #providers: LeafSet<Provider> | undefined

  constructor(
    readonly policy: TrustPolicy,
    readonly charts: ChartTable = CHARTS,
  ) {}

  /** The state of the registry: the last leaf of the log, so that no later one can have been kept back. */
  async addState(state: RegistryState, log: LogProof): Promise<Result> {
    if (this.#under !== undefined) return canonical({ state, log }) === this.#under ? OK : fail('mixed_checkpoints')
    if (this.checkpoint !== undefined && this.checkpoint !== log.checkpoint) return fail('mixed_checkpoints')
    const proved = await inRegistryLog(state, log, this.policy, 'state_not_in_log')
    if (!proved.ok) return proved
    if (log.index !== proved.size - 1) return fail('state_not_last')
    this.state = state
    this.checkpoint = log.checkpoint
    this.#under = canonical({ state, log })
    this.#periods = new LeafSet(state.timeline_size, periodKey)
    this.#providers = new LeafSet(state.providers_size, providerKey)
    return OK
  }

  addPeriod({ period, index, path }: PeriodProof): Result {
    const state = this.state as RegistryState
    if (!stands(leafOf(period), index, path, state.timeline_size, state.timeline_root))
      return fail('period_not_in_timeline')
    const periods = this.#periods as LeafSet<Period>
    // Periods of one chart that do not overlap are in order by both their ends: the nearest known ones tell.
    const { before, after } = periods.around(periodKey(period))
    const overlaps = (each: Period | undefined): boolean =>
      each?.chart === period.chart && each.from !== period.from && each.from <= period.to && period.from <= each.to
    if (period.from > period.to || overlaps(before) || overlaps(after)) return fail('leaves_contradict')
    return periods.add(index, period) ? OK : fail('leaves_contradict')
  }

  addProvider({ provider, index, path }: ProviderProof): Result {
    const state = this.state as RegistryState
    if (!stands(leafOf(provider), index, path, state.providers_size, state.providers_root))
      return fail('provider_not_in_state')
    const providers = this.#providers as LeafSet<Provider>
    const { before, after } = providers.around(providerKey(provider))
    // One file speaks for a provider.
    const isTwice = [before, after].some((each) => each?.npi === provider.npi && each.chart !== provider.chart)
    return !isTwice && providers.add(index, provider) ? OK : fail('leaves_contradict')
  }

  /** A release, and the period in which it is in force. */
  addRelease({ release, in_force }: SharedRelease): Result {
    if (!isPeriodOf(in_force.period, release)) return fail('release_not_in_force')
    const added = this.addPeriod(in_force)
    if (!added.ok) return added
    this.#know(release)
    return OK
  }

  /** A release that is in force on no day: only that it was published. */
  async addPublished(release: Manifest, log: LogProof): Promise<Result> {
    const proved = await inRegistryLog(release, log, this.policy, 'release_not_in_log')
    if (!proved.ok) return proved
    if (this.checkpoint !== undefined && this.checkpoint !== log.checkpoint) return fail('mixed_checkpoints')
    this.checkpoint = log.checkpoint
    this.#know(release)
    return OK
  }

  #know(release: Manifest): void {
    const name = nameOf(release)
    if (!this.#releases.has(name))
      this.#releases.set(name, { manifest: release, rows: new LeafSet<AnyRow>(release.row_count, rowKey) })
  }

  addRow(release: Manifest, row: AnyRow, index: number, path: readonly string[], leaf_hash?: string): Result {
    const leaf = leafOfRow(row, leaf_hash)
    if ('reason' in leaf) return leaf
    if (!stands(leaf.hash, index, path, release.row_count, release.rows_root)) return fail('row_not_in_release')
    return this.addProvedRow(release, row, index)
  }

  /** A row whose place in the tree has been shown already. */
  addProvedRow(release: Manifest, row: AnyRow, index: number): Result {
    const fault = rowFault(row, release, this.charts)
    if (fault) return fail(fault)
    const known = this.#releases.get(nameOf(release))
    return known?.rows.add(index, row) ? OK : fail('leaves_contradict')
  }

  /** What the rule is told: only what is proved. */
  reply(need: Need, day: string): Reply {
    if (!this.state) throw new NotProved()
    if (need.need === 'provider') return this.#chartOf(need.npi)
    if (need.need === 'edition') return this.editionOn(need.chart, day) !== undefined
    const release = this.editionOn(need.chart, day)
    if (!release) throw new NotProved()
    if (need.need === 'row') {
      const row = release.rows.find(need.key)
      if (!row && !release.rows.lacks(need.key)) throw new NotProved()
      return row
    }
    const rows = release.rows.under(need.prefix)
    if (need.need === 'rows') {
      if (!rows) throw new NotProved()
      return rows
    }
    const regions = new Set<string>()
    for (const { region } of rows ?? release.rows.knownUnder(need.prefix)) {
      regions.add(region as string)
      if (regions.size === 2) return [...regions]
    }
    if (!rows) throw new NotProved()
    return [...regions]
  }

  #chartOf(npi: string): string | undefined {
    const providers = this.#providers as LeafSet<Provider>
    // Each NPI has one leaf: where it is not shown, its place must be.
    const { after: known } = providers.around(`${npi}|`)
    if (known?.npi === npi) return known.chart
    if (providers.notAfter(`${npi}|`) === undefined) throw new NotProved()
    return undefined
  }

  /** The release of a chart in force on a day; undefined where it is proved that there is none. */
  editionOn(chart: string, day: string): ProvedRelease | undefined {
    if (!this.state) throw new NotProved()
    const periods = this.#periods as LeafSet<Period>
    const holding = this.#periodOn(chart, day)
    if (holding) {
      const known = this.#releases.get(holding.release)
      if (!known) throw new NotProved()
      return known
    }
    // The last period that begins by that day is of another chart, or is over: there is no room for another one.
    if (periods.notAfter(`${chart}|${day}`) === undefined) throw new NotProved()
    return undefined
  }

  /** Whether a release that is known is the one in force on a day. */
  isInForce(release: Manifest, day: string): boolean {
    return this.#periodOn(release.chart, day)?.release === nameOf(release)
  }

  /** The known period of a chart that holds a day. Periods of a chart do not overlap: it is the last that begins by then. */
  #periodOn(chart: string, day: string): Period | undefined {
    const last = this.#periods?.around(`${chart}|${day}`).before
    return last?.chart === chart && day <= last.to ? last : undefined
  }

  /** The editions of a day that are proved to have no row of a code at all. */
  withoutCode(cpt: string, day: string): Manifest[] {
    return [...this.#releases.values()]
      .filter(({ manifest }) => manifest.chart !== PLACE_CHART && this.isInForce(manifest, day))
      .filter(({ rows }) => rows.under(`${cpt}|`)?.length === 0)
      .map(({ manifest }) => manifest)
  }

  /** Whether a period is the last of its chart that begins by a day. */
  isLastBy({ chart, from }: Period, day: string): boolean {
    const last = this.#periods?.notAfter(`${chart}|${day}`)
    return last?.chart === chart && last.from === from
  }
}
