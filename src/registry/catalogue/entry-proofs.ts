import type { Db } from '../../db/db.ts'
import type { Log } from '../../integrity/log.ts'
import { JsonText } from '../../json-text.ts'
import { toBase64 } from '../../proof/bytes.ts'
import { compareReleases, type KnownRelease } from '../../proof/catalogue/releases.ts'
import { leafOf } from '../../proof/price/timeline.ts'
import { missingNodes } from '../../proof/tree/leaf-set.ts'
import { type Hash, joinRight, perfectSubtrees } from '../../proof/tree/merkle.ts'
import type { View } from '../lookup/view.ts'
import { Memo } from './memo.ts'

const MAX_ROOTS = 50_000

/** Proofs of entries of the log. Roots of its subtrees never change, and neighbouring entries share most of them. */
export class EntryProofs {
  readonly #roots = new Memo<Hash>(MAX_ROOTS)
  readonly #known = new WeakMap<View, KnownRelease[]>()

  constructor(
    readonly db: Db,
    readonly log: Log,
  ) {}

  /** The member `entries` of a proof: these entries, each with its place in the log. */
  async entries(view: View, places: readonly number[]): Promise<JsonText | undefined> {
    const shown = [...new Set(places)].sort((a, b) => a - b)
    if (shown.length === 0) return undefined
    const read = this.log.subtrees(this.db)
    const { size } = view.head
    const rootOf = async (from: number, to: number): Promise<Hash> => {
      const roots = perfectSubtrees(from, to).map((subtree) =>
        this.#roots.get(`${subtree.height}/${subtree.index}`, () => read(subtree)),
      )
      return joinRight(await Promise.all(roots))
    }
    const hashes = await Promise.all(
      missingNodes(shown, size).map(({ level, index }) =>
        rootOf(index * 2 ** level, Math.min((index + 1) * 2 ** level, size)),
      ),
    )
    const leaves = shown.map((place) => [place, view.entries[place]])
    return new JsonText(JSON.stringify({ leaves, ...(hashes.length > 0 && { hashes: hashes.map(toBase64) }) }))
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
