import type { AbsenceProof, Because, Cited, RowProof, SharedProof, SharedRelease } from '../../proof/price/proofs.ts'
import { SHARED_PROOF } from '../../proof/price/proofs.ts'
import type { AnyRow } from '../../proof/price/row.ts'
import type { View } from './view.ts'

/** What the answers of a list have in common, stated once: releases, hashes, state and log. */
export class Sharing {
  readonly releases: SharedRelease[] = []
  readonly hashes: string[] = []
  readonly #places = new Map<string, number>()
  /** Rows that stand in the list already: what was proved once need not be shown again. */
  readonly #shown = new Set<string>()

  constructor(readonly view: View) {}

  get parts(): { releases: SharedRelease[]; state: View['state']; log: View['log']; hashes: string[] } {
    return { releases: this.releases, state: this.view.state, log: this.view.log, hashes: this.hashes }
  }

  #release({ release, in_force }: SharedRelease): number {
    return this.#place(release.release_id, () => this.releases.push({ release, in_force }) - 1)
  }

  #path(path: readonly string[]): number[] {
    return path.map((hash) => this.#place(hash, () => this.hashes.push(hash) - 1))
  }

  #place(name: string, add: () => number): number {
    const place = this.#places.get(name) ?? add()
    this.#places.set(name, place)
    return place
  }

  #isNew(release: number, index: number): boolean {
    const name = `${release} ${index}`
    if (this.#shown.has(name)) return false
    this.#shown.add(name)
    return true
  }

  /** A row that stands beside an answer, unless an answer before this one has shown it. */
  citeOnce<R extends AnyRow>(cited: Cited<R>): (Omit<R, 'proof'> & { proof: SharedProof }) | undefined {
    const { proof } = cited
    return this.#isNew(this.#release(wholeOf(proof)), proof.row.index) ? this.cite(cited) : undefined
  }

  /** A row whose release and hashes stand in the list. */
  cite<R extends AnyRow>({ proof, ...row }: Cited<R>): Omit<R, 'proof'> & { proof: SharedProof } {
    const { index, leaf_hash, path } = proof.row
    const shared = {
      type: SHARED_PROOF,
      release: this.#release(wholeOf(proof)),
      index,
      leaf_hash,
      path: this.#path(path),
    } as const
    return { ...(row as unknown as Omit<R, 'proof'>), proof: shared }
  }

  /** What shows that an answer is the first choice, in the same way. Absence proofs are two rows each. */
  because(
    because: Because | undefined,
    own: RowProof | undefined,
    absences: readonly AbsenceProof[] = [],
  ): object | undefined {
    const rows = (because?.rows ?? []).map(({ release, ...row }) => {
      const of = release === null ? own && wholeOf(own) : because?.releases[release]
      if (!of) throw new Error('evidence without a release')
      return { ...row, release: this.#release(of) }
    })
    // A release of which nothing was asked is shown all the same.
    for (const release of because?.releases ?? []) this.#release(release)
    const gaps = absences.flatMap(({ left, right, release, in_force: { state: _, ...in_force } }) =>
      [left, right].flatMap((side) => (side ? [{ ...side, release: this.#release({ release, in_force }) }] : [])),
    )
    const all = [...rows, ...gaps]
      .filter(({ release, index }) => this.#isNew(release, index))
      .map(({ path, ...row }) => ({ ...row, path: this.#path(path) }))
    const { periods = [], providers = [] } = because ?? {}
    return all.length + periods.length + providers.length === 0 ? undefined : { rows: all, periods, providers }
  }
}

function wholeOf({ release, in_force }: RowProof): SharedRelease {
  if (!in_force) throw new Error('the release is in force on no day')
  const { state: _, ...period } = in_force
  return { release, in_force: period }
}
