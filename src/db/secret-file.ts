import { readFileSync, statSync } from 'node:fs'
import { StoreFault } from './db.ts'

const OTHERS = 0o007

/** Reads a secret. A file that every user of the machine can read or change is refused. */
export function readSecret(path: string, what: string): string {
  const isOpen = process.platform !== 'win32' && (statSync(path).mode & OTHERS) !== 0
  if (isOpen) throw new StoreFault(`other users of this machine can read or change ${what}: run \`chmod 600 ${path}\``)
  return readFileSync(path, 'utf8')
}
