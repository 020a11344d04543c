import { Database } from 'bun:sqlite'
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { readConfig } from '../../src/config.ts'
import type { Db } from '../../src/db/db.ts'
import { FileFolder } from '../../src/db/file-folder.ts'
import { openStoreAt } from '../../src/db/store-place.ts'
import { storePlace } from '../../src/installation.ts'
import { BUNDLE_ROWS, Bundle, bundleText, type StoredBundle } from '../../src/registry/rows/bundle.ts'
import { storeEnvironment } from './engines.ts'

// Release files, changed behind the service's back.

export interface FileRow {
  key: string
  body: string
}

interface Store {
  DATA_DIR: string
  /** Where it is open already. */
  db?: Db
}

/** One statement on the state of a store, whatever its engine. */
export async function state<Row>(
  { DATA_DIR, db: open }: Store,
  sql: string,
  params: readonly unknown[] = [],
): Promise<Row[]> {
  if (open) return open.query<Row>(sql, params)
  const config = readConfig(await storeEnvironment(DATA_DIR))
  const db = await openStoreAt(storePlace(config), { files: new FileFolder(config.releasesDir) })
  return db.query<Row>(sql, params).finally(() => db.close())
}

export const releaseFiles = ({ DATA_DIR }: Store): string[] => readdirSync(join(DATA_DIR, 'releases')).sort()

export async function releaseFile(store: Store, release_no: number): Promise<string> {
  const [found] = await state<{ file: string }>(store, 'SELECT file FROM release WHERE release_no = $1', [release_no])
  return join(store.DATA_DIR, 'releases', `${found?.file}.atr`)
}

/** Changes a file in place: its bytes are no longer those that its name says. */
export async function editFile(store: Store, release_no: number, edit: (file: Database) => void): Promise<void> {
  const file = new Database(await releaseFile(store, release_no))
  edit(file)
  file.close()
}

/** Changes a file and everything that names it, as someone would who can write to the whole store. */
export async function forgeFile(store: Store, release_no: number, edit: (file: Database) => void): Promise<void> {
  const path = await releaseFile(store, release_no)
  await editFile(store, release_no, edit)
  const digest = createHash('sha256').update(readFileSync(path)).digest('hex')
  renameSync(path, join(store.DATA_DIR, 'releases', `${digest}.atr`))
  await state(store, 'UPDATE release SET file = $1 WHERE release_no = $2', [digest, release_no])
}

/** For `editFile` and `forgeFile`: other rows, under the same tree and totals. */
export const withRows =
  (change: (rows: FileRow[]) => FileRow[]) =>
  (file: Database): void => {
    const stored = file.query<StoredBundle, []>('SELECT hashes, rows FROM bundle ORDER BY n').all()
    const changed = change(stored.flatMap((packed) => Bundle.from(packed).rows))
    file.run('DELETE FROM bundle')
    for (let n = 0; n * BUNDLE_ROWS < changed.length; n++) {
      const some = changed.slice(n * BUNDLE_ROWS, (n + 1) * BUNDLE_ROWS)
      const hashes = stored[n]?.hashes ?? new Uint8Array()
      const packed = Bun.zstdCompressSync(bundleText(some))
      file.run('INSERT INTO bundle VALUES (?, ?, ?, ?)', [n, some[0]?.key ?? '', hashes, packed] as const)
    }
    file.run('UPDATE header SET row_count = ?', [changed.length] as const)
  }

export const replacing = (from: string, to: string) =>
  withRows((rows) => rows.map(({ key, body }) => ({ key, body: body.replaceAll(from, to) })))
