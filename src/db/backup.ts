import { Database } from 'bun:sqlite'
import { chmodSync, closeSync, existsSync, fsyncSync, openSync, renameSync, rmSync, statSync } from 'node:fs'
import { StoreFault } from './db.ts'

/**
 * Copies a store that may be in use, as it is at one moment. The copy appears under its name when all of it is on the
 * disk; a crash before leaves a file that ends in `.partial`, which the next copy of that name removes.
 */
export function copyStore(store: string, copy: string): { bytes: number } {
  if (existsSync(copy)) throw new StoreFault('there is a file of that name already: nothing was copied')
  const partial = `${copy}.partial`
  const database = new Database(store, { create: false, readwrite: true })
  try {
    rmSync(partial, { force: true })
    database.run('PRAGMA busy_timeout = 10000')
    database.run('VACUUM INTO ?', [partial])
    chmodSync(partial, 0o600)
    sync(partial)
    renameSync(partial, copy)
    return { bytes: statSync(copy).size }
  } catch (cause) {
    rmSync(partial, { force: true })
    throw new StoreFault('the copy cannot be written there: check the folder and the room on its disk', { cause })
  } finally {
    database.close()
  }
}

function sync(file: string): void {
  const handle = openSync(file, 'r+')
  fsyncSync(handle)
  closeSync(handle)
}
