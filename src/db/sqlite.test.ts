import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { spawn } from 'bun'
import type { Db } from './db.ts'
import { firstVersion } from './fixture.ts'
import { openSqlite } from './sqlite.ts'

async function withFolder(work: (folder: string) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'atr-'))
  try {
    await work(folder)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

const withStore = (work: (db: Db, path: string) => Promise<void>): Promise<void> =>
  withFolder(async (folder) => {
    const path = join(folder, 'store.db')
    const db = await openSqlite(path, { create: true })
    try {
      await work(db, path)
    } finally {
      await db.close()
    }
  })

/** Starts a process that holds the write lock for some time. Resolves when it has the lock. */
async function holdLock(path: string, ms: number): Promise<{ exited: Promise<number> }> {
  const text = `const db = new (require('bun:sqlite').Database)(process.argv[1])
    db.run('BEGIN IMMEDIATE'); console.log('held'); setTimeout(() => db.close(), Number(process.argv[2]))`
  const child = spawn([process.execPath, '-e', text, path, String(ms)], { stdout: 'pipe' })
  for await (const _ of child.stdout) break
  return child
}

const insert = (db: Db, npi: string): Promise<unknown> =>
  db.query('INSERT INTO provider (npi, entity_type) VALUES ($1, 2)', [npi])

test('a request that waits for the write lock of another process does not block other requests', () =>
  withStore(async (db, path) => {
    const other = await holdLock(path, 5_000)
    let longest = 0
    let last = performance.now()
    const timer = setInterval(() => {
      longest = Math.max(longest, performance.now() - last)
      last = performance.now()
    }, 5)
    const writes = Promise.all([
      insert(db, '1000000001'),
      db.transaction((tx) => insert(tx, '1000000002')),
      db.insertMany('provider', ['npi', 'entity_type'], [['1000000003', 2]]),
    ])
    expect(await db.query('SELECT npi FROM provider')).toEqual([])
    await writes
    clearInterval(timer)
    await other.exited
    expect(await db.query('SELECT npi FROM provider')).toHaveLength(3)
    expect(longest).toBeLessThan(4_000)
  }))

/** A store of the first version, with these values of a release. */
const storeWith = (path: string, release: string): void =>
  firstVersion(
    path,
    `INSERT INTO release (release_no, release_id, chart, edition, revision, effective_from, data_class, state, source_digest,
      citations, row_count, rejected_count, loaded_at, effective_to, period_by, unreadable_lines) VALUES ${release}`,
    "INSERT INTO contractor_locality (contractor, locality, region) VALUES ('01112', '05', 'US-CA-05')",
    'INSERT INTO verification (verified_at, rows_verified, rows_failed) VALUES (1, 10, 3)',
  )

test('a store of the first version without releases is migrated, and an interrupted load in it is removed', () =>
  withFolder(async (folder) => {
    const path = join(folder, 'store.db')
    storeWith(
      path,
      "(8, 'cms-pfs:B:1', 'cms-pfs', 'B', 1, '2026-01-01', 'sample', 'loading', 'z', '[]', 0, 0, 0, '2026-03-31', 'calendar', 0)",
    )
    const db = await openSqlite(path)
    expect(await db.query('SELECT last_no FROM release_number')).toEqual([{ last_no: 8 }])
    expect(await db.query('SELECT release_id FROM release')).toEqual([])
    const gone = "name LIKE '%locality%' OR name IN ('price_row', 'row_tile') OR name LIKE 'release_provider%'"
    expect(await db.query(`SELECT name FROM sqlite_master WHERE ${gone}`)).toEqual([])
    expect(await db.query('SELECT part FROM verified_part')).toEqual([])
    await db.close()
  }))

test('a store that keeps its rows in tables is refused with a remedy, and stays as it is', () =>
  withFolder(async (folder) => {
    const path = join(folder, 'store.db')
    storeWith(
      path,
      "(4, 'cms-pfs:A:1', 'cms-pfs', 'A', 1, '2026-01-01', 'sample', 'published', 'x', '[]', 1, 0, 0, '2026-03-31', 'calendar', 0)",
    )
    await expect(openSqlite(path)).rejects.toThrow(/load the files again/)
    const old = new Database(path)
    expect(old.query('SELECT MAX(version) AS version FROM schema_version').get()).toEqual({ version: 1 })
    expect(old.query('SELECT release_id FROM release').all()).toEqual([{ release_id: 'cms-pfs:A:1' }])
    old.close()
  }))
