// What an answer has proved, and nothing else: leaves of releases, of the timeline and of the providers, all under one
// state of the registry. Input is hostile: each thing is checked before it becomes a fact.

import { toBase64, utf8 } from './bytes.ts'
import { canonical } from './canonical-json.ts'
import { ensure, Failure, type Fault } from './fault.ts'
import type { Editions } from './lookup/editions.ts'
import { openCheckpoint, type TreeHead } from './note/checkpoint.ts'
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
import { decodePath, LeafSet } from './tree/leaf-set.ts'
import { type Hash, includes, leafHash } from './tree/merkle.ts'

/** The leaf of a row, which is not too large and, where a hash is stated, has that hash. */
export function leafOfRow(row: AnyRow, leaf_hash?: string): Hash {
  const body = utf8(rowText(row))
  ensure(body.length <= MAX_LEAF_BYTES, 'row_too_large')
  const hash = leafHash(body)
  ensure(leaf_hash === undefined || toBase64(hash) === leaf_hash, 'leaf_hash_mismatch')
  return hash
}

/** Whether a period is one that this release can be in force in. */
export const isPeriodOf = (period: Period, release: Manifest): boolean =>
  period.release === nameOf(release) &&
  period.chart === release.chart &&
  period.from === release.effective_from &&
  period.from <= period.to &&
  period.to <= release.effective_to

/** What the rule needs; undefined is what was not proved. */
function proved<T>(value: T | undefined): T {
  ensure(value !== undefined, 'choice_not_proved')
  return value
}

export const REGISTRY_ORIGIN = /\/log\/registry$/
export const FIGURES_ORIGIN = /\/log\/figures$/

/** The head of a log, by a checkpoint that counts. */
export async function headOf(checkpoint: string, policy: TrustPolicy): Promise<TreeHead> {
  const opened = await openCheckpoint(checkpoint, policy)
  if (!opened.ok) throw new Failure(opened.reason)
  return opened.head
}

/** The size of the log that an entry is in. It is of the right kind, by a checkpoint that counts. */
export async function inLog(
  entry: unknown,
  { checkpoint, index, inclusion }: LogProof,
  policy: TrustPolicy,
  origin: RegExp,
  otherwise: Fault,
): Promise<number> {
  const head = await headOf(checkpoint, policy)
  ensure(origin.test(head.origin), 'log_of_other_kind')
  const path = decodePath(inclusion)
  ensure(path && includes(index, head.size, leafOf(entry), path, head.root), otherwise)
  return head.size
}

interface ProvedRelease {
  manifest: Manifest
  rows: LeafSet<AnyRow>
}

/** That an edition has no row of a code. */
export interface CodeAbsence {
  cpt: string
  release: Manifest
}

export class Facts {
  /** The only checkpoint of the answer. */
  checkpoint: string | undefined
  state: RegistryState | undefined
  /** State and log as they were proved: a second one must be the same to the letter. */
  #under: { state: RegistryState; log: LogProof } | undefined
  /** By the leaf hash of the manifest. */
  readonly #releases = new Map<string, ProvedRelease>()
  #periods: LeafSet<Period> | undefined
  #providers: LeafSet<Provider> | undefined

  constructor(
    readonly policy: TrustPolicy,
    readonly charts: ChartTable = CHARTS,
  ) {}

  /** The state of the registry: the last leaf of the log, so that no later one can have been kept back. */
  async addState(state: RegistryState, log: LogProof): Promise<void> {
    if (this.#under) return ensure(canonical({ state, log }) === canonical(this.#under), 'mixed_checkpoints')
    ensure((this.checkpoint ?? log.checkpoint) === log.checkpoint, 'mixed_checkpoints')
    const size = await inLog(state, log, this.policy, REGISTRY_ORIGIN, 'state_not_in_log')
    ensure(log.index === size - 1, 'state_not_last')
    this.state = state
    this.checkpoint = log.checkpoint
    this.#under = { state, log }
    this.#periods = new LeafSet(state.timeline_size, state.timeline_root, periodKey)
    this.#providers = new LeafSet(state.providers_size, state.providers_root, providerKey)
  }

  addPeriod({ period, index, path }: PeriodProof): void {
    const periods = this.#periods as LeafSet<Period>
    ensure(periods.holds(leafOf(period), index, path), 'period_not_in_timeline')
    // Periods of one chart that do not overlap are in order by both their ends: the nearest known ones tell.
    const { before, after } = periods.around(periodKey(period))
    const overlaps = (each: Period | undefined): boolean =>
      each?.chart === period.chart && each.from !== period.from && each.from <= period.to && period.from <= each.to
    const isApart = period.from <= period.to && !overlaps(before) && !overlaps(after)
    ensure(isApart && periods.add(index, period), 'leaves_contradict')
  }

  addProvider({ provider, index, path }: ProviderProof): void {
    const providers = this.#providers as LeafSet<Provider>
    ensure(providers.holds(leafOf(provider), index, path), 'provider_not_in_state')
    const { before, after } = providers.around(providerKey(provider))
    // One file speaks for a provider.
    const isTwice = [before, after].some((each) => each?.npi === provider.npi && each.chart !== provider.chart)
    ensure(!isTwice && providers.add(index, provider), 'leaves_contradict')
  }

  /** A release, and the period in which it is in force. */
  addRelease({ release, in_force }: SharedRelease): void {
    ensure(isPeriodOf(in_force.period, release), 'release_not_in_force')
    this.addPeriod(in_force)
    this.#know(release)
  }

  /** A release that is in force on no day: only that it was published. */
  async addPublished(release: Manifest, log: LogProof): Promise<void> {
    await inLog(release, log, this.policy, REGISTRY_ORIGIN, 'release_not_in_log')
    this.checkpoint ??= log.checkpoint
    ensure(this.checkpoint === log.checkpoint, 'mixed_checkpoints')
    this.#know(release)
  }

  #know(release: Manifest): void {
    const name = nameOf(release)
    if (!this.#releases.has(name))
      this.#releases.set(name, {
        manifest: release,
        rows: new LeafSet<AnyRow>(release.row_count, release.rows_root, rowKey),
      })
  }

  addRow(release: Manifest, row: AnyRow, index: number, path: readonly string[], leaf_hash?: string): void {
    const leaf = leafOfRow(row, leaf_hash)
    ensure(this.#rowsOf(release)?.holds(leaf, index, path), 'row_not_in_release')
    this.addProvedRow(release, row, index)
  }

  /** A row whose place in the tree has been shown already. */
  addProvedRow(release: Manifest, row: AnyRow, index: number): void {
    const fault = rowFault(row, release, this.charts)
    if (fault) throw new Failure(fault)
    ensure(this.#rowsOf(release)?.add(index, row), 'leaves_contradict')
  }

  #rowsOf(release: Manifest): LeafSet<AnyRow> | undefined {
    return this.#releases.get(nameOf(release))?.rows
  }

  /** What the rule is told of the editions of a day: only what is proved. */
  on(day: string): Editions {
    const rowsOf = (chart: string): LeafSet<AnyRow> => proved(this.editionOn(chart, day)).rows
    return {
      day,
      chartOf: (npi) => this.chartOf(npi),
      isHeld: (chart) => this.editionOn(chart, day) !== undefined,
      row: (chart, key) => proved(rowsOf(chart).find(key)) ?? undefined,
      rows: (chart, prefix) => proved(rowsOf(chart).under(prefix)),
      regions: (chart, prefix) => {
        const rows = rowsOf(chart)
        const regions = new Set(rows.knownUnder(prefix).map(({ region }) => region as string))
        // Two that are known are several, whatever else there is; fewer are all only where all rows are known.
        if (regions.size < 2) proved(rows.under(prefix))
        return [...regions].slice(0, 2)
      },
    }
  }

  chartOf(npi: string): string | undefined {
    // Each NPI has one leaf: where it is not shown, its place must be.
    const known = this.#providers?.around(`${npi}|`).after
    if (known?.npi === npi) return known.chart
    proved(this.#providers?.notAfter(`${npi}|`))
    return undefined
  }

  /** The release of a chart in force on a day; undefined where it is proved that there is none. */
  editionOn(chart: string, day: string): ProvedRelease | undefined {
    const holding = this.#periodOn(chart, day)
    if (holding) return proved(this.#releases.get(holding.release))
    // The last period that begins by that day is of another chart, or is over: there is no room for another one.
    proved(this.#periods?.notAfter(`${chart}|${day}`))
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
  withoutCode(cpt: string, day: string): CodeAbsence[] {
    return [...this.#releases.values()]
      .filter(({ manifest }) => manifest.chart !== PLACE_CHART && this.isInForce(manifest, day))
      .filter(({ rows }) => rows.under(`${cpt}|`)?.length === 0)
      .map(({ manifest }) => ({ cpt, release: manifest }))
  }

  /** Whether a period is the last of its chart that begins by a day. */
  isLastBy({ chart, from }: Period, day: string): boolean {
    const last = this.#periods?.notAfter(`${chart}|${day}`)
    return last?.chart === chart && last.from === from
  }
}
