import { constants, Database, type SQLQueryBindings } from 'bun:sqlite'
import { chmodSync, closeSync, copyFileSync, existsSync, mkdtempSync, openSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { type Db, type NamedLock, StoreBusy, StoreFault } from './db.ts'
import { FileFolder } from './file-folder.ts'
import { isBusy, lockFile } from './folder-lock.ts'
import { checkVersion, type Dialect, migrate } from './migrator.ts'
import { asStoreFault } from './sqlite-fault.ts'

const DIALECT: Dialect = {
  bytes: 'BLOB',
  bigint: 'INTEGER',
  bytewise: 'COLLATE BINARY',
  table: ' STRICT',
  clustered: ' STRICT, WITHOUT ROWID',
}
const BUSY_MS = 10_000
/** Pauses before the lock is tried again. They are short at first, because most writers are done soon. */
const PAUSES_MS = [1, 1, 2, 3, 5, 8, 13, 20]
const ROWS_PER_STATEMENT = 64

interface SqliteOptions {
  create?: boolean
  /** The release files; by default those of the folder `releases` next to the store. */
  files?: FileFolder
  /** The lock that says that the store is in use. It is released when the store is closed. */
  use?: NamedLock | undefined
  /** Changes nothing on disk: no migration, no file next to the store. */
  isReadOnly?: boolean
}

/**
 * Opens a store in one SQLite file, which several processes may use. Reads have their own connection, so they see the last
 * commit and never an open transaction; writes queue for the other connection.
 */
export async function openSqlite(
  path: string,
  { create = false, files = new FileFolder(join(dirname(path), 'releases')), use, isReadOnly }: SqliteOptions = {},
): Promise<Db> {
  if (!create && !existsSync(path)) throw new StoreFault('there is no registry store here: run `atr init` first')
  try {
    if (!create && !isReadOnly) keepPrivate(path)
    const again = (): Database => (isReadOnly ? connectToRead(path) : connect(path, false))
    const writer = await whenFree(() => (create ? connect(path, true) : again()))
    const db = new SqliteDb(path, writer, await whenFree(again), files, use, again)
    await whenFree(() => checkPages(writer))
    if (!create && !writer.query("SELECT 1 FROM sqlite_schema WHERE name = 'schema_version'").get())
      throw new StoreFault('the registry store is empty: restore it from a backup')
    await (isReadOnly ? checkVersion(db) : migrate(db, DIALECT, create))
    return db
  } catch (error) {
    throw asStoreFault(error)
  }
}

/**
 * Retries while another process has the lock. SQLite could wait by itself, but that would block the whole process, and a
 * server must answer other requests meanwhile.
 */
async function whenFree<T>(work: () => T, since = performance.now()): Promise<T> {
  for (let tries = 0; ; tries++) {
    try {
      return work()
    } catch (error) {
      if (!isBusy(error)) throw error
      if (performance.now() - since > BUSY_MS) throw new StoreBusy(error)
    }
    await Bun.sleep(PAUSES_MS[Math.min(tries, PAUSES_MS.length - 1)] ?? 0)
  }
}

/** Makes a store readable by its owner only, which older versions did not. SQLite gives the journal the mode of the store. */
function keepPrivate(path: string): void {
  for (const file of [path, `${path}-wal`, `${path}-shm`]) {
    try {
      if ((statSync(file).mode & 0o077) !== 0) chmodSync(file, 0o600)
    } catch {} // the file does not exist, or belongs to another user, who decides
  }
}

function connect(path: string, create: boolean): Database {
  if (create) closeSync(openSync(path, 'a', 0o600)) // set before anything is written: only the owner may read a store
  const database = new Database(path, { create, readwrite: true, strict: true })
  try {
    return configured(database, create)
  } catch (error) {
    database.close()
    throw error
  }
}

/**
 * Opens a store without writing any file. If a process has it open, it is read with its journal. A journal without its index
 * was left by a crash or a copy: SQLite would write the index, so a temporary copy is read instead.
 */
function connectToRead(path: string): Database {
  if (!existsSync(`${path}-wal`)) return openToRead(path, '?immutable=1')
  if (existsSync(`${path}-shm`)) return openToRead(path, '?mode=ro')
  const folder = mkdtempSync(join(tmpdir(), 'atr-read-'))
  try {
    const copy = join(folder, 'store')
    for (const end of ['', '-wal']) copyFileSync(`${path}${end}`, `${copy}${end}`)
    const database = openToRead(copy, '?mode=ro')
    database.query('SELECT count(*) FROM sqlite_schema').get() // opens the journal, so that the files can be removed
    return database
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function openToRead(path: string, how: '?mode=ro' | '?immutable=1'): Database {
  const flags = constants.SQLITE_OPEN_READONLY | constants.SQLITE_OPEN_URI
  const database = new Database(`${pathToFileURL(path).href}${how}`, flags)
  database.run('PRAGMA busy_timeout = 0')
  return database
}

function configured(database: Database, create: boolean): Database {
  database.run('PRAGMA busy_timeout = 0')
  if (create) database.run('PRAGMA page_size = 8192')
  database.run('PRAGMA journal_mode = WAL')
  // A committed write survives a power cut: the WAL is synced at each commit.
  database.run('PRAGMA synchronous = FULL')
  // Checkpoint every 32 MiB: each one costs two more syncs, and a ledger is imported in many small steps.
  database.run('PRAGMA wal_autocheckpoint = 4000')
  database.run('PRAGMA foreign_keys = ON')
  return database
}

/** Checks every page of a small store. It takes a second per gigabyte, so large stores are checked by `atr fsck` only. */
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
    readonly path: string,
    readonly writer: Database,
    readonly reader: Database,
    readonly files: FileFolder,
    readonly use: NamedLock | undefined,
    private readonly connectAgain: () => Database,
  ) {}

  async query<Row>(sql: string, params: readonly unknown[] = []): Promise<Row[]> {
    if (/^\s*SELECT\b/i.test(sql)) return whenFree(() => run<Row>(this.reader, sql, params))
    return this.#alone((since) => whenFree(() => run<Row>(this.writer, sql, params), since))
  }

  transaction<T>(work: (tx: Db) => Promise<T>): Promise<T> {
    return this.#alone(async (since) => {
      try {
        await whenFree(() => this.writer.run('BEGIN IMMEDIATE'), since)
        const result = await work(new SqliteTransaction(this.writer, this.files))
        await whenFree(() => this.writer.run('COMMIT'))
        return result
      } catch (error) {
        if (this.writer.inTransaction) this.writer.run('ROLLBACK')
        throw error
      }
    })
  }

  /** Has its own connection, so that other requests still see the last commit. */
  async snapshot<T>(work: (tx: Db) => Promise<T>): Promise<T> {
    const connection = await whenFree(this.connectAgain)
    try {
      connection.run('PRAGMA query_only = ON')
      connection.run('BEGIN')
      // The snapshot begins with the first read.
      await whenFree(() => run(connection, 'SELECT MAX(version) AS version FROM schema_version', []))
      return await work(new SqliteTransaction(connection, this.files))
    } finally {
      connection.close()
    }
  }

  insertMany(table: string, columns: readonly string[], rows: readonly (readonly unknown[])[]): Promise<void> {
    return this.transaction((tx) => tx.insertMany(table, columns, rows))
  }

  async takeLock(name: string): Promise<NamedLock | undefined> {
    try {
      return lockFile(`${this.path}.${encodeURIComponent(name)}`)
    } catch (error) {
      throw asStoreFault(error)
    }
  }

  async now(): Promise<number> {
    return clock(this.reader)
  }

  async close(): Promise<void> {
    await this.#queue.catch(() => undefined)
    this.files.close()
    this.reader.close()
    this.writer.close()
    await this.use?.release()
  }

  /**
   * Runs one writer at a time: a statement of another request must not run inside an open transaction. The timeout counts
   * from the time when a writer joined the queue, so nobody waits longer than BUSY_MS.
   */
  #alone<T>(work: (since: number) => Promise<T>): Promise<T> {
    const since = performance.now()
    const translated = async (): Promise<T> => {
      try {
        return await work(since)
      } catch (error) {
        throw asStoreFault(error)
      }
    }
    const turn = this.#queue.then(translated, translated)
    this.#queue = turn.catch(() => undefined)
    return turn
  }
}

class SqliteTransaction implements Db {
  constructor(
    readonly connection: Database,
    readonly files: FileFolder,
  ) {}

  async query<Row>(sql: string, params: readonly unknown[] = []): Promise<Row[]> {
    return run<Row>(this.connection, sql, params)
  }

  transaction<T>(work: (tx: Db) => Promise<T>): Promise<T> {
    return work(this)
  }

  snapshot<T>(work: (tx: Db) => Promise<T>): Promise<T> {
    return work(this)
  }

  async takeLock(): Promise<NamedLock | undefined> {
    throw new Error('a named lock cannot be taken inside a transaction: it lasts longer')
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

/** Runs a statement. `$1` is the portable form of a parameter; SQLite numbers such names by first appearance, so it needs `?1`. */
function run<Row>(connection: Database, sql: string, params: readonly unknown[]): Row[] {
  const statement = connection.query<Row, SQLQueryBindings[]>(sql.replaceAll(/\$(\d+)/g, '?$1'))
  const rows = statement.all(...(params as SQLQueryBindings[]))
  for (const row of rows) checkIntegers(row as Readonly<Record<string, unknown>>)
  return rows
}

/** Throws on whole numbers above 2^53, which the driver silently rounds. No table should have one. */
function checkIntegers(row: Readonly<Record<string, unknown>>): void {
  for (const name in row) {
    const value = row[name]
    if (typeof value === 'number' && Math.abs(value) > Number.MAX_SAFE_INTEGER)
      throw new StoreFault('the registry store has a number that is too large: restore it from a backup')
  }
}

function clock(connection: Database): number {
  const row = connection.query<{ now: number }, []>("SELECT CAST(unixepoch('subsec') * 1000 AS INTEGER) AS now").get()
  if (!row) throw new Error('the database has no clock')
  return row.now
}
