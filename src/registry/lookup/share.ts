import { concat, toBase64, utf8 } from '../../proof/bytes.ts'
import { partOf } from '../../proof/list/likeness.ts'
import { MOST_IN_SHORT, MOST_SHORT_BYTES } from '../../proof/list/set.ts'
import {
  type AbsenceProof,
  type Because,
  type CitedRow,
  type PeriodProof,
  type ProviderProof,
  type RowProof,
  SET_PROOF,
  type SetBecause,
  type SetParts,
  type SetProof,
  type SetRelease,
  type SetRow,
  type SharedRelease,
} from '../../proof/price/proofs.ts'
import type { AnyRow } from '../../proof/price/row.ts'
import type { Members } from '../../proof/shape.ts'
import { rangesBeside, rootFromLeaves } from '../../proof/tree/leaves.ts'
import { type Hash, leafHash } from '../../proof/tree/merkle.ts'
import { type Release, rowOf } from '../store.ts'
import type { Evidence, RowInRelease } from './because.ts'
import { type Proofs, unproved } from './proofs.ts'

interface ShownLeaf {
  row: AnyRow
  hash: Hash
  bytes: number
}

export type RowOfSet<R extends AnyRow> = Omit<R, 'proof'> & { proof: SetProof }

/** Parts that the answers of a list share, stated once: state, log, and each release with the proof of all its rows. */
export class SharedParts {
  /** By release, in the order in which they came: the leaves that the list shows of it. */
  readonly #shown = new Map<string, { shared: SharedRelease; place: number; leaves: Map<number, ShownLeaf> }>()
  readonly #said = new Set<string>()
  #inShort = 0
  #shortBytes = 0

  readonly proofs: Proofs

  constructor(proofs: Proofs) {
    this.proofs = proofs.forList()
  }

  #release(shared: SharedRelease): { place: number; leaves: Map<number, ShownLeaf> } {
    const name = shared.release.release_id
    const known = this.#shown.get(name) ?? { shared, place: this.#shown.size, leaves: new Map() }
    this.#shown.set(name, known)
    return known
  }

  /** Shows a row as evidence, if the list has not shown it before: what was proved once need not be shown again. */
  #showOnce(of: SharedRelease, index: number, row: AnyRow): SetRow | undefined {
    const { place: release, leaves } = this.#release(of)
    if (leaves.has(index)) return undefined
    const room = MOST_SHORT_BYTES - this.#shortBytes
    const others = this.#inShort < MOST_IN_SHORT ? [...leaves].slice(-LOOKED_AT) : []
    const text = this.#add(leaves, index, row)
    const shown = {
      release,
      index,
      ...shortest(
        row,
        text.length,
        others.filter(([, { bytes }]) => bytes <= room),
      ),
    }
    if (shown.like !== undefined) {
      this.#inShort++
      this.#shortBytes += leaves.get(shown.like)?.bytes ?? 0
    }
    return shown
  }

  /** A row that was read from canonical JSON is written in the same order: the root tells if it is not. */
  #add(leaves: Map<number, ShownLeaf>, index: number, row: AnyRow): string {
    const text = JSON.stringify(row)
    const body = utf8(text)
    leaves.set(index, { row, hash: leafHash(body), bytes: body.length })
    return text
  }

  /** Leaves out proofs that the list has stated before. */
  #sayOnce<P extends PeriodProof | ProviderProof>(proofs: readonly P[]): P[] {
    return proofs.filter((proof) => {
      const name = `${'period' in proof ? 'period' : 'provider'} ${proof.index}`
      return !this.#said.has(name) && this.#said.add(name)
    })
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
    const { place: release, leaves } = this.#release(of)
    if (!leaves.has(index)) this.#add(leaves, index, row)
    return { ...row, proof: { release, index } }
  }

  /** The evidence that an answer is the first choice. An absence proof is two rows. */
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
    const periods = this.#sayOnce(because?.periods ?? [])
    const providers = this.#sayOnce(because?.providers ?? [])
    const all = [...rows, ...gaps]
    return all.length + periods.length + providers.length === 0 ? undefined : evidence(all, periods, providers)
  }

  /** The evidence, from rows as they are stored. */
  evidence({ releases, rows, periods, providers }: Evidence): SetBecause {
    for (const release of releases) this.#release(this.#of(release))
    const shown = rows.flatMap(
      ({ release, stored }) => this.#showOnce(this.#of(release), stored.row_index, rowOf(stored)) ?? [],
    )
    return evidence(shown, this.#sayOnce(periods), this.#sayOnce(providers))
  }

  /** The proof of everything that was shown. */
  parts(): SetParts {
    const releases = [...this.#shown.values()].map(
      ({ shared, leaves }): SetRelease => ({ type: SET_PROOF, ...shared, hashes: this.#hashesOf(shared, leaves) }),
    )
    const { state, log } = this.proofs.view
    return { releases, state, log }
  }

  #hashesOf({ release, in_force }: SharedRelease, leaves: ReadonlyMap<number, ShownLeaf>): string {
    if (leaves.size === 0) return ''
    const shown = [...leaves].map(([index, { hash }]) => ({ index, hash })).sort((a, b) => a.index - b.index)
    const tree = this.proofs.tree(this.proofs.view.releaseIn(in_force.period))
    const ranges = rangesBeside(
      shown.map(({ index }) => index),
      release.row_count,
    )
    const beside = ranges.map(([from, to]) => tree.rangeRoot(from, to))
    // Rows whose stored bytes no longer hash to the published root are a fault here, not a wrong price there.
    const root = rootFromLeaves(shown, release.row_count, beside)
    if (!root || toBase64(root) !== release.rows_root) throw unproved(release.release_id)
    return toBase64(concat(...beside))
  }
}

/** How many rows back a row like the one to show is looked for: those of the same line and of the line before. */
const LOOKED_AT = 8

/** A row in the fewest bytes: whole, or what differs from one that was shown before. */
function shortest(row: AnyRow, whole: number, shown: readonly [number, ShownLeaf][]): Pick<SetRow, 'like' | 'row'> {
  let best: Pick<SetRow, 'like' | 'row'> = { row }
  let length = whole
  for (const [like, other] of shown) {
    const part = partOf(other.row as unknown as Members, row as unknown as Members)
    const bytes = part ? JSON.stringify(part).length : length
    if (part && bytes < length) [best, length] = [{ like, row: part }, bytes]
  }
  return best
}

const evidence = (rows: SetRow[], periods: PeriodProof[], providers: ProviderProof[]): SetBecause => ({
  rows,
  ...(periods.length > 0 ? { periods } : {}),
  ...(providers.length > 0 ? { providers } : {}),
})

function wholeOf({ release, in_force }: RowProof): SharedRelease {
  if (!in_force) throw new Error('the release is in force on no day')
  const { state: _, ...period } = in_force
  return { release, in_force: period }
}
