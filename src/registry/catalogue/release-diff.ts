import { isDeepStrictEqual } from 'node:util'
import { z } from 'zod'
import type { Db } from '../../db/db.ts'
import type { Operation } from '../../operation.ts'
import { Problem } from '../../problem.ts'
import { pathOf, unproved } from '../lookup/proofs.ts'
import { Price } from '../lookup/row-schema.ts'
import type { PublishedRegistry } from '../lookup/view.ts'
import { findDiff } from '../release/check-store.ts'
import { diffReleases, noDiff, type ReleaseDiff } from '../release/diff.ts'
import { openRelease } from '../rows/release-file-store.ts'
import type { Release } from '../store.ts'
import * as store from '../store.ts'
import { Memo } from './memo.ts'

const ReleaseId = z
  .string()
  .max(200)
  .regex(/^[A-Za-z0-9._:-]+$/)

export const DiffQuery = z.strictObject({
  from: ReleaseId.meta({ description: 'the release to compare with', examples: ['cms-pfs:RVU26B:1'] }),
  to: ReleaseId.meta({ description: 'the release to compare, of the same chart', examples: ['cms-pfs:RVU26C:1'] }),
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
    edits: z.strictObject({ before: z.int().min(0), added: z.int().min(0), changed: z.int().min(0) }).optional(),
  })
  .meta({ id: 'ReleaseDiff' })

/** Comparisons that were made for callers and are remembered. */
const REMEMBERED = 200
/** A comparison that is not stored counts as so many requests: it reads every row of both releases. */
const REQUESTS = 10

/** Two releases, and how they differ if that is known already. */
interface Pair {
  from: Release
  to: Release
  known: ReleaseDiff | undefined
}

/**
 * Compares two releases. Neither can change, but its file can be damaged: one of which rows failed their verification is
 * not compared, a comparison is forgotten with the files that it was made of, and the rows that it shows are proved. How a release differs from the one before it was stored when it was
 * published; every other pair is compared when someone asks, as heavy work, and counts as several requests.
 */
export function releaseDiff(
  db: Db,
  published: PublishedRegistry,
): Pick<Operation<typeof DiffQuery, typeof ReleaseDiffAnswer>, 'cost' | 'heavy' | 'run'> {
  const made = new Memo<ReleaseDiff>(REMEMBERED)
  return {
    cost: async (query) => ((await getPair(db, query)).known ? 1 : REQUESTS),
    heavy: async (query) => !(await getPair(db, query)).known,
    async run(query) {
      const { from, to, known } = await getPair(db, query)
      // Failed verifications are looked up with the head.
      await published.at()
      const files = [from, to].map((release) => openRelease(db, release))
      for (const { failed, release_id } of files) if (failed.length > 0) throw unproved(release_id)
      const name = files.map(({ opening }) => opening).join(' ')
      const found = known ?? (await made.get(name, () => diffReleases(db, from, to)))
      for (const { row_key, before, after } of [...found.largest_by_amount, ...found.largest_by_percent]) {
        checkPrice(db, from, row_key, before)
        checkPrice(db, to, row_key, after)
      }
      return { chart: to.chart, from: side(from), to: side(to), ...found }
    },
  }
}

/** A fault unless this is the price that was published. */
function checkPrice(db: Db, release: Release, row_key: string, price: object): void {
  const file = openRelease(db, release)
  const stored = file.findRow(row_key)
  if (!stored) throw unproved(release.release_id)
  pathOf(file, release, stored)
  const row = store.rowOf(stored)
  if (!('price' in row && isDeepStrictEqual(row.price, price))) throw unproved(release.release_id)
}

async function getPair(db: Db, query: DiffQuery): Promise<Pair> {
  const [from, to] = [await getRelease(db, query.from), await getRelease(db, query.to)]
  if (from.chart !== to.chart) throw Problem.parameter('to', 'the two releases are of different charts')
  if (from.release_no === to.release_no) return { from, to, known: noDiff(to.row_count) }
  return { from, to, known: to.manifest.supersedes === from.release_id ? await findDiff(db, to.release_no) : undefined }
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
