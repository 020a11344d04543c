import { type Db, StoreFault } from '../db/db.ts'
import { Problem } from '../problem.ts'
import { toBase64, utf8 } from '../proof/bytes.ts'
import { leafHash, rangeRoot } from '../proof/merkle.ts'
import { isRow, MAX_LEAF_BYTES, type Row, rowKey, rowText } from '../proof/row.ts'
import { subtreesFromTiles, type Tile, TileBuilder } from '../proof/tiles.ts'
import type { NewRelease, ReleaseState } from './release-store.ts'
import * as releases from './release-store.ts'
import * as store from './store.ts'

const ROWS_PER_BATCH = 2_000

/** Rows refused while a source was read: exact counts by rule, the first few line numbers, never the values. */
export type Rejects = Map<string, { count: number; lines: number[] }>

export interface Staged {
  release: ReleaseState
  /** True when these bytes had been loaded before and nothing was done. */
  already: boolean
}

/**
 * Writes rows, sorted by key, as a release that no one can read yet. Rows go in batches, so that agents are
 * let in while a large file is loading; a crash leaves a release in state `loading`, which the next load removes.
 */
export async function stage(
  db: Db,
  release: NewRelease,
  rows: AsyncIterable<Row> | Iterable<Row>,
  rejects: Rejects,
  now: number,
): Promise<Staged> {
  const same = await releases.findSameSource(db, release.chart, release.edition, release.source_digest)
  if (same) return { release: same, already: true }
  const { release_no } = await db.transaction(async (tx) => {
    await releases.discardUnfinished(tx, release.chart, release.edition)
    return releases.insertRelease(tx, release, now)
  })

  const batch = new Batch(db, release_no)
  let lastKey = ''
  for await (const row of rows) {
    const key = rowKey(row)
    // A cell that no rule foresaw: the file is refused, and the cell is not repeated.
    if (!isRow(row)) throw new Problem('source_unreadable', 'the source has a line that no row can be made of')
    if (key <= lastKey) throw new Error(`a loader made rows out of order: ${key}`)
    lastKey = key
    await batch.add(row, key)
  }
  const { row_count, rows_root } = await batch.finish()
  if (row_count === 0) throw new Problem('source_unreadable', 'the source has no row that can be published')

  const rejected_count = [...rejects.values()].reduce((sum, { count }) => sum + count, 0)
  const staged = await db.transaction(async (tx) => {
    const entries = [...rejects].map(([rule, { count, lines }]) => [release_no, rule, count, lines.join(',')])
    await tx.insertMany('release_reject', ['release_no', 'rule', 'rejected', 'sample_lines'], entries)
    return releases.markStaged(tx, release_no, { row_count, rejected_count, rows_root })
  })
  if (!staged) throw new Problem('release_conflict', 'another load of the same edition took this one\u2019s place')
  return { release: staged, already: false }
}

/** Collects rows, their tree and their totals, and writes them a batch at a time. */
class Batch {
  #rows: unknown[][] = []
  #tiles: unknown[][] = []
  readonly #codes = new Map<string, number>()
  readonly #regions = new Map<string, number>()
  readonly #providers = new Map<string, number>()
  readonly #tree = new TileBuilder((tile, hashes) => this.#addTile(tile, hashes))

  constructor(
    readonly db: Db,
    readonly release_no: number,
  ) {}

  async add(row: Row, key: string): Promise<void> {
    const body = rowText(row)
    const bytes = utf8(body)
    if (bytes.length > MAX_LEAF_BYTES) throw new Error(`a row is too large: ${key}`)
    this.#rows.push([this.release_no, key, this.#tree.size, body])
    this.#tree.append(leafHash(bytes))
    count(this.#codes, row.cpt)
    count(this.#regions, row.region)
    if (row.npi !== null) count(this.#providers, row.npi)
    if (this.#rows.length >= ROWS_PER_BATCH) await this.#flush()
  }

  #addTile({ level, n, width }: Tile, hashes: Uint8Array): void {
    this.#tiles.push([this.release_no, level, n, width, hashes])
  }

  async #flush(): Promise<void> {
    const [rows, tiles] = [this.#rows, this.#tiles]
    this.#rows = []
    this.#tiles = []
    await this.db.transaction(async (tx) => {
      await tx.insertMany('price_row', ['release_no', 'row_key', 'row_index', 'body'], rows)
      await tx.insertMany('row_tile', ['release_no', 'level', 'n', 'width', 'hashes'], tiles)
    })
  }

  async finish(): Promise<{ row_count: number; rows_root: string }> {
    this.#tree.finish()
    await this.#flush()
    const { release_no } = this
    const totals = (map: Map<string, number>): unknown[][] => [...map].map(([name, rows]) => [release_no, name, rows])
    await this.db.transaction(async (tx) => {
      await tx.insertMany('release_code', ['release_no', 'cpt', 'row_count'], totals(this.#codes))
      await tx.insertMany('release_region', ['release_no', 'region', 'row_count'], totals(this.#regions))
      await tx.insertMany('release_provider', ['release_no', 'npi', 'row_count'], totals(this.#providers))
    })
    const root = await rangeRoot(0, this.#tree.size, rowSubtrees(this.db, release_no))
    return { row_count: this.#tree.size, rows_root: toBase64(root) }
  }
}

const count = (map: Map<string, number>, name: string): void => {
  map.set(name, (map.get(name) ?? 0) + 1)
}

/** Reads the tree of a release from its stored tiles. */
export const rowSubtrees = (db: Db, release_no: number) =>
  subtreesFromTiles(async (level, n) => {
    const tile = await store.findRowTile(db, release_no, level, n)
    if (!tile) throw new StoreFault('a tile of a release is missing: run `atr fsck`')
    return tile
  })
