import type { Db } from '../../db/db.ts'
import type { Log } from '../../integrity/log.ts'
import { toBase64 } from '../../proof/bytes.ts'
import { compareReleases, type KnownRelease } from '../../proof/catalogue/releases.ts'
import { MAX_PERIODS, TIMELINE_PROOF, type TimelineProof } from '../../proof/catalogue/timeline-proof.ts'
import { leafOf } from '../../proof/price/timeline.ts'
import { type Hash, inclusionPath } from '../../proof/tree/merkle.ts'
import type { View } from '../lookup/view.ts'
import { Memo } from './memo.ts'

const MAX_ROOTS = 50_000

/** The proofs of lists. Roots of the log's subtrees never change, and neighbouring entries share most of them. */
export class ListProofs {
  readonly #roots = new Memo<Hash>(MAX_ROOTS)
  readonly #known = new WeakMap<View, KnownRelease[]>()

  constructor(
    readonly db: Db,
    readonly log: Log,
  ) {}

  /** Where an entry stands in the log of a view. */
  async inclusion(view: View, index: number): Promise<string[]> {
    const read = this.log.subtrees(this.db)
    const path = await inclusionPath(index, view.head.size, (subtree) =>
      this.#roots.get(`${subtree.height}/${subtree.index}`, () => read(subtree)),
    )
    return path.map(toBase64)
  }

  /** Every release of a view, in the order of the list. */
  releasesOf(view: View): readonly KnownRelease[] {
    const known = this.#known.get(view) ?? knownIn(view)
    this.#known.set(view, known)
    return known
  }
}

function knownIn(view: View): KnownRelease[] {
  const periods = new Map(view.periods.map((period) => [period.release, period]))
  return view.published
    .map(({ release, log_index }) => ({
      release,
      log_index,
      period: periods.get(toBase64(leafOf(release))),
      withdrawal: view.withdrawals.get(release.release_id),
    }))
    .sort(compareReleases)
}

/** The stretch `[from, to)` of the timeline; undefined where it is too long to be shown. */
export function timelineProof(view: View, from: number, to: number): TimelineProof | undefined {
  if (to - from > MAX_PERIODS) return undefined
  const runs = from < to ? [view.run(from, to)] : []
  return { type: TIMELINE_PROOF, runs, state: view.state, log: view.log }
}
