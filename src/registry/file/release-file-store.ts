import { DamageFault, type Db } from '../../db/db.ts'
import type { FileFolder, SealedFile } from '../../db/file-folder.ts'
import { covers, type Span, touches } from '../../integrity/verification/verdict.ts'
import { MAX_LEAF_BYTES } from '../../proof/price/row.ts'
import { HASH_SIZE, type SubtreeReader } from '../../proof/tree/merkle.ts'
import { subtreesFromTiles, TILE_WIDTH } from '../../proof/tree/tiles.ts'
import { MOST_OF_A_KEY, OpenBundle, placeIn, type StoredBundle } from '../bundle/open-bundle.ts'
import type { Words } from '../bundle/words.ts'
import { BUNDLE_ROWS } from './bundle.ts'
import { FileSummary, nullIfDamaged, past } from './file-summary-store.ts'
import { FirstKeys } from './first-keys.ts'
import { countRead } from './memory.ts'
import { wordsIn } from './read-back-store.ts'
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

/** Unpacked bundles that a file remembers: a lookup asks the same few again and again, and its neighbours. */
const MOST_BUNDLES = 8

/** Characters of rows that are read at once: two thousand of the longest are half of it. In a file from elsewhere all may be under one key. */
const MOST_AT_ONCE = 64 * 1024 * 1024

/** From one key on, each in a line: as one text, which is read faster than so many rows. No key is so long that it is cut. */
const FIRST_KEYS = `SELECT group_concat(key, char(10)) AS text
  FROM (SELECT substr(first_key, 1, ${MOST_OF_A_KEY + 1}) AS key FROM bundle WHERE first_key >= ?1 ORDER BY first_key LIMIT ?2)`

/**
 * Of what we write: a row takes less than twice its text. In a file from elsewhere many bundles could be the same hundred megabytes,
 * and each would be read.
 */
const MOST_BUNDLE_BYTES = 2 * BUNDLE_ROWS * MAX_LEAF_BYTES
const MOST_TILE_BYTES = TILE_WIDTH * HASH_SIZE
const HASHES = `SELECT hashes FROM bundle WHERE n = ?1 AND length(hashes) <= ${MOST_TILE_BYTES}`
const STORED = `SELECT hashes, rows FROM bundle WHERE n = ?1
  AND length(rows) <= ${MOST_BUNDLE_BYTES} AND length(hashes) <= ${MOST_TILE_BYTES}`
const TILE = `SELECT hashes FROM tile WHERE level = ?1 AND n = ?2 AND length(hashes) <= ${MOST_TILE_BYTES}`

const opened = new WeakMap<SealedFile, ReleaseFile>()

/** By the name of a release: the rows that failed their last verification. */
export type FailedRows = (release_id: string) => readonly Span[]
const failedIn = new WeakMap<FileFolder, FailedRows>()

/** Says which rows are not to be read from now on. Of releases where that has changed, the file is opened again. */
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
  /** Another name each time it is opened: what was read before may have been damaged. */
  readonly opening = crypto.randomUUID()
  readonly #bundles = new Recent<number, OpenBundle>(MOST_BUNDLES)
  #latest: { n: number; bundle: OpenBundle } | undefined
  #tree: ReleaseTree | undefined
  #firstKeys: FirstKeys | undefined
  #words: Words | undefined
  /** Null if there are too many to be kept. */
  #keys: readonly string[] | null | undefined

  constructor(
    sealed: SealedFile,
    release_id: string,
    /** Rows that are not to be read. Where a whole bundle is among them, its keys are not read either. */
    readonly failed: readonly Span[] = [],
  ) {
    super(sealed, release_id)
  }

  findRow(key: string): StoredRow | undefined {
    const place = this.#placeOf(key)
    const [row] = this.rowsAt(place, place + 1)
    return row?.row_key === key ? row : undefined
  }

  rowsUnder(prefix: string): StoredRow[] {
    return this.rowsAt(...this.placesUnder(prefix))
  }

  keysUnder(prefix: string): string[] {
    return this.keysAt(...this.placesUnder(prefix))
  }

  /**
   * The same for a file of a schedule that is asked with almost every lookup, to point to what else there is: if it is
   * small, its keys are kept.
   */
  keysOfSchedule(prefix: string): string[] {
    if (this.#keys === undefined) this.#keys = this.#allKeys()
    const keys = this.#keys
    if (!keys) return this.keysUnder(prefix)
    const place = (text: string): number => placeIn(keys.length, (at) => (keys[at] as string) < text)
    return keys.slice(place(prefix), place(past(prefix)))
  }

  /** Where some cannot be read, those that are asked for are read each time. */
  #allKeys(): readonly string[] | null {
    const isSound = this.failed.length === 0
    return isSound && this.canKeep(this.rowCount) ? nullIfDamaged(() => this.keysAt(0, this.rowCount)) : null
  }

  /** The places of the rows whose keys begin so: from the first one up to the one after the last. */
  placesUnder(prefix: string): [from: number, to: number] {
    return [this.#placeOf(prefix), this.#placeOf(past(prefix))]
  }

  /** The last row before a text, and the first row that is not before another. */
  rowsAround(start: string, end: string): { left: StoredRow | undefined; right: StoredRow | undefined } {
    const [before, after] = [this.#placeOf(start) - 1, this.#placeOf(end)]
    return { left: this.rowsAt(before, before + 1)[0], right: this.rowsAt(after, after + 1)[0] }
  }

  /** A stretch of the rows in key order: the way to read all of them without holding them. */
  rowsAfter(key: string, limit: number): StoredRow[] {
    const from = this.placeAfter(key)
    return this.rowsAt(from, from + limit)
  }

  /** The place of the first row after this key. */
  placeAfter(key: string): number {
    const place = this.#placeOf(key)
    return this.keysAt(place, place + 1)[0] === key ? place + 1 : place
  }

  /** The rows at the places `from` to `to - 1`, as far as there are any. */
  rowsAt(from: number, to: number): StoredRow[] {
    if (touches(this.failed, from, to)) throw this.#refused()
    let left = MOST_AT_ONCE
    return this.#between(from, to, (bundle, at, row_index) => {
      const body = this.guarded(() => bundle.body(at))
      left -= body.length
      if (left < 0) throw this.fault()
      return { row_key: bundle.key(at), row_index, body }
    })
  }

  keysAt(from: number, to: number): string[] {
    return this.#between(from, to, (bundle, at) => bundle.key(at))
  }

  #between<T>(from: number, to: number, pick: (bundle: OpenBundle, at: number, index: number) => T): T[] {
    const found: T[] = []
    const end = Math.min(to, this.rowCount)
    for (let index = Math.max(0, from); index < end; ) {
      const n = Math.floor(index / BUNDLE_ROWS)
      const bundle = this.bundle(n)
      const last = Math.min(end, (n + 1) * BUNDLE_ROWS)
      for (; index < last; index++) found.push(pick(bundle, index - n * BUNDLE_ROWS, index))
    }
    return found
  }

  /** How many rows have a key before this text. */
  #placeOf(text: string): number {
    // Most questions about a row are followed by some about its neighbours.
    if (this.#latest?.bundle.covers(text)) return this.#placeIn(this.#latest.n, text)
    for (const [n, bundle] of this.#bundles.all()) if (bundle.covers(text)) return this.#placeIn(n, text)
    const n = this.bundleOf(text)
    return n < 0 ? 0 : this.#placeIn(n, text)
  }

  /** The last bundle that does not begin after a text and one that follows on it; -1 if all do. */
  bundleOf(text: string, more = ''): number {
    return this.firstKeys().find(text, more) ?? this.findBundle(text + more) ?? -1
  }

  /** The first keys of its bundles. */
  firstKeys(): FirstKeys {
    this.#firstKeys ??= new FirstKeys({
      bundles: Math.ceil(this.rowCount / BUNDLE_ROWS),
      firstKey: (n) => this.firstKeyOf(n),
      firstKeysFrom: (key, most) => this.text(FIRST_KEYS, key, most),
    })
    return this.#firstKeys
  }

  #placeIn(n: number, text: string): number {
    return n * BUNDLE_ROWS + this.bundle(n).placeOf(text)
  }

  bundle(n: number): OpenBundle {
    return this.kept(n) ?? this.#keep(n, this.stored(n))
  }

  /** A bundle that was asked for lately. */
  kept(n: number): OpenBundle | undefined {
    return this.#bundles.find(n)
  }

  /** A bundle as it is in the file. */
  stored(n: number): StoredBundle {
    if (this.hasFailed(n * BUNDLE_ROWS, BUNDLE_ROWS)) throw this.#refused()
    const stored = this.get<StoredBundle>(STORED, n)
    if (!isBytes(stored?.rows) || !isBytes(stored.hashes)) throw this.fault()
    return stored
  }

  /** The same bundle, if it has neither too few rows nor more than are counted, of which nobody would know. */
  whole<Bundle extends { size: number }>(n: number, bundle: Bundle): Bundle {
    if (bundle.size !== Math.min(BUNDLE_ROWS, this.rowCount - n * BUNDLE_ROWS)) throw this.fault()
    return bundle
  }

  #keep(n: number, stored: StoredBundle): OpenBundle {
    const bundle = this.whole(
      n,
      this.guarded(() => OpenBundle.from(stored, this.words())),
    )
    countRead('kept')
    this.#latest = { n, bundle }
    return this.#bundles.put(n, bundle)
  }

  words(): Words {
    this.#words ??= wordsIn({ get: (sql, most) => this.get(sql, most) })
    return this.#words
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

  /** What a bundle has of the tree. Its rows are not unpacked for that. */
  hashesIn(n: number): Uint8Array {
    const known = this.kept(n)
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

  /** The bundle in which a row of this key is looked for: for checks of the whole file. */
  findBundle(key: string): number | undefined {
    const sql = 'SELECT n FROM bundle WHERE first_key <= ?1 ORDER BY first_key DESC LIMIT 1'
    return this.get<{ n: number }>(sql, key)?.n
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

/** The schema says so; a file from elsewhere may hold anything. */
const isBytes = (value: Uint8Array | undefined): value is Uint8Array => value instanceof Uint8Array
