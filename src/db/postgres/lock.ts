import type { SQL } from 'bun'
import type { NamedLock } from '../db.ts'
import { connectTo, type PostgresPlace, run, STATEMENT_MS } from './connection.ts'

/** The locks of one installation in a database. Names become numbers: PostgreSQL has no others. */
export const lockNumber = (name: string): bigint =>
  new Bun.CryptoHasher('sha256').update(`agent-trust-registry ${name}`).digest().readBigInt64BE(0)

/** The lock of whoever uses a store: shared by all of them, or taken alone by one who moves or replaces it. */
export const IN_USE = 'in use'

export const numberIn = ({ schema }: PostgresPlace, name: string): bigint => lockNumber(`${schema} ${name}`)

const ALONE = 'pg_try_advisory_lock'
const SHARED = 'pg_try_advisory_lock_shared'
/** How long to wait before a lost lock is taken again. */
const AGAIN_MS = 500
/** The server gives up the locks of a connection a moment after it was closed: what is taken now may be free then. */
const TRIES = 8
const TRY_MS = 250

/** The lock is one of a connection of its own, so it ends when the process dies. Undefined if another has it. */
export async function takeNamed(place: PostgresPlace, name: string): Promise<NamedLock | undefined> {
  const connection = connectTo(place, 1)
  const isTaken = await takeSoon(connection, place, name).catch(async (error: unknown) => {
    await close(connection)
    throw error
  })
  if (isTaken) return { release: () => close(connection) }
  await close(connection)
  return undefined
}

/**
 * A lock that many can have at once, while nobody has it alone. If its connection is lost, as when the database
 * restarts, it is taken again as soon as it can be had, so that it lasts as long as the process uses the store.
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
    if (await take(connection, SHARED, place, name)) return { release }
  } catch (error) {
    await release()
    throw error
  }
  await release()
  return undefined
}

async function takeSoon(connection: SQL, place: PostgresPlace, name: string): Promise<boolean> {
  for (let tries = 1; ; tries++) {
    if (await take(connection, ALONE, place, name)) return true
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
