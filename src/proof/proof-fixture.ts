// The one proof of a body, put together from a registry in memory: that of an honest service, or of one that shows whatever it likes.

import { toBase64 } from './bytes.ts'
import { type LeafSet, PROOF, type Proof, type RowPointer, type ShownRow } from './envelope.ts'
import { prolongedBy } from './price/prolonged.ts'
import type { Manifest, Withdrawal } from './price/release.ts'
import type { AnyRow } from './price/row.ts'
import { leafOf } from './price/timeline.ts'
import type { MemoryRegistry, MemoryRelease } from './registry-fixture.ts'
import { HashTree } from './tree/hash-tree.ts'
import { missingNodes } from './tree/leaf-set.ts'

/** Leaves of a tree and the missing nodes; undefined if there are none. */
export function setOf<T>(tree: HashTree, leaves: readonly T[], places: Iterable<number>): LeafSet<T> | undefined {
  const shown = [...new Set(places)].sort((a, b) => a - b)
  if (shown.length === 0) return undefined
  const hashes = missingNodes(shown, tree.size).map((node) => toBase64(tree.node(node)))
  return { leaves: shown.map((place) => [place, leaves[place] as T]), ...(hashes.length > 0 && { hashes }) }
}

const trees = new WeakMap<object, HashTree>()
/** The tree over a list that stays as it is. */
function treeOver(list: readonly unknown[]): HashTree {
  const known = trees.get(list) ?? new HashTree(list.map(leafOf))
  trees.set(list, known)
  return known
}

interface RowsOfRelease {
  shown: Set<number>
  beside: Set<number>
}

export class MemoryProof {
  readonly #releases = new Map<MemoryRelease, RowsOfRelease>()
  readonly #periods = new Set<number>()
  readonly #providers = new Set<number>()
  readonly #entries = new Set<number>()

  constructor(readonly registry: MemoryRegistry) {}

  #rowsOf(release: MemoryRelease): RowsOfRelease {
    const known = this.#releases.get(release)
    if (known) return known
    const made = { shown: new Set<number>(), beside: new Set<number>() }
    this.#releases.set(release, made)
    const place = this.registry.placeOf(release)
    if (place >= 0) this.#periods.add(place)
    return made
  }

  /** The place of a release in the proof. */
  release(release: MemoryRelease): number {
    this.#rowsOf(release)
    return [...this.#releases.keys()].indexOf(release)
  }

  pointer(release: MemoryRelease, index: number): RowPointer {
    this.#rowsOf(release).shown.add(index)
    return { release: this.release(release), index, leaf_hash: release.leafHash(index) }
  }

  /** A row that the body shows. */
  show(release: MemoryRelease, index: number): ShownRow {
    const row = release.rows[index] as AnyRow
    return { ...row, proof: this.pointer(release, index), ...prolongedBy(release.manifest) }
  }

  addRows(release: MemoryRelease, places: Iterable<number>): void {
    const { beside } = this.#rowsOf(release)
    for (const place of places) beside.add(place)
  }
  addPeriods(places: Iterable<number>): void {
    for (const place of places) this.#periods.add(place)
  }
  addProviders(places: Iterable<number>): void {
    for (const place of places) this.#providers.add(place)
  }
  addEntries(places: Iterable<number>): void {
    for (const place of places) this.#entries.add(place)
  }

  async member(): Promise<Proof> {
    const { registry } = this
    const { periods, providers } = registry.standing
    const timeline = setOf(treeOver(periods), periods, this.#periods)
    const ofProviders = setOf(treeOver(providers), providers, this.#providers)
    const log = new HashTree(registry.log.leaves)
    const entries = setOf(log, registry.entries as (Manifest | Withdrawal)[], this.#entries)
    const releases = [...this.#releases].map(([release, rows]) => ({
      release: release.manifest,
      ...rowsMember(release, rows),
    }))
    return {
      type: PROOF,
      log: await registry.proof(),
      state: registry.state,
      ...(timeline && { timeline }),
      ...(ofProviders && { providers: ofProviders }),
      ...(entries && { entries }),
      ...(releases.length > 0 && { releases }),
    }
  }
}

/** The rows of a release that stand in the proof, and the missing nodes beside them and the rows that the body shows. */
function rowsMember(release: MemoryRelease, { shown, beside }: RowsOfRelease): { rows?: LeafSet<AnyRow> } {
  const all = setOf(release.tree, release.rows, [...shown, ...beside])
  if (!all) return {}
  const leaves = (all.leaves ?? []).filter(([index]) => !shown.has(index))
  const rows = { ...(leaves.length > 0 && { leaves }), ...(all.hashes && { hashes: all.hashes }) }
  return Object.keys(rows).length > 0 ? { rows } : {}
}
