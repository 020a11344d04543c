import { Database, SQLiteError, type SQLQueryBindings } from 'bun:sqlite'
import { existsSync } from 'node:fs'
import { type Db, StoreFault } from './db.ts'
import { type Dialect, migrate } from './migrator.ts'

const DIALECT: Dialect = {
  bytes: 'BLOB',
  bigint: 'INTEGER',
  bytewise: '', // SQLite compares text by its bytes unless told otherwise
  table: ' STRICT',
  clustered: ' STRICT, WITHOUT ROWID',
}
const BUSY_MS = 10_000
const ROWS_PER_STATEMENT = 64

/**
 * SQLite on one file, safe with several processes. Reads use a connection of their own, so they see
 * the last commit and never a transaction that is half done; writes queue for the other one.
 */
export async function openSqlite(path: string, { create = false } = {}): Promise<Db> {
  if (!create && !existsSync(path)) throw new StoreFault('there is no registry store here: run `atr init` first')
  try {
    const writer = connect(path, create)
    const db = new SqliteDb(writer, connect(path, false))
    checkPages(writer)
    if (!create && !writer.query("SELECT 1 FROM sqlite_schema WHERE name = 'schema_version'").get())
      throw new StoreFault('the registry store is empty: restore it from a backup')
    await migrate(db, DIALECT, create)
    return db
  } catch (error) {
    throw asStoreFault(error)
  }
}

/** What SQLite's own words mean to an operator; everything else stays a fault with its own message. */
function asStoreFault(error: unknown): unknown {
  const code = error instanceof SQLiteError ? (error.code ?? '') : ''
  const said = MEANING.find(([pattern]) => pattern.test(code))?.[1]
  return said ? new StoreFault(said, { cause: error }) : error
}

const MEANING: readonly [RegExp, string][] = [
  [/CORRUPT|NOTADB/, 'the registry store is damaged: restore it from a backup'],
  [/FULL|IOERR/, 'the disk is full or failing: nothing was changed'],
  [/READONLY|CANTOPEN|PERM/, 'the registry store cannot be written: check who owns DATA_DIR'],
  [/BUSY|LOCKED/, 'the registry store is in use by another command: try again'],
]

function connect(path: string, create: boolean): Database {
  const database = new Database(path, { create, readwrite: true, strict: true })
  database.run(`PRAGMA busy_timeout = ${BUSY_MS}`)
  // Rows of prices lie in the pages of their key, branches and all: larger pages make the tree two levels lower.
  if (create) database.run('PRAGMA page_size = 8192')
  database.run('PRAGMA journal_mode = WAL')
  // What is acknowledged survives a power cut: the WAL is synced at each commit.
  database.run('PRAGMA synchronous = FULL')
  // Moved into the store 32 MiB at a time: each time costs two more syncs, and a load writes a gigabyte.
  database.run('PRAGMA wal_autocheckpoint = 4000')
  database.run('PRAGMA foreign_keys = ON')
  return database
}

/** A look at every page takes a second per gigabyte, so a large store is left to `atr fsck`. */
function checkPages(database: Database): void {
  const size = database.query<{ size: number }, []>(
    'SELECT page_count * page_size AS size FROM pragma_page_count(), pragma_page_size()',
  )
  if ((size.get()?.size ?? 0) > 256 * 1024 * 1024) return
  const [result] = database.query<{ quick_check: string }, []>('PRAGMA quick_check(1)').all()
  if (result?.quick_check !== 'ok') throw new StoreFault('the registry store is damaged: restore it from a backup')
}

class SqliteDb implements Db {
  #queue: Promise<unknown> = Promise.resolve()

  constructor(
    readonly writer: Database,
    readonly reader: Database,
  ) {}

  async query<Row>(sql: string, params: readonly unknown[] = []): Promise<Row[]> {
    if (/^\s*SELECT\b/i.test(sql)) return run<Row>(this.reader, sql, params)
    return this.#alone(async () => {
      try {
        return run<Row>(this.writer, sql, params)
      } catch (error) {
        throw asStoreFault(error)
      }
    })
  }

  transaction<T>(work: (tx: Db) => Promise<T>): Promise<T> {
    return this.#alone(async () => {
      try {
        this.writer.run('BEGIN IMMEDIATE')
        const result = await work(new SqliteTransaction(this.writer))
        this.writer.run('COMMIT')
        return result
      } catch (error) {
        if (this.writer.inTransaction) this.writer.run('ROLLBACK')
        throw asStoreFault(error)
      }
    })
  }

  insertMany(table: string, columns: readonly string[], rows: readonly (readonly unknown[])[]): Promise<void> {
    return this.transaction((tx) => tx.insertMany(table, columns, rows))
  }

  async now(): Promise<number> {
    return clock(this.reader)
  }

  async close(): Promise<void> {
    await this.#queue.catch(() => undefined)
    this.reader.close()
    this.writer.close()
  }

  /** One writer at a time: a statement of another request must not land inside an open transaction. */
  #alone<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#queue.then(work, work)
    this.#queue = turn.catch(() => undefined)
    return turn
  }
}

class SqliteTransaction implements Db {
  constructor(readonly connection: Database) {}

  async query<Row>(sql: string, params: readonly unknown[] = []): Promise<Row[]> {
    return run<Row>(this.connection, sql, params)
  }

  transaction<T>(work: (tx: Db) => Promise<T>): Promise<T> {
    return work(this)
  }

  async insertMany(table: string, columns: readonly string[], rows: readonly (readonly unknown[])[]): Promise<void> {
    const tuple = `(${columns.map(() => '?').join(', ')})`
    const into = (count: number) =>
      this.connection.query(
        `INSERT INTO ${table} (${columns.join(', ')}) VALUES ${Array.from({ length: count }, () => tuple).join(', ')}`,
      )
    const whole = rows.length - (rows.length % ROWS_PER_STATEMENT)
    const statement = whole > 0 ? into(ROWS_PER_STATEMENT) : undefined
    for (let start = 0; start < whole; start += ROWS_PER_STATEMENT)
      statement?.run(...(rows.slice(start, start + ROWS_PER_STATEMENT).flat() as SQLQueryBindings[]))
    if (whole < rows.length) into(rows.length - whole).run(...(rows.slice(whole).flat() as SQLQueryBindings[]))
  }

  async now(): Promise<number> {
    return clock(this.connection)
  }

  async close(): Promise<void> {}
}

/** `$1` is the portable spelling; SQLite numbers such names by first appearance, so they become `?1`. */
function run<Row>(connection: Database, sql: string, params: readonly unknown[]): Row[] {
  const statement = connection.query<Row, SQLQueryBindings[]>(sql.replaceAll(/\$(\d+)/g, '?$1'))
  return statement.all(...(params as SQLQueryBindings[]))
}

function clock(connection: Database): number {
  const row = connection.query<{ now: number }, []>("SELECT CAST(unixepoch('subsec') * 1000 AS INTEGER) AS now").get()
  if (!row) throw new Error('the database has no clock')
  return row.now
}
