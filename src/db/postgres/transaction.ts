import type { ReservedSQL } from 'bun'
import type { Db, NamedLock } from '../db.ts'
import type { FileFolder } from '../file-folder.ts'
import { answered, clock, run } from './connection.ts'
import { isLost, storeAway } from './fault.ts'
import { insertStatement, rowsAsJson, type TypesOf } from './rows.ts'

const ROWS_PER_STATEMENT = 5_000

/** A transaction or a snapshot, on a connection that it has for itself. */
export class PostgresTransaction implements Db {
  /** A lost connection has rolled back. Nothing more is sent: on another connection it would be outside the transaction. */
  #isLost = false

  constructor(
    readonly connection: ReservedSQL,
    readonly types: TypesOf,
    readonly statementMs: number,
    readonly files: FileFolder,
  ) {}

  /** Several statements in one message, answered within that time: nothing of the work has begun. */
  begin(sql: string, withinMs: number): Promise<readonly (readonly object[])[]> {
    return this.#watched(answered(this.connection.unsafe(sql).simple(), withinMs))
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
