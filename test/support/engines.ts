// Runs the same tests on both engines: SQLite in a temporary folder, and PostgreSQL in a database of its own.

import { test } from 'bun:test'
import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Db } from '../../src/db/db.ts'
import { FileFolder } from '../../src/db/file-folder.ts'
import { openStoreAt, type StorePlace } from '../../src/db/store-place.ts'
import { temporaryFolder } from './folder.ts'
import { postgresServer, whyNoPostgres } from './postgres.ts'
import { isSkipped } from './skipping.ts'

export type Engine = 'sqlite' | 'postgres'

const isPostgresMissing = isSkipped('tests on PostgreSQL', whyNoPostgres())

export const ENGINES: readonly Engine[] = isPostgresMissing ? ['sqlite'] : ['sqlite', 'postgres']

/** The engine of tests that do not name one: `ATR_ENGINE=postgres` runs them all on PostgreSQL. */
export const DEFAULT_ENGINE: Engine = process.env['ATR_ENGINE'] === 'postgres' ? 'postgres' : 'sqlite'

const IN_FILES = { DATABASE_URL: '' }
const told = new Set<string>()

/** For tests about the file of a store: SQLite, whatever the engine of the others. On PostgreSQL one loud line says why. */
export function onSqlite(why: string): Engine {
  if (DEFAULT_ENGINE !== 'sqlite' && !told.has(why)) console.warn(`ON SQLITE: ${why}`)
  told.add(why)
  return 'sqlite'
}

/** The store as a setting. */
export function inFiles(why: string): typeof IN_FILES {
  onSqlite(why)
  return IN_FILES
}

/** The database of each installation; empty on SQLite. */
const databases = new Map<string, string>()

/**
 * The settings of an installation in this folder. On PostgreSQL it has a database of its own; on SQLite the setting is
 * empty, or that of another program on this machine would count. They are the same each time, whatever the engine then.
 */
export async function storeEnvironment(
  DATA_DIR: string,
  engine: Engine = DEFAULT_ENGINE,
): Promise<{ DATA_DIR: string; DATABASE_URL: string }> {
  const newDatabase = async (): Promise<string> => (await postgresServer()).database()
  const DATABASE_URL = databases.get(DATA_DIR) ?? (engine === 'sqlite' ? IN_FILES.DATABASE_URL : await newDatabase())
  databases.set(DATA_DIR, DATABASE_URL)
  return { DATA_DIR, DATABASE_URL }
}

/** Ends every named lock of an installation, as if whoever has it had lost it. */
export async function forgetLocks({ DATA_DIR }: { DATA_DIR: string }): Promise<void> {
  const url = databases.get(DATA_DIR) ?? ''
  if (url === '')
    for (const name of readdirSync(DATA_DIR).filter((each) => each.startsWith('registry.db.loading')))
      rmSync(join(DATA_DIR, name))
  else
    await (await postgresServer()).run(
      `SELECT pg_terminate_backend(pid) FROM pg_locks l JOIN pg_database d ON d.oid = l.database
        WHERE l.locktype = 'advisory' AND d.datname = current_database()`,
      url.slice(url.lastIndexOf('/') + 1),
    )
}

/** A test that needs the server; skipped where there is none. */
export const testOnPostgres: typeof test = isPostgresMissing ? (test.skip as typeof test) : test

export interface TestStore {
  db: Db
  place: StorePlace
  /** A folder of the test's own. */
  folder: string
  [Symbol.asyncDispose](): Promise<void>
}

/** For tests that write much and keep nothing. The server of the tests is so already. */
export async function forgetful(db: Db): Promise<void> {
  if (DEFAULT_ENGINE === 'sqlite') await db.query('PRAGMA synchronous = OFF')
}

/** A new store with nothing in it. */
export async function testStore(engine: Engine = DEFAULT_ENGINE): Promise<TestStore> {
  const folder = temporaryFolder()
  const place: StorePlace =
    engine === 'sqlite'
      ? { file: join(folder.path, 'store.db') }
      : { url: await (await postgresServer()).database(), schema: 'atr', pool: 4 }
  const files = new FileFolder(join(folder.path, 'releases'))
  const db = await openStoreAt(place, { create: true, files })
  return {
    db,
    place,
    folder: folder.path,
    async [Symbol.asyncDispose]() {
      await db.close()
      folder[Symbol.dispose]()
    },
  }
}
