import { existsSync, renameSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Db } from './db.ts'
import type { FileFolder } from './file-folder.ts'
import { connectTo, openPostgres, type PostgresPlace } from './postgres.ts'
import { asStoreFault } from './postgres-fault.ts'
import { syncFolder } from './replace-file.ts'
import { openSqlite } from './sqlite.ts'

/** Where a store is: a SQLite file, or a schema of a PostgreSQL database. */
export type StorePlace = { file: string } | PostgresPlace

/** Opens a store, whose release files are in that folder. With `create`, makes a new one. */
export const openStoreAt = (place: StorePlace, options: { create?: boolean; files: FileFolder }): Promise<Db> =>
  'file' in place ? openSqlite(place.file, options) : openPostgres(place, options)

export async function isStoreAt(place: StorePlace): Promise<boolean> {
  if ('file' in place) return existsSync(place.file)
  const rows = await command(place, 'SELECT 1 FROM pg_namespace WHERE nspname = $1', [place.schema])
  return rows.length > 0
}

/** Where a store is made that is to take this place when it is whole. What an earlier attempt left there is removed. */
export async function clearBuilding(place: StorePlace): Promise<StorePlace> {
  if ('file' in place) {
    const file = `${place.file}.building`
    for (const end of ENDS) rmSync(`${file}${end}`, { force: true })
    return { file }
  }
  const building = { ...place, schema: `${place.schema}_building` }
  await command(building, `DROP SCHEMA IF EXISTS ${building.schema} CASCADE`)
  return building
}

/** Gives a store that is whole its place, which must be free. */
export async function putInPlace(built: StorePlace, place: StorePlace): Promise<void> {
  if ('file' in place && 'file' in built) {
    renameSync(built.file, place.file)
    syncFolder(dirname(place.file))
  } else if (!('file' in place) && !('file' in built))
    await command(built, `ALTER SCHEMA ${built.schema} RENAME TO ${place.schema}`)
}

/** Gives a store another name, if there is one: what it was, and when. It can be given its place again by hand. */
export async function setAside(place: StorePlace, what: 'moved' | 'replaced', now: number): Promise<void> {
  const time = new Date(now).toISOString().replaceAll(/[-:.]/g, '')
  if ('file' in place)
    for (const end of ENDS) {
      if (existsSync(`${place.file}${end}`)) renameSync(`${place.file}${end}`, `${place.file}.${what}-${time}${end}`)
    }
  else if (await isStoreAt(place))
    await command(place, `ALTER SCHEMA ${place.schema} RENAME TO ${place.schema}_${what}_${time.toLowerCase()}`)
}

/** A store of SQLite has two more files while it is open. */
const ENDS = ['', '-wal', '-shm']

/** One statement on a connection of its own. */
async function command(
  place: PostgresPlace,
  sql: string,
  params: readonly unknown[] = [],
): Promise<readonly unknown[]> {
  const connection = connectTo(place, 1)
  try {
    return await connection.unsafe(sql, [...params])
  } catch (error) {
    throw asStoreFault(error)
  } finally {
    await connection.close({ timeout: 0 })
  }
}
