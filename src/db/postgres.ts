import { type ReservedSQL, SQL } from 'bun'
import { type Db, type NamedLock, StoreBusy, StoreFault, type TransactionOptions } from './db.ts'
import type { FileFolder } from './file-folder.ts'
import { type Dialect, migrate } from './migrator.ts'
import { asStoreFault, isLost, storeAway } from './postgres-fault.ts'
import { columnTypes, insertStatement, rowsAsJson, type TypesOf } from './postgres-rows.ts'

const DIALECT: Dialect = {
  bytes: 'BYTEA',
  bigint: 'BIGINT',
  bytewise: 'COLLATE "C"',
  table: '',
  clustered: '',
}
/** How long anything waits for a lock or for a free connection. */
const BUSY_MS = 10_000
/** How long a statement may run. Longer in transactions and snapshots of commands, which move and read whole ledgers. */
const STATEMENT_MS = 30_000
const LONG_STATEMENT_MS = 600_000
/** A server that was cut off does not answer, not even that the time is up: then we stop waiting ourselves. */
const SILENCE_MS = 5_000
/** A process that stopped in the middle of a transaction must not keep all others from writing. */
const IDLE_MS = 60_000
const CONNECT_SECONDS = 5
const ROWS_PER_STATEMENT = 5_000
export const DEFAULT_POOL = 10

/** A database, and the schema in it that holds the store. */
export interface PostgresPlace {
  url: string
  schema: string
  /** How many connections a process uses, without the one that waits for its turn to write. */
  pool?: number | undefined
}

/** The locks of one installation in a database. Names become numbers: PostgreSQL has no others. */
const lockNumber = (name: string): bigint =>
  new Bun.CryptoHasher('sha256').update(`agent-trust-registry ${name}`).digest().readBigInt64BE(0)
const WRITERS = lockNumber('writers')

/** Connections to one schema. `synchronous_commit` makes sure that what was acknowledged survives a power cut. */
export const connectTo = ({ url, schema }: PostgresPlace, max: number): SQL =>
  new SQL(url, {
    max,
    bigint: true,
    connectionTimeout: CONNECT_SECONDS,
    connection: {
      application_name: 'agent-trust-registry',
      search_path: schema,
      statement_timeout: STATEMENT_MS,
      lock_timeout: BUSY_MS,
      idle_in_transaction_session_timeout: IDLE_MS,
      synchronous_commit: 'on',
    },
  })

/**
 * PostgreSQL, safe with several processes on several machines. Transactions run one at a time in the whole store, by a
 * lock of the database, unless they say that they lock the rows they need.
 */
export async function openPostgres(
  place: PostgresPlace,
  { create = false, files }: { create?: boolean; files: FileFolder },
): Promise<Db> {
  const db = new PostgresDb(place, files)
  try {
    await checkServer(db)
    if (create) await db.query(`CREATE SCHEMA IF NOT EXISTS ${place.schema}`)
    else if (!(await isStore(db)))
      throw new StoreFault('there is no registry store in this database: run `atr init` first')
    await migrate(db, DIALECT, create)
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

class PostgresDb implements Db {
  readonly #pool: SQL
  /** One connection: of all writers of this process, one waits at the database and the others here. */
  readonly #writer: SQL
  readonly #types: TypesOf

  constructor(
    readonly place: PostgresPlace,
    readonly files: FileFolder,
  ) {
    this.#pool = connectTo(place, place.pool ?? DEFAULT_POOL)
    this.#writer = connectTo(place, 1)
    this.#types = columnTypes()
  }

  query<Row>(sql: string, params: readonly unknown[] = []): Promise<Row[]> {
    return run<Row>(this.#pool, sql, params, STATEMENT_MS)
  }

  transaction<T>(work: (tx: Db) => Promise<T>, { writers = 'one' }: TransactionOptions = {}): Promise<T> {
    if (writers === 'many') return this.#inTransaction(this.#pool, () => 'BEGIN', work, STATEMENT_MS)
    const begin = (waited: number): string =>
      `BEGIN; SET LOCAL statement_timeout = ${LONG_STATEMENT_MS};
       SET LOCAL lock_timeout = ${Math.max(1, Math.round(BUSY_MS - waited))}; SELECT pg_advisory_xact_lock(${WRITERS});
       SET LOCAL lock_timeout = ${BUSY_MS}`
    return this.#inTransaction(this.#writer, begin, work, LONG_STATEMENT_MS)
  }

  /** The snapshot is taken by the first statement. It locks nothing, so it may be idle for as long as it likes. */
  snapshot<T>(work: (tx: Db) => Promise<T>): Promise<T> {
    const begin = (): string =>
      `BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; SET LOCAL statement_timeout = ${LONG_STATEMENT_MS};
       SET LOCAL idle_in_transaction_session_timeout = 0; SELECT 1`
    return this.#inTransaction(this.#pool, begin, work, LONG_STATEMENT_MS, 'ROLLBACK')
  }

  insertMany(table: string, columns: readonly string[], rows: readonly (readonly unknown[])[]): Promise<void> {
    return this.transaction((tx) => tx.insertMany(table, columns, rows))
  }

  /** The lock is one of a connection of its own, so it ends when the process dies. */
  async takeLock(name: string): Promise<NamedLock | undefined> {
    const connection = connectTo(this.place, 1)
    try {
      const [row] = await run<{ taken: boolean }>(
        connection,
        'SELECT pg_try_advisory_lock($1) AS taken',
        [lockNumber(`${this.place.schema} ${name}`)],
        STATEMENT_MS,
      )
      if (row?.taken) return { release: () => connection.close({ timeout: 0 }) }
      await connection.close({ timeout: 0 })
      return undefined
    } catch (error) {
      await connection.close({ timeout: 0 })
      throw error
    }
  }

  now(): Promise<number> {
    return clock(this)
  }

  async close(): Promise<void> {
    this.files.close()
    await Promise.all([this.#pool, this.#writer].map((pool) => pool.close({ timeout: 5 })))
  }

  async #inTransaction<T>(
    pool: SQL,
    begin: (waitedMs: number) => string,
    work: (tx: Db) => Promise<T>,
    statementMs: number,
    end: 'COMMIT' | 'ROLLBACK' = 'COMMIT',
  ): Promise<T> {
    const since = performance.now()
    const connection = await reserve(pool)
    const tx = new PostgresTransaction(connection, this.#types, statementMs, this.files)
    try {
      await tx.begin(begin(performance.now() - since))
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

class PostgresTransaction implements Db {
  /** A lost connection has rolled back. Nothing more is sent: on another connection it would be outside the transaction. */
  #isLost = false

  constructor(
    readonly connection: ReservedSQL,
    readonly types: TypesOf,
    readonly statementMs: number,
    readonly files: FileFolder,
  ) {}

  /** Several statements in one message. */
  begin(sql: string): Promise<unknown> {
    return this.#watched(answered(this.connection.unsafe(sql).simple(), this.statementMs))
  }

  async commit(): Promise<void> {
    try {
      const { command } = await this.#watched(answered(this.connection.unsafe('COMMIT', []), this.statementMs))
      // After a failed statement PostgreSQL rolls back, and calls that a success.
      if (command !== 'COMMIT') throw new Error('a statement of the transaction failed, so nothing was stored')
    } catch (error) {
      throw this.#isLost ? storeAway(error, 'the database went away before it confirmed: it may have been done') : error
    }
  }

  async rollback(): Promise<void> {
    if (!this.#isLost) await this.query('ROLLBACK').catch(() => undefined)
  }

  /** Gives the connection back, or ends it: one that does not answer may answer later, and nobody would listen. */
  async leave(): Promise<void> {
    if (this.#isLost) await this.connection.close({ timeout: 0 })
    else await this.connection.release()
  }

  query<Row>(sql: string, params: readonly unknown[] = []): Promise<Row[]> {
    if (this.#isLost) return Promise.reject(storeAway(undefined))
    return this.#watched(run<Row>(this.connection, sql, params, this.statementMs))
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
    if (rows.length === 0) return
    const sql = insertStatement(table, columns, await this.types(this, table))
    for (let start = 0; start < rows.length; start += ROWS_PER_STATEMENT)
      await this.query(sql, [rowsAsJson(columns, rows.slice(start, start + ROWS_PER_STATEMENT))])
  }

  now(): Promise<number> {
    return clock(this)
  }

  async close(): Promise<void> {}

  async #watched<T>(answer: Promise<T>): Promise<T> {
    try {
      return await answer
    } catch (error) {
      if (isLost(error)) this.#isLost = true
      throw error
    }
  }
}

/** Waits for a free connection, and gives it back if it comes too late. */
async function reserve(pool: SQL): Promise<ReservedSQL> {
  const reserved = pool.reserve()
  try {
    return await within(BUSY_MS, reserved, () => new StoreBusy(undefined))
  } catch (error) {
    reserved.then((connection) => connection.release()).catch(() => undefined)
    throw asStoreFault(error)
  }
}

async function run<Row>(sql: SQL, text: string, params: readonly unknown[], statementMs: number): Promise<Row[]> {
  return converted<Row>(await answered(sql.unsafe(text, [...params]), statementMs))
}

async function answered<T>(answer: Promise<T>, statementMs: number): Promise<T> {
  try {
    return await within(statementMs + SILENCE_MS, answer, () => storeAway(undefined))
  } catch (error) {
    throw asStoreFault(error)
  }
}

async function within<T>(ms: number, answer: Promise<T>, late: () => Error): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const limit = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(late()), ms)
  })
  try {
    return await Promise.race([answer, limit])
  } finally {
    clearTimeout(timer)
  }
}

/** Whole numbers arrive as bigint and bytes as Buffer. None of our tables has a number that JavaScript cannot hold. */
function converted<Row>(rows: readonly Record<string, unknown>[]): Row[] {
  const plain = [...rows]
  for (const row of plain)
    for (const name in row) {
      const value = row[name]
      if (typeof value === 'bigint') row[name] = safeNumber(value)
      else if (Buffer.isBuffer(value)) row[name] = new Uint8Array(value.buffer, value.byteOffset, value.length)
    }
  return plain as Row[]
}

function safeNumber(value: bigint): number {
  const number = Number(value)
  if (Number.isSafeInteger(number)) return number
  throw new StoreFault('the registry store has a number that is too large: restore it from a backup')
}

async function clock(db: Db): Promise<number> {
  const [row] = await db.query<{ now: number }>(
    'SELECT CAST(FLOOR(EXTRACT(EPOCH FROM clock_timestamp()) * 1000) AS BIGINT) AS now',
  )
  if (!row) throw new Error('the database has no clock')
  return row.now
}
