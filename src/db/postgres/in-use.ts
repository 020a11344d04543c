import { type Db, StoreBusy } from '../db.ts'
import type { PostgresPlace } from './connection.ts'
import { IN_USE, numberIn } from './lock.ts'

/** What a transaction that writes asks first, in the message that begins it. */
export interface UseCheck {
  sql: string
  /** Throws if the answers to that message say that this process may not write. */
  check(answers: readonly (readonly object[])[]): void
}

/**
 * A process has a lock that says that it uses the store. The connection of that lock can be lost, and then the store can
 * be moved or replaced before the lock is taken again. So each transaction that writes has the lock too, until it ends,
 * and then makes sure that the schema is the one that was opened: a schema keeps its number when it is renamed.
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
