import { SQLiteError } from 'bun:sqlite'
import { DiskFault, StoreFault } from './fault.ts'

/** Translates errors of SQLite for operators. Any other error is returned as it is. */
export function asStoreFault(error: unknown): unknown {
  const code = error instanceof SQLiteError ? (error.code ?? '') : systemCode(error)
  if (/FULL|IOERR|ENOSPC|EDQUOT/.test(code)) return new DiskFault('the disk is full or failing', error)
  const message = MESSAGES.find(([pattern]) => pattern.test(code))?.[1]
  return message ? new StoreFault(message, { cause: error }) : error
}

const systemCode = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : ''

const MESSAGES: readonly [RegExp, string][] = [
  [/CORRUPT|NOTADB/, 'the registry store is damaged: restore it from a backup'],
  [/READONLY|CANTOPEN|PERM|EACCES|EROFS/, 'the registry store cannot be written: check who owns DATA_DIR'],
]
