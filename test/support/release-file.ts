import { Database } from 'bun:sqlite'
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { BUNDLE_ROWS, packTile, TileWriter, unpack } from '../../src/registry/file/bundle.ts'

// Release files, changed behind the service's back.

export interface FileRow {
  key: string
  body: string
}

interface Store {
  DATA_DIR: string
}

const state = <T>({ DATA_DIR }: Store, work: (database: Database) => T): T => {
  const database = new Database(join(DATA_DIR, 'registry.db'))
  try {
    return work(database)
  } finally {
    database.close()
  }
}

export const releaseFiles = ({ DATA_DIR }: Store): string[] => readdirSync(join(DATA_DIR, 'releases')).sort()

export const releaseFile = (store: Store, release_no: number): string =>
  state(store, (database) => {
    const found = database
      .query<{ file: string }, [number]>('SELECT file FROM release WHERE release_no = ?')
      .get(release_no)
    return join(store.DATA_DIR, 'releases', `${found?.file}.atr`)
  })

/** Changes a file in place: its bytes are no longer those that its name says. */
export function editFile(store: Store, release_no: number, edit: (file: Database) => void): void {
  const file = new Database(releaseFile(store, release_no))
  edit(file)
  file.close()
}

/** Changes a file and everything that names it, as someone would who can write to the whole store. */
export function forgeFile(store: Store, release_no: number, edit: (file: Database) => void): void {
  const path = releaseFile(store, release_no)
  editFile(store, release_no, edit)
  const digest = createHash('sha256').update(readFileSync(path)).digest('hex')
  renameSync(path, join(store.DATA_DIR, 'releases', `${digest}.atr`))
  state(store, (database) =>
    database.run('UPDATE release SET file = ? WHERE release_no = ?', [digest, release_no] as const),
  )
}

/** For `editFile` and `forgeFile`: other rows, under the same tree and totals. */
export const withRows =
  (change: (rows: FileRow[]) => FileRow[]) =>
  (file: Database): void => {
    const packed = file.query<{ rows: Uint8Array }, []>('SELECT rows FROM bundle ORDER BY n').all()
    const bundles = packed.map(({ rows }) => unpack(rows) ?? { keys: [], bodies: [] })
    const rows = bundles.flatMap(({ keys, bodies }) => keys.map((key, i) => ({ key, body: bodies[i] ?? '' })))
    const changed = change(rows)
    file.run('DELETE FROM bundle')
    for (let n = 0; n * BUNDLE_ROWS < changed.length; n++) {
      const some = changed.slice(n * BUNDLE_ROWS, (n + 1) * BUNDLE_ROWS)
      const text = new TileWriter()
      for (const { key, body } of some) text.add(key, body)
      const [bytes = new Uint8Array()] = packTile(text.text(), 0).bundles
      file.run('INSERT INTO bundle VALUES (?, ?, ?)', [n, some[0]?.key ?? '', bytes] as const)
    }
    file.run('UPDATE header SET row_count = ?', [changed.length] as const)
  }

export const replacing = (from: string, to: string) =>
  withRows((rows) => rows.map(({ key, body }) => ({ key, body: body.replaceAll(from, to) })))
