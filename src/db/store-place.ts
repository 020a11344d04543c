import { existsSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import { type Db, type NamedLock, StoreBusy } from './db.ts'
import type { FileFolder } from './file-folder.ts'
import { ownFile, shareFile } from './folder-lock.ts'
import type { PostgresPlace } from './postgres/connection.ts'
import { syncFolder } from './replace-file.ts'
import { openSqlite } from './sqlite.ts'
import { asStoreFault as asFileFault } from './sqlite-fault.ts'

/** Where a store is: a SQLite file, or a schema of a PostgreSQL database. */
export type StorePlace = { file: string } | PostgresPlace

interface OpenOptions {
  /** Makes a new one. */
  create?: boolean
  /** Where its release files are. */
  files: FileFolder
  /** Released when the store is closed. */
  use?: NamedLock | undefined
  /** Changes nothing: a store of another version is refused. */
  isReadOnly?: boolean
}

// What PostgreSQL needs is loaded where there is one.
const locks = () => import('./postgres/lock.ts')

export const openStoreAt = async (place: StorePlace, options: OpenOptions): Promise<Db> =>
  'file' in place
    ? openSqlite(place.file, options)
    : (await import('./postgres/postgres.ts')).openPostgres(place, options)

/** Says that a store is in use, by this process and perhaps by others: meanwhile it is neither moved nor replaced. */
export async function useStore(place: StorePlace): Promise<NamedLock> {
  const lock =
    'file' in place
      ? lockBeside(place.file, shareFile)
      : await locks().then(({ takeShared, IN_USE }) => takeShared(place, IN_USE))
  if (lock) return lock
  throw new StoreBusy(undefined, 'the store is being moved or restored by another command: wait until that is done')
}

/** Takes a store that nobody uses, to move or replace it. Until this is released, nobody can open it. */
export async function takeStore(place: StorePlace): Promise<NamedLock> {
  const lock =
    'file' in place
      ? lockBeside(place.file, ownFile)
      : await locks().then(({ takeNamed, IN_USE }) => takeNamed(place, IN_USE))
  if (lock) return lock
  throw new StoreBusy(
    undefined,
    'the store is in use: stop every service and every other command first. Nothing was changed',
  )
}

function lockBeside(store: string, take: (path: string) => NamedLock | undefined): NamedLock | undefined {
  try {
    return take(`${store}.in-use`)
  } catch (error) {
    throw asFileFault(error)
  }
}

export async function isStoreAt(place: StorePlace): Promise<boolean> {
  if ('file' in place) return existsSync(place.file)
  const rows = await command(place, 'SELECT 1 FROM pg_namespace WHERE nspname = $1', [place.schema])
  return rows.length > 0
}

/** Where a store is made that is to take this place when it is whole. What earlier attempts left there is removed. */
export async function clearBuilding(place: StorePlace): Promise<StorePlace> {
  for (const name of ['whole', 'building'] as const) {
    const left = named(place, name)
    if ('file' in left) for (const end of ENDS) rmSync(`${left.file}${end}`, { force: true })
    else await command(left, `DROP SCHEMA IF EXISTS ${left.schema} CASCADE`)
  }
  return named(place, 'building')
}

/** Gives a new store the name that says that all of it is there and was checked. Only its place is missing then. */
export async function markWhole(built: StorePlace, place: StorePlace): Promise<StorePlace> {
  const whole = named(place, 'whole')
  await putInPlace(built, whole)
  return whole
}

/** A store that is whole and waits for this place, left by a move that was interrupted. */
export async function findWhole(place: StorePlace): Promise<StorePlace | undefined> {
  const whole = named(place, 'whole')
  return (await isStoreAt(whole)) ? whole : undefined
}

const named = (place: StorePlace, name: 'building' | 'whole'): StorePlace =>
  'file' in place ? { file: `${place.file}.${name}` } : { ...place, schema: `${place.schema}_${name}` }

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
  if ('file' in place) {
    for (const end of ENDS) {
      if (existsSync(`${place.file}${end}`)) renameSync(`${place.file}${end}`, `${place.file}.${what}-${time}${end}`)
    }
    syncFolder(dirname(place.file))
  } else if (await isStoreAt(place))
    await command(place, `ALTER SCHEMA ${place.schema} RENAME TO ${place.schema}_${what}_${time.toLowerCase()}`)
}

/** Whether a store was here and has been moved to another place. */
export async function wasMoved(place: StorePlace): Promise<boolean> {
  if ('file' in place) {
    const [folder, prefix] = [dirname(place.file), `${basename(place.file)}.moved-`]
    return existsSync(folder) && readdirSync(folder).some((name) => name.startsWith(prefix))
  }
  const moved = 'SELECT 1 FROM pg_namespace WHERE starts_with(nspname, $1)'
  return (await command(place, moved, [`${place.schema}_moved_`])).length > 0
}

/** A store of SQLite has two more files while it is open. */
const ENDS = ['', '-wal', '-shm']

const command = async (place: PostgresPlace, sql: string, params?: readonly unknown[]): Promise<readonly unknown[]> =>
  (await import('./postgres/connection.ts')).command(place, sql, params)
