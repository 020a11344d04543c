import { type Db, StoreFault } from './db.ts'
import first from './migrations/001-start.sql' with { type: 'text' }
import loading from './migrations/002-loading.sql' with { type: 'text' }
import providerOfRelease from './migrations/003-provider-of-release.sql' with { type: 'text' }
import ledgerSeal from './migrations/004-ledger-seal.sql' with { type: 'text' }
import withoutLocalities from './migrations/005-without-localities.sql' with { type: 'text' }
import figureWindows from './migrations/006-figure-windows.sql' with { type: 'text' }
import releaseFiles from './migrations/007-release-files.sql' with { type: 'text' }
import eventNumber from './migrations/008-event-number.sql' with { type: 'text' }
import citationCheck from './migrations/009-citation-check.sql' with { type: 'text' }
import storedComparison from './migrations/010-stored-comparison.sql' with { type: 'text' }
import verifiedParts from './migrations/011-verified-parts.sql' with { type: 'text' }
import sourceCopies from './migrations/012-source-copies.sql' with { type: 'text' }
import publisherUntil from './migrations/013-publisher-until.sql' with { type: 'text' }
import olderReleases from './migrations/014-older-releases.sql' with { type: 'text' }
import editsLeftOut from './migrations/015-edits-left-out.sql' with { type: 'text' }
import fetching from './migrations/016-fetching.sql' with { type: 'text' }

/** All migrations in order. Never edit one that was released: a change of the schema is a new file. */
const MIGRATIONS: readonly string[] = [
  first,
  loading,
  providerOfRelease,
  ledgerSeal,
  withoutLocalities,
  figureWindows,
  releaseFiles,
  eventNumber,
  citationCheck,
  storedComparison,
  verifiedParts,
  sourceCopies,
  publisherUntil,
  olderReleases,
  editsLeftOut,
  fetching,
]

/** The parts of the schema that each engine writes differently. */
export interface Dialect {
  bytes: string
  bigint: string
  /** Makes a text column sort by its bytes, as row keys must. */
  bytewise: string
  /** Follows the closing bracket of a table whose rows are stored in key order. */
  clustered: string
  table: string
}

/** Throws unless the store has the current version. For readers, who do not migrate. */
export async function checkVersion(db: Db): Promise<void> {
  const version = await versionOf(db)
  if (version > MIGRATIONS.length) throw new StoreFault(NEWER)
  if (version < MIGRATIONS.length) throw new StoreFault(OLDER)
}

const NEWER = 'the store was written by a newer version of this program: upgrade the program'
const OLDER =
  'the store was written by an older version of this program: the next command that opens it brings it up to date, so make a backup first'

/** Brings a store to the current schema. A new store is made only with `create`: an empty file is not a store. */
export async function migrate(db: Db, dialect: Dialect, create: boolean): Promise<void> {
  // Opening a current store must not wait for a writer.
  if (!create && (await versionOf(db)) === MIGRATIONS.length) return
  await db.transaction(async (tx) => {
    if (create) await tx.query('CREATE TABLE schema_version (version INTEGER PRIMARY KEY)')
    const done = await versionOf(tx)
    if (done > MIGRATIONS.length) throw new StoreFault(NEWER)
    for (const [i, text] of MIGRATIONS.entries()) {
      if (i < done) continue
      if (text === releaseFiles) await refuseRowsInTables(tx)
      for (const statement of statements(text, dialect)) await tx.query(statement)
      await tx.query('INSERT INTO schema_version (version) VALUES ($1)', [i + 1])
    }
  })
}

/** Refuses a store of an old version, which kept the rows of releases in tables. */
async function refuseRowsInTables(tx: Db): Promise<void> {
  const [found] = await tx.query("SELECT release_id FROM release WHERE state <> 'loading' LIMIT 1")
  if (found)
    throw new StoreFault(
      'the store keeps its rows in tables, as older versions did: begin a new one with `atr init` in an empty DATA_DIR, and load the files again',
    )
  await tx.query('DELETE FROM release')
}

export interface Table {
  name: string
  /** The columns of its primary key; none in tables of one row. */
  key: readonly string[]
}

/** The tables of a store of the current version, except the one with the version. */
export function tables(): Table[] {
  const found = new Map<string, Table>()
  for (const statement of MIGRATIONS.flatMap((text) => text.replaceAll(/--[^\n]*/g, '').split(';'))) {
    const dropped = /^\s*DROP TABLE (?:IF EXISTS )?(\w+)/.exec(statement)?.[1]
    if (dropped !== undefined) found.delete(dropped)
    const name = /^\s*CREATE TABLE (\w+)/.exec(statement)?.[1]
    if (name === undefined) continue
    const key = /PRIMARY KEY \(([\w, ]+)\)/.exec(statement)?.[1] ?? /^ *(\w+) [^,\n]*PRIMARY KEY/m.exec(statement)?.[1]
    found.set(name, { name, key: key?.split(', ') ?? [] })
  }
  return [...found.values()]
}

async function versionOf(db: Db): Promise<number> {
  const [row] = await db.query<{ version: number }>('SELECT COALESCE(MAX(version), 0) AS version FROM schema_version')
  return row?.version ?? 0
}

function statements(text: string, dialect: Dialect): string[] {
  return text
    .replaceAll(/--[^\n]*/g, '')
    .replaceAll(/\bBYTES\b/g, dialect.bytes)
    .replaceAll(/\bBIGINT\b/g, dialect.bigint)
    .replaceAll(/\bBYTEWISE\b/g, dialect.bytewise)
    .split(';')
    .map((statement) => statement.trim())
    .filter((statement) => statement !== '')
    .map((statement) => {
      if (!statement.startsWith('CREATE TABLE')) return statement
      const clustered = statement.endsWith('CLUSTERED')
      return `${statement.replace(/(?<!\s)\s*CLUSTERED$/, '')}${clustered ? dialect.clustered : dialect.table}`
    })
}
