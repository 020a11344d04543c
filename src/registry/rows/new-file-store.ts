import { type Db, StoreFault } from '../../db/db.ts'
import { digestOf, SealedFile } from '../../db/file-folder.ts'
import { toBase64, utf8 } from '../../proof/bytes.ts'
import { type AnyRow, MAX_LEAF_BYTES, npiOf, regionOf, rowKey, rowText, subjectOf } from '../../proof/price/row.ts'
import { HASH_SIZE, type Hash, leafHash, rangeRoot } from '../../proof/tree/merkle.ts'
import { subtreesFromTiles, TILE_HEIGHT, TILE_WIDTH, TileBuilder } from '../../proof/tree/tiles.ts'
import { ourTurn } from '../../queue.ts'
import { BUNDLE_ROWS, bundleText, hashesOf, packed, type StoredBundle, type TextRow, unpacked } from './bundle.ts'
import { FILE_FORMAT, FILE_SCHEMA, MOST_NAMES, namesText, TOTALS, type TotalBy } from './file-summary-store.ts'
import { levelsOf, type TileSource, tileOf } from './release-tree.ts'

/** So many tiles are packed at once, while the next rows are made. */
const MOST_UNWRITTEN = 32
/** So many bundles are read back at once. */
const BUNDLES_PER_READ = 64

const OTHER_BYTES = 'the disk returned other bytes than were written: check it, then load the files again'

/** A row that cannot be the next one of its file. */
export class UnfitRow extends Error {}

export interface SealedRelease {
  digest: string
  row_count: number
  rows_root: string
}

/** A row to be written, with the names that it is counted under. */
export interface CountedRow extends TextRow {
  /** The ZIP code, of a place. */
  code: string
  /** Empty for a row without one. */
  region: string
  npi: string | null
}

export function countedRow(row: AnyRow, body = rowText(row)): CountedRow {
  const key = rowKey(row)
  return { key, body, code: subjectOf(row), region: regionOf(row) ?? '', npi: npiOf(row) }
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
  readonly #totals: Record<TotalBy, Map<string, number>> = { code: new Map(), region: new Map(), provider: new Map() }
  /** The rows of the tile that is not full yet. */
  #rows: TextRow[] = []
  #lastKey = ''
  #bundles = 0
  /** Resolves when every tile that was packed is written. */
  #written: Promise<void> = Promise.resolve()
  #unwritten = 0
  /** Sums of everything that was handed to the file, to be compared with what is read back. */
  #bundleSum = 0n
  #tileSum = 0n

  constructor(
    readonly db: Pick<Db, 'files'>,
    readonly temporary: string,
  ) {
    this.#file = db.files.create(temporary)
    for (const table of FILE_SCHEMA) this.#file.run(table)
    this.#insertBundle = this.#file.statement<[number, string, Uint8Array, Uint8Array]>(
      'INSERT INTO bundle VALUES (?, ?, ?, ?)',
    )
    this.#insertTile = this.#file.statement<[number, number, Uint8Array]>('INSERT INTO tile VALUES (?, ?, ?)')
  }

  add({ key, body, code, region, npi }: CountedRow): void {
    if (key <= this.#lastKey) throw new UnfitRow(`rows are out of order: ${key}`)
    if (!isOneLine(key) || !isOneLine(body)) throw new UnfitRow('a row has a tab or a line feed')
    this.#lastKey = key
    this.#rows.push({ key, body })
    count(this.#totals.code, code)
    if (region !== '') count(this.#totals.region, region)
    if (npi !== null) count(this.#totals.provider, npi)
    if (TOTALS.some((by) => this.#totals[by].size > MOST_NAMES))
      throw new UnfitRow('a release has too many codes, regions or providers')
    if (this.#rows.length === TILE_WIDTH) this.#packTile()
  }

  /** To be awaited after every few thousand rows, with a turn of the event loop. */
  async turn(): Promise<void> {
    if (this.#unwritten >= MOST_UNWRITTEN) await this.#written
  }

  /** Hashes the rows of a tile and packs its bundles: both are made of the same bytes. */
  #packTile(): void {
    const rows = this.#rows
    this.#rows = []
    const leaves = new Uint8Array(rows.length * HASH_SIZE)
    for (const [i, row] of rows.entries()) {
      const body = utf8(row.body)
      if (body.length > MAX_LEAF_BYTES) throw new UnfitRow('a row is longer than any that can be proved')
      leaves.set(leafHash(body), i * HASH_SIZE)
    }
    const levels = rows.length === TILE_WIDTH ? levelsOf(leaves) : undefined
    const root = levels?.[TILE_HEIGHT]
    if (root) this.#tree.appendTile(leaves, root)
    else for (let i = 0; i < leaves.length; i += HASH_SIZE) this.#tree.append(leaves.subarray(i, i + HASH_SIZE))
    const packing: Promise<NewBundle>[] = []
    for (let n = 0; n * BUNDLE_ROWS < rows.length; n++) {
      const own = rows.slice(n * BUNDLE_ROWS, (n + 1) * BUNDLE_ROWS)
      const hashes = hashesOf(n, leaves, levels)
      const text = bundleText(own)
      this.#bundleSum ^= bundleSum(hashes, text, this.#bundles)
      packing.push(packed(text).then((bytes) => ({ first_key: own[0]?.key ?? '', hashes, rows: bytes })))
      this.#bundles++
    }
    const first = this.#bundles - packing.length
    this.#unwritten++
    this.#written = Promise.all([Promise.all(packing), this.#written]).then(([bundles]) => {
      for (const [i, { first_key, hashes, rows }] of bundles.entries())
        this.#insertBundle(first + i, first_key, hashes, rows)
      this.#unwritten--
    })
    this.#written.catch(() => {}) // whoever awaits it next is told
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
    if (this.#rows.length > 0) this.#packTile()
    await this.#written
    this.#tree.finish()
    const row_count = this.#tree.size
    const rows_root = toBase64(await this.#root())
    const insertTotal = this.#file.statement<[string, Uint8Array]>('INSERT INTO total VALUES (?, ?)')
    for (const by of TOTALS) insertTotal(by, await packed(utf8(namesText(this.#totals[by]))))
    this.#file.statement<[string, number, string]>('INSERT INTO header VALUES (?, ?, ?)')(
      FILE_FORMAT,
      row_count,
      rows_root,
    )
    this.#file.finish()
    const [digest] = await Promise.all([digestOf(this.#file.path), this.#readBack()])
    return { digest, row_count, rows_root }
  }

  /** The root of the tree as it is in the file. */
  #root(): Promise<Hash> {
    const source: TileSource = {
      rowCount: this.#tree.size,
      hashesIn: (n) => this.#read('SELECT hashes FROM bundle WHERE n = ?', n),
      tile: (level, n) => this.#read('SELECT hashes FROM tile WHERE level = ? AND n = ?', level, n),
    }
    return rangeRoot(
      0,
      source.rowCount,
      subtreesFromTiles(async (level, n) => tileOf(source, level, n)),
    )
  }

  #read(sql: string, ...params: number[]): Uint8Array {
    const found = this.#file.get<{ hashes: Uint8Array }>(sql, ...params)
    if (!found) throw new Error('a part of the tree was not written')
    return found.hashes
  }

  async #readBack(): Promise<void> {
    const file = new SealedFile(this.#file.path)
    try {
      const [bundles, tiles] = [await sumOfBundles(file, this.#bundles), sumOfTiles(file)]
      if (bundles !== this.#bundleSum || tiles !== this.#tileSum) throw new StoreFault(OTHER_BYTES)
    } catch (cause) {
      throw new StoreFault(OTHER_BYTES, { cause })
    } finally {
      file.close()
    }
  }

  /** Leaves nothing behind. */
  abandon(): void {
    this.#file.abandon()
  }
}

const isOneLine = (text: string): boolean => !text.includes('\t') && !text.includes('\n')

interface NewBundle extends StoredBundle {
  first_key: string
}

const count = (totals: Map<string, number>, name: string): void => {
  totals.set(name, (totals.get(name) ?? 0) + 1)
}

/** Notices bits that changed by accident. Digests are for what someone might change on purpose. */
const checksum = (bytes: Uint8Array, place: number): bigint => Bun.hash.xxHash3(bytes, BigInt(place))

const bundleSum = (hashes: Uint8Array, text: Uint8Array, n: number): bigint =>
  checksum(text, n) ^ checksum(hashes, n + 2 ** 40)

const tileSum = (level: number, n: number, hashes: Uint8Array): bigint => checksum(hashes, level * 2 ** 40 + n)

/** The combined checksums of all bundles of a file, as they are stored and unpacked again. */
async function sumOfBundles(file: SealedFile, bundles: number): Promise<bigint> {
  let sum = 0n
  for (let from = 0; from < bundles; from += BUNDLES_PER_READ) {
    const some = file.all<StoredBundle & { n: number }>(
      'SELECT n, hashes, rows FROM bundle WHERE n >= ?1 AND n < ?2',
      from,
      from + BUNDLES_PER_READ,
    )
    for (const { n, hashes, rows } of some) sum ^= bundleSum(hashes, unpacked(rows), n)
    await ourTurn()
  }
  return sum
}

function sumOfTiles(file: SealedFile): bigint {
  let sum = 0n
  for (const { level, n, hashes } of file.all<{ level: number; n: number; hashes: Uint8Array }>(
    'SELECT level, n, hashes FROM tile',
  ))
    sum ^= tileSum(level, n, hashes)
  return sum
}
