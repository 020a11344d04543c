import type { FileFolder } from './file-folder.ts'

export { AddressFault, DamageFault, DiskFault, StoreBusy, StoreFault } from './fault.ts'

/** Everything the service needs from a database. A transaction is a `Db` too. */
export interface Db {
  /** Whatever the engine, whole numbers are `number`, bytes are `Uint8Array` and text is `string`. */
  query<Row>(sql: string, params?: readonly unknown[]): Promise<Row[]>
  /** One atomic unit; nested calls join the outer one. */
  transaction<T>(work: (tx: Db) => Promise<T>, options?: TransactionOptions): Promise<T>
  /** Read-only work that sees the store as it was at one moment, whatever others commit meanwhile. */
  snapshot<T>(work: (tx: Db) => Promise<T>, options?: SnapshotOptions): Promise<T>
  /** Many rows of one table, in order. */
  insertMany(table: string, columns: readonly string[], rows: readonly (readonly unknown[])[]): Promise<void>
  /** Takes a named lock, released by `release()` or when the process dies. Undefined if another has it. */
  takeLock(name: string): Promise<NamedLock | undefined>
  /** The database's own clock in epoch milliseconds, which all replicas share. */
  now(): Promise<number>
  /** Large files that never change, named by their digest: the rows of releases. */
  readonly files: FileFolder
  close(): Promise<void>
}

export interface TransactionOptions {
  /**
   * `one`, the default: no other transaction of this kind runs meanwhile, in any process. `many`: the work locks the
   * rows that it reads and then writes, and two of its kind may run at once where the engine can.
   */
  writers?: 'one' | 'many' | undefined
}

export interface SnapshotOptions {
  /** For commands that read a whole ledger in one statement. Requests wait for seconds only. */
  isLong?: boolean
}

export interface NamedLock {
  release(): Promise<void>
}
