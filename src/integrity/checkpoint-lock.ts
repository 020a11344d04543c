import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DiskFault, StoreFault } from '../db/db.ts'
import { replaceFile } from '../db/replace-file.ts'
import type { StoredCheckpoint } from './store.ts'

/** The signed text: origin, size and root. The signatures under it change when a key is rotated. */
const headOf = (note: string): string => note.slice(0, note.indexOf('\n\n') + 1)

/**
 * The last checkpoint of each log, kept outside the data and its backups. A store that was restored from a
 * backup, or copied, no longer agrees with it: signing from it would fork the history that others have seen.
 */
export class CheckpointLock {
  constructor(readonly folder: string) {}

  /** For a new log only. */
  create(log: string, note: string): void {
    mkdirSync(this.folder, { recursive: true, mode: 0o700 })
    this.#write(log, note)
  }

  /**
   * Moves the lock to the newest signed checkpoint. It must hold one that this store has signed too: the newest, or an
   * older one if a crash came between the commit and this step.
   */
  advance(log: string, signed: readonly StoredCheckpoint[]): void {
    const complaint = this.complaint(log, signed)
    if (complaint !== undefined) throw new StoreFault(complaint)
    const newest = signed.at(-1)
    if (newest && headOf(this.#read(log)) !== headOf(newest.note)) this.#write(log, newest.note)
  }

  /** The locked checkpoint of a log. It is written after the store, so to compare the two, read it before the store. */
  get(log: string): string {
    return this.#read(log)
  }

  find(log: string): string | undefined {
    return existsSync(join(this.folder, log)) ? this.#read(log) : undefined
  }

  /** Why this store may not sign for this log, in one sentence; undefined if it may. */
  complaint(log: string, signed: readonly StoredCheckpoint[], locked = this.#read(log)): string | undefined {
    const newest = signed.at(-1)
    if (!newest) return `the ${log} log has no checkpoint: restore the store from a backup`
    if (signed.some(({ note }) => headOf(note) === headOf(locked))) return undefined
    const lockedSize = Number(locked.split('\n')[1])
    return lockedSize > newest.size
      ? `the store is older than what has been signed: the ${log} log had ${lockedSize} entries and the store has ${newest.size}; restore a newer backup`
      : `the ${log} log is not the one that was signed last: this store is a copy that another one has overtaken`
  }

  /** Keeps a checkpoint that our key signed and this store does not have. The first one is proof enough. */
  keepFork(log: string, note: string): void {
    const file = join(this.folder, `${log}.fork`)
    if (!existsSync(file)) replaceFile(file, note)
  }

  #read(log: string): string {
    try {
      return readFileSync(join(this.folder, log), 'utf8')
    } catch (cause) {
      throw new StoreFault(`the checkpoint lock of the ${log} log is missing or cannot be read: see LOCK_DIR`, {
        cause,
      })
    }
  }

  #write(log: string, note: string): void {
    try {
      replaceFile(join(this.folder, log), note)
    } catch (cause) {
      throw new DiskFault(`the checkpoint lock of the ${log} log cannot be written, see LOCK_DIR`, cause)
    }
  }
}
