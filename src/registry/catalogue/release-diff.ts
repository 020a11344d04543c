import { z } from 'zod'
import type { Db } from '../../db/db.ts'
import { Problem } from '../../problem.ts'
import { Memo } from '../memo.ts'
import { diffReleases } from '../release/diff.ts'
import { Price } from '../row-schema.ts'
import type { Release } from '../store.ts'
import * as store from '../store.ts'

const ReleaseId = z
  .string()
  .max(200)
  .regex(/^[A-Za-z0-9._:-]+$/)

export const DiffQuery = z.strictObject({
  from: ReleaseId.meta({ description: 'The release to compare with', examples: ['cms-pfs:RVU26B:1'] }),
  to: ReleaseId.meta({ description: 'The release to compare, of the same chart', examples: ['cms-pfs:RVU26C:1'] }),
})
export type DiffQuery = z.output<typeof DiffQuery>

const Side = z.strictObject({ release_id: z.string(), effective_from: z.iso.date(), rows: z.int().min(0) })

const Move = z
  .strictObject({
    row_key: z.string(),
    before: Price,
    after: Price,
    change: z.string().meta({ description: 'In dollars, with its sign; of a range, the end that moved most' }),
    change_pct: z.number(),
  })
  .meta({ id: 'PriceMove' })
const Moved = z.strictObject({ count: z.int().min(0), sample_keys: z.array(z.string()) })

export const ReleaseDiffAnswer = z
  .strictObject({
    chart: z.string(),
    from: Side,
    to: Side,
    added: z.int().min(0).meta({ description: 'Keys that only `to` has' }),
    removed: z.int().min(0).meta({ description: 'Keys that only `from` has' }),
    changed: z.int().min(0).meta({ description: 'Keys that both have, with another price or absence' }),
    unchanged: z.int().min(0),
    moved_over_25_pct: Moved,
    moved_over_100_pct: Moved,
    max_abs_change_pct: z.number().min(0),
    largest_by_amount: z.array(Move),
    largest_by_percent: z.array(Move),
  })
  .meta({ id: 'ReleaseDiff' })
type ReleaseDiffAnswer = z.input<typeof ReleaseDiffAnswer>

/**
 * Compares two releases. Neither can change, so each comparison is made once. It reads every row of both, so
 * comparisons wait for each other. Comparing a release with its predecessor is the common case and has its own queue
 * and cache; other pairs cannot delay or evict it.
 */
export function releaseDiff(db: Db): (query: DiffQuery) => Promise<ReleaseDiffAnswer> {
  const usual = new Comparisons(db, { remembered: 2_000, waiting: 20 })
  const others = new Comparisons(db, { remembered: 200, waiting: 2 })
  return async (query) => {
    const [from, to] = [await getRelease(db, query.from), await getRelease(db, query.to)]
    if (from.chart !== to.chart) throw Problem.parameter('to', 'the two releases are of different charts')
    return (to.manifest.supersedes === from.release_id ? usual : others).of(from, to)
  }
}

/** Comparisons that are made one after the other. Only a few may wait, the one being made among them. */
class Comparisons {
  readonly #made: Memo<ReleaseDiffAnswer>
  readonly #most: number
  #last: Promise<unknown> = Promise.resolve()
  #waiting = 0

  constructor(
    readonly db: Db,
    { remembered, waiting }: { remembered: number; waiting: number },
  ) {
    this.#made = new Memo(remembered)
    this.#most = waiting
  }

  of(from: Release, to: Release): Promise<ReleaseDiffAnswer> {
    return this.#made.get(`${from.release_id} ${to.release_id}`, () => this.#inTurn(() => compare(this.db, from, to)))
  }

  async #inTurn(work: () => Promise<ReleaseDiffAnswer>): Promise<ReleaseDiffAnswer> {
    if (this.#waiting >= this.#most)
      throw new Problem('unavailable', 'other comparisons are being made', { retryAfterSeconds: 10 })
    this.#waiting++
    const turn = this.#last.then(work)
    this.#last = turn.catch(() => undefined)
    return turn.finally(() => this.#waiting--)
  }
}

async function compare(db: Db, from: Release, to: Release): Promise<ReleaseDiffAnswer> {
  const found = await diffReleases(db, from, to)
  return { chart: to.chart, from: side(from), to: side(to), ...found }
}

const side = ({ release_id, effective_from, row_count }: Release): z.input<typeof Side> => ({
  release_id,
  effective_from,
  rows: row_count,
})

/** A release that was withdrawn is as fixed as any other, and may be compared. */
async function getRelease(db: Db, release_id: string): Promise<Release> {
  const release = await store.findLogged(db, release_id)
  if (!release) throw new Problem('release_not_found')
  return release
}
