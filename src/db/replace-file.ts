import { randomBytes } from 'node:crypto'
import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'

/** Leaves the old file or the new one, never a part, even after a power cut: temporary file, sync, rename, sync of the folder. */
export function replaceFile(
  path: string,
  content: string | Uint8Array,
  // Nobody can guess the name, and what has it already is not written over.
  temporary = `${path}.${randomBytes(8).toString('hex')}`,
): void {
  const file = openSync(temporary, 'wx', 0o600)
  try {
    try {
      writeFileSync(file, content)
      fsyncSync(file)
    } finally {
      closeSync(file)
    }
    renameSync(temporary, path)
  } catch (error) {
    rmSync(temporary, { force: true })
    throw error
  }
  syncFolder(dirname(path))
}

/** On return, the list of files in the folder is on disk. */
export function syncFolder(folder: string): void {
  const descriptor = openSync(folder, 'r')
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}

/** On return what was written to a file is on disk. */
export function syncFile(path: string): void {
  const descriptor = openSync(path, 'r+')
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}
