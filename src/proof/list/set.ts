// The rows that a batch, sheet or history shows of its releases. They are collected first; then those of each release
// are proved at once, with one set of hashes; then all of them are facts.

import { equalBytes, fromBase64 } from '../bytes.ts'
import { type Facts, leafOfRow } from '../facts.ts'
import { ensure } from '../fault.ts'
import { isSetBecause, isSetProof, isSetRelease, type SetRelease } from '../price/proofs.ts'
import type { Manifest } from '../price/release.ts'
import { type AnyRow, isAnyRow, type PlaceRow } from '../price/row.ts'
import type { Members } from '../shape.ts'
import { type PlacedLeaf, rootFromLeaves } from '../tree/leaves.ts'
import { HASH_SIZE, type Hash } from '../tree/merkle.ts'
import { completed } from './likeness.ts'
import { addShared } from './parts.ts'

/** A row of a list, with the release that it is said to be of. */
export interface ShownRow<R extends AnyRow = AnyRow> {
  row: R
  release: Manifest
}

/** A few bytes can stand for a long row: without these limits, a small body would take long to check. */
export const MOST_IN_SHORT = 1_024
/** How many bytes the rows have, together, that others state their differences from. */
export const MOST_SHORT_BYTES = 1024 ** 2

interface TakenRow {
  row: AnyRow
  hash: Hash
  /** The size of its canonical JSON. */
  bytes: number
}

export class RowSet {
  /** For each release the rows that were shown of it, by their places. */
  readonly #shown: Map<number, TakenRow>[]
  #inShort = 0
  #shortBytes = 0

  private constructor(
    readonly facts: Facts,
    readonly releases: readonly SetRelease[],
  ) {
    this.#shown = releases.map(() => new Map())
  }

  /** An empty set, with the state and the releases of the list as facts. */
  static async of(facts: Facts, body: Members, most?: number): Promise<RowSet> {
    return new RowSet(facts, await addShared(facts, body, isSetRelease, most))
  }

  /** Takes a row that has its proof in it. */
  take(cited: unknown): ShownRow {
    const { proof, ...row } = (cited ?? {}) as Members
    ensure(isAnyRow(row), 'row_malformed')
    ensure(proof !== undefined && proof !== null, 'proof_missing')
    ensure(isSetProof(proof), 'proof_malformed')
    this.#take(proof.release, proof.index, row)
    return { row, release: (this.releases[proof.release] as SetRelease).release }
  }

  takePlace(cited: unknown): ShownRow<PlaceRow> {
    const { row, release } = this.take(cited)
    ensure(row.kind === 'place', 'row_malformed')
    return { row, release }
  }

  /** Takes what shows that an answer is the first choice. Periods and providers are facts at once. */
  takeBecause(because: unknown): void {
    ensure(isSetBecause(because), 'proof_malformed')
    const { rows, periods = [], providers = [] } = because
    for (const { release, index, like, row } of rows) {
      const other = like === undefined ? {} : this.#other(release, like)
      const whole = other && completed(other as Members, row as Members)
      ensure(isAnyRow(whole), 'proof_malformed')
      this.#take(release, index, whole)
    }
    for (const period of periods) this.facts.addPeriod(period)
    for (const provider of providers) this.facts.addProvider(provider)
  }

  /** The row that another one states its differences from. */
  #other(release: number, like: number): AnyRow | undefined {
    const other = this.#shown[release]?.get(like)
    this.#inShort++
    this.#shortBytes += other?.bytes ?? 0
    return this.#inShort > MOST_IN_SHORT || this.#shortBytes > MOST_SHORT_BYTES ? undefined : other?.row
  }

  #take(release: number, index: number, row: AnyRow): void {
    const shown = this.#shown[release]
    ensure(shown, 'proof_malformed')
    const { hash, bytes } = leafOfRow(row)
    const known = shown.get(index)
    // The same row may stand in a list several times; two rows at one place cannot both be there.
    ensure(!known || equalBytes(known.hash, hash), 'leaves_contradict')
    shown.set(index, { row, hash, bytes })
  }

  /** Proves the rows of every release that were taken, and no others. */
  prove(): void {
    for (const [i, shown] of this.#shown.entries()) this.#proveOf(this.releases[i] as SetRelease, shown)
  }

  #proveOf({ release, hashes }: SetRelease, shown: ReadonlyMap<number, TakenRow>): void {
    const rows = [...shown].map(([index, leaf]) => ({ index, ...leaf })).sort((a, b) => a.index - b.index)
    // A release may be there only to show that it is in force.
    const isProved =
      rows.length === 0 ? hashes === '' : standTogether(rows, hashes, release.row_count, release.rows_root)
    ensure(isProved, 'row_not_in_release')
    for (const { row, index } of rows) this.facts.addProvedRow(release, row, index)
  }
}

/** Whether leaves, by rising places, stand in the tree with this root, by the hashes of what is beside them. */
export function standTogether(
  leaves: readonly PlacedLeaf[],
  hashes: string,
  size: number,
  encodedRoot: string,
): boolean {
  const [beside, expected] = [fromBase64(hashes), fromBase64(encodedRoot)]
  if (!beside || beside.length % HASH_SIZE !== 0 || !expected) return false
  const parts = Array.from({ length: beside.length / HASH_SIZE }, (_, i) =>
    beside.subarray(i * HASH_SIZE, (i + 1) * HASH_SIZE),
  )
  const root = rootFromLeaves(leaves, size, parts)
  return root !== undefined && equalBytes(root, expected)
}
