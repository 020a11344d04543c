import { closeSync, existsSync, fsyncSync, linkSync, openSync, rmSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { type Db, StoreBusy, StoreFault } from './db.ts'
import { needFolder } from './folder-access.ts'
import { copyStore } from './store-copy.ts'

/**
 * Copies a store as it is at one moment to a SQLite file, whatever its own engine. The store may be in use. The file gets its
 * name when the whole copy is on disk and `before` is done. A crash before that leaves a file ending in `.partial`, which
 * the next backup of that name removes.
 */
export async function backUp(
  db: Db,
  copy: string,
  before: (partial: string) => Promise<void> = async () => undefined,
): Promise<{ bytes: number }> {
  const folder = dirname(resolve(copy))
  if (!existsSync(folder))
    throw new StoreFault('the folder for the copy is not there: make it first. Nothing was copied')
  needFolder(folder, 'write', 'a file in another folder')
  if (existsSync(copy)) throw new StoreFault('a file of that name exists: nothing was copied')
  const partial = `${copy}.partial`
  const remove = (): void => {
    for (const end of ['', '-wal', '-shm']) rmSync(`${partial}${end}`, { force: true })
  }
  try {
    remove()
    closeSync(openSync(partial, 'wx', 0o600)) // set before anything is written: only the owner may read a store
    await copyStore(db, { file: partial })
    sync(partial, 'r+')
    await before(partial)
    linkSync(partial, copy) // not rename, which would overwrite a file created meanwhile
    sync(dirname(copy), 'r')
    return { bytes: statSync(copy).size }
  } catch (cause) {
    if (cause instanceof StoreFault || cause instanceof StoreBusy) throw cause
    throw new StoreFault('the copy cannot be written there: check the folder and the free space on its disk', { cause })
  } finally {
    remove()
  }
}

function sync(path: string, flags: string): void {
  const handle = openSync(path, flags)
  fsyncSync(handle)
  closeSync(handle)
}
