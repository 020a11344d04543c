import type { Db } from '../db.ts'

// Many rows in one statement. They go as one JSON text: with a parameter for each value, PostgreSQL would keep a plan
// for every pattern of empty values.

/** The column types of a table, asked once. */
export type TypesOf = (db: Db, table: string) => Promise<ReadonlyMap<string, string>>

export function columnTypes(): TypesOf {
  const known = new Map<string, ReadonlyMap<string, string>>()
  return async (db, table) => {
    const found = known.get(table)
    if (found) return found
    const columns = await db.query<{ name: string; type: string }>(
      `SELECT a.attname AS name, format_type(a.atttypid, NULL) AS type FROM pg_attribute a
        WHERE a.attrelid = to_regclass($1) AND a.attnum > 0 AND NOT a.attisdropped`,
      [table],
    )
    const types = new Map(columns.map(({ name, type }) => [name, type]))
    known.set(table, types)
    return types
  }
}

/** Takes one parameter, from `rowsAsJson`. Rows are inserted in their order. */
export function insertStatement(table: string, columns: readonly string[], types: ReadonlyMap<string, string>): string {
  const isBytes = (column: string): boolean => types.get(column) === 'bytea'
  const values = columns.map((column) => (isBytes(column) ? `decode(${column}, 'hex')` : column))
  const shape = columns.map((column) => `${column} ${isBytes(column) ? 'text' : types.get(column)}`)
  return `INSERT INTO ${table} (${columns.join(', ')})
    SELECT ${values.join(', ')} FROM json_to_recordset(CAST(CAST($1 AS text) AS json)) AS given(${shape.join(', ')})`
}

export const rowsAsJson = (columns: readonly string[], rows: readonly (readonly unknown[])[]): string =>
  JSON.stringify(rows.map((row) => Object.fromEntries(columns.map((column, i) => [column, jsonOf(row[i])]))))

const jsonOf = (value: unknown): unknown =>
  value instanceof Uint8Array ? Buffer.from(value.buffer, value.byteOffset, value.length).toString('hex') : value
