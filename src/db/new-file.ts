import { Database, type SQLQueryBindings, type Statement } from 'bun:sqlite'
import { closeSync, openSync, rmSync } from 'node:fs'
import { syncFile } from './replace-file.ts'
import { asStoreFault } from './sqlite-fault.ts'

/** A lookup reads one page. Larger pages make it read more than it needs, and smaller ones leave more space unused. */
const PAGE_BYTES = 4096

/**
 * A SQLite file that is being written, in one transaction and without a journal: if the process dies, the file is thrown
 * away. Pages go to disk as they fill up, so memory does not grow with the file.
 */
export class NewFile {
  readonly #database: Database
  readonly #statements: Statement[] = []

  constructor(readonly path: string) {
    rmSync(path, { force: true })
    closeSync(openSync(path, 'wx', 0o600)) // set before anything is written: only the owner may read it
    this.#database = new Database(path, { create: true, readwrite: true })
    for (const setting of [
      `page_size = ${PAGE_BYTES}`,
      // OFF is refused by this build of SQLite. The journal of a file that begins empty stays empty.
      'journal_mode = MEMORY',
      'synchronous = OFF',
      'cache_size = -8192',
    ])
      this.#database.run(`PRAGMA ${setting}`)
    this.#database.run('BEGIN')
  }

  run(sql: string): void {
    this.#database.run(sql)
  }

  get<Row>(sql: string, ...params: SQLQueryBindings[]): Row | undefined {
    return this.#database.query<Row, SQLQueryBindings[]>(sql).get(...params) ?? undefined
  }

  /** Prepares a statement once, to be run many times. */
  statement<Params extends SQLQueryBindings[]>(sql: string): (...params: Params) => void {
    const statement = this.#database.prepare<unknown, SQLQueryBindings[]>(sql)
    this.#statements.push(statement)
    return (...params) => {
      try {
        statement.run(...params)
      } catch (error) {
        throw asStoreFault(error)
      }
    }
  }

  /** Completes the file. On return all of it is on disk. */
  finish(): void {
    try {
      this.#database.run('COMMIT')
      this.#close()
      syncFile(this.path)
    } catch (error) {
      throw asStoreFault(error)
    }
  }

  /** Finalizes all statements first, because they would keep the file open. */
  #close(): void {
    for (const statement of this.#statements.splice(0)) statement.finalize()
    this.#database.close()
  }

  /** Removes the file. */
  abandon(): void {
    this.#close()
    rmSync(this.path, { force: true })
  }
}
