// The periods and providers after each entry of a log, in little more time than reading the entries takes.

import { toBase64 } from '../bytes.ts'
import {
  isWithdrawal,
  type Manifest,
  type Period,
  type Provider,
  periodKey,
  providerKey,
  type RegistryEntry,
  type RegistryState,
  STATE_SCHEMA,
} from '../price/release.ts'
import { indexOfKey, isRelease, leafOf, npisIn, ownerOf, periodsOf, type Standing } from '../price/timeline.ts'
import { MovingTree } from '../tree/moving-tree.ts'

/** Items in the order of their keys, with the tree over them. */
class Sorted<Item> {
  readonly items: Item[] = []
  readonly #tree = new MovingTree()

  constructor(
    readonly keyOf: (item: Item) => string,
    readonly isSame: (a: Item, b: Item) => boolean,
  ) {}

  get root(): string {
    return toBase64(this.#tree.root)
  }

  /** Replaces all items whose keys begin with a text by these, which are in order. */
  replace(prefix: string, items: readonly Item[]): void {
    const { keyOf } = this
    let from = indexOfKey(this.items, prefix, keyOf)
    let to = indexOfKey(this.items, `${prefix}~`, keyOf)
    const isKept = (old: number, item: Item): boolean => old < to && this.isSame(this.items[old] as Item, item)
    let first = 0
    for (; first < items.length && from < to && isKept(from, items[first] as Item); first++) from++
    let last = items.length
    for (; last > first && from < to && isKept(to - 1, items[last - 1] as Item); last--) to--
    const changed = items.slice(first, last)
    this.items.splice(from, to - from, ...changed)
    this.#tree.splice(from, to - from, changed.map(leafOf))
  }
}

/** The rule of `standingAfter`, for a log that is read entry by entry: an entry changes only its own chart and NPIs. */
export class RunningStanding {
  readonly #withdrawn = new Set<string>()
  readonly #named = new Map<string, Manifest[]>()
  /** By chart, the releases that were not withdrawn, in the order of the log. */
  readonly #charts = new Map<string, Manifest[]>()
  readonly #about = new Map<string, RegistryEntry[]>()
  readonly #periods = new Sorted<Period>(
    periodKey,
    (a, b) => a.from === b.from && a.to === b.to && a.release === b.release,
  )
  readonly #providers = new Sorted<Provider>(providerKey, (a, b) => a.chart === b.chart)

  /** The charts and NPIs of entries since the last computation: only these are computed again. */
  readonly #changedCharts = new Set<string>()
  readonly #changedNpis = new Set<string>()

  get standing(): Standing {
    this.#follow()
    return { periods: this.#periods.items, providers: this.#providers.items }
  }

  /** The releases of a chart that are not withdrawn, in the order of the log. */
  releasesOf(chart: string): readonly Manifest[] {
    return this.#charts.get(chart) ?? []
  }

  /** Whether a release of the chart that is not withdrawn names the NPI. */
  isNamed({ npi, chart }: Provider): boolean {
    const its = this.#about.get(npi) ?? []
    return its.some((each) => isRelease(each) && each.chart === chart && !this.#withdrawn.has(each.release_id))
  }

  add(entry: RegistryEntry): void {
    for (const npi of npisIn(entry)) {
      listIn(this.#about, npi).push(entry)
      this.#changedNpis.add(npi)
    }
    if (isRelease(entry)) this.#publish(entry)
    if (isWithdrawal(entry)) this.#withdraw(entry.release_id)
  }

  #publish(release: Manifest): void {
    listIn(this.#named, release.release_id).push(release)
    if (this.#withdrawn.has(release.release_id)) return
    listIn(this.#charts, release.chart).push(release)
    this.#changedCharts.add(release.chart)
  }

  #withdraw(release_id: string): void {
    this.#withdrawn.add(release_id)
    for (const { chart, providers = [] } of this.#named.get(release_id) ?? []) {
      const left = this.releasesOf(chart).filter((each) => each.release_id !== release_id)
      this.#charts.set(chart, left)
      this.#changedCharts.add(chart)
      for (const npi of providers) this.#changedNpis.add(npi)
    }
  }

  #follow(): void {
    for (const chart of this.#changedCharts) this.#periods.replace(`${chart}|`, periodsOf(this.releasesOf(chart)))
    for (const npi of this.#changedNpis) {
      const chart = ownerOf(npi, this.#about.get(npi) ?? [], this.#withdrawn)
      this.#providers.replace(`${npi}|`, chart === undefined ? [] : [{ npi, chart }])
    }
    this.#changedCharts.clear()
    this.#changedNpis.clear()
  }

  /** The state entry that commits to what is in force now. Which tables held is not told by the entries before it. */
  stateAt({ recorded_at, tables }: Pick<RegistryState, 'recorded_at' | 'tables'>): RegistryState {
    this.#follow()
    return {
      schema: STATE_SCHEMA,
      timeline_root: this.#periods.root,
      timeline_size: this.#periods.items.length,
      providers_root: this.#providers.root,
      providers_size: this.#providers.items.length,
      tables,
      recorded_at,
    }
  }
}

function listIn<T>(lists: Map<string, T[]>, key: string): T[] {
  const list = lists.get(key) ?? []
  lists.set(key, list)
  return list
}
