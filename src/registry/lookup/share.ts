import { StoreFault } from '../../db/db.ts'
import { concat, toBase64, utf8 } from '../../proof/bytes.ts'
import {
  type AbsenceProof,
  type Because,
  type CitedRow,
  type RowProof,
  SET_PROOF,
  type SetBecause,
  type SetParts,
  type SetProof,
  type SetRelease,
  type SetRow,
  type SharedRelease,
} from '../../proof/price/proofs.ts'
import { type AnyRow, rowText } from '../../proof/price/row.ts'
import { rangesBeside, rootFromLeaves } from '../../proof/tree/leaves.ts'
import { type Hash, leafHash, rangeRoot } from '../../proof/tree/merkle.ts'
import { type Release, rowOf } from '../store.ts'
import type { Evidence, RowInRelease } from './because.ts'
import type { Proofs } from './proofs.ts'

export type RowOfSet<R extends AnyRow> = Omit<R, 'proof'> & { proof: SetProof }

/** What the answers of a list have in common, stated once: state, log, and each release with the proof of all its rows. */
export class SharedParts {
  /** By release, in the order in which they came: the leaves that the list shows of it. */
  readonly #shown = new Map<string, { shared: SharedRelease; place: number; leaves: Map<number, Hash> }>()

  readonly proofs: Proofs

  constructor(proofs: Proofs) {
    this.proofs = proofs.forList()
  }

  #release(shared: SharedRelease): { place: number; leaves: Map<number, Hash> } {
    const name = shared.release.release_id
    const known = this.#shown.get(name) ?? { shared, place: this.#shown.size, leaves: new Map() }
    this.#shown.set(name, known)
    return known
  }

  /** Shows a row, if the list has not shown it before: what was proved once need not be shown again. */
  #showOnce(of: SharedRelease, index: number, row: AnyRow): SetRow | undefined {
    const { place: release, leaves } = this.#release(of)
    if (leaves.has(index)) return undefined
    leaves.set(index, leafHash(utf8(rowText(row))))
    return { release, index, row }
  }

  /** A row that stands beside an answer, unless the list has shown it before. */
  citeOnce<R extends AnyRow>(cited: CitedRow<R>): RowOfSet<R> | undefined {
    const { proof } = cited
    return this.#release(wholeOf(proof)).leaves.has(proof.row.index) ? undefined : this.cite(cited)
  }

  /** A row that has been proved by itself, as a row of the list. */
  cite<R extends AnyRow>({ proof, ...row }: CitedRow<R>): RowOfSet<R> {
    return this.#cite(wholeOf(proof), proof.row.index, row as unknown as R)
  }

  /** A stored row, as a row of the list. */
  show({ release, stored }: RowInRelease): RowOfSet<AnyRow> {
    return this.#cite(this.#of(release), stored.row_index, rowOf(stored))
  }

  /** To find the period of a release takes a hash of its manifest: once is enough. */
  #of(release: Release): SharedRelease {
    return this.#shown.get(release.release_id)?.shared ?? this.proofs.view.share(release)
  }

  #cite<R extends AnyRow>(of: SharedRelease, index: number, row: R): RowOfSet<R> {
    this.#showOnce(of, index, row)
    const { place: release, leaves } = this.#release(of)
    const proof = { type: SET_PROOF, release, index, leaf_hash: toBase64(leaves.get(index) as Hash) } as const
    return { ...row, proof }
  }

  /** What shows that an answer is the first choice. Absence proofs are two rows each. */
  because(
    because: Because | undefined,
    own: RowProof | undefined,
    absences: readonly AbsenceProof[] = [],
  ): SetBecause | undefined {
    const rows = (because?.rows ?? []).flatMap(({ release, index, row }) => {
      const of = release === null ? own && wholeOf(own) : because?.releases[release]
      if (!of) throw new Error('evidence without a release')
      return this.#showOnce(of, index, row) ?? []
    })
    // A release of which nothing was asked is shown all the same.
    for (const release of because?.releases ?? []) this.#release(release)
    const gaps = absences.flatMap(({ left, right, release, in_force: { state: _, ...in_force } }) =>
      [left, right].flatMap((side) => (side && this.#showOnce({ release, in_force }, side.index, side.row)) ?? []),
    )
    const { periods = [], providers = [] } = because ?? {}
    const all = [...rows, ...gaps]
    return all.length + periods.length + providers.length === 0 ? undefined : { rows: all, periods, providers }
  }

  /** The same of rows as they are stored. */
  evidence({ releases, rows, periods, providers }: Evidence): SetBecause {
    for (const release of releases) this.#release(this.#of(release))
    const shown = rows.flatMap(
      ({ release, stored }) => this.#showOnce(this.#of(release), stored.row_index, rowOf(stored)) ?? [],
    )
    return { rows: shown, periods, providers }
  }

  /** What everything that was shown is proved with. */
  async parts(): Promise<SetParts> {
    const releases: SetRelease[] = []
    for (const { shared, leaves } of this.#shown.values())
      releases.push({ ...shared, hashes: await this.#hashesOf(shared, leaves) })
    const { state, log } = this.proofs.view
    return { releases, state, log }
  }

  async #hashesOf({ release, in_force }: SharedRelease, leaves: ReadonlyMap<number, Hash>): Promise<string> {
    if (leaves.size === 0) return ''
    const shown = [...leaves].map(([index, hash]) => ({ index, hash })).sort((a, b) => a.index - b.index)
    const read = this.proofs.subtrees(this.proofs.view.releaseIn(in_force.period))
    const ranges = rangesBeside(
      shown.map(({ index }) => index),
      release.row_count,
    )
    const beside = await Promise.all(ranges.map(([from, to]) => rangeRoot(from, to, read)))
    // Rows whose stored bytes no longer hash to the published root are a fault here, not a wrong price there.
    const root = rootFromLeaves(shown, release.row_count, beside)
    if (!root || toBase64(root) !== release.rows_root)
      throw new StoreFault(`a row of ${release.release_id} fails its own proof: run \`atr fsck\``)
    return toBase64(concat(...beside))
  }
}

function wholeOf({ release, in_force }: RowProof): SharedRelease {
  if (!in_force) throw new Error('the release is in force on no day')
  const { state: _, ...period } = in_force
  return { release, in_force: period }
}
