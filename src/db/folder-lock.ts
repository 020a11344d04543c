import { Database, SQLiteError } from 'bun:sqlite'
import { rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { type NamedLock, StoreFault } from './db.ts'

/**
 * Makes this process the only one that writes in a folder, until it calls `release()` or dies.
 *
 * SQLite uses a lock of the kernel. A killed process leaves no lock behind, and no process ids are compared, which another
 * program or container could be using.
 */
export function lockFolder(folder: string): NamedLock {
  const locked = lock(join(folder, 'lock'))
  if (!locked) throw new StoreFault('another process is using this folder: stop it first')
  return { release: async () => locked.close() }
}

/** Takes a lock with a file that exists only while it is locked. A file left by a killed process is reused. */
export function lockFile(path: string): NamedLock | undefined {
  for (;;) {
    const before = identityOf(path)
    const locked = lock(path)
    if (!locked) return undefined
    // The previous owner may have removed the file after we opened it: then this lock protects nothing.
    if (before !== undefined && before === identityOf(path))
      return {
        async release() {
          rmSync(path, { force: true })
          locked.close()
        },
      }
    locked.close()
  }
}

/**
 * Takes a shared lock, which many processes can have while none has the exclusive one. The file stays: removing it would
 * break the lock of a process that takes it at that moment.
 */
export const shareFile = (path: string): NamedLock | undefined => kept(lock(path, SHARED))

/** Takes the exclusive lock of the same file. */
export const ownFile = (path: string): NamedLock | undefined => kept(lock(path))

const kept = (locked: Database | undefined): NamedLock | undefined => locked && { release: async () => locked.close() }

function identityOf(path: string): string | undefined {
  const file = statSync(path, { bigint: true, throwIfNoEntry: false })
  return file && `${file.ino} ${file.birthtimeNs}`
}

const EXCLUSIVE = ['BEGIN EXCLUSIVE']
/** A transaction that has read prevents others from writing. */
const SHARED = ['BEGIN', 'SELECT 1 FROM sqlite_schema']

function lock(path: string, how: readonly string[] = EXCLUSIVE): Database | undefined {
  const database = new Database(path, { create: true, readwrite: true })
  try {
    database.run('PRAGMA busy_timeout = 0')
    for (const sql of how) database.run(sql)
    return database
  } catch (error) {
    database.close()
    if (!isBusy(error)) throw error
    return undefined
  }
}

/** Whether another process has the lock, which is not a fault. */
export const isBusy = (error: unknown): boolean => error instanceof SQLiteError && /BUSY|LOCKED/.test(error.code ?? '')
