import { type Db, StoreFault } from '../../db/db.ts'
import { Problem } from '../../problem.ts'
import { toBase64 } from '../../proof/bytes.ts'
import { type AnyRow, isAnyRow, rowKey } from '../../proof/price/row.ts'
import { rangeRoot } from '../../proof/tree/merkle.ts'
import { subtreesFromTiles, type Tile, TileBuilder } from '../../proof/tree/tiles.ts'
import * as store from '../store.ts'
import { ourTurn } from '../turn.ts'
import { insertChecks } from './check-store.ts'
import { bodyOf, leafHashOfBody } from './row-body.ts'
import { type Findings, rejectedIn, unreadableIn } from './rules.ts'
import type { NewRelease, ReleaseState } from './store.ts'
import * as releases from './store.ts'

const ROWS_PER_BATCH = 8_000

/**
 * A row whose text a loader has made itself, because making two million of them as objects takes too long. The
 * loader vouches, by its tests, that the text is `rowText` of a row and the key is its key.
 */
export interface ReadyRow {
  kind: AnyRow['kind']
  key: string
  body: string
  /** Of a place, its ZIP code. */
  cpt: string
  /** Empty for a place without one. */
  region: string
  npi: string | null
}
export type StageableRow = AnyRow | ReadyRow
export type Stageable = AsyncIterable<StageableRow> | Iterable<StageableRow>

/** What has been written so far. */
export interface Progress {
  rows: number
  bytes: number
  absences: number
}

export interface StagingResult {
  release: ReleaseState
  /** True when these bytes had been loaded before and nothing was done. */
  already: boolean
  written: Progress
}

export interface StageOptions {
  onProgress?: ((progress: Progress) => void) | undefined
}

/**
 * Writes rows, sorted by key, as a release that no one can read yet. Rows go in batches, and between two of them
 * the event loop turns, so that agents are let in while a large file is loading. A refusal leaves nothing; a crash
 * leaves a release in state `loading`, which the next load removes. An edition is loaded by one process at a time.
 */
export const stage = (
  db: Db,
  release: NewRelease,
  rows: Stageable,
  rejects: Findings,
  now: number,
  options: StageOptions = {},
): Promise<StagingResult> =>
  alone(db, release, async () => {
    const same = await releases.findSameSource(db, release.chart, release.edition, release.source_digest)
    if (same) return { release: same, already: true, written: { rows: 0, bytes: 0, absences: 0 } }
    for (const left of await releases.findUnfinished(db, release.chart, release.edition)) await remove(db, left)
    return write(db, release, rows, rejects, now, options)
  })

/** Removes a release that was not published: one that is staged, or whose load died. */
export const discard = (db: Db, release: Pick<ReleaseState, 'release_no' | 'chart' | 'edition'>): Promise<void> =>
  alone(db, release, async () => {
    if (!(await releases.unstage(db, release.release_no)))
      throw new Problem('release_conflict', 'only a release that was not published can be discarded')
    await remove(db, release.release_no)
  })

/** A living process that loads the same edition is never disturbed; one that died holds nothing. */
async function alone<T>(
  db: Db,
  { chart, edition }: Pick<NewRelease, 'chart' | 'edition'>,
  work: () => Promise<T>,
): Promise<T> {
  const hold = await db.takeLock(`loading ${chart} ${edition}`)
  if (!hold) throw new Problem('load_in_progress')
  try {
    return await work()
  } finally {
    hold.release()
  }
}

const PAUSE_MS = 5

const remove = (db: Db, release_no: number): Promise<void> =>
  releases.deleteUnfinished(db, release_no, () => Bun.sleep(PAUSE_MS))

async function write(
  db: Db,
  release: NewRelease,
  rows: Stageable,
  rejects: Findings,
  now: number,
  options: StageOptions,
): Promise<StagingResult> {
  const { release_no } = await db.transaction((tx) => releases.insertRelease(tx, release, now))
  try {
    return await writeRows(db, release_no, rows, rejects, options)
  } catch (error) {
    await remove(db, release_no).catch(() => {}) // the next load will
    throw error
  }
}

async function writeRows(
  db: Db,
  release_no: number,
  rows: Stageable,
  rejects: Findings,
  { onProgress = () => undefined }: StageOptions,
): Promise<StagingResult> {
  const batch = new Batch(db, release_no)
  const flush = async (): Promise<void> => {
    await batch.flush()
    onProgress(batch.written)
    await ourTurn()
  }
  // Two loops, because waiting for each of two million rows that are there already takes longer than hashing them.
  if (Symbol.asyncIterator in rows) {
    for await (const row of rows) if (batch.add(asReady(row))) await flush()
  } else for (const row of rows) if (batch.add(asReady(row))) await flush()
  const { row_count, rows_root } = await batch.finish()
  if (row_count === 0) throw new Problem('source_unreadable', 'the source has no row that can be published')

  const rejected_count = rejectedIn(rejects)
  const unreadable_lines = unreadableIn(rejects)
  const staged = await db.transaction(async (tx) => {
    await stillOurs(tx, release_no)
    await insertChecks(tx, release_no, rejects)
    return releases.markStaged(tx, release_no, { row_count, rejected_count, unreadable_lines, rows_root })
  })
  if (!staged) throw new Error(`${release_no} was being loaded and could not be staged`)
  return { release: staged, already: false, written: batch.written }
}

/** Nothing is written under a release that someone has taken away: its rows would belong to no one. */
async function stillOurs(tx: Db, release_no: number): Promise<void> {
  if (!(await releases.isLoading(tx, release_no)))
    throw new Problem('release_conflict', 'the release was discarded while it was being loaded')
}

function asReady(row: StageableRow): ReadyRow {
  if ('body' in row) return row
  // A cell that no rule foresaw: the file is refused, and the cell is not repeated.
  if (!isAnyRow(row)) throw new Problem('source_unreadable', 'the source has a line that does not make a valid row')
  const ready = { kind: row.kind, key: rowKey(row), body: bodyOf(row) }
  if (row.kind === 'place') return { ...ready, cpt: row.zip, region: row.region ?? '', npi: null }
  return { ...ready, cpt: row.cpt, region: row.region, npi: row.npi }
}

/** Collects rows, their tree and their totals, and writes them a batch at a time. */
class Batch {
  readonly written: Progress = { rows: 0, bytes: 0, absences: 0 }
  #rows: unknown[][] = []
  #tiles: unknown[][] = []
  #lastKey = ''
  readonly #codes = new Map<string, number>()
  readonly #regions = new Map<string, number>()
  readonly #providers = new Map<string, number>()
  readonly #tree = new TileBuilder((tile, hashes) => this.#addTile(tile, hashes))

  constructor(
    readonly db: Db,
    readonly release_no: number,
  ) {}

  /** True when the batch should be written before the next row. */
  add({ kind, key, body, cpt, region, npi }: ReadyRow): boolean {
    if (key <= this.#lastKey) throw new Error(`a loader made rows out of order: ${key}`)
    this.#lastKey = key
    this.#rows.push([this.release_no, key, this.#tree.size, body])
    this.#tree.append(leafHashOfBody(body))
    this.written.rows++
    this.written.bytes += body.length
    if (kind === 'absence') this.written.absences++
    count(this.#codes, cpt)
    if (region !== '') count(this.#regions, region)
    if (npi !== null) count(this.#providers, npi)
    return this.#rows.length >= ROWS_PER_BATCH
  }

  #addTile({ level, n, width }: Tile, hashes: Uint8Array): void {
    this.#tiles.push([this.release_no, level, n, width, hashes])
  }

  async flush(): Promise<void> {
    const [rows, tiles] = [this.#rows, this.#tiles]
    this.#rows = []
    this.#tiles = []
    await this.db.transaction(async (tx) => {
      await stillOurs(tx, this.release_no)
      await tx.insertMany('price_row', ['release_no', 'row_key', 'row_index', 'body'], rows)
      await tx.insertMany('row_tile', ['release_no', 'level', 'n', 'width', 'hashes'], tiles)
    })
  }

  async finish(): Promise<{ row_count: number; rows_root: string }> {
    this.#tree.finish()
    await this.flush()
    const { release_no } = this
    const totals = (map: Map<string, number>): unknown[][] => [...map].map(([name, rows]) => [release_no, name, rows])
    await this.db.transaction(async (tx) => {
      await stillOurs(tx, release_no)
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
