import type { SQL } from 'bun'
import { type Db, type NamedLock, type SnapshotOptions, StoreFault, type TransactionOptions } from '../db.ts'
import type { FileFolder } from '../file-folder.ts'
import { checkVersion, type Dialect, migrate } from '../migrator.ts'
import {
  BUSY_MS,
  clock,
  connectTo,
  LONG_STATEMENT_MS,
  type PostgresPlace,
  reserve,
  run,
  STATEMENT_MS,
  Turns,
} from './connection.ts'
import { StoreSilent } from './fault.ts'
import { lockNumber, takeNamed, type UseCheck, useCheck } from './lock.ts'
import { columnTypes, PostgresTransaction, type TypesOf } from './transaction.ts'

const DIALECT: Dialect = {
  bytes: 'BYTEA',
  bigint: 'BIGINT',
  bytewise: 'COLLATE "C"',
  table: '',
  clustered: '',
}
/** How long the statements of an abandoned pool may go on, in seconds. */
const LEAVING_SECONDS = 10
const DEFAULT_POOL = 10
const WRITERS = lockNumber('writers')

interface PostgresOptions {
  create?: boolean
  files: FileFolder
  /** The lock that says that the store is in use. It is released when the store is closed. */
  use?: NamedLock | undefined
  /** Changes nothing: no migration, and the database refuses every write. */
  isReadOnly?: boolean
}

/**
 * Opens a store in PostgreSQL, which several processes on several machines may use. Transactions run one at a time in the
 * whole store, by a lock of the database, unless they are marked as `writers: 'many'`.
 */
export async function openPostgres(
  place: PostgresPlace,
  { create = false, files, use, isReadOnly = false }: PostgresOptions,
): Promise<Db> {
  const db = new PostgresDb({ ...place, isReadOnly }, files, use)
  try {
    await checkServer(db)
    if (create) await db.query(`CREATE SCHEMA IF NOT EXISTS ${place.schema}`)
    else if (!(await isStore(db)))
      throw new StoreFault('there is no registry store in this database: run `atr init` first')
    await (isReadOnly ? checkVersion(db) : migrate(db, DIALECT, create))
    if (use) await db.writeOnlyInUse()
    return db
  } catch (error) {
    await db.close()
    throw error
  }
}

const isStore = async (db: Db): Promise<boolean> =>
  (await db.query("SELECT 1 AS found WHERE to_regclass('schema_version') IS NOT NULL")).length > 0

async function checkServer(db: Db): Promise<void> {
  const [server] = await db.query<{ version: string; encoding: string }>(
    "SELECT current_setting('server_version_num') AS version, current_setting('server_encoding') AS encoding",
  )
  if (Number(server?.version) < 140_000)
    throw new StoreFault('the database is too old: PostgreSQL 14 or later is needed')
  if (server?.encoding !== 'UTF8') throw new StoreFault('the database must have the encoding UTF8: make another one')
}

/** How a transaction begins and ends. */
interface TransactionForm {
  /** The first message, given the time spent waiting for a connection. */
  begin: (waitedMs: number) => string
  /** How long the server may take to answer the first message. */
  beginMs: number
  statementMs: number
  end: 'COMMIT' | 'ROLLBACK'
}

const ONE_WRITER: TransactionForm = {
  begin: (waited) =>
    `BEGIN; SET LOCAL statement_timeout = ${LONG_STATEMENT_MS};
     SET LOCAL lock_timeout = ${Math.max(1, Math.round(BUSY_MS - waited))}; SELECT pg_advisory_xact_lock(${WRITERS});
     SET LOCAL lock_timeout = ${BUSY_MS}`,
  beginMs: BUSY_MS,
  statementMs: LONG_STATEMENT_MS,
  end: 'COMMIT',
}
const MANY_WRITERS: TransactionForm = {
  begin: () => 'BEGIN',
  beginMs: STATEMENT_MS,
  statementMs: STATEMENT_MS,
  end: 'COMMIT',
}

/** The snapshot is taken by the first statement. It locks nothing, so it may be idle without limit. */
const snapshotForm = (statementMs: number): TransactionForm => ({
  begin: () =>
    `BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; SET LOCAL statement_timeout = ${statementMs};
     SET LOCAL idle_in_transaction_session_timeout = 0; SELECT 1`,
  beginMs: STATEMENT_MS,
  statementMs,
  end: 'ROLLBACK',
})
/** The beginning of statements that write. */
const WRITES = /^\s*(INSERT|UPDATE|DELETE|WITH)\b/i
const SNAPSHOT = snapshotForm(STATEMENT_MS)
const LONG_SNAPSHOT = snapshotForm(LONG_STATEMENT_MS)

class PostgresDb implements Db {
  #pool: SQL
  readonly #turns: Turns
  /** One connection, so that of all writers of this process one waits at the database and the others here. */
  readonly #writer: SQL
  readonly #types: TypesOf
  #use: UseCheck | undefined

  constructor(
    readonly place: PostgresPlace,
    readonly files: FileFolder,
    readonly use: NamedLock | undefined,
  ) {
    this.#pool = this.#newPool()
    this.#turns = new Turns(place.pool ?? DEFAULT_POOL)
    this.#writer = connectTo(place, 1)
    this.#types = columnTypes()
  }

  /** Refuses every write from now on while another process has the store alone, or after the store was replaced. */
  async writeOnlyInUse(): Promise<void> {
    this.#use = await useCheck(this, this.place)
  }

  query<Row>(sql: string, params: readonly unknown[] = []): Promise<Row[]> {
    if (this.#use && WRITES.test(sql)) return this.transaction((tx) => tx.query<Row>(sql, params), { writers: 'many' })
    return this.#turns.take(async () => {
      const pool = this.#pool
      try {
        return await run<Row>(pool, sql, params, STATEMENT_MS)
      } catch (error) {
        if (error instanceof StoreSilent) this.#replacePool(pool, error)
        throw error
      }
    })
  }

  transaction<T>(work: (tx: Db) => Promise<T>, { writers = 'one' }: TransactionOptions = {}): Promise<T> {
    return writers === 'many'
      ? this.#turns.take(() => this.#inTransaction(this.#pool, MANY_WRITERS, work))
      : this.#inTransaction(this.#writer, ONE_WRITER, work)
  }

  snapshot<T>(work: (tx: Db) => Promise<T>, { isLong = false }: SnapshotOptions = {}): Promise<T> {
    return this.#turns.take(() => this.#inTransaction(this.#pool, isLong ? LONG_SNAPSHOT : SNAPSHOT, work))
  }

  insertMany(table: string, columns: readonly string[], rows: readonly (readonly unknown[])[]): Promise<void> {
    return this.transaction((tx) => tx.insertMany(table, columns, rows))
  }

  takeLock(name: string): Promise<NamedLock | undefined> {
    return takeNamed(this.place, name)
  }

  now(): Promise<number> {
    return clock(this)
  }

  async close(): Promise<void> {
    this.files.close()
    await Promise.all([this.#pool, this.#writer].map((pool) => pool.close({ timeout: 5 })))
    await this.use?.release()
  }

  #newPool(): SQL {
    return connectTo(this.place, this.place.pool ?? DEFAULT_POOL)
  }

  /**
   * Replaces the pool after a silence: a connection that does not answer may never do so again, and the driver would go on
   * using it. Statements on the old connections have a little time to end.
   */
  #replacePool(pool: SQL, silence: StoreSilent): void {
    if (this.#pool !== pool) return
    this.#turns.refuse(silence)
    this.#pool = this.#newPool()
    pool.close({ timeout: LEAVING_SECONDS }).catch(() => undefined)
  }

  async #inTransaction<T>(
    pool: SQL,
    { begin, beginMs, statementMs, end }: TransactionForm,
    work: (tx: Db) => Promise<T>,
  ): Promise<T> {
    const since = performance.now()
    const connection = await reserve(pool)
    const tx = new PostgresTransaction(connection, this.#types, statementMs, this.files)
    try {
      const use = end === 'COMMIT' ? this.#use : undefined
      const answers = await tx.begin(`${begin(performance.now() - since)}${use?.sql ?? ''}`, beginMs)
      use?.check(answers)
      const result = await work(tx)
      if (end === 'COMMIT') await tx.commit()
      else await tx.rollback()
      return result
    } catch (error) {
      await tx.rollback()
      throw error
    } finally {
      await tx.leave()
    }
  }
}
