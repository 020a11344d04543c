/** Everything the service needs from a database. A transaction is a `Db` too. */
export interface Db {
  /** Whatever the engine, whole numbers are `number`, bytes are `Uint8Array` and text is `string`. */
  query<Row>(sql: string, params?: readonly unknown[]): Promise<Row[]>
  /** One atomic unit; nested calls join the outer one. */
  transaction<T>(work: (tx: Db) => Promise<T>): Promise<T>
  /** Read-only work that sees the store as it was at one moment, whatever others commit meanwhile. */
  snapshot<T>(work: (tx: Db) => Promise<T>): Promise<T>
  /** Many rows of one table, in order. */
  insertMany(table: string, columns: readonly string[], rows: readonly (readonly unknown[])[]): Promise<void>
  /** Takes a named lock, released by `release()` or when the process dies. Undefined if another has it. */
  takeLock(name: string): Promise<NamedLock | undefined>
  /** The database's own clock in epoch milliseconds, which all replicas share. */
  now(): Promise<number>
  close(): Promise<void>
}

export interface NamedLock {
  release(): void
}

/** The store cannot be used as it is. The message is one sentence for the operator. */
export class StoreFault extends Error {}

/** Something could not be written. `reason` says what; a caller that had written something before says so in its own words. */
export class DiskFault extends StoreFault {
  constructor(
    readonly reason: string,
    cause: unknown,
  ) {
    super(`${reason}: nothing was changed`, { cause })
  }
}

/** Another process kept the store busy for longer than we wait. Nothing was done; trying again may succeed. */
export class StoreBusy extends Error {
  readonly retryAfterSeconds = 5

  constructor(cause: unknown) {
    super('the registry store is in use by another command: try again', { cause })
  }
}
