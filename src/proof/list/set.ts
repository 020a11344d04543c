// The rows of a batch, sheet or history. They are collected first, then the rows of each release are proved at once, with
// one set of hashes, and become facts.

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

/** A row of a list, with the release that it claims to be of. */
export interface ShownRow<R extends AnyRow = AnyRow> {
  row: R
  release: Manifest
}

/** The most rows that are given by their differences: without limits, a small body could take long to check. */
export const MOST_IN_SHORT = 1_024
/** The most bytes of the rows from which the differences are given, each counted as often as it is named. */
export const MOST_SHORT_BYTES = 1024 ** 2

interface TakenRow {
  row: AnyRow
  hash: Hash
  /** The size of its canonical JSON. */
  bytes: number
}

export class RowSet {
  /** For each release the rows that were shown of it, by index. */
  readonly #shown: Map<number, TakenRow>[]
  #inShort = 0
  #shortBytes = 0

  private constructor(
    readonly facts: Facts,
    readonly releases: readonly SetRelease[],
  ) {
    this.#shown = releases.map(() => new Map())
  }

  /** Makes an empty set, and adds the state and the releases of the list to the facts. */
  static async of(facts: Facts, body: Members, most?: number): Promise<RowSet> {
    return new RowSet(facts, await addShared(facts, body, isSetRelease, most))
  }

  /** Takes a row with its proof. */
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

  /** Takes the evidence that an answer is the first choice. Periods and providers become facts at once. */
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

  /** The row from which the differences of another one are given. */
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
    // A row may be in a list several times. Two rows with one index cannot both be true.
    ensure(!known || equalBytes(known.hash, hash), 'leaves_contradict')
    shown.set(index, { row, hash, bytes })
  }

  /** Proves the rows that were taken of each release, and no others. */
  prove(): void {
    for (const [i, shown] of this.#shown.entries()) this.#proveOf(this.releases[i] as SetRelease, shown)
  }

  #proveOf({ release, hashes }: SetRelease, shown: ReadonlyMap<number, TakenRow>): void {
    const rows = [...shown].map(([index, leaf]) => ({ index, ...leaf })).sort((a, b) => a.index - b.index)
    // A release without rows only shows that it is in force.
    const isProved =
      rows.length === 0 ? hashes === '' : standTogether(rows, hashes, release.row_count, release.rows_root)
    ensure(isProved, 'row_not_in_release')
    for (const { row, index } of rows) this.facts.addProvedRow(release, row, index)
  }
}

/** Whether leaves, by rising index, are in the tree with this root, by the hashes of the subtrees beside them. */
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
