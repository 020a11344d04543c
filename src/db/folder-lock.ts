import { Database, SQLiteError } from 'bun:sqlite'
import { rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { type NamedLock, StoreFault } from './db.ts'

/**
 * Makes this process the only one that writes in a folder, until it lets go or dies.
 *
 * SQLite takes the lock from the kernel, so a killed process leaves none behind, and a process id that
 * another program has now, or has in another container, is never mistaken for a living owner.
 */
export function lockFolder(folder: string): NamedLock {
  const locked = lock(join(folder, 'lock'))
  if (!locked) throw new StoreFault('another process is using this folder: stop it first')
  return { release: () => locked.close() }
}

/** The same for a file that is there only while it is held; one that a killed process left is taken over. */
export function lockFile(path: string): NamedLock | undefined {
  for (;;) {
    const before = identityOf(path)
    const locked = lock(path)
    if (!locked) return undefined
    // Whoever held it before may have removed the name since it was opened: then this is a lock on nothing.
    if (before !== undefined && before === identityOf(path))
      return {
        release() {
          rmSync(path, { force: true })
          locked.close()
        },
      }
    locked.close()
  }
}

function identityOf(path: string): string | undefined {
  const file = statSync(path, { bigint: true, throwIfNoEntry: false })
  return file && `${file.ino} ${file.birthtimeNs}`
}

function lock(path: string): Database | undefined {
  const database = new Database(path, { create: true, readwrite: true })
  try {
    database.run('PRAGMA busy_timeout = 0')
    database.run('BEGIN EXCLUSIVE')
    return database
  } catch (error) {
    database.close()
    if (!isBusy(error)) throw error
    return undefined
  }
}

/** Another process has it: not a fault. */
export const isBusy = (error: unknown): boolean => error instanceof SQLiteError && /BUSY|LOCKED/.test(error.code ?? '')
