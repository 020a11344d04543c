import { randomBytes } from 'node:crypto'
import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'

/**
 * Replaces a file by temporary file, sync, rename and sync of the folder, so that even after a power cut there is the old file
 * or the new one, and never a part.
 */
export function replaceFile(
  path: string,
  content: string | Uint8Array,
  // Nobody can guess this name, and an existing file is not overwritten.
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

/** Syncs a folder. On return, its list of files is on disk. */
export function syncFolder(folder: string): void {
  const descriptor = openSync(folder, 'r')
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}

/** Syncs a file. On return, its content is on disk. */
export function syncFile(path: string): void {
  const descriptor = openSync(path, 'r+')
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}
