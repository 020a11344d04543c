import type { SQL } from 'bun'
import { type Db, type NamedLock, StoreBusy } from '../db.ts'
import { connectTo, type PostgresPlace, run, STATEMENT_MS } from './connection.ts'

/** The number of a named lock. PostgreSQL has advisory locks with numbers only. */
export const lockNumber = (name: string): bigint =>
  new Bun.CryptoHasher('sha256').update(`agent-trust-registry ${name}`).digest().readBigInt64BE(0)

/** The lock of the processes that use a store: they share it, and a process that moves or replaces the store has it alone. */
export const IN_USE = 'in use'

const numberIn = ({ schema }: PostgresPlace, name: string): bigint => lockNumber(`${schema} ${name}`)

const EXCLUSIVE = 'pg_try_advisory_lock'
const SHARED = 'pg_try_advisory_lock_shared'
/** How long to wait before a lost lock is taken again. */
const AGAIN_MS = 500
/** How often a lock is tried. The server releases the locks of a process that was killed a moment later. */
const TRIES = 8
const TRY_MS = 250

/** Takes a named lock with its own connection, so that it ends when the process dies. Undefined if another has it. */
export async function takeNamed(place: PostgresPlace, name: string): Promise<NamedLock | undefined> {
  const connection = connectTo(place, 1)
  const isTaken = await takeSoon(connection, EXCLUSIVE, place, name).catch(async (error: unknown) => {
    await close(connection)
    throw error
  })
  const release = async (): Promise<void> => {
    // The server releases the lock of a closed connection a moment later, and the next process would find the store in use.
    await run(connection, 'SELECT pg_advisory_unlock($1)', [numberIn(place, name)], STATEMENT_MS).catch(() => undefined)
    await close(connection)
  }
  if (isTaken) return { release }
  await close(connection)
  return undefined
}

/**
 * Takes a shared lock, which many processes can have while none has the exclusive one. If its connection is lost, for
 * example because the database restarts, it is taken again as soon as possible.
 */
export async function takeShared(place: PostgresPlace, name: string): Promise<NamedLock | undefined> {
  let isOver = false
  let timer: ReturnType<typeof setTimeout> | undefined
  const connection = connectTo(place, 1, {
    onclose: () => {
      if (!isOver) again()
    },
  })
  const again = (): void => {
    clearTimeout(timer)
    timer = setTimeout(() => {
      take(connection, SHARED, place, name)
        .then((isTaken) => {
          if (!isTaken) again()
        })
        .catch(again)
    }, AGAIN_MS)
    timer.unref()
  }
  const release = async (): Promise<void> => {
    isOver = true
    clearTimeout(timer)
    await close(connection)
  }
  try {
    if (await takeSoon(connection, SHARED, place, name)) return { release }
  } catch (error) {
    await release()
    throw error
  }
  await release()
  return undefined
}

async function takeSoon(connection: SQL, how: string, place: PostgresPlace, name: string): Promise<boolean> {
  for (let tries = 1; ; tries++) {
    if (await take(connection, how, place, name)) return true
    if (tries === TRIES) return false
    await Bun.sleep(TRY_MS)
  }
}

async function take(connection: SQL, how: string, place: PostgresPlace, name: string): Promise<boolean> {
  const params = [numberIn(place, name)]
  const [row] = await run<{ taken: boolean }>(connection, `SELECT ${how}($1) AS taken`, params, STATEMENT_MS)
  return row?.taken === true
}

const close = (connection: SQL): Promise<void> => connection.close({ timeout: 0 })

/** A check that the message which begins a writing transaction makes first. */
export interface UseCheck {
  sql: string
  /** Throws if the answers to that message say that this process may not write. */
  check(answers: readonly (readonly object[])[]): void
}

/**
 * Makes the check that a process may still write. The connection of its shared lock can be lost, and then the store can be
 * moved or replaced before the lock is taken again. So each writing transaction takes the lock too, and makes sure that the
 * schema is the one that was opened: a schema keeps its number when it is renamed.
 */
export async function useCheck(db: Db, place: PostgresPlace): Promise<UseCheck> {
  const identity = `SELECT CAST(CAST(to_regnamespace('${place.schema}') AS oid) AS text) AS schema`
  const [opened] = await db.query<{ schema: string | null }>(identity)
  return {
    sql: `; SELECT pg_try_advisory_xact_lock_shared(${numberIn(place, IN_USE)}) AS is_shared; ${identity}`,
    check(answers) {
      const { is_shared, schema }: { is_shared?: boolean; schema?: string | null } = Object.assign(
        {},
        ...answers.flat(),
      )
      if (is_shared !== true)
        throw new StoreBusy(
          undefined,
          'the store is being moved or restored by another command: nothing is written now',
        )
      if (schema !== opened?.schema)
        throw new StoreBusy(
          undefined,
          'the store was moved or replaced while this process was cut off from it: start the service again, with the settings of its place',
        )
    },
  }
}
