import { existsSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import { type Db, type NamedLock, StoreBusy } from './db.ts'
import type { FileFolder } from './file-folder.ts'
import { ownFile, shareFile } from './folder-lock.ts'
import type { PostgresPlace } from './postgres/connection.ts'
import { syncFolder } from './replace-file.ts'
import { openSqlite } from './sqlite.ts'
import { asStoreFault as asFileFault } from './sqlite-fault.ts'

/** The place of a store: a SQLite file, or a schema of a PostgreSQL database. */
export type StorePlace = { file: string } | PostgresPlace

interface OpenOptions {
  /** Makes a new store. */
  create?: boolean
  /** The release files. */
  files: FileFolder
  /** Released when the store is closed. */
  use?: NamedLock | undefined
  /** Changes nothing: a store of another version is refused. */
  isReadOnly?: boolean
}

// The modules for PostgreSQL are loaded only if the store is in one.
const locks = () => import('./postgres/lock.ts')

export const openStoreAt = async (place: StorePlace, options: OpenOptions): Promise<Db> =>
  'file' in place
    ? openSqlite(place.file, options)
    : (await import('./postgres/postgres.ts')).openPostgres(place, options)

/** Marks a store as used by this process. Until the lock is released, the store cannot be moved or replaced. */
export async function useStore(place: StorePlace): Promise<NamedLock> {
  const lock =
    'file' in place
      ? lockBeside(place.file, shareFile)
      : await locks().then(({ takeShared, IN_USE }) => takeShared(place, IN_USE))
  if (lock) return lock
  throw new StoreBusy(undefined, 'the store is being moved or restored by another command: wait until that is done')
}

/** Takes a store that no process uses, to move or replace it. Until the lock is released, nobody can open it. */
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

/** The temporary place where a new store for this place is built. Files and schemas of earlier attempts are removed. */
export async function clearBuilding(place: StorePlace): Promise<StorePlace> {
  for (const name of ['whole', 'building'] as const) {
    const left = named(place, name)
    if ('file' in left) for (const end of ENDS) rmSync(`${left.file}${end}`, { force: true })
    else await command(left, `DROP SCHEMA IF EXISTS ${left.schema} CASCADE`)
  }
  return named(place, 'building')
}

/** Renames a built store to mark it as complete and checked. Then it only has to be put in place. */
export async function markWhole(built: StorePlace, place: StorePlace): Promise<StorePlace> {
  const whole = named(place, 'whole')
  await putInPlace(built, whole)
  return whole
}

/** A complete store that an interrupted move has left for this place. */
export async function findWhole(place: StorePlace): Promise<StorePlace | undefined> {
  const whole = named(place, 'whole')
  return (await isStoreAt(whole)) ? whole : undefined
}

const named = (place: StorePlace, name: 'building' | 'whole'): StorePlace =>
  'file' in place ? { file: `${place.file}.${name}` } : { ...place, schema: `${place.schema}_${name}` }

/** Renames a built store to its place, which must be free. */
export async function putInPlace(built: StorePlace, place: StorePlace): Promise<void> {
  if ('file' in place && 'file' in built) {
    renameSync(built.file, place.file)
    syncFolder(dirname(place.file))
  } else if (!('file' in place) && !('file' in built))
    await command(built, `ALTER SCHEMA ${built.schema} RENAME TO ${place.schema}`)
}

/** Renames a store, if there is one, to a name with the reason and the time. It can be put back by hand. */
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

/** Whether a store was moved from here to another place. */
export async function wasMoved(place: StorePlace): Promise<boolean> {
  if ('file' in place) {
    const [folder, prefix] = [dirname(place.file), `${basename(place.file)}.moved-`]
    return existsSync(folder) && readdirSync(folder).some((name) => name.startsWith(prefix))
  }
  const moved = 'SELECT 1 FROM pg_namespace WHERE starts_with(nspname, $1)'
  return (await command(place, moved, [`${place.schema}_moved_`])).length > 0
}

/** The endings of the files of a SQLite store: it has two more files while it is open. */
const ENDS = ['', '-wal', '-shm']

const command = async (place: PostgresPlace, sql: string, params?: readonly unknown[]): Promise<readonly unknown[]> =>
  (await import('./postgres/connection.ts')).command(place, sql, params)
