import { type Db, StoreFault } from '../../db/db.ts'
import { digestOf, SealedFile } from '../../db/file-folder.ts'
import { toBase64 } from '../../proof/bytes.ts'
import { HASH_SIZE, type Hash, rangeRoot } from '../../proof/tree/merkle.ts'
import { subtreesFromTiles, TILE_WIDTH, TileBuilder } from '../../proof/tree/tiles.ts'
import { ourTurn } from '../turn.ts'
import { BUNDLE_ROWS, checksum, type PackedTile, packTile, TileWriter, unpackBytes } from './bundle.ts'
import { PackThread } from './pack-thread.ts'
import { FILE_FORMAT, type TotalBy } from './release-file-store.ts'

// Nothing is written twice and everything is written in order, so the pages of each tree fill up one after the other.
const SCHEMA = [
  'CREATE TABLE header (format TEXT NOT NULL, row_count INTEGER NOT NULL, rows_root TEXT NOT NULL) STRICT',
  'CREATE TABLE bundle (n INTEGER PRIMARY KEY, first_key TEXT NOT NULL UNIQUE, rows BLOB NOT NULL) STRICT',
  'CREATE TABLE tile (level INTEGER NOT NULL, n INTEGER NOT NULL, hashes BLOB NOT NULL, PRIMARY KEY (level, n)) STRICT',
  `CREATE TABLE total (kind TEXT NOT NULL, item TEXT NOT NULL, row_count INTEGER NOT NULL,
     PRIMARY KEY (kind, item)) STRICT, WITHOUT ROWID`,
]
const BUNDLES_PER_READ = 64
/** A thread takes memory of its own, and a release of fewer rows is packed in a second or two. */
const ROWS_BEFORE_THREAD = 100_000

export interface SealedRelease {
  digest: string
  row_count: number
  rows_root: string
}

/** A row to be written, with the names that it is counted under. */
export interface CountedRow {
  key: string
  body: string
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
  readonly #totals: Record<TotalBy, Map<string, number>> = { code: new Map(), region: new Map(), provider: new Map() }
  #text = new TileWriter()
  #lastKey = ''
  /** The first keys of bundles that are not written yet. */
  #firstKeys: string[] = []
  #handedOut = 0
  #bundles = 0
  #thread: PackThread | undefined
  /** Done when everything that was handed out is written, and when that of the turn before is. */
  #written: Promise<void> = Promise.resolve()
  #writtenBefore: Promise<void> = Promise.resolve()
  /** Of all that was handed to the file, to be compared with what is read back. */
  #rowSum = 0n
  #tileSum = 0n

  constructor(
    readonly db: Pick<Db, 'files'>,
    readonly temporary: string,
    readonly rowsBeforeThread = ROWS_BEFORE_THREAD,
  ) {
    this.#file = db.files.create(temporary)
    for (const table of SCHEMA) this.#file.run(table)
    this.#insertBundle = this.#file.statement<[number, string, Uint8Array]>('INSERT INTO bundle VALUES (?, ?, ?)')
    this.#insertTile = this.#file.statement<[number, number, Uint8Array]>('INSERT INTO tile VALUES (?, ?, ?)')
  }

  add({ key, body, cpt, region, npi }: CountedRow): void {
    if (key <= this.#lastKey) throw new Error(`a loader made rows out of order: ${key}`)
    this.#lastKey = key
    if (this.#text.rows % BUNDLE_ROWS === 0) this.#firstKeys.push(key)
    this.#text.add(key, body)
    count(this.#totals.code, cpt)
    if (region !== '') count(this.#totals.region, region)
    if (npi !== null) count(this.#totals.provider, npi)
    if (this.#text.rows === TILE_WIDTH) this.#handOut()
  }

  /**
   * To be awaited after every few thousand rows: what was handed out in the turn before is then written. A large release
   * is packed by a thread of its own from some row on.
   */
  async turn(): Promise<void> {
    if (this.#handedOut * BUNDLE_ROWS >= this.rowsBeforeThread) this.#thread ??= new PackThread()
    await this.#writtenBefore
    this.#writtenBefore = this.#written
  }

  #handOut(): void {
    const text = this.#text.text()
    const first = this.#handedOut
    this.#handedOut += text.bundles.length
    this.#text = new TileWriter(this.#thread?.room())
    if (!this.#thread) {
      this.#write(packTile(text, first))
      return
    }
    const packed = this.#thread.pack(text, first)
    this.#written = Promise.all([packed, this.#written]).then(([tile]) => this.#write(tile))
    this.#written.catch(() => undefined) // whoever waits for it is told
  }

  #write({ bundles, sums, hashes, root }: PackedTile): void {
    for (const [i, bundle] of bundles.entries()) {
      this.#insertBundle(this.#bundles++, this.#firstKeys[i] as string, bundle)
      this.#rowSum ^= sums[i] as bigint
    }
    this.#firstKeys.splice(0, bundles.length)
    if (root) this.#tree.appendTile(hashes, root)
    else for (let at = 0; at < hashes.length; at += HASH_SIZE) this.#tree.append(hashes.subarray(at, at + HASH_SIZE))
  }

  #addTile(level: number, n: number, hashes: Uint8Array): void {
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
    this.#thread?.close()
    this.#tree.finish()
    const row_count = this.#tree.size
    const rows_root = toBase64(await this.#root())
    const total = this.#file.statement<[string, string, number]>('INSERT INTO total VALUES (?, ?, ?)')
    for (const [by, totals] of Object.entries(this.#totals))
      for (const name of [...totals.keys()].sort()) total(by, name, totals.get(name) as number)
    this.#file.statement<[string, number, string]>('INSERT INTO header VALUES (?, ?, ?)')(
      FILE_FORMAT,
      row_count,
      rows_root,
    )
    this.#file.finish()
    await this.#readBack()
    return { digest: await digestOf(this.#file.path), row_count, rows_root }
  }

  /** From the tiles as they are in the file. */
  #root(): Promise<Hash> {
    return rangeRoot(
      0,
      this.#tree.size,
      subtreesFromTiles(async (level, n) => {
        const tile = this.#file.get<{ hashes: Uint8Array }>(
          'SELECT hashes FROM tile WHERE level = ? AND n = ?',
          level,
          n,
        )
        if (!tile) throw new Error('a tile was not written')
        return tile.hashes
      }),
    )
  }

  async #readBack(): Promise<void> {
    const file = new SealedFile(this.#file.path)
    try {
      let [rowSum, tiles, bundle] = [0n, 0n, 0]
      for (let from = 0; from < this.#bundles; from += BUNDLES_PER_READ) {
        const to = from + BUNDLES_PER_READ
        for (const { rows } of file.all<{ rows: Uint8Array }>(
          'SELECT rows FROM bundle WHERE n >= ?1 AND n < ?2 ORDER BY n',
          from,
          to,
        ))
          rowSum ^= checksum(unpackBytes(rows), bundle++)
        await ourTurn()
      }
      for (const { level, n } of file.all<{ level: number; n: number }>('SELECT level, n FROM tile')) {
        const tile = file.get<{ hashes: Uint8Array }>('SELECT hashes FROM tile WHERE level = ?1 AND n = ?2', level, n)
        if (tile) tiles ^= tileSum(level, n, tile.hashes)
      }
      if (rowSum !== this.#rowSum || tiles !== this.#tileSum)
        throw new StoreFault('the disk returned other bytes than were written: check it, then load the files again')
    } finally {
      file.close()
    }
  }

  /** Leaves nothing behind. */
  abandon(): void {
    this.#thread?.close()
    this.#file.abandon()
  }
}

const tileSum = (level: number, n: number, hashes: Uint8Array): bigint => checksum(hashes, level * 2 ** 40 + n)

const count = (map: Map<string, number>, name: string): void => {
  map.set(name, (map.get(name) ?? 0) + 1)
}
