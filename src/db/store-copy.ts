import type { Db } from './db.ts'
import { type Table, tables } from './migrator.ts'
import { openStoreAt, type StorePlace } from './store-place.ts'

const ROWS_PER_STEP = 5_000
const LONG = { isLong: true }

/**
 * Copies a store, as it is at one moment, into a new one of either engine. Every value stays as it is, so the new store gives
 * the same proofs. A crash leaves a part of the new store. Returns the number of rows. `onTable` is called before each
 * table, with the number of all tables.
 */
export async function copyStore(
  from: Db,
  to: StorePlace,
  onTable: (table: string, tables: number) => void = () => undefined,
): Promise<number> {
  const target = await openStoreAt(to, { create: true, files: from.files })
  try {
    return await from.snapshot(async (source) => {
      let rows = 0
      const all = tables()
      for (const table of all) {
        onTable(table.name, all.length)
        await new Promise((resolve) => setImmediate(resolve)) // lets signals in, which would wait for the whole copy
        // A new store already has rows with counters.
        await target.query(`DELETE FROM ${table.name}`)
        for await (const some of rowsOf(source, table)) {
          await insert(target, table.name, some)
          rows += some.length
        }
      }
      return rows
    }, LONG)
  } finally {
    await target.close()
  }
}

type Row = Readonly<Record<string, unknown>>

/** All rows in the order of their key, in pieces. */
async function* rowsOf(db: Db, { name, key }: Table): AsyncGenerator<readonly Row[]> {
  if (key.length === 0) {
    yield await db.query<Row>(`SELECT * FROM ${name}`)
    return
  }
  const columns = key.join(', ')
  const past = `WHERE (${columns}) > (${key.map((_, i) => `$${i + 1}`).join(', ')})`
  let last: Row | undefined
  do {
    const after = last
    const values = after ? key.map((column) => after[column]) : []
    const sql = `SELECT * FROM ${name} ${after ? past : ''} ORDER BY ${columns} LIMIT ${ROWS_PER_STEP}`
    const rows = await db.query<Row>(sql, values)
    yield rows
    last = rows.length < ROWS_PER_STEP ? undefined : rows.at(-1)
  } while (last)
}

async function insert(db: Db, table: string, rows: readonly Row[]): Promise<void> {
  const columns = Object.keys(rows[0] ?? {})
  if (columns.length === 0) return
  await db.insertMany(
    table,
    columns,
    rows.map((row) => columns.map((column) => row[column])),
  )
}
