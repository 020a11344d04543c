// What an answer has proved, and nothing else: leaves of releases, of the timeline and of the providers, all under one
// state of the registry. Input is hostile: each thing is checked before it becomes a fact.

import { fromBase64, toBase64, utf8 } from './bytes.ts'
import { canonical } from './canonical-json.ts'
import { ensure, type FailedCheck, type Fault } from './fault.ts'
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
import { type LeafSet, leafSet } from './tree/leaf-set.ts'
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
  ensure(opened.ok, (opened as FailedCheck).reason)
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
  ensure(includes(index, head.size, leafOf(entry), inclusion.map(fromBase64), head.root), otherwise)
  return head.size
}

interface ProvedRelease {
  release: Manifest
  rows: LeafSet<AnyRow>
}

/** That an edition has no row of a code. */
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
  /** The state of the registry: the last leaf of the log, so that no later one can have been kept back. */
  addState(state: RegistryState, log: LogProof): Promise<void>
  addPeriod(proof: PeriodProof): void
  addProvider(proof: ProviderProof): void
  /** A release, and the period in which it is in force. */
  addRelease(shared: SharedRelease): void
  /** A release that is in force on no day: only that it was published. */
  addPublished(release: Manifest, log: LogProof): Promise<void>
  addRow(release: Manifest, row: AnyRow, index: number, path: readonly string[], leaf_hash?: string): void
  /** A row whose place in the tree has been shown already. */
  addProvedRow(release: Manifest, row: AnyRow, index: number): void
  /** What the rule is told of the editions of a day: only what is proved. */
  on(day: string): Editions
  /** The chart that speaks for a provider; undefined where it is proved that none does. */
  chartOf(npi: string): string | undefined
  /** Whether a release that is known is the one in force on a day. */
  isInForce(release: Manifest, day: string): boolean
  /** The editions of a day that are proved to have no row of a code at all, nor of the one that stands for it. */
  withoutCode(cpt: string, day: string): CodeAbsence[]
  /** Whether a period is the last of its chart that begins by a day. */
  isLastBy(period: Period, day: string): boolean
}

/** No facts yet, and the policy by which they are to be proved. */
export function noFacts(policy: TrustPolicy, charts: ChartTable = CHARTS): Facts {
  /** State and log as they were proved: a second one must be the same to the letter. */
  let under: { state: RegistryState; log: LogProof } | undefined
  /** By the leaf hash of the manifest. */
  const releases = new Map<string, ProvedRelease>()
  let periods: LeafSet<Period> | undefined
  let providers: LeafSet<Provider> | undefined

  const know = (release: Manifest): void => {
    const name = nameOf(release)
    if (!releases.has(name))
      releases.set(name, { release, rows: leafSet<AnyRow>(release.row_count, release.rows_root, rowKey) })
  }
  const rowsOf = (release: Manifest): LeafSet<AnyRow> | undefined => releases.get(nameOf(release))?.rows

  /** The known period of a chart that holds a day. Periods of a chart do not overlap: it is the last that begins by then. */
  const periodOn = (chart: string, day: string): Period | undefined => {
    const last = periods?.around(`${chart}|${day}`)[0]
    return last?.chart === chart && day <= last.to ? last : undefined
  }
  /** The release of a chart in force on a day; undefined where it is proved that there is none. */
  const editionOn = (chart: string, day: string): ProvedRelease | undefined => {
    const holding = periodOn(chart, day)
    if (holding) return proved(releases.get(holding.release))
    // The last period that begins by that day is of another chart, or is over: there is no room for another one.
    proved(periods?.notAfter(`${chart}|${day}`))
    return undefined
  }

  const facts: Facts = {
    policy,
    charts,
    checkpoint: undefined,
    state: undefined,

    async addState(state, log) {
      if (under) return ensure(canonical({ state, log }) === canonical(under), 'mixed_checkpoints')
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
      ensure(periods?.holds(leafOf(period), index, path), 'period_not_in_timeline')
      const { chart, from, to } = period
      // Periods of one chart that do not overlap are in order by both their ends: the nearest known ones tell.
      const overlaps = periods
        ?.around(periodKey(period))
        .some((each) => each?.chart === chart && each.from !== from && each.from <= to && from <= each.to)
      ensure(from <= to && !overlaps && periods?.add(index, period), 'leaves_contradict')
    },

    addProvider({ provider, index, path }) {
      ensure(providers?.holds(leafOf(provider), index, path), 'provider_not_in_state')
      const { npi, chart } = provider
      // One file speaks for a provider.
      const isTwice = providers?.around(providerKey(provider)).some((each) => each?.npi === npi && each.chart !== chart)
      ensure(!isTwice && providers?.add(index, provider), 'leaves_contradict')
    },

    addRelease({ release, in_force }) {
      ensure(isPeriodOf(in_force.period, release), 'release_not_in_force')
      facts.addPeriod(in_force)
      know(release)
    },

    async addPublished(release, log) {
      await inLog(release, log, policy, REGISTRY_ORIGIN, 'release_not_in_log')
      facts.checkpoint ??= log.checkpoint
      ensure(facts.checkpoint === log.checkpoint, 'mixed_checkpoints')
      know(release)
    },

    addRow(release, row, index, path, leaf_hash) {
      const leaf = leafOfRow(row, leaf_hash)
      ensure(rowsOf(release)?.holds(leaf, index, path), 'row_not_in_release')
      facts.addProvedRow(release, row, index)
    },

    addProvedRow(release, row, index) {
      const fault = rowFault(row, release, charts)
      ensure(!fault, fault as Fault)
      ensure(rowsOf(release)?.add(index, row), 'leaves_contradict')
    },

    on(day) {
      const inForce = (chart: string): LeafSet<AnyRow> => proved(editionOn(chart, day)).rows
      return {
        day,
        chartOf: (npi) => facts.chartOf(npi),
        isHeld: (chart) => !!editionOn(chart, day),
        row: (chart, key) => proved(inForce(chart).find(key)),
        notAfter: (chart, key) => proved(inForce(chart).notAfter(key)),
        rows: (chart, prefix) => proved(inForce(chart).under(prefix)),
        regions(chart, prefix) {
          const rows = inForce(chart)
          const regions = new Set(rows.knownUnder(prefix).map(({ region }) => region as string))
          // Two that are known are several, whatever else there is; fewer are all only where all rows are known.
          if (regions.size < 2) proved(rows.under(prefix))
          return [...regions].slice(0, 2)
        },
      }
    },

    chartOf(npi) {
      // Each NPI has one leaf: where it is not shown, its place must be.
      const known = providers?.around(`${npi}|`)[1]
      if (known?.npi === npi) return known.chart
      proved(providers?.notAfter(`${npi}|`))
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
      return last?.chart === chart && last.from === from
    },
  }
  return facts
}
