import { Database } from 'bun:sqlite'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Makes a store of the first version and runs these statements in it. */
export function firstVersion(path: string, ...statements: readonly string[]): void {
  const old = new Database(path, { create: true })
  old.run('CREATE TABLE schema_version (version INTEGER PRIMARY KEY)')
  old.run(
    readFileSync(join(import.meta.dir, 'migrations/001-start.sql'), 'utf8')
      .replaceAll(/\bBYTES\b/g, 'BLOB')
      .replaceAll(/\bBIGINT\b/g, 'INTEGER')
      .replaceAll(/\bBYTEWISE\b/g, '')
      .replaceAll(/\) CLUSTERED;/g, ') STRICT, WITHOUT ROWID;'),
  )
  for (const statement of ['INSERT INTO schema_version (version) VALUES (1)', ...statements]) old.run(statement)
  old.close()
}
