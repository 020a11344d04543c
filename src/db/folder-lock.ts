import { Database, SQLiteError } from 'bun:sqlite'
import { join } from 'node:path'
import { StoreFault } from './db.ts'

/**
 * Makes this process the only one that writes in a folder, until it lets go or dies.
 *
 * SQLite takes the lock from the kernel, so a killed process leaves none behind, and a process id that
 * another program has now, or has in another container, is never mistaken for a living owner.
 */
export function lockFolder(folder: string): { release(): void } {
  const database = new Database(join(folder, 'lock'), { create: true, readwrite: true })
  try {
    database.run('PRAGMA busy_timeout = 0')
    database.run('BEGIN EXCLUSIVE')
  } catch (error) {
    database.close()
    if (!(error instanceof SQLiteError) || !/BUSY|LOCKED/.test(error.code ?? '')) throw error
    throw new StoreFault('another process is using this folder: stop it first', { cause: error })
  }
  return { release: () => database.close() }
}
