import type { ReservedSQL, SQL } from 'bun'
import { type Db, StoreBusy, StoreFault } from '../db.ts'
import { asStoreFault, StoreSilent } from './fault.ts'

/** How long anything waits for a lock or for a free connection. */
export const BUSY_MS = 10_000
/** How long a statement may run: a caller waits for it. */
export const STATEMENT_MS = 5_000
/** How long a statement may run in transactions and long snapshots, which move and read whole ledgers. */
export const LONG_STATEMENT_MS = 600_000
/** How much longer to wait for the answer. A server that was cut off does not even report that the time is up. */
const SILENCE_MS = 2_000
/** How long a transaction may be idle: a process that stopped in the middle must not prevent others from writing. */
const IDLE_MS = 60_000
const CONNECT_SECONDS = 5

/** A database, and the schema in it that holds the store. */
export interface PostgresPlace {
  url: string
  schema: string
  /** How many connections a process uses for requests. */
  pool?: number | undefined
  /** Makes the database refuse every write. */
  isReadOnly?: boolean
}

interface ConnectionOptions {
  statementMs?: number
  /** Called when a connection has ended, whatever the reason. */
  onclose?: () => void
}

/** Makes connections to one schema. With `synchronous_commit`, acknowledged writes survive a power cut. */
export const connectTo = (
  { url, schema, isReadOnly = false }: PostgresPlace,
  max: number,
  { statementMs = STATEMENT_MS, onclose }: ConnectionOptions = {},
): SQL =>
  new Bun.SQL(url, {
    max,
    bigint: true,
    connectionTimeout: CONNECT_SECONDS,
    ...(onclose ? { onclose } : {}),
    connection: {
      application_name: 'agent-trust-registry',
      search_path: schema,
      statement_timeout: statementMs,
      lock_timeout: BUSY_MS,
      idle_in_transaction_session_timeout: IDLE_MS,
      synchronous_commit: 'on',
      ...(isReadOnly ? { default_transaction_read_only: 'on' } : {}),
    },
  })

/**
 * Limits how much work runs at a time to the number of connections. The rest waits here, because in the queue of the driver
 * it could not be told apart from work that waits for a server that does not answer.
 */
export class Turns {
  readonly #waiting: PromiseWithResolvers<void>[] = []

  constructor(private free: number) {}

  async take<T>(work: () => Promise<T>): Promise<T> {
    if (this.free > 0) this.free--
    else await this.#wait()
    try {
      return await work()
    } finally {
      this.#passOn()
    }
  }

  /** Rejects all waiting work. */
  refuse(error: Error): void {
    for (const { reject } of this.#waiting.splice(0)) reject(error)
  }

  #passOn(): void {
    const next = this.#waiting.shift()
    if (next) next.resolve()
    else this.free++
  }

  async #wait(): Promise<void> {
    const turn = Promise.withResolvers<void>()
    this.#waiting.push(turn)
    const late = (): Error => new StoreBusy(undefined, 'the registry has too much to do now: try again')
    try {
      await within(BUSY_MS, turn.promise, late)
    } catch (error) {
      const index = this.#waiting.indexOf(turn)
      if (index >= 0) this.#waiting.splice(index, 1)
      else turn.promise.then(() => this.#passOn()).catch(() => undefined) // the turn may have come just too late
      throw error
    }
  }
}

/** Waits for a free connection, and releases it if it comes too late. */
export async function reserve(pool: SQL): Promise<ReservedSQL> {
  const reserved = pool.reserve()
  try {
    return await within(BUSY_MS, reserved, () => new StoreBusy(undefined))
  } catch (error) {
    reserved.then((connection) => connection.release()).catch(() => undefined)
    throw asStoreFault(error)
  }
}

export async function run<Row>(
  sql: SQL,
  text: string,
  params: readonly unknown[],
  statementMs: number,
): Promise<Row[]> {
  return converted<Row>(await answered(sql.unsafe(text, [...params]), statementMs))
}

export async function answered<T>(answer: Promise<T>, statementMs: number): Promise<T> {
  try {
    return await within(statementMs + SILENCE_MS, answer, () => new StoreSilent(undefined))
  } catch (error) {
    throw asStoreFault(error)
  }
}

async function within<T>(ms: number, answer: Promise<T>, late: () => Error): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const limit = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(late()), ms)
  })
  try {
    return await Promise.race([answer, limit])
  } finally {
    clearTimeout(timer)
  }
}

/** Converts numbers, which arrive as bigint, and bytes, which arrive as Buffer. No table has a number above 2^53. */
function converted<Row>(rows: readonly Record<string, unknown>[]): Row[] {
  const copy = [...rows]
  for (const row of copy)
    for (const name in row) {
      const value = row[name]
      if (typeof value === 'bigint') row[name] = safeNumber(value)
      else if (Buffer.isBuffer(value)) row[name] = new Uint8Array(value.buffer, value.byteOffset, value.length)
    }
  return copy as Row[]
}

function safeNumber(value: bigint): number {
  const number = Number(value)
  if (Number.isSafeInteger(number)) return number
  throw new StoreFault('the registry store has a number that is too large: restore it from a backup')
}

export async function clock(db: Db): Promise<number> {
  const [row] = await db.query<{ now: number }>(
    'SELECT CAST(FLOOR(EXTRACT(EPOCH FROM clock_timestamp()) * 1000) AS BIGINT) AS now',
  )
  if (!row) throw new Error('the database has no clock')
  return row.now
}

/** Runs one statement on its own connection. */
export async function command(
  place: PostgresPlace,
  sql: string,
  params: readonly unknown[] = [],
): Promise<readonly unknown[]> {
  const connection = connectTo(place, 1, { statementMs: LONG_STATEMENT_MS })
  try {
    return await connection.unsafe(sql, [...params])
  } catch (error) {
    throw asStoreFault(error)
  } finally {
    await connection.close({ timeout: 0 })
  }
}
