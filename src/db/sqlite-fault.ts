import { SQLiteError } from 'bun:sqlite'
import { DiskFault, StoreFault } from './fault.ts'

/** SQLite's errors in an operator's words. Any other error stays a fault with its own message. */
export function asStoreFault(error: unknown): unknown {
  const code = error instanceof SQLiteError ? (error.code ?? '') : systemCode(error)
  if (/FULL|IOERR|ENOSPC|EDQUOT/.test(code)) return new DiskFault('the disk is full or failing', error)
  const said = MEANING.find(([pattern]) => pattern.test(code))?.[1]
  return said ? new StoreFault(said, { cause: error }) : error
}

const systemCode = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : ''

const MEANING: readonly [RegExp, string][] = [
  [/CORRUPT|NOTADB/, 'the registry store is damaged: restore it from a backup'],
  [/READONLY|CANTOPEN|PERM|EACCES|EROFS/, 'the registry store cannot be written: check who owns DATA_DIR'],
]
