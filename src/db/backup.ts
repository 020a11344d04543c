import { Database } from 'bun:sqlite'
import { closeSync, existsSync, fsyncSync, linkSync, openSync, rmSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { StoreFault } from './db.ts'

/**
 * Copies a store, which may be in use, as it is at one moment. The file gets its name when the whole copy is on disk.
 * A crash before that leaves a file ending in `.partial`, which the next backup of that name removes.
 */
export function copyStore(store: string, copy: string): { bytes: number } {
  if (existsSync(copy)) throw new StoreFault('a file of that name exists: nothing was copied')
  const partial = `${copy}.partial`
  const database = new Database(store, { create: false, readwrite: true })
  try {
    rmSync(partial, { force: true })
    closeSync(openSync(partial, 'wx', 0o600)) // set before anything is written: only the owner may read a store
    database.run('PRAGMA busy_timeout = 10000')
    database.run('VACUUM INTO ?', [partial])
    sync(partial, 'r+')
    linkSync(partial, copy) // not rename, which would overwrite a file created meanwhile
    rmSync(partial)
    sync(dirname(copy), 'r')
    return { bytes: statSync(copy).size }
  } catch (cause) {
    rmSync(partial, { force: true })
    throw new StoreFault('the copy cannot be written there: check the folder and the free space on its disk', { cause })
  } finally {
    database.close()
  }
}

function sync(path: string, flags: string): void {
  const handle = openSync(path, flags)
  fsyncSync(handle)
  closeSync(handle)
}
