// The proof of a body, made anew from the leaves that it shows: under another head, with leaves of other bodies beside its own, or
// by an operator who changes leaves and then hashes and signs everything above them.

import { toBase64 } from '../../src/proof/bytes.ts'
import { canonical } from '../../src/proof/canonical-json.ts'
import type { LeafSet, LogProof, Proof, RowPointer } from '../../src/proof/envelope.ts'
import { signNote } from '../../src/proof/note/signed-note.ts'
import { formatTreeHead, type TreeHead } from '../../src/proof/note/tree-head.ts'
import { prolongedBy } from '../../src/proof/price/prolonged.ts'
import type { Manifest, Period } from '../../src/proof/price/release.ts'
import { leafOf } from '../../src/proof/price/timeline.ts'
import { setOf } from '../../src/proof/proof-fixture.ts'
import type { MemoryRegistry, MemoryRelease } from '../../src/proof/registry-fixture.ts'
import { HashTree } from '../../src/proof/tree/hash-tree.ts'
import type { Hash } from '../../src/proof/tree/merkle.ts'
import { copyOf, insides, type Members } from './lie-world.ts'

type Edit = (leaf: Members) => void
/** The changes of an operator, before everything is hashed. */
export interface Edits {
  /** By release and index, see `rowName`. */
  rows: Map<string, Edit>
  /** By the name of the release. */
  manifests: Map<string, Edit>
  periods: Map<number, Edit>
  providers: Map<number, Edit>
  state?: Edit
  /** The text that is signed, in place of the honest head. */
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

/** A registry after the changes of its operator. */
export class Forgery {
  readonly #rows = new Map<MemoryRelease, Tree>()
  readonly #manifests = new Map<MemoryRelease, Members>()
  readonly periods: Tree
  readonly providers: Tree
  readonly entries: Tree
  readonly state: Members
  #log: LogProof | undefined

  constructor(
    readonly head: MemoryRegistry,
    readonly edits: Edits = noEdits(),
  ) {
    const { periods, providers } = head.standing
    this.periods = edited(periods.map(this.#renamed), edits.periods)
    this.providers = edited(copyOf(providers) as unknown as Members[], edits.providers)
    this.state = {
      ...(head.state as unknown as Members),
      timeline_root: toBase64(this.periods.tree.root),
      providers_root: toBase64(this.providers.tree.root),
    }
    edits.state?.(this.state)
    const entries = copyOf(head.entries) as unknown as Members[]
    const hashes = [...head.log.leaves]
    for (const release of head.releases.filter(this.#isForged)) {
      const place = head.entryOf(release)
      entries[place] = this.manifest(release)
      hashes[place] = leafOf(entries[place])
    }
    hashes[hashes.length - 1] = leafOf(this.state)
    this.entries = treeOf(entries, hashes)
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

  rowsOf(release: MemoryRelease): Tree {
    const known = this.#rows.get(release)
    if (known) return known
    const rows = [...release.rows] as unknown as Members[]
    const hashes = [...release.leaves]
    for (const [i, row] of rows.entries()) {
      const edit = this.edits.rows.get(rowName(release, i))
      if (!edit) continue
      rows[i] = copyOf(row)
      edit(rows[i])
      hashes[i] = leafOf(rows[i])
    }
    const made = treeOf(rows, hashes)
    this.#rows.set(release, made)
    return made
  }

  manifest(release: MemoryRelease): Members {
    const known = this.#manifests.get(release)
    if (known) return known
    const manifest = copyOf(release.manifest) as unknown as Members
    if (this.#isForged(release)) manifest['rows_root'] = toBase64(this.rowsOf(release).tree.root)
    this.edits.manifests.get(release.name)?.(manifest)
    this.#manifests.set(release, manifest)
    return manifest
  }

  /** The place of the state in the log. */
  async log(): Promise<LogProof> {
    if (this.#log) return this.#log
    const { hashes, tree } = this.entries
    const { signer } = this.head
    const head = { origin: signer.name, size: hashes.length, root: tree.root }
    const checkpoint = await signNote((this.edits.head ?? formatTreeHead)(head), [signer])
    const inclusion = tree.path(hashes.length - 1).map(toBase64)
    this.#log = { index: hashes.length - 1, checkpoint, ...(inclusion.length > 0 && { inclusion }) }
    return this.#log
  }
}

function edited(leaves: Members[], edits: ReadonlyMap<number, Edit>): Tree {
  for (const [i, edit] of edits) if (leaves[i]) edit(leaves[i])
  return treeOf(leaves)
}

/** A row that a body shows: the object with its members, and its pointer. */
export interface ShownPlace {
  at: Members
  pointer: RowPointer
}
const isPointer = (value: unknown): value is RowPointer =>
  typeof value === 'object' && value !== null && 'leaf_hash' in value && 'release' in value && 'index' in value

/** The rows that a body shows. */
export const shownPlaces = (body: Members): ShownPlace[] => {
  const { proof: _, ...rest } = body
  const inner = [...insides(rest)].slice(1)
  return [body, ...inner].flatMap((at) => {
    if (Array.isArray(at)) return []
    const pointer = isPointer(at['row']) ? at['row'] : at['proof']
    return isPointer(pointer) ? [{ at, pointer }] : []
  })
}

/** The parts of a registry that a body shows. */
export interface ShownParts {
  releases: MemoryRelease[]
  /** Those that it shows itself, and those beside them. */
  shown: { release: MemoryRelease; index: number }[]
  beside: { release: MemoryRelease; index: number }[]
  periods: number[]
  providers: number[]
  entries: number[]
}

/** The parts that a body shows, as far as a head has them. */
export function partsOf(body: Members, head: MemoryRegistry): ShownParts {
  const { timeline, providers, entries, releases = [] } = body['proof'] as Proof
  const known = releases.map(({ release }) => head.releaseNamed(toBase64(leafOf(release))))
  const shown = shownPlaces(body).flatMap(({ pointer: { release, index } }) =>
    known[release] ? [{ release: known[release], index }] : [],
  )
  const beside = releases.flatMap(({ rows }, i) =>
    (rows?.leaves ?? []).flatMap(([index]) => (known[i] ? [{ release: known[i], index }] : [])),
  )
  return {
    releases: known.filter((each) => each !== undefined),
    shown,
    beside,
    periods: placesOf(timeline, head.standing.periods),
    providers: placesOf(providers, head.standing.providers),
    entries: placesOf(entries, head.entries),
  }
}

/** Where the leaves of a set stand in a list. */
function placesOf(set: LeafSet<unknown> | undefined, list: readonly unknown[]): number[] {
  const texts = new Set((set?.leaves ?? []).map(([, leaf]) => canonical(leaf)))
  return texts.size === 0 ? [] : [...list.keys()].filter((i) => texts.has(canonical(list[i])))
}

/** Proves a body anew, with the leaves of other bodies beside its own. What the forged registry does not have is left out. */
export async function reseal(body: Members, forgery: Forgery, others: readonly Members[] = []): Promise<Members> {
  const { head } = forgery
  const own = partsOf(body, head)
  const parts = [own, ...others.map((other) => partsOf(other, head))]
  const releases = [...new Set(parts.flatMap((each) => each.releases))]
  const { releases: before = [] } = body['proof'] as Proof
  for (const { at, pointer } of shownPlaces(body)) {
    const name = before[pointer.release] && toBase64(leafOf((before[pointer.release] as { release: Manifest }).release))
    const release = releases.find((each) => each.name === name)
    if (!release) continue
    const { leaves, hashes } = forgery.rowsOf(release)
    for (const member of Object.keys(release.rows[pointer.index] ?? {})) delete at[member]
    Object.assign(at, copyOf(leaves[pointer.index] ?? {}))
    delete at['prolonged']
    Object.assign(at, prolongedBy(forgery.manifest(release) as unknown as Manifest))
    pointer.release = releases.indexOf(release)
    pointer.leaf_hash = toBase64(hashes[pointer.index] as Hash)
  }
  const timeline = setOf(forgery.periods.tree, forgery.periods.leaves, [
    ...parts.flatMap((each) => each.periods),
    ...releases.map((release) => head.placeOf(release)).filter((place) => place >= 0),
  ])
  const providers = setOf(
    forgery.providers.tree,
    forgery.providers.leaves,
    parts.flatMap((each) => each.providers),
  )
  const entries = setOf(
    forgery.entries.tree,
    forgery.entries.leaves,
    parts.flatMap((each) => each.entries),
  )
  body['proof'] = copyOf({
    type: (body['proof'] as Proof).type,
    log: await forgery.log(),
    state: forgery.state,
    ...(timeline && { timeline }),
    ...(providers && { providers }),
    ...(entries && { entries }),
    ...(releases.length > 0 && { releases: releases.map((release) => releaseMember(forgery, release, parts)) }),
  })
  return body
}

function releaseMember(forgery: Forgery, release: MemoryRelease, [own, ...others]: ShownParts[]): Members {
  const indexesIn = (list: readonly { release: MemoryRelease; index: number }[]): number[] =>
    list.filter((each) => each.release === release).map(({ index }) => index)
  const shown = new Set(indexesIn(own?.shown ?? []))
  const all = [...indexesIn(own?.beside ?? []), ...others.flatMap((each) => indexesIn([...each.shown, ...each.beside]))]
  const { tree, leaves } = forgery.rowsOf(release)
  const set = setOf(tree, leaves, [...shown, ...all])
  const beside = (set?.leaves ?? []).filter(([index]) => !shown.has(index))
  const rows = { ...(beside.length > 0 && { leaves: beside }), ...(set?.hashes && { hashes: set.hashes }) }
  return { release: forgery.manifest(release), ...(Object.keys(rows).length > 0 && { rows }) }
}
