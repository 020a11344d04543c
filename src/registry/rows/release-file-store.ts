import { DamageFault, type Db } from '../../db/db.ts'
import type { FileFolder, SealedFile } from '../../db/file-folder.ts'
import { covers, type Span, touches } from '../../integrity/verification/verdict.ts'
import type { SubtreeReader } from '../../proof/tree/merkle.ts'
import { subtreesFromTiles } from '../../proof/tree/tiles.ts'
import { BUNDLE_ROWS, Bundle, type StoredBundle } from './bundle.ts'
import { FileSummary, past } from './file-summary-store.ts'
import { Recent } from './recent.ts'
import { ReleaseTree, tileOf } from './release-tree.ts'

// The rows of a release, its tree and its totals, as they are in its file. Rows are numbered in the order of their
// keys, so a question about keys becomes two places, and what lies between them.

export interface StoredRow {
  row_key: string
  row_index: number
  body: string
}

/** A release that has a file: staged, published or withdrawn. */
export interface FiledRelease {
  release_id: string
  file: string | null
}

/** A lookup asks the same few bundles again and again, and their neighbours. */
const MOST_BUNDLES = 16

const STORED = 'SELECT hashes, rows FROM bundle WHERE n = ?1'
const HASHES = 'SELECT hashes FROM bundle WHERE n = ?1'
const TILE = 'SELECT hashes FROM tile WHERE level = ?1 AND n = ?2'
const BUNDLE_OF_KEY = 'SELECT n FROM bundle WHERE first_key <= ?1 ORDER BY first_key DESC LIMIT 1'

const opened = new WeakMap<SealedFile, ReleaseFile>()

/** By the name of a release: the rows that failed their last verification. */
export type FailedRows = (release_id: string) => readonly Span[]
const failedIn = new WeakMap<FileFolder, FailedRows>()

/** Says which rows are not to be read from now on. The files of releases where that has changed are opened again. */
export function distrust(files: FileFolder, failed: FailedRows, changed: readonly FiledRelease[]): void {
  failedIn.set(files, failed)
  for (const { file } of changed) if (file !== null) files.forget(file)
}

/** The file of a release. Nothing is read yet: a missing or damaged file is a fault when it is asked. */
export function openRelease({ files }: Pick<Db, 'files'>, { release_id, file }: FiledRelease): ReleaseFile {
  if (file === null) throw new Error(`${release_id} has no file: it is not loaded to its end`)
  const sealed = files.open(file)
  const known = opened.get(sealed)
  if (known) return known
  const made = new ReleaseFile(sealed, release_id, failedIn.get(files)?.(release_id))
  opened.set(sealed, made)
  return made
}

export class ReleaseFile extends FileSummary {
  /** Another name each time the file is opened: what was read before may have been damaged. */
  readonly opening = crypto.randomUUID()
  readonly #bundles = new Recent<number, Bundle>(MOST_BUNDLES)
  #tree: ReleaseTree | undefined

  constructor(
    sealed: SealedFile,
    release_id: string,
    /** Rows that are not to be read. Where a whole bundle is among them, its keys are not read either. */
    readonly failed: readonly Span[] = [],
  ) {
    super(sealed, release_id)
  }

  findRow(key: string): StoredRow | undefined {
    const place = this.#countBefore(key)
    const [row] = this.rowsAt(place, place + 1)
    return row?.row_key === key ? row : undefined
  }

  rowsUnder(prefix: string): StoredRow[] {
    return this.rowsAt(...this.placesUnder(prefix))
  }

  keysUnder(prefix: string): string[] {
    return this.keysAt(...this.placesUnder(prefix))
  }

  /** The places of the rows whose keys begin so: from the first one up to the one after the last. */
  placesUnder(prefix: string): [from: number, to: number] {
    return [this.#countBefore(prefix), this.#countBefore(past(prefix))]
  }

  /** The last row before a text, and the first row that is not before another. */
  rowsAround(start: string, end: string): { left: StoredRow | undefined; right: StoredRow | undefined } {
    const [before, after] = [this.#countBefore(start) - 1, this.#countBefore(end)]
    return { left: this.rowsAt(before, before + 1)[0], right: this.rowsAt(after, after + 1)[0] }
  }

  /** A stretch of the rows in key order: the way to read all of them without holding them. */
  rowsAfter(key: string, limit: number): StoredRow[] {
    const from = this.placeAfter(key)
    return this.rowsAt(from, from + limit)
  }

  /** The place of the first row after this key. */
  placeAfter(key: string): number {
    const place = this.#countBefore(key)
    return this.keysAt(place, place + 1)[0] === key ? place + 1 : place
  }

  /** The rows at the places `from` to `to - 1`, as far as there are any. */
  rowsAt(from: number, to: number): StoredRow[] {
    if (touches(this.failed, from, to)) throw this.#refused()
    return Array.from(this.#between(from, to), ({ row_index, key, body }) => ({ row_key: key, row_index, body }))
  }

  keysAt(from: number, to: number): string[] {
    return Array.from(this.#between(from, to), ({ key }) => key)
  }

  *#between(from: number, to: number): Generator<{ row_index: number; key: string; body: string }> {
    const end = Math.min(to, this.rowCount)
    for (let row_index = Math.max(0, from); row_index < end; row_index++) {
      const { rows } = this.bundle(Math.floor(row_index / BUNDLE_ROWS))
      const { key, body } = rows[row_index % BUNDLE_ROWS] as Bundle['rows'][number]
      yield { row_index, key, body }
    }
  }

  /** How many rows have a key before this text. */
  #countBefore(text: string): number {
    // Most questions about a row are followed by some about its neighbours.
    for (const [n, bundle] of this.#bundles.all())
      if (bundle.covers(text)) return n * BUNDLE_ROWS + bundle.countBefore(text)
    const n = this.findBundle(text)
    return n === undefined ? 0 : n * BUNDLE_ROWS + this.bundle(n).countBefore(text)
  }

  /** The number of the last bundle that does not begin after this text; undefined if all do. */
  findBundle(text: string): number | undefined {
    return this.get<{ n: number }>(BUNDLE_OF_KEY, text)?.n
  }

  /** The key that a bundle is found by. */
  firstKeyOf(n: number): string | undefined {
    return this.get<{ first_key: string }>('SELECT first_key FROM bundle WHERE n = ?1', n)?.first_key
  }

  bundle(n: number): Bundle {
    const known = this.#bundles.find(n)
    if (known) return known
    if (this.hasFailed(n * BUNDLE_ROWS, BUNDLE_ROWS)) throw this.#refused()
    const stored = this.get<StoredBundle>(STORED, n)
    if (!isBytes(stored?.rows) || !isBytes(stored.hashes)) throw this.fault()
    const bundle = this.guarded(() => Bundle.from(stored))
    // Nobody would know of further rows, and missing ones have no answer.
    if (bundle.size !== Math.min(BUNDLE_ROWS, this.rowCount - n * BUNDLE_ROWS)) throw this.fault()
    return this.#bundles.put(n, bundle)
  }

  /** Any tile that the tree must have. */
  anyTile(level: number, n: number): Uint8Array {
    return tileOf(this, level, n)
  }

  /** A tile above the lowest, which the tree must have. */
  tile(level: number, n: number): Uint8Array {
    const tile = this.get<{ hashes: Uint8Array }>(TILE, level, n)
    if (!isBytes(tile?.hashes)) throw this.fault()
    return tile.hashes
  }

  /** The hashes that a bundle stores. Its rows are not unpacked for that. */
  hashesIn(n: number): Uint8Array {
    const known = this.#bundles.find(n)
    if (known) return known.hashes
    const stored = this.get<{ hashes: Uint8Array }>(HASHES, n)
    if (!isBytes(stored?.hashes)) throw this.fault()
    return stored.hashes
  }

  /** The tree over the rows, which must have the root that was published. */
  tree(root: string): ReleaseTree {
    this.#tree ??= this.guarded(() => ReleaseTree.of(this, root))
    if (!this.#tree) throw this.fault()
    return this.#tree
  }

  /** Reads the tree of the release tile by tile, and keeps nothing. */
  subtrees(): SubtreeReader {
    return subtreesFromTiles(async (level, n) => this.anyTile(level, n))
  }

  /** Whether all of so many rows have failed their verification. The last ones there are may be fewer. */
  hasFailed(from: number, rows: number): boolean {
    return this.failed.length > 0 && covers(this.failed, from, Math.min(from + rows, this.rowCount))
  }

  #refused(): DamageFault {
    return new DamageFault(
      `rows of release ${this.release_id} failed their verification: restore its file from a backup, then run \`atr fsck\``,
    )
  }
}

/** The schema says so, but a damaged file may hold anything. */
const isBytes = (value: Uint8Array | undefined): value is Uint8Array => value instanceof Uint8Array
