import { AddressFault, DiskFault, StoreBusy, StoreFault } from '../fault.ts'

/** The database cannot be reached. `message` is for callers and operators. */
class StoreAway extends StoreBusy {}

const DOES_NOT_ANSWER = 'the database of the registry does not answer: try again'

export const storeAway = (cause: unknown, message = DOES_NOT_ANSWER): StoreAway => new StoreAway(cause, message)

/** There was no answer in time. The connection may be dead, or the whole server cut off. */
export class StoreSilent extends StoreAway {
  constructor(cause: unknown) {
    super(cause, DOES_NOT_ANSWER)
  }
}

/** Whether the connection is gone, and with it the transaction. */
export const isLost = (error: unknown): boolean => error instanceof StoreAway

/** Translates errors of PostgreSQL for operators. Any other error is returned as it is. */
export function asStoreFault(error: unknown): unknown {
  if (!(error instanceof Bun.SQL.PostgresError)) return error
  const state = error.errno === undefined ? '' : String(error.errno)
  if (/^ERR_POSTGRES_(CONNECTION|IDLE|LIFETIME|TLS)/.test(error.code) || AWAY.test(state)) return storeAway(error)
  if (BUSY.test(state)) return new StoreBusy(error)
  if (state === READ_ONLY) return new StoreBusy(error, 'the database of the registry takes no writes now: try again')
  if (DISK.test(state)) return new DiskFault('the disk of the database is full or failing', error)
  const address = ADDRESS.find(([pattern]) => pattern.test(state))
  if (address) return new AddressFault(address[1], address[2], error)
  const message = MESSAGES.find(([pattern]) => pattern.test(state))?.[1]
  return message ? new StoreFault(message, { cause: error }) : error
}

/** Codes of appendix A of the PostgreSQL manual: connection exceptions, shutdowns, too many connections, idle transactions. */
const AWAY = /^(08...|57P0[1235]|53300|25P0[34])$/
/** Codes for a lock timeout, a statement that took too long, and transactions that waited for each other. */
const BUSY = /^(55P03|57014|40001|40P01)$/
/** The code of a replica, or of a server that is being moved. */
const READ_ONLY = '25006'
const DISK = /^(53100|58030)$/

const ADDRESS: readonly [RegExp, AddressFault['why'], string][] = [
  [/^28...$/, 'login', 'the database refuses the name or the password in DATABASE_URL'],
  [/^3D000$/, 'name', 'the database that DATABASE_URL names does not exist: create it, then run `atr init`'],
  [/^42501$/, 'right', 'the role in DATABASE_URL may not write there: make it the owner of the database'],
]

const MESSAGES: readonly [RegExp, string][] = [
  [/^(42P01|3F000)$/, 'the store is not in this database, or not whole: it was moved or replaced, or is damaged'],
  [/^XX00[12]$/, 'the registry store is damaged: restore it from a backup'],
]
