// The rows that a batch, sheet or history shows of its releases. They are collected first; then those of each release
// are proved at once, with one set of hashes; then all of them are facts.

import { equalBytes, fromBase64 } from '../bytes.ts'
import { type Facts, leafOfRow } from '../facts.ts'
import { type FailedCheck, fail, type Verdict } from '../fault.ts'
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

const OK = { ok: true } as const

/** A few bytes can stand for a long row: without a limit, a small body would take long to check. */
export const MOST_IN_SHORT = 1_024

export class RowSet {
  /** For each release the rows that were shown of it, by their places. */
  readonly #shown: Map<number, { row: AnyRow; hash: Hash }>[]
  #inShort = 0

  private constructor(
    readonly facts: Facts,
    readonly releases: readonly SetRelease[],
  ) {
    this.#shown = releases.map(() => new Map())
  }

  /** An empty set, with the state and the releases of the list as facts. */
  static async of(facts: Facts, body: Members, most?: number): Promise<{ ok: true; set: RowSet } | FailedCheck> {
    const shared = await addShared(facts, body, isSetRelease, most)
    return shared.ok ? { ok: true, set: new RowSet(facts, shared.releases) } : shared
  }

  /** Takes a row that has its proof in it. */
  take(cited: unknown): ({ ok: true } & ShownRow) | FailedCheck {
    if (typeof cited !== 'object' || cited === null) return fail('row_malformed')
    const { proof, ...row } = cited as Members
    if (!isAnyRow(row)) return fail('row_malformed')
    if (proof === undefined || proof === null) return fail('proof_missing')
    if (!isSetProof(proof)) return fail('proof_malformed')
    const taken = this.#take(proof.release, proof.index, row)
    return taken.ok ? { ok: true, row, release: (this.releases[proof.release] as SetRelease).release } : taken
  }

  takePlace(cited: unknown): ({ ok: true } & ShownRow<PlaceRow>) | FailedCheck {
    const taken = this.take(cited)
    if (taken.ok && taken.row.kind !== 'place') return fail('row_malformed')
    return taken as { ok: true } & ShownRow<PlaceRow>
  }

  /** Takes what shows that an answer is the first choice. Periods and providers are facts at once. */
  takeBecause(because: unknown): Verdict {
    if (!isSetBecause(because)) return fail('proof_malformed')
    const { rows, periods = [], providers = [] } = because
    for (const { release, index, like, row } of rows) {
      const other = like === undefined ? {} : this.#other(release, like)
      const whole = other && completed(other as Members, row as Members)
      if (!isAnyRow(whole)) return fail('proof_malformed')
      const taken = this.#take(release, index, whole)
      if (!taken.ok) return taken
    }
    for (const period of periods) {
      const added = this.facts.addPeriod(period)
      if (!added.ok) return added
    }
    for (const provider of providers) {
      const added = this.facts.addProvider(provider)
      if (!added.ok) return added
    }
    return OK
  }

  /** The row that another one states its differences from. */
  #other(release: number, like: number): AnyRow | undefined {
    this.#inShort++
    return this.#inShort > MOST_IN_SHORT ? undefined : this.#shown[release]?.get(like)?.row
  }

  #take(release: number, index: number, row: AnyRow): Verdict {
    const shown = this.#shown[release]
    if (!shown) return fail('proof_malformed')
    const leaf = leafOfRow(row)
    if ('reason' in leaf) return leaf
    const known = shown.get(index)
    // The same row may stand in a list several times; two rows at one place cannot both be there.
    if (known && !equalBytes(known.hash, leaf.hash)) return fail('leaves_contradict')
    shown.set(index, { row, hash: leaf.hash })
    return OK
  }

  /** Proves the rows of every release that were taken, and no others. */
  prove(): Verdict {
    for (const [i, shown] of this.#shown.entries()) {
      const proved = this.#proveOf(this.releases[i] as SetRelease, shown)
      if (!proved.ok) return proved
    }
    return OK
  }

  #proveOf({ release, hashes }: SetRelease, shown: ReadonlyMap<number, { row: AnyRow; hash: Hash }>): Verdict {
    // A release may be there only to show that it is in force.
    if (shown.size === 0) return hashes === '' ? OK : fail('row_not_in_release')
    const rows = [...shown].map(([index, leaf]) => ({ index, ...leaf })).sort((a, b) => a.index - b.index)
    if (!standTogether(rows, hashes, release.row_count, release.rows_root)) return fail('row_not_in_release')
    for (const { row, index } of rows) {
      const added = this.facts.addProvedRow(release, row, index)
      if (!added.ok) return added
    }
    return OK
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
