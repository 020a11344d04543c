// The facts that an answer has proved: leaves of releases, of the timeline and of the providers, all under one state of
// the registry. Input is hostile: everything is checked before it becomes a fact.

import { fromBase64, toBase64, utf8 } from './bytes.ts'
import { canonical } from './canonical-json.ts'
import { ensure, Failure, type Fault } from './fault.ts'
import type { Editions } from './lookup/editions.ts'
import { openCheckpoint } from './note/checkpoint.ts'
import type { TrustPolicy } from './note/policy.ts'
import type { TreeHead } from './note/tree-head.ts'
import { CHARTS, type ChartTable, codeIn, factsOf, PLACE_CHART } from './price/charts.ts'
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
import { type Finding, type LeafSet, leafSet } from './tree/leaf-set.ts'
import { type Hash, includes, leafHash } from './tree/merkle.ts'

export function leafOfRow(row: AnyRow, leaf_hash?: string): { hash: Hash; bytes: number } {
  const body = utf8(rowText(row))
  ensure(body.length <= MAX_LEAF_BYTES, 'row_too_large')
  const hash = leafHash(body)
  ensure(leaf_hash === undefined || toBase64(hash) === leaf_hash, 'leaf_hash_mismatch')
  return { hash, bytes: body.length }
}

export const isPeriodOf = (period: Period, release: Manifest): boolean =>
  period.release === nameOf(release) &&
  period.chart === release.chart &&
  period.from === release.effective_from &&
  period.from <= period.to &&
  period.to <= release.effective_to

function provedLeaf<T>(finding: Finding<T>): T | undefined {
  ensure(finding.is !== 'unproved', 'choice_not_proved')
  return finding.is === 'found' ? finding.leaf : undefined
}

export const REGISTRY_ORIGIN = /\/log\/registry$/
export const FIGURES_ORIGIN = /\/log\/figures$/

export async function headOf(checkpoint: string, policy: TrustPolicy): Promise<TreeHead> {
  const opened = await openCheckpoint(checkpoint, policy)
  if (!opened.ok) throw new Failure(opened.reason)
  return opened.head
}

/** Returns the size of the log, which must be of the right kind. */
export async function inLog(
  entry: unknown,
  { checkpoint, index, inclusion }: LogProof,
  policy: TrustPolicy,
  origin: RegExp,
  otherwise: Fault,
): Promise<number> {
  const head = await headOf(checkpoint, policy)
  ensure(origin.test(head.origin), 'log_of_other_kind')
  ensure(includes(index, head.size, leafOf(entry), inclusion.map(fromBase64), head.root), otherwise)
  return head.size
}

interface ProvedRelease {
  release: Manifest
  rows: LeafSet<AnyRow>
}

/** An edition that is proved to have no row of a code. */
export interface CodeAbsence {
  cpt: string
  release: Manifest
}

export interface Facts {
  readonly policy: TrustPolicy
  readonly charts: ChartTable
  /** The only checkpoint of the answer. */
  checkpoint: string | undefined
  state: RegistryState | undefined
  /** Adds the state of the registry. It must be the last leaf of the log, so that no later one can be kept back. */
  addState(state: RegistryState, log: LogProof): Promise<void>
  addPeriod(proof: PeriodProof): void
  addProvider(proof: ProviderProof): void
  /** Adds a release, and the period in which it is in force. */
  addRelease(shared: SharedRelease): void
  /** Adds a release that is in force on no day: it is only proved to be published. */
  addPublished(release: Manifest, log: LogProof): Promise<void>
  addRow(release: Manifest, row: AnyRow, index: number, path: readonly string[], leaf_hash?: string): void
  /** Adds a row whose place in the tree is proved already. */
  addProvedRow(release: Manifest, row: AnyRow, index: number): void
  /** The editions of a day for the rule of the lookup, as far as they are proved. */
  on(day: string): Editions
  /** The chart that speaks for a provider; undefined if it is proved that none does. */
  chartOf(npi: string): string | undefined
  /** Whether a known release is in force on a day. */
  isInForce(release: Manifest, day: string): boolean
  /** The editions of a day that are proved to have no row of a code, nor of the code that stands in for it. */
  withoutCode(cpt: string, day: string): CodeAbsence[]
  /** Whether a period is the last of its chart that begins by a day. */
  isLastBy(period: Period, day: string): boolean
}

export function noFacts(policy: TrustPolicy, charts: ChartTable = CHARTS): Facts {
  /** State and log as they were proved: a second one must be the same to the letter. */
  let under: { state: RegistryState; log: LogProof } | undefined
  const releases = new Map<string, ProvedRelease>()
  let periods: LeafSet<Period> | undefined
  let providers: LeafSet<Provider> | undefined

  const addManifest = (release: Manifest): void => {
    const name = nameOf(release)
    if (!releases.has(name))
      releases.set(name, { release, rows: leafSet<AnyRow>(release.row_count, release.rows_root, rowKey) })
  }
  const rowsOf = (release: Manifest): LeafSet<AnyRow> | undefined => releases.get(nameOf(release))?.rows

  /** Periods of a chart do not overlap: the period of the day is the last that begins by it. */
  const periodOn = (chart: string, day: string): Period | undefined => {
    const last = periods?.around(`${chart}|${day}`)[0]
    return last?.chart === chart && day <= last.to ? last : undefined
  }
  /** Undefined if it is proved that none is in force. */
  const editionOn = (chart: string, day: string): ProvedRelease | undefined => {
    const period = periodOn(chart, day)
    if (period) {
      const edition = releases.get(period.release)
      ensure(edition, 'choice_not_proved')
      return edition
    }
    // The last period that begins by the day is of another chart, or over. It must be proved to be the last.
    const last = periods?.notAfter(`${chart}|${day}`)
    ensure(last && last.is !== 'unproved', 'choice_not_proved')
    return undefined
  }

  const facts: Facts = {
    policy,
    charts,
    checkpoint: undefined,
    state: undefined,

    async addState(state, log) {
      if (under) {
        ensure(canonical({ state, log }) === canonical(under), 'mixed_checkpoints')
        return
      }
      ensure((facts.checkpoint ?? log.checkpoint) === log.checkpoint, 'mixed_checkpoints')
      const size = await inLog(state, log, policy, REGISTRY_ORIGIN, 'state_not_in_log')
      ensure(log.index === size - 1, 'state_not_last')
      facts.state = state
      facts.checkpoint = log.checkpoint
      under = { state, log }
      periods = leafSet(state.timeline_size, state.timeline_root, periodKey)
      providers = leafSet(state.providers_size, state.providers_root, providerKey)
    },

    addPeriod({ period, index, path }) {
      ensure(periods, 'period_not_in_timeline')
      ensure(periods.holds(leafOf(period), index, path), 'period_not_in_timeline')
      const { chart, from, to } = period
      // Periods of a chart that do not overlap are sorted by both their ends: the nearest known ones tell.
      const overlaps = periods
        .around(periodKey(period))
        .some((each) => each?.chart === chart && each.from !== from && each.from <= to && from <= each.to)
      ensure(from <= to && !overlaps && periods.add(index, period), 'leaves_contradict')
    },

    addProvider({ provider, index, path }) {
      ensure(providers, 'provider_not_in_state')
      ensure(providers.holds(leafOf(provider), index, path), 'provider_not_in_state')
      const { npi, chart } = provider
      const isTwice = providers.around(providerKey(provider)).some((each) => each?.npi === npi && each.chart !== chart)
      ensure(!isTwice && providers.add(index, provider), 'leaves_contradict')
    },

    addRelease({ release, in_force }) {
      ensure(isPeriodOf(in_force.period, release), 'release_not_in_force')
      facts.addPeriod(in_force)
      addManifest(release)
    },

    async addPublished(release, log) {
      await inLog(release, log, policy, REGISTRY_ORIGIN, 'release_not_in_log')
      facts.checkpoint ??= log.checkpoint
      ensure(facts.checkpoint === log.checkpoint, 'mixed_checkpoints')
      addManifest(release)
    },

    addRow(release, row, index, path, leaf_hash) {
      const { hash: leaf } = leafOfRow(row, leaf_hash)
      ensure(rowsOf(release)?.holds(leaf, index, path), 'row_not_in_release')
      facts.addProvedRow(release, row, index)
    },

    addProvedRow(release, row, index) {
      const fault = rowFault(row, release, charts)
      if (fault) throw new Failure(fault)
      ensure(rowsOf(release)?.add(index, row), 'leaves_contradict')
    },

    on(day) {
      const rowsIn = (chart: string): LeafSet<AnyRow> => {
        const edition = editionOn(chart, day)
        ensure(edition, 'choice_not_proved')
        return edition.rows
      }
      const rowsUnder = (chart: string, prefix: string): AnyRow[] => {
        const rows = rowsIn(chart).under(prefix)
        ensure(rows, 'choice_not_proved')
        return rows
      }
      return {
        day,
        chartOf: (npi) => facts.chartOf(npi),
        isHeld: (chart) => editionOn(chart, day) !== undefined,
        row: (chart, key) => provedLeaf(rowsIn(chart).find(key)),
        notAfter: (chart, key) => provedLeaf(rowsIn(chart).notAfter(key)),
        rows: rowsUnder,
        regions(chart, prefix) {
          const regionsOf = (rows: readonly AnyRow[]): string[] => [
            ...new Set(rows.map(({ region }) => region as string)),
          ]
          // Two known regions are several. Fewer are all of them only if all rows are known.
          const known = regionsOf(rowsIn(chart).knownUnder(prefix))
          return known.length > 1 ? known.slice(0, 2) : regionsOf(rowsUnder(chart, prefix))
        },
      }
    },

    chartOf(npi) {
      // An NPI has one leaf. If it is not shown, its place must be.
      const known = providers?.around(`${npi}|`)[1]
      if (known?.npi === npi) return known.chart
      const before = providers?.notAfter(`${npi}|`)
      ensure(before && before.is !== 'unproved', 'choice_not_proved')
      return undefined
    },

    isInForce: (release, day) => periodOn(release.chart, day)?.release === nameOf(release),

    withoutCode: (cpt, day) =>
      [...releases.values()]
        .filter(({ release, rows }) => {
          const isOfDay = release.chart !== PLACE_CHART && facts.isInForce(release, day)
          return isOfDay && rows.under(`${codeIn(factsOf(release.chart, charts), cpt)}|`)?.length === 0
        })
        .map(({ release }) => ({ cpt, release })),

    isLastBy({ chart, from }, day) {
      const last = periods?.notAfter(`${chart}|${day}`)
      return last?.is === 'found' && last.leaf.chart === chart && last.leaf.from === from
    },
  }
  return facts
}
