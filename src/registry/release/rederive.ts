import { isDeepStrictEqual } from 'node:util'
import { type Db, StoreFault } from '../../db/db.ts'
import { Verdict } from '../../integrity/verification/verdict.ts'
import { equalBytes, toBase64, utf8 } from '../../proof/bytes.ts'
import { type AnyRow, npiOf, regionOf, rowKey, subjectOf } from '../../proof/price/row.ts'
import { HASH_SIZE, leafHash, rangeRoot } from '../../proof/tree/merkle.ts'
import { TILE_WIDTH, TileBuilder, tilesOf } from '../../proof/tree/tiles.ts'
import { ourTurn } from '../../queue.ts'
import { BUNDLE_ROWS } from '../rows/bundle.ts'
import { TOTALS, type TotalBy } from '../rows/file-summary-store.ts'
import { ReleaseFile, type StoredRow } from '../rows/release-file-store.ts'
import { nodesIn } from '../rows/release-tree.ts'
import { contentsOf, isWithheld } from './contents.ts'
import type { ReleaseState } from './store.ts'

type FiledRows = Pick<ReleaseState, 'release_id' | 'row_count' | 'rows_root' | 'file' | 'contents'>

/**
 * Hashes and counts the rows of a release as they are in its file, and compares them with its tree and its totals. It
 * says which rows are wrong, or cannot be proved: others can be served. Between two pieces of work it waits for `pause`.
 */
export async function rederive(
  db: Pick<Db, 'files'>,
  release: FiledRows,
  pause: () => Promise<void> = ourTurn,
): Promise<Verdict> {
  const { release_id, row_count, file: digest } = release
  const verdict = new Verdict()
  const otherBytes = `${release_id}: its file is missing, or its bytes are not those that its name says`
  if (digest === null || !db.files.has(digest)) {
    verdict.add(otherBytes, [0, row_count])
    return verdict
  }
  if (!(await db.files.isWhole(digest, pause))) verdict.add(otherBytes)
  const sealed = db.files.openAnew(digest)
  const file = new ReleaseFile(sealed, release_id)
  try {
    await new Rederivation(file, release, verdict).run(pause)
  } catch (error) {
    // A tile that is too narrow for the tree.
    const fault = error instanceof RangeError ? file.fault(error) : error
    if (!(fault instanceof StoreFault)) throw error
    verdict.add(`${release_id}: ${fault.message}`, [0, row_count])
  } finally {
    sealed.close()
  }
  return verdict
}

class Rederivation {
  readonly #contents = new Contents()
  #lastKey = ''

  constructor(
    private readonly file: ReleaseFile,
    private readonly release: FiledRows,
    private readonly verdict: Verdict,
  ) {}

  async run(pause: () => Promise<void>): Promise<void> {
    const { file, verdict } = this
    const { row_count } = this.release
    if (file.rowCount !== row_count) return this.#failAll('rows are missing or too many')
    if (file.countLines('header', 2) !== 1) return this.#failAll('it has two headers')
    const wrong = await this.#wrongAbove(pause)
    if (wrong !== undefined) return this.#failAll(wrong)
    for (let from = 0; from < row_count; from += BUNDLE_ROWS) {
      this.#checkBundle(from, Math.min(row_count, from + BUNDLE_ROWS))
      await pause()
    }
    const [bundles, tiles] = [Math.ceil(row_count / BUNDLE_ROWS), tilesAbove(row_count)]
    if (file.countLines('bundle', bundles + 1) > bundles) this.#failAll('rows are missing or too many')
    if (file.countLines('tile', tiles + 1) > tiles) this.#failAll('there are more tiles than its rows have')
    if (verdict.failedCount > 0) return
    const differing = this.#contents.differing({
      code: file.totals('code'),
      region: file.totals('region'),
      provider: file.totals('provider'),
    })
    if (differing) return this.#failAll(`what it holds by ${differing} is not what its rows say`)
    const { release_id, contents } = this.release
    // No row is wrong by that: it is what reports tell of the release.
    if (contents !== null && !isDeepStrictEqual(JSON.parse(contents), contentsOf(file, this.#contents.withheld)))
      verdict.add(`${release_id}: what the store says that it holds is not what its rows say`)
  }

  #fail(fault: string, from: number, to: number): void {
    this.verdict.add(`${this.release.release_id}: ${fault}`, [from, to])
  }

  #failAll(fault: string): void {
    this.#fail(fault, 0, this.release.row_count)
  }

  /**
   * Says what is wrong with the tree above its lowest tiles, or with its root: then no row can be proved. The rest of the
   * check relies on it: a tile of leaf hashes is right if its root is in the tile above it.
   */
  async #wrongAbove(pause: () => Promise<void>): Promise<string | undefined> {
    const { file } = this
    const { row_count, rows_root } = this.release
    let wrong: string | undefined
    const compare = (level: number, n: number, hashes: Uint8Array): void => {
      const stored = attempt(() => file.anyTile(level, n))
      if (!stored || !equalBytes(stored, hashes)) wrong ??= `tile ${level}/${n} does not match the stored rows`
    }
    // The second level is taken as it is, and those above must follow from it.
    const above = new TileBuilder(({ level, n }, hashes) => {
      if (level > 0) compare(level + 1, n, hashes)
    })
    const full = Math.floor(row_count / TILE_WIDTH)
    for (let n = 0; n < full; n++) {
      const root = this.#rootAbove(n)
      if (!root) return `tile 1/${Math.floor(n / TILE_WIDTH)} does not match the stored rows`
      above.append(root)
      if (n % TILE_WIDTH === 0) await pause()
    }
    above.finish()
    if (wrong !== undefined) return wrong
    const root = toBase64(await rangeRoot(0, row_count, file.subtrees()))
    return root === rows_root && file.header().rows_root === root ? undefined : 'the rows do not hash to the root'
  }

  /** The root of a full tile of leaf hashes, as the tile above it says. */
  #rootAbove(n: number): Uint8Array | undefined {
    const at = Math.floor(n / TILE_WIDTH)
    if (this.#above?.at !== at) this.#above = { at, hashes: attempt(() => this.#tileAbove(at)) }
    const root = this.#above.hashes?.subarray((n % TILE_WIDTH) * HASH_SIZE, ((n % TILE_WIDTH) + 1) * HASH_SIZE)
    return root?.length === HASH_SIZE ? root : undefined
  }

  /** A tile of the level above, if it has neither too little nor too much. */
  #tileAbove(at: number): Uint8Array | undefined {
    const width = Math.min(TILE_WIDTH, Math.floor(this.release.row_count / TILE_WIDTH) - at * TILE_WIDTH)
    const hashes = this.file.anyTile(1, at)
    return hashes.length === width * HASH_SIZE ? hashes : undefined
  }
  #above: { at: number; hashes: Uint8Array | undefined } | undefined

  #checkBundle(from: number, to: number): void {
    const rows = attempt(() => this.file.rowsAt(from, to))
    const wrong = rows ? this.#wrongIn(rows) : this.file.fault().message
    const leaves = this.#leavesOf(from, to)
    if (wrong !== undefined) this.#fail(wrong, from, to)
    else if (!leaves) this.#fail(`tile 0/${Math.floor(from / TILE_WIDTH)} does not match the stored rows`, from, to)
    else
      for (const { row_index, body } of rows ?? []) {
        const at = (row_index - from) * HASH_SIZE
        if (!equalBytes(leafHash(utf8(body)), leaves.subarray(at, at + HASH_SIZE)))
          this.#fail(`row ${row_index} is not the one that was published`, row_index, row_index + 1)
      }
  }

  /** The leaf hashes of a bundle, if they lead to the root. */
  #leavesOf(from: number, to: number): Uint8Array | undefined {
    const bundle = from / BUNDLE_ROWS
    const stored = attempt(() => this.file.hashesIn(bundle))
    const tile = Math.floor(from / TILE_WIDTH)
    // The hashes of a tile that is not full were checked with the root.
    if ((tile + 1) * TILE_WIDTH > this.release.row_count)
      return stored?.length === (to - from) * HASH_SIZE ? stored : undefined
    const nodes = stored && nodesIn(stored, bundle)
    return nodes && equalBytes(nodes.root, this.#rootAbove(tile) ?? NONE) ? nodes.levels[0] : undefined
  }

  /** Says what is wrong with the keys of a bundle, so that its rows cannot be found, or others in their place. */
  #wrongIn(rows: readonly StoredRow[]): string | undefined {
    for (const row of rows) {
      if (row.row_key <= this.#lastKey) return `row ${row.row_index} is out of order`
      const parsed = rowUnderItsKey(row)
      if (!parsed) return `row ${row.row_index} is not stored under its own key`
      this.#lastKey = row.row_key
      this.#contents.add(parsed, row.body)
    }
    const bundle = Math.floor((rows[0]?.row_index ?? 0) / BUNDLE_ROWS)
    const isFound =
      this.file.firstKeyOf(bundle) === rows[0]?.row_key &&
      [rows[0], rows.at(-1)].every((row) => row && this.file.findBundle(row.row_key) === bundle)
    return isFound ? undefined : 'rows are not found under their keys'
  }
}

const NONE = new Uint8Array()

/** How many tiles stand above the lowest ones of so many rows. */
const tilesAbove = (rows: number): number => tilesOf(Math.floor(rows / TILE_WIDTH)).length

/** Undefined where the file cannot be read. */
function attempt<T>(read: () => T): T | undefined {
  try {
    return read()
  } catch (error) {
    if (error instanceof StoreFault) return undefined
    throw error
  }
}

/** The row that a stored text says; undefined if it is no row, or one under another key. */
function rowUnderItsKey({ row_key, body }: StoredRow): AnyRow | undefined {
  try {
    const row = JSON.parse(body) as AnyRow
    return rowKey(row) === row_key ? row : undefined
  } catch {
    return undefined
  }
}

type Totals = Record<TotalBy, ReadonlyMap<string, number>>

/** Totals of a release, counted from its rows. */
class Contents {
  readonly #totals: Record<TotalBy, Map<string, number>> = { code: new Map(), region: new Map(), provider: new Map() }
  withheld = 0

  add(row: AnyRow, body: string): void {
    if (isWithheld(body)) this.withheld++
    count(this.#totals.code, subjectOf(row))
    count(this.#totals.region, regionOf(row) ?? '')
    count(this.#totals.provider, npiOf(row) ?? '')
  }

  /** Names the totals that differ from what is stored; undefined if none does. */
  differing(stored: Totals): keyof Totals | undefined {
    return TOTALS.find((by) => !sameCounts(stored[by], this.#totals[by]))
  }
}

function count(totals: Map<string, number>, name: string): void {
  if (name !== '') totals.set(name, (totals.get(name) ?? 0) + 1)
}

function sameCounts(a: ReadonlyMap<string, number>, b: ReadonlyMap<string, number>): boolean {
  for (const [name, rows] of a) if (b.get(name) !== rows) return false
  return a.size === b.size
}
