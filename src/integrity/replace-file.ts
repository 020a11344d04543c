import { closeSync, fsyncSync, openSync, renameSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'

/** Old or new, never half, even after a power cut: temporary file, sync, rename, sync of the folder. */
export function replaceFile(path: string, text: string): void {
  const temporary = `${path}.${process.pid}`
  const file = openSync(temporary, 'w', 0o600)
  writeSync(file, text)
  fsyncSync(file)
  closeSync(file)
  renameSync(temporary, path)
  const folder = openSync(dirname(path), 'r')
  fsyncSync(folder)
  closeSync(folder)
}
