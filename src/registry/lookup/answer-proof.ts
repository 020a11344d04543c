import { JsonText, jsonText, withMembers } from '../../json-text.ts'
import { equalBytes, toBase64, utf8 } from '../../proof/bytes.ts'
import { PROOF, type RowPointer } from '../../proof/envelope.ts'
import { prolongedBy } from '../../proof/price/prolonged.ts'
import type { Manifest } from '../../proof/price/release.ts'
import type { HashTree } from '../../proof/tree/hash-tree.ts'
import { missingNodes } from '../../proof/tree/leaf-set.ts'
import { type Hash, leafHash } from '../../proof/tree/merkle.ts'
import type { StoredRow } from '../rows/release-file-store.ts'
import type { Release } from '../store.ts'
import type { Trace } from './find.ts'
import { type Proofs, unproved } from './proofs.ts'

/** A stored row, and the release that it is of. */
export interface RowInRelease {
  release: Release
  stored: StoredRow
}

interface ReleaseRows {
  release: Release
  place: number
  /** Rows that the body shows: they are leaves of the proof, and do not stand in it. */
  shown: Map<number, Hash>
  /** Rows that only the proof has. */
  beside: Map<number, StoredRow>
}

/** The one proof of an answer, as it is put together: everything is stated once, under one view of the registry. */
export class AnswerProof {
  readonly #releases = new Map<string, ReleaseRows>()
  readonly #periods = new Set<number>()
  readonly #providers = new Set<number>()

  constructor(readonly proofs: Proofs) {}

  /** The text of a row that the body shows, with its pointer and further members. */
  show({ release, stored }: RowInRelease, members: object = {}): JsonText {
    return new JsonText(
      withMembers(stored.body, { proof: this.pointer(release, stored), ...marksOf(release), ...members }),
    )
  }

  /** The pointer of a row that the body shows. */
  pointer(release: Release, { row_index: index, body }: StoredRow): RowPointer {
    const rows = this.#rowsOf(release)
    const hash = rows.shown.get(index) ?? leafHash(utf8(body))
    rows.shown.set(index, hash)
    return { release: rows.place, index, leaf_hash: toBase64(hash) }
  }

  /** The place of a row that only the proof has. */
  place({ release, stored }: RowInRelease): { release: number; index: number } {
    const rows = this.#rowsOf(release)
    rows.beside.set(stored.row_index, stored)
    return { release: rows.place, index: stored.row_index }
  }

  /** The releases, in the order of the proof. */
  get manifests(): Manifest[] {
    return [...this.#releases.values()].map(({ release }) => release.manifest)
  }

  /** A release that is shown to be in force, or, if it is in force on no day, to be in the log. */
  addRelease(release: Release): void {
    this.#rowsOf(release)
  }

  #rowsOf(release: Release): ReleaseRows {
    const known = this.#releases.get(release.release_id)
    if (known) return known
    const made = { release, place: this.#releases.size, shown: new Map(), beside: new Map() }
    this.#releases.set(release.release_id, made)
    const period = this.proofs.view.placeOf(release)
    if (period !== undefined) this.#periods.add(period)
    return made
  }

  /** Everything that the rule looked at. */
  addTrace({ lists, held, notHeld, around, npi, day }: Trace): void {
    const { view } = this.proofs
    // An edition that is held must be shown even where nothing was asked of it.
    for (const release of held) this.addRelease(release)
    for (const { release, shown } of lists) {
      const { beside } = this.#rowsOf(release)
      for (const stored of shown) beside.set(stored.row_index, stored)
    }
    for (const chart of notHeld) for (const place of view.placesAround(chart, day)) this.#periods.add(place)
    for (const chart of around) {
      const last = view.lastBy(chart, day)
      for (const place of [last - 1, last, last + 1]) if (place in view.periods) this.#periods.add(place)
    }
    if (npi !== undefined) this.addProvider(npi)
  }

  /** The chart that speaks for a provider, or that none does. */
  addProvider(npi: string): void {
    for (const place of this.proofs.view.providerPlaces(npi)) this.#providers.add(place)
  }

  /** The leaves `[from, to)` of the timeline. */
  addPeriods([from, to]: readonly [from: number, to: number]): void {
    for (let place = from; place < to; place++) this.#periods.add(place)
  }

  /** The member `proof`. `entries` are those of the log that it has beside the state. */
  member(entries?: JsonText): JsonText {
    const { view } = this.proofs
    const releases = [...this.#releases.values()].map((rows) => this.#releaseOf(rows))
    const timeline = treeSet(view.timeline, view.periods, this.#periods)
    const providers = treeSet(view.providerTree, view.providers, this.#providers)
    return new JsonText(
      jsonText({
        type: PROOF,
        log: view.logText,
        state: view.stateText,
        ...(timeline && { timeline }),
        ...(providers && { providers }),
        ...(entries && { entries }),
        ...(releases.length > 0 && { releases }),
      }),
    )
  }

  #releaseOf({ release, shown, beside }: ReleaseRows): object {
    const manifest = this.proofs.view.manifestText(release)
    const own = [...beside].filter(([index]) => !shown.has(index)).sort(([a], [b]) => a - b)
    const hashes = new Map([...shown, ...own.map(([index, { body }]) => [index, leafHash(utf8(body))] as const)])
    if (hashes.size === 0) return { release: manifest }
    const placed = [...hashes].map(([index, hash]) => ({ index, hash })).sort((a, b) => a.index - b.index)
    const missing = missingNodes(
      placed.map(({ index }) => index),
      release.row_count,
    )
    const tree = this.proofs.tree(release)
    // Rows whose stored bytes no longer hash to the published leaves are a fault here, not a wrong price there.
    if (!placed.every(({ index, hash }) => equalBytes(tree.rangeRoot(index, index + 1), hash)))
      throw unproved(release.release_id)
    const nodes = missing.map(({ level, index }) => {
      const width = 2 ** level
      return tree.rangeRoot(index * width, Math.min((index + 1) * width, release.row_count))
    })
    const leaves = own.map(([index, { body }]) => [index, new JsonText(body)])
    const rows = {
      ...(leaves.length > 0 && { leaves }),
      ...(nodes.length > 0 && { hashes: nodes.map(toBase64) }),
    }
    return { release: manifest, ...(leaves.length + nodes.length > 0 && { rows }) }
  }
}

/** The mark of a prolonged edition, which stands beside each row of it. */
export const marksOf = (release: Release): object => prolongedBy(release.manifest)

/** Leaves of a tree that is in memory, and what is missing beside them; undefined if there are none. */
export function treeSet(tree: HashTree, leaves: readonly object[], places: ReadonlySet<number>): object | undefined {
  if (places.size === 0) return undefined
  const shown = [...places].sort((a, b) => a - b)
  const hashes = missingNodes(shown, leaves.length).map((node) => toBase64(tree.node(node)))
  return { leaves: shown.map((place) => [place, leaves[place]]), ...(hashes.length > 0 && { hashes }) }
}
