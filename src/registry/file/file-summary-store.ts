import { closeSync, openSync, readSync, statSync } from 'node:fs'
import { DamageFault, StoreFault } from '../../db/db.ts'
import type { SealedFile } from '../../db/file-folder.ts'
import { HASH_SIZE } from '../../proof/tree/merkle.ts'
import { MOST_OF_A_KEY } from '../bundle/open-bundle.ts'
import { hasShortLines } from './bundle-pages.ts'
import { Budget } from './memory.ts'

/** What rows are counted by. A place has its ZIP code as its code. */
export type TotalBy = 'code' | 'region' | 'provider'

export const FILE_FORMAT = 'release-file/4'

const HEADER_TABLE =
  'CREATE TABLE header (format TEXT NOT NULL, row_count INTEGER NOT NULL, rows_root TEXT NOT NULL) STRICT'
// Nothing is written twice and everything is written in order, so the pages of each tree fill up one after the other.
export const FILE_SCHEMA = [
  HEADER_TABLE,
  `CREATE TABLE bundle (n INTEGER PRIMARY KEY, first_key TEXT NOT NULL UNIQUE, hashes BLOB NOT NULL,
     rows BLOB NOT NULL) STRICT`,
  'CREATE TABLE word (shapes BLOB NOT NULL, words BLOB NOT NULL) STRICT',
  'CREATE TABLE tile (level INTEGER NOT NULL, n INTEGER NOT NULL, hashes BLOB NOT NULL, PRIMARY KEY (level, n)) STRICT',
  `CREATE TABLE total (kind TEXT NOT NULL, item TEXT NOT NULL, row_count INTEGER NOT NULL,
     PRIMARY KEY (kind, item)) STRICT, WITHOUT ROWID`,
]
/**
 * Whether a file has these tables and nothing else. A view in place of a table could answer one thing when it is checked and
 * another one later.
 */
export function hasOwnSchema(sealed: SealedFile): boolean {
  if (!hasSmallSchema(sealed.path)) return false
  const stored = sealed.all<{ type: string; name: string; sql: string | null }>(
    'SELECT type, name, sql FROM sqlite_schema',
  )
  const made = stored.flatMap(({ sql }) => (sql === null ? [] : [sql]))
  const isOwn = stored.every(
    ({ type, name, sql }) => sql !== null || (type === 'index' && name.startsWith('sqlite_autoindex_')),
  )
  return isOwn && made.sort().join('\n') === [...FILE_SCHEMA].sort().join('\n')
}

const [SCHEMA_PAGE, LEAF_PAGE, MOST_TABLES] = [100, 13, 16]

/**
 * Whether all of the schema stands on the first page, as ours does. SQLite reads it before anything else, and in a file from
 * elsewhere its pages may lead to each other for ever.
 */
function hasSmallSchema(path: string): boolean {
  const head = Buffer.alloc(SCHEMA_PAGE + 5)
  reading(path, (read) => read(head, 0))
  return head[SCHEMA_PAGE] === LEAF_PAGE && head.readUInt16BE(SCHEMA_PAGE + 3) <= MOST_TABLES
}

/** By a descriptor of its own: a file may have been closed for want of room. */
function reading<T>(path: string, work: (read: SealedFile['read']) => T): T {
  const file = openSync(path, 'r')
  try {
    return work((into, at) => readSync(file, into, 0, into.length, at))
  } finally {
    closeSync(file)
  }
}

/** The first text that sorts after every key with this prefix. Keys are ASCII below `~`. */
export const past = (prefix: string): string => `${prefix}~`

const MOST_KEPT = 25_000
/** What a key or a code takes in memory, about. */
const KEPT_BYTES = 100
const memory = new Budget(16 * 1024 * 1024)

/** What a release file says of itself and of all its rows, and what is said where it cannot be read. */
export class FileSummary {
  #rowCount: number | undefined
  /** Null if there are too many to be kept. */
  #codes: ReadonlySet<string> | null | undefined

  constructor(
    readonly sealed: SealedFile,
    readonly release_id: string,
  ) {}

  get rowCount(): number {
    this.#rowCount ??= this.header().row_count
    return this.#rowCount
  }

  header(): { row_count: number; rows_root: string } {
    const header = this.get<{ format: string; row_count: number; rows_root: string }>(
      'SELECT format, row_count, rows_root FROM header',
    )
    if (header?.format !== FILE_FORMAT || !this.#hasRoomFor(header.row_count)) throw this.fault()
    return header
  }

  /** A file from elsewhere may say anything. Each row has a hash in it: more rows than that would be searched for without end. */
  #hasRoomFor(rows: unknown): boolean {
    if (!Number.isSafeInteger(rows) || (rows as number) < 0) return false
    return (rows as number) * HASH_SIZE <= this.guarded(() => statSync(this.sealed.path).size)
  }

  /** How many rows the release has of each code, region or provider, in the order of their names. */
  totals(by: TotalBy, prefix = ''): Map<string, number> {
    this.#checkTotals()
    const rows = this.all<Total>(
      'SELECT item, row_count FROM total WHERE kind = ?1 AND item >= ?2 AND item < ?3 ORDER BY item LIMIT ?4',
      by,
      prefix,
      past(prefix),
      this.rowCount + 1,
    )
    if (rows.length > this.rowCount) throw this.fault()
    return new Map(rows.map(({ item, row_count }) => [item, this.#counted(row_count)]))
  }

  /** The first page of a table. */
  rootPage(table: 'bundle' | 'total'): number {
    const sql = "SELECT rootpage FROM sqlite_schema WHERE type = 'table' AND name = ?1"
    return this.get<{ rootpage: number }>(sql, table)?.rootpage ?? 0
  }

  /** Before all of them are read. */
  #checkTotals(): void {
    if (this.#hasShortTotals) return
    const { path } = this.sealed
    const root = this.rootPage('total')
    if (!this.guarded(() => reading(path, (read) => hasShortLines({ read }, root, statSync(path).size))))
      throw this.fault()
    this.#hasShortTotals = true
  }
  #hasShortTotals = false

  /** Of one of them; none if it has no rows. */
  totalOf(by: TotalBy, name: string): number {
    const found = this.get<Total>('SELECT item, row_count FROM total WHERE kind = ?1 AND item = ?2', by, name)
    return found ? this.#counted(found.row_count) : 0
  }

  #counted(rows: unknown): number {
    if (!Number.isSafeInteger(rows) || (rows as number) < 1 || (rows as number) > this.rowCount) throw this.fault()
    return rows as number
  }

  /** Whether any row is of a code. Of a schedule the codes are kept: lookups ask it of every chart. */
  hasCode(code: string): boolean {
    if (this.#codes === undefined) this.#codes = this.#allCodes() // to count those that are not kept takes milliseconds
    return this.#codes ? this.#codes.has(code) : this.totalOf('code', code) > 0
  }

  #allCodes(): ReadonlySet<string> | null {
    const count = this.countNames('code')
    return this.canKeep(count) ? nullIfDamaged(() => new Set(this.totals('code').keys())) : null
  }

  countNames(by: TotalBy): number {
    this.#checkTotals()
    return this.#count('SELECT 1 FROM total WHERE kind = ?2', this.rowCount, by)
  }

  /** The key that a bundle is found by. */
  firstKeyOf(bundle: number): string {
    return this.text('SELECT substr(first_key, 1, ?2) AS text FROM bundle WHERE n = ?1', bundle, MOST_OF_A_KEY + 1)
  }

  /** Whether what must stand there once stands there once: of several lines it is open which one is read. */
  hasSingleLines(): boolean {
    return this.#count('SELECT 1 FROM header', 2) === 1 && this.#count('SELECT 1 FROM word', 2) === 1
  }

  /** How many bundles there are, as far as that. */
  countBundles(most: number): number {
    return this.#count('SELECT 1 FROM bundle', most)
  }

  countTiles(most: number): number {
    return this.#count('SELECT 1 FROM tile', most)
  }

  /**
   * At most so many. In a file from elsewhere the pages of a table may lead to each other again and again, in all more often
   * than anyone can count, and SQLite does not notice that.
   */
  #count(lines: string, most: number, ...params: string[]): number {
    const sql = `SELECT COUNT(*) AS lines FROM (${lines} LIMIT ?1)`
    return this.get<{ lines: number }>(sql, most, ...params)?.lines ?? 0
  }

  /** Whether there is memory for so many keys or codes. */
  protected canKeep(count: number): boolean {
    return count <= MOST_KEPT && memory.take(this, count * KEPT_BYTES)
  }

  protected all<Row>(sql: string, ...params: (string | number)[]): Row[] {
    if (!this.#isOwn) this.#lookAtTables()
    return this.guarded(() => this.sealed.all<Row>(sql, ...params))
  }

  protected get<Row>(sql: string, ...params: (string | number)[]): Row | undefined {
    if (!this.#isOwn) this.#lookAtTables()
    return this.guarded(() => this.sealed.get<Row>(sql, ...params))
  }

  /** Before anything is read of a file: a view from elsewhere, in place of a table, could compute anything, for ever. */
  #lookAtTables(): void {
    if (!this.guarded(() => hasOwnSchema(this.sealed))) throw this.fault()
    this.#isOwn = true
  }
  #isOwn = false

  protected text(sql: string, ...params: (string | number)[]): string {
    const text = this.get<{ text: string | null }>(sql, ...params)?.text
    if (typeof text !== 'string') throw this.fault()
    return text
  }

  protected guarded<T>(read: () => T): T {
    try {
      return read()
    } catch (cause) {
      throw this.fault(cause)
    }
  }

  fault(cause?: unknown): DamageFault {
    if (this.#isOfOtherForm())
      return new DamageFault(
        `the file of release ${this.release_id} has a form that this version does not read: withdraw it with \`atr release withdraw\`, then load the edition again`,
        { cause },
      )
    return new DamageFault(
      `the file of release ${this.release_id} is missing or damaged: restore it from a backup, then run \`atr fsck\``,
      { cause },
    )
  }

  /** Of an earlier version, or of a later one. */
  #isOfOtherForm(): boolean {
    try {
      if (!hasSmallSchema(this.sealed.path)) return false
      const tables = this.sealed.all<{ sql: string | null }>('SELECT sql FROM sqlite_schema')
      if (!tables.some(({ sql }) => sql === HEADER_TABLE)) return false
      const { format = FILE_FORMAT } = this.sealed.get<{ format: string }>('SELECT format FROM header') ?? {}
      return format !== FILE_FORMAT && format.startsWith('release-file/')
    } catch {
      return false
    }
  }
}

interface Total {
  item: string
  row_count: number
}

/** Null where a part of a file cannot be read: it is not asked for again and again. */
export function nullIfDamaged<T>(read: () => T): T | null {
  try {
    return read()
  } catch (error) {
    if (error instanceof StoreFault) return null
    throw error
  }
}
