import { type Db, StoreFault } from '../../db/db.ts'
import { digestOf } from '../../db/file-folder.ts'
import { toBase64 } from '../../proof/bytes.ts'
import { HASH_SIZE, type Hash, rangeRoot } from '../../proof/tree/merkle.ts'
import { subtreesFromTiles, TILE_WIDTH, TileBuilder } from '../../proof/tree/tiles.ts'
import { NewWords } from '../bundle/words.ts'
import { BUNDLE_ROWS, type PackedTile, packTile, type TextRow, TileWriter, type WritableRow } from './bundle.ts'
import { FILE_FORMAT, FILE_SCHEMA, type TotalBy } from './file-summary-store.ts'
import { PackThread } from './pack-thread.ts'
import { sumOfBundles, sumOfTiles, tileSum } from './read-back-store.ts'
import { type TileParts, tileOf } from './release-tree.ts'

/** A thread takes memory of its own, and a release of fewer rows is packed in a second. */
const ROWS_FOR_THREAD = 100_000
/** So many tiles wait for the thread at most, while rows are made: it is never without work, and they take little memory. */
const MOST_WAITING = 32

const OTHER_BYTES = 'the disk returned other bytes than were written: check it, then load the files again'

export interface SealedRelease {
  digest: string
  row_count: number
  rows_root: string
}

/** A row to be written, with the names that it is counted under. */
export interface CountedRow extends TextRow {
  /** Of a place, its ZIP code. */
  cpt: string
  /** Empty for a place without one. */
  region: string
  npi: string | null
}

/**
 * Writes the rows of a release, in key order, with their tree and their totals, under a temporary name. Memory is a few
 * tiles of rows, one open tile a level, and the names of codes, regions and providers.
 */
export class NewReleaseFile {
  readonly #file
  readonly #insertBundle
  readonly #insertTile
  readonly #tree = new TileBuilder(({ level, n }, hashes) => this.#addTile(level, n, hashes))
  readonly #totals: Record<TotalBy, Map<string, Total>> = { code: new Map(), region: new Map(), provider: new Map() }
  readonly #words = new NewWords()
  #text = new TileWriter(this.#words)
  #lastKey = ''
  /** The first keys of bundles that are not written yet. */
  #firstKeys: string[] = []
  #handedOut = 0
  #bundles = 0
  #thread: PackThread | undefined
  /** Done when everything that was handed out is written. */
  #written: Promise<void> = Promise.resolve()
  #failed: { cause: unknown } | undefined
  /** Of all that was handed to the file, to be compared with what is read back. */
  #bundleSum = 0n
  #tileSum = 0n

  constructor(
    readonly db: Pick<Db, 'files'>,
    readonly temporary: string,
    /** How many rows there will be, where that is known. */
    expectedRows = 0,
  ) {
    this.#file = db.files.create(temporary)
    if (expectedRows >= ROWS_FOR_THREAD) this.#thread = new PackThread()
    for (const table of FILE_SCHEMA) this.#file.run(table)
    this.#insertBundle = this.#file.statement<[number, string, Uint8Array, Uint8Array]>(
      'INSERT INTO bundle VALUES (?, ?, ?, ?)',
    )
    this.#insertTile = this.#file.statement<[number, number, Uint8Array]>('INSERT INTO tile VALUES (?, ?, ?)')
  }

  add(row: CountedRow | (CountedRow & WritableRow)): void {
    const { key, cpt, region, npi } = row
    if (key <= this.#lastKey) throw new Error(`a loader made rows out of order: ${key}`)
    this.#lastKey = key
    if (this.#text.rows % BUNDLE_ROWS === 0) this.#firstKeys.push(key)
    this.#text.add(row)
    count(this.#totals.code, cpt)
    if (region !== '') count(this.#totals.region, region)
    if (npi !== null) count(this.#totals.provider, npi)
    if (this.#text.rows === TILE_WIDTH) this.#handOut()
  }

  /**
   * To be awaited after every few thousand rows, with a turn of the event loop. A release that turns out to be large is
   * packed by two threads from there on.
   */
  async turn(): Promise<void> {
    if (this.#handedOut * BUNDLE_ROWS >= ROWS_FOR_THREAD) this.#thread ??= new PackThread()
    if (this.#failed) throw this.#failed.cause
  }

  /** To this thread where the other one has enough to do: both are busy to the end, whichever is faster. */
  #handOut(): void {
    const text = this.#text.text()
    const first = this.#handedOut
    this.#handedOut += text.bundles.length
    if (this.#thread && this.#thread.waiting < MOST_WAITING) {
      this.#writeAfterOthers(this.#thread.pack(text, first, this.#words))
      this.#text = new TileWriter(this.#words, this.#thread.room())
    } else {
      const packed = packTile(text, first, this.#words)
      if (this.#thread) this.#writeAfterOthers(Promise.resolve(packed))
      else this.#write(packed)
      this.#text = new TileWriter(this.#words, new Uint8Array(text.bytes.buffer))
    }
  }

  #writeAfterOthers(packed: Promise<PackedTile>): void {
    this.#written = Promise.all([packed, this.#written]).then(([tile]) => this.#write(tile))
    this.#written.catch((cause) => {
      this.#failed ??= { cause }
    })
  }

  #write({ bytes, ends, sum, leaves, root }: PackedTile): void {
    let at = 0
    for (const [i, end] of ends.entries()) {
      const [hashes, rows] = [bytes.subarray(at, end.hashes), bytes.subarray(end.hashes, end.rows)]
      this.#insertBundle(this.#bundles++, this.#firstKeys[i] as string, hashes, rows)
      at = end.rows
    }
    this.#firstKeys.splice(0, ends.length)
    this.#bundleSum ^= sum
    if (root) this.#tree.appendTile(leaves, root)
    else for (let i = 0; i < leaves.length; i += HASH_SIZE) this.#tree.append(leaves.subarray(i, i + HASH_SIZE))
  }

  /** The lowest tiles are in the bundles. */
  #addTile(level: number, n: number, hashes: Uint8Array): void {
    if (level === 0) return
    this.#insertTile(level, n, hashes)
    this.#tileSum ^= tileSum(level, n, hashes)
  }

  /**
   * Finishes the file. On return it is on disk, still under its temporary name, and was read back: what is stored is
   * what was hashed. Logs have died of bits that changed in between.
   */
  async seal(): Promise<SealedRelease> {
    if (this.#text.rows > 0) this.#handOut()
    await this.#written
    this.#tree.finish()
    const row_count = this.#tree.size
    const rows_root = toBase64(await this.#root())
    const { shapes, words } = this.#words.since({ shapes: 0, words: 0 })
    this.#file.statement<[Uint8Array, Uint8Array]>('INSERT INTO word VALUES (?, ?)')(shapes, words)
    const total = this.#file.statement<[string, string, number]>('INSERT INTO total VALUES (?, ?, ?)')
    for (const [by, totals] of Object.entries(this.#totals))
      for (const name of [...totals.keys()].sort()) total(by, name, totals.get(name)?.rows ?? 0)
    this.#file.statement<[string, number, string]>('INSERT INTO header VALUES (?, ?, ?)')(
      FILE_FORMAT,
      row_count,
      rows_root,
    )
    this.#file.finish()
    if (this.#thread) Bun.gc(true) // the texts of the rows are not needed any more
    const [digest] = await Promise.all([digestOf(this.#file.path), this.#readBack()])
    this.#thread?.close()
    return { digest, row_count, rows_root }
  }

  /** From the tree as it is in the file. */
  #root(): Promise<Hash> {
    const { size } = this.#tree
    const parts: TileParts = {
      rowCount: size,
      hashesIn: (n) => this.#read('SELECT hashes FROM bundle WHERE n = ?', n),
      tile: (level, n) => this.#read('SELECT hashes FROM tile WHERE level = ? AND n = ?', level, n),
    }
    return rangeRoot(
      0,
      size,
      subtreesFromTiles(async (level, n) => tileOf(parts, level, n)),
    )
  }

  #read(sql: string, ...params: number[]): Uint8Array {
    const found = this.#file.get<{ hashes: Uint8Array }>(sql, ...params)
    if (!found) throw new Error('a part of the tree was not written')
    return found.hashes
  }

  /** This thread takes the digest meanwhile, and so the smaller part. */
  async #readBack(): Promise<void> {
    const { path } = this.#file
    const middle = this.#thread ? Math.ceil(this.#bundles * 0.9) : 0
    const [first = 0n, rest, tiles] = await Promise.all([
      this.#thread?.sumOfBundles(path, 0, middle),
      sumOfBundles(path, middle, this.#bundles),
      sumOfTiles(path),
    ]).catch((cause) => {
      throw new StoreFault(OTHER_BYTES, { cause })
    })
    if ((first ^ rest) !== this.#bundleSum || tiles !== this.#tileSum) throw new StoreFault(OTHER_BYTES)
  }

  /** Leaves nothing behind. */
  abandon(): void {
    this.#thread?.close()
    this.#file.abandon()
  }
}

interface Total {
  rows: number
}

const count = (totals: Map<string, Total>, name: string): void => {
  const total = totals.get(name)
  if (total) total.rows++
  else totals.set(name, { rows: 1 })
}
