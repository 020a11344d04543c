import type { ReservedSQL } from 'bun'
import type { Db, NamedLock } from '../db.ts'
import type { FileFolder } from '../file-folder.ts'
import { answered, clock, run } from './connection.ts'
import { isLost, storeAway } from './fault.ts'

const ROWS_PER_STATEMENT = 5_000

/** A transaction or a snapshot, on its own connection. */
export class PostgresTransaction implements Db {
  /** Set when the connection is lost, which rolls back. Nothing more is sent, because it would be outside the transaction. */
  #isLost = false

  constructor(
    readonly connection: ReservedSQL,
    readonly types: TypesOf,
    readonly statementMs: number,
    readonly files: FileFolder,
  ) {}

  /** Sends several statements in one message, before the work begins. */
  begin(sql: string, withinMs: number): Promise<readonly (readonly object[])[]> {
    return this.#watched(answered(this.connection.unsafe(sql).simple(), withinMs))
  }

  async commit(): Promise<void> {
    try {
      const { command } = await this.#watched(answered(this.connection.unsafe('COMMIT', []), this.statementMs))
      // After a failed statement PostgreSQL rolls back, and reports that as a success.
      if (command !== 'COMMIT') throw new Error('a statement of the transaction failed, so nothing was stored')
    } catch (error) {
      throw this.#isLost ? storeAway(error, 'the database went away before it confirmed: it may have been done') : error
    }
  }

  async rollback(): Promise<void> {
    if (!this.#isLost) await this.query('ROLLBACK').catch(() => undefined)
  }

  /** Releases the connection, or closes it if it is lost: its late answer must not be taken for another one. */
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

// Many rows are inserted by one statement with one JSON text. With a parameter for each value, PostgreSQL would keep a plan
// for every pattern of empty values.

/** Finds the column types of a table. They are read once. */
export type TypesOf = (db: Db, table: string) => Promise<ReadonlyMap<string, string>>

export function columnTypes(): TypesOf {
  const known = new Map<string, ReadonlyMap<string, string>>()
  return async (db, table) => {
    const found = known.get(table)
    if (found) return found
    const columns = await db.query<{ name: string; type: string }>(
      `SELECT a.attname AS name, format_type(a.atttypid, NULL) AS type FROM pg_attribute a
        WHERE a.attrelid = to_regclass($1) AND a.attnum > 0 AND NOT a.attisdropped`,
      [table],
    )
    const types = new Map(columns.map(({ name, type }) => [name, type]))
    known.set(table, types)
    return types
  }
}

/** A statement whose only parameter comes from `rowsAsJson`. It inserts rows in their order. */
function insertStatement(table: string, columns: readonly string[], types: ReadonlyMap<string, string>): string {
  const isBytes = (column: string): boolean => types.get(column) === 'bytea'
  const values = columns.map((column) => (isBytes(column) ? `decode(${column}, 'hex')` : column))
  const shape = columns.map((column) => `${column} ${isBytes(column) ? 'text' : types.get(column)}`)
  return `INSERT INTO ${table} (${columns.join(', ')})
    SELECT ${values.join(', ')} FROM json_to_recordset(CAST(CAST($1 AS text) AS json)) AS given(${shape.join(', ')})`
}

const rowsAsJson = (columns: readonly string[], rows: readonly (readonly unknown[])[]): string =>
  JSON.stringify(rows.map((row) => Object.fromEntries(columns.map((column, i) => [column, jsonOf(row[i])]))))

const jsonOf = (value: unknown): unknown =>
  value instanceof Uint8Array ? Buffer.from(value.buffer, value.byteOffset, value.length).toString('hex') : value
