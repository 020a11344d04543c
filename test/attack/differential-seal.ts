// A registry whose operator lies: what it holds is changed, and then hashed, proved and signed anew, so that a lie is
// not stopped by the first hash on its way but reaches the checks behind.

import { concat, toBase64 } from '../../src/proof/bytes.ts'
import { signNote } from '../../src/proof/note/signed-note.ts'
import { formatTreeHead, type TreeHead } from '../../src/proof/note/tree-head.ts'
import type { LogProof } from '../../src/proof/price/proofs.ts'
import type { Period } from '../../src/proof/price/release.ts'
import { leafOf } from '../../src/proof/price/timeline.ts'
import type { MemoryRegistry, MemoryRelease } from '../../src/proof/registry-fixture.ts'
import { HashTree } from '../../src/proof/tree/hash-tree.ts'
import { rangesBeside } from '../../src/proof/tree/leaves.ts'
import type { Hash } from '../../src/proof/tree/merkle.ts'
import { copyOf, type Members } from './lie-world.ts'

/** What the operator changes, each before it is hashed. What is named by nothing here stays as it is. */
export interface Edits {
  /** By the name of the release and the index of the row. */
  rows: Map<string, (row: Members) => void>
  /** By the name of the release. The root of its rows is in it already. */
  manifests: Map<string, (manifest: Members) => void>
  periods: Map<number, (period: Members) => void>
  providers: Map<number, (provider: Members) => void>
  state?: (state: Members) => void
  /** What is signed: origin, size and root, as they will be written. */
  head?: (head: TreeHead) => string
}
export const noEdits = (): Edits => ({
  rows: new Map(),
  manifests: new Map(),
  periods: new Map(),
  providers: new Map(),
})

export const rowName = (release: MemoryRelease, index: number): string => `${release.name} ${index}`

interface Tree {
  leaves: Members[]
  hashes: Hash[]
  tree: HashTree
}

const treeOf = (leaves: Members[], hashes = leaves.map(leafOf)): Tree => ({
  leaves,
  hashes,
  tree: new HashTree(hashes),
})

/** What a body is made of. */
export interface Parts {
  head: MemoryRegistry
  state: Members
  row(release: MemoryRelease, index: number): { row: Members; leaf_hash: string; path: string[] }
  sides(release: MemoryRelease, from: number, to: number): { left_path: string[]; right_path: string[] }
  /** What the rows at these places are proved with, all at once. */
  beside(release: MemoryRelease, places: readonly number[]): string
  manifest(release: MemoryRelease): Members
  period(index: number): Members
  /** Neighbouring periods, proved at once. */
  run(from: number, count: number): Members
  provider(index: number): Members
  log(index: number): Promise<LogProof>
}

export class Forgery implements Parts {
  readonly #rows = new Map<MemoryRelease, Tree>()
  readonly #manifests = new Map<MemoryRelease, Members>()
  readonly #periods: Tree
  readonly #providers: Tree
  readonly state: Members
  readonly #logs = new Map<number, LogProof>()
  #checkpoint: string | undefined
  readonly #log: Tree

  constructor(
    readonly head: MemoryRegistry,
    readonly edits: Edits,
  ) {
    const { periods, providers } = head.standing
    this.#periods = this.#forged(periods.map(this.#renamed), edits.periods)
    this.#providers = this.#forged(providers.map(copyOf) as unknown as Members[], edits.providers)
    this.state = copyOf(head.state) as unknown as Members
    const roots = {
      timeline_root: toBase64(this.#periods.tree.root),
      providers_root: toBase64(this.#providers.tree.root),
    }
    Object.assign(this.state, roots)
    edits.state?.(this.state)
    const leaves = [...head.log.leaves]
    for (const release of head.releases.filter(this.#isForged)) {
      const place = head.entries.indexOf(release.manifest)
      if (place >= 0) leaves[place] = leafOf(this.manifest(release))
    }
    leaves[leaves.length - 1] = leafOf(this.state)
    this.#log = treeOf([], leaves)
  }

  #forged(leaves: Members[], edits: ReadonlyMap<number, (leaf: Members) => void>): Tree {
    for (const [i, edit] of edits) if (leaves[i]) edit(leaves[i])
    return treeOf(leaves)
  }

  /** A period names its release by its hash, which may be another now. */
  #renamed = (period: Period): Members => {
    const release = this.head.releaseNamed(period.release)
    const isOther = release && this.#isForged(release)
    return { ...period, release: isOther ? toBase64(leafOf(this.manifest(release))) : period.release }
  }

  #isForged = (release: MemoryRelease): boolean =>
    this.edits.manifests.has(release.name) ||
    [...this.edits.rows.keys()].some((name) => name.startsWith(`${release.name} `))

  #tree(release: MemoryRelease): Tree {
    const known = this.#rows.get(release)
    if (known) return known
    if (!this.#isForged(release)) return { leaves: release.rows as never, hashes: release.leaves, tree: release.tree }
    const rows = [...release.rows] as unknown as Members[]
    const hashes = [...release.leaves]
    for (const [i, row] of rows.entries()) {
      const edit = this.edits.rows.get(rowName(release, i))
      if (!edit) continue
      rows[i] = copyOf(row)
      edit(rows[i] as Members)
      hashes[i] = leafOf(rows[i])
    }
    const made = treeOf(rows, hashes)
    this.#rows.set(release, made)
    return made
  }

  row(release: MemoryRelease, index: number): { row: Members; leaf_hash: string; path: string[] } {
    const { leaves, hashes, tree } = this.#tree(release)
    return {
      row: copyOf(leaves[index] as Members),
      leaf_hash: toBase64(hashes[index] as Hash),
      path: tree.path(index).map(toBase64),
    }
  }

  /** The two sides of a run of rows. */
  sides(release: MemoryRelease, from: number, to: number): { left_path: string[]; right_path: string[] } {
    const rows = Array.from({ length: to - from }, (_, i) => from + i)
    const roots = this.#roots(release, rows)
    const of = (isLeft: boolean): string[] =>
      roots.filter(({ start }) => start < from === isLeft).map(({ root }) => toBase64(root))
    return { left_path: of(true), right_path: of(false) }
  }

  beside(release: MemoryRelease, places: readonly number[]): string {
    return places.length === 0 ? '' : toBase64(concat(...this.#roots(release, places).map(({ root }) => root)))
  }

  #roots(release: MemoryRelease, places: readonly number[]): { start: number; root: Hash }[] {
    const { hashes } = this.#tree(release)
    return rangesBeside(places, hashes.length).map(([start, end]) => ({
      start,
      root: new HashTree(hashes.slice(start, end)).root,
    }))
  }

  manifest(release: MemoryRelease): Members {
    const known = this.#manifests.get(release)
    if (known) return known
    if (!this.#isForged(release)) return release.manifest as never
    const manifest = copyOf(release.manifest) as unknown as Members
    manifest['rows_root'] = toBase64(this.#tree(release).tree.root)
    this.edits.manifests.get(release.name)?.(manifest)
    this.#manifests.set(release, manifest)
    return manifest
  }

  period(index: number): Members {
    const { leaves, tree } = this.#periods
    return { period: copyOf(leaves[index]), index, path: tree.path(index).map(toBase64) }
  }

  run(from: number, count: number): Members {
    const { leaves, tree } = this.#periods
    const { left, right } = tree.sides(from, from + count)
    const paths = { left_path: left.map(toBase64), right_path: right.map(toBase64) }
    return { periods: copyOf(leaves.slice(from, from + count)), ...paths }
  }

  provider(index: number): Members {
    const { leaves, tree } = this.#providers
    return { provider: copyOf(leaves[index]), index, path: tree.path(index).map(toBase64) }
  }

  async log(index: number): Promise<LogProof> {
    const known = this.#logs.get(index)
    if (known) return known
    const { hashes, tree } = this.#log
    const { signer } = this.head
    const told = { origin: signer.name, size: hashes.length, root: tree.root }
    this.#checkpoint ??= await signNote((this.edits.head ?? formatTreeHead)(told), [signer])
    const proof = { index, inclusion: tree.path(index).map(toBase64), checkpoint: this.#checkpoint }
    this.#logs.set(index, proof)
    return proof
  }
}
