import { statSync } from 'node:fs'
import { zstdDecompressSync } from 'node:zlib'
import { DamageFault } from '../../db/db.ts'
import type { SealedFile } from '../../db/file-folder.ts'
import { HASH_SIZE } from '../../proof/tree/merkle.ts'

/** Rows are counted by these. A place is counted under its ZIP code as `code`. */
export type TotalBy = 'code' | 'region' | 'provider'
export const TOTALS: readonly TotalBy[] = ['code', 'region', 'provider']

export const FILE_FORMAT = 'release-file/5'

const HEADER_TABLE =
  'CREATE TABLE header (format TEXT NOT NULL, row_count INTEGER NOT NULL, rows_root TEXT NOT NULL) STRICT'
// Nothing is written twice and everything is written in order, so the pages of each tree fill up one after the other.
export const FILE_SCHEMA = [
  HEADER_TABLE,
  `CREATE TABLE bundle (n INTEGER PRIMARY KEY, first_key TEXT NOT NULL UNIQUE, hashes BLOB NOT NULL,
     rows BLOB NOT NULL) STRICT`,
  'CREATE TABLE tile (level INTEGER NOT NULL, n INTEGER NOT NULL, hashes BLOB NOT NULL, PRIMARY KEY (level, n)) STRICT',
  // One line for each name, with its count after a tab, under zstd.
  'CREATE TABLE total (kind TEXT PRIMARY KEY, names BLOB NOT NULL) STRICT',
]

/** The first text that sorts after every key with this prefix. Keys are ASCII below `~`. */
export const past = (prefix: string): string => `${prefix}~`

/** Far more codes, regions or providers than any release has: all of them are in memory at once. */
export const MOST_NAMES = 1_000_000
const MOST_NAME_BYTES = 32 * MOST_NAMES

/** The header and the totals of a release file, and the error for a file that cannot be read. */
export class FileSummary {
  #rowCount: number | undefined
  readonly #totals: Partial<Record<TotalBy, ReadonlyMap<string, number>>> = {}

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

  /** Each row has a hash in the file. A damaged count could ask for more rows than memory has room for. */
  #hasRoomFor(rows: unknown): boolean {
    if (!Number.isSafeInteger(rows) || (rows as number) < 0) return false
    return (rows as number) * HASH_SIZE <= this.guarded(() => statSync(this.sealed.path).size)
  }

  /** How many rows the release has of each code, region or provider, in the order of their names. */
  totals(by: TotalBy): ReadonlyMap<string, number> {
    const totals = this.#totals[by] ?? this.guarded(() => this.#readTotals(by))
    this.#totals[by] = totals
    return totals
  }

  #readTotals(by: TotalBy): ReadonlyMap<string, number> {
    const names = this.get<{ names: Uint8Array }>('SELECT names FROM total WHERE kind = ?1', by)?.names
    if (!(names instanceof Uint8Array)) throw this.fault()
    return readNames(zstdDecompressSync(names, { maxOutputLength: MOST_NAME_BYTES }).toString())
  }

  /** How many rows are of one code, region or provider. */
  totalOf(by: TotalBy, name: string): number {
    return this.totals(by).get(name) ?? 0
  }

  hasCode(code: string): boolean {
    return this.totals('code').has(code)
  }

  countNames(by: TotalBy): number {
    return this.totals(by).size
  }

  /** How many lines a table has, counted up to `most`: the pages of a damaged file may lead to each other for ever. */
  countLines(table: 'header' | 'bundle' | 'tile', most: number): number {
    const sql = `SELECT COUNT(*) AS lines FROM (SELECT 1 FROM ${table} LIMIT ?1)`
    return this.get<{ lines: number }>(sql, most)?.lines ?? 0
  }

  protected get<Row>(sql: string, ...params: (string | number)[]): Row | undefined {
    return this.guarded(() => this.sealed.get<Row>(sql, ...params))
  }

  protected guarded<T>(read: () => T): T {
    try {
      return read()
    } catch (cause) {
      throw this.fault(cause)
    }
  }

  fault(cause?: unknown): DamageFault {
    if (this.isOfOtherForm()) return new DamageFault(otherForm(this.release_id), { cause })
    return new DamageFault(
      `the file of release ${this.release_id} is missing or damaged: restore it from a backup, then run \`atr fsck\``,
      { cause },
    )
  }

  /** Whether the file is of an earlier or a later version. */
  isOfOtherForm(): boolean {
    try {
      const tables = this.sealed.all<{ sql: string | null }>('SELECT sql FROM sqlite_schema')
      if (!tables.some(({ sql }) => sql === HEADER_TABLE)) return false
      const { format = FILE_FORMAT } = this.sealed.get<{ format: string }>('SELECT format FROM header') ?? {}
      return format !== FILE_FORMAT && format.startsWith('release-file/')
    } catch {
      return false
    }
  }
}

/** The sentence about a file of an earlier or a later version, with what to do. */
export const otherForm = (release_id: string): string =>
  `the file of release ${release_id} has a form that this version does not read: withdraw it with \`atr release withdraw\`, then load the edition again`

/** The text of a line of `total`. */
export const namesText = (totals: ReadonlyMap<string, number>): string =>
  [...totals.keys()]
    .sort()
    .map((name) => `${name}\t${totals.get(name)}`)
    .join('\n')

function readNames(text: string): ReadonlyMap<string, number> {
  const totals = new Map<string, number>()
  if (text === '') return totals
  for (const line of text.split('\n')) {
    const [name = '', count = ''] = line.split('\t')
    if (!/^[1-9][0-9]{0,14}$/.test(count)) throw new RangeError('a total is not a number of rows')
    totals.set(name, Number(count))
  }
  return totals
}
