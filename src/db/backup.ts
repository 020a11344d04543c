import { Database } from 'bun:sqlite'
import { closeSync, existsSync, fsyncSync, linkSync, openSync, rmSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
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
    closeSync(openSync(partial, 'wx', 0o600)) // before anything is in it: what is in a store is for its owner alone
    database.run('PRAGMA busy_timeout = 10000')
    database.run('VACUUM INTO ?', [partial])
    sync(partial, 'r+')
    linkSync(partial, copy) // not a renaming, which would take the place of a file that has come meanwhile
    rmSync(partial)
    sync(dirname(copy), 'r')
    return { bytes: statSync(copy).size }
  } catch (cause) {
    rmSync(partial, { force: true })
    throw new StoreFault('the copy cannot be written there: check the folder and the room on its disk', { cause })
  } finally {
    database.close()
  }
}

function sync(path: string, flags: string): void {
  const handle = openSync(path, flags)
  fsyncSync(handle)
  closeSync(handle)
}
