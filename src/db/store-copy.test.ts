import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { ENGINES, testStore } from '../../test/support/engines.ts'
import { temporaryFolder } from '../../test/support/folder.ts'
import { postgresServer } from '../../test/support/postgres.ts'
import type { Db } from './db.ts'
import { tables } from './migrator.ts'
import { copyStore } from './store-copy.ts'
import { openStoreAt, type StorePlace } from './store-place.ts'

/** All rows of all tables. */
const contents = (db: Db): Promise<unknown[]> =>
  Promise.all(
    tables().map(async ({ name, key }) => {
      const order = key.length === 0 ? '' : `ORDER BY ${key.join(', ')}`
      return [name, await db.query(`SELECT * FROM ${name} ${order}`)]
    }),
  )

async function fill(db: Db): Promise<void> {
  await db.insertMany(
    'log_leaf',
    ['log', 'leaf_index', 'body'],
    ['registry', 'figures', 'B', 'a', 'a-'].flatMap((log) =>
      [0, 1, 255].map((i) => [log, i, Uint8Array.of(0, i, 255)]),
    ),
  )
  const lines = Array.from({ length: 10_001 }, (_, i) => [1, i, `c${i}`, i % 2 ? null : i])
  await db.insertMany('outcome_staged', ['staging_id', 'line', 'case_ref', 'closed'], lines)
  await db.query('UPDATE rails_event_number SET last_no = 7')
}

test('all tables of a store are copied', async () => {
  await using store = await testStore('sqlite')
  const made = await store.db.query<{ name: string }>(
    "SELECT name FROM sqlite_schema WHERE type = 'table' AND name <> 'schema_version' ORDER BY name",
  )
  expect(
    tables()
      .map(({ name }) => name)
      .sort(),
  ).toEqual(made.map(({ name }) => name))
})

test.each(ENGINES.map((engine) => [engine]))(
  'from %s a store is copied to the other engine and back, byte for byte',
  async (engine) => {
    await using store = await testStore(engine)
    using folder = temporaryFolder()
    await fill(store.db)
    const before = await contents(store.db)
    const newDatabase = async (): Promise<StorePlace> => ({
      url: await (await postgresServer()).database(),
      schema: 'atr',
    })
    const file = (name: string): StorePlace => ({ file: join(folder.path, name) })
    const [there, back] =
      engine === 'postgres'
        ? [file('there.db'), await newDatabase()]
        : [ENGINES.includes('postgres') ? await newDatabase() : file('there.db'), file('back.db')]
    await copyStore(store.db, there)
    const other = await openStoreAt(there, { files: store.db.files })
    expect(await contents(other)).toEqual(before)
    await copyStore(other, back)
    await other.close()
    const again = await openStoreAt(back, { files: store.db.files })
    expect(await contents(again)).toEqual(before)
    await again.close()
  },
)
