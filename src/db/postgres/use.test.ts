import { expect } from 'bun:test'
import { type TestStore, testOnPostgres, testStore } from '../../../test/support/engines.ts'
import { until } from '../../../test/support/until.ts'
import { type Db, StoreBusy } from '../db.ts'
import { openStoreAt, setAside, takeStore, useStore } from '../store-place.ts'

const ADD = 'INSERT INTO provider (npi, entity_type) VALUES ($1, 2)'

/** All ways to write. Each adds one provider. */
const WAYS: readonly ((db: Db, npi: string) => Promise<unknown>)[] = [
  (db, npi) => db.query(ADD, [npi]),
  (db, npi) => db.query(`${ADD} RETURNING npi`, [npi]),
  (db, npi) => db.transaction((tx) => tx.query(ADD, [npi])),
  (db, npi) => db.transaction((tx) => tx.query(ADD, [npi]), { writers: 'many' }),
  (db, npi) => db.insertMany('provider', ['npi', 'entity_type'], [[npi, 2]]),
]
let next = 1_000_000_000
const writeAll = (db: Db): Promise<unknown[]> =>
  Promise.all(WAYS.map((write) => write(db, String(next++)).catch((error: unknown) => error)))
const count = async (db: Db): Promise<number> =>
  (await db.query<{ n: number }>('SELECT COUNT(*) AS n FROM provider'))[0]?.n ?? 0

/** A service has the store open, its lock is lost, and another process takes the store before the lock is taken again. */
async function cutOff({
  place,
  db,
}: TestStore): Promise<{ service: Db; taken: Awaited<ReturnType<typeof takeStore>> }> {
  const service = await openStoreAt(place, { files: db.files, use: await useStore(place) })
  expect(await writeAll(service)).not.toContainEqual(expect.any(Error))
  // Waits until the server has ended the connection, and with it the lock.
  await db.query(`SELECT pg_terminate_backend(pid, 10000) FROM pg_locks l JOIN pg_database d ON d.oid = l.database
    WHERE locktype = 'advisory' AND mode = 'ShareLock' AND datname = current_database()`)
  return { service, taken: await takeStore(place) }
}

/** Waits until the server has released the locks of closed connections. */
async function isFree({ db }: TestStore): Promise<void> {
  const held = `SELECT 1 FROM pg_locks l JOIN pg_database d ON d.oid = l.database
    WHERE locktype = 'advisory' AND mode = 'ExclusiveLock' AND datname = current_database()`
  await until(async () => (await db.query(held)).length === 0)
}

/** Waits until the service has taken its lock again, and returns the refusal of another process that takes the store. */
async function soonRefused({ place }: TestStore): Promise<string> {
  for (let i = 0; i < 100; i++) {
    try {
      await (await takeStore(place)).release()
    } catch (error) {
      return String(error)
    }
    await Bun.sleep(100)
  }
  return 'never refused'
}

testOnPostgres(
  'a service that lost its lock writes nothing while another has the store, and goes on after that',
  async () => {
    await using store = await testStore('postgres')
    const { service, taken } = await cutOff(store)
    for (const outcome of await writeAll(service)) expect(outcome).toBeInstanceOf(StoreBusy)
    expect(await count(service)).toBe(WAYS.length)
    await taken.release()
    await isFree(store)
    expect(await writeAll(service)).not.toContainEqual(expect.any(Error))
    expect(await count(store.db)).toBe(2 * WAYS.length)
    expect(await soonRefused(store)).toContain('the store is in use')
    await service.close()
    await (await takeStore(store.place)).release()
  },
)

testOnPostgres(
  'a service that lost its lock never writes into a store that has taken the place of its own',
  async () => {
    await using store = await testStore('postgres')
    const { service, taken } = await cutOff(store)
    await setAside(store.place, 'replaced', 0)
    await taken.release()
    await isFree(store)
    for (const outcome of await writeAll(service)) expect(outcome).toBeInstanceOf(StoreBusy)
    const other = await openStoreAt(store.place, { create: true, files: store.db.files })
    for (const outcome of await writeAll(service)) {
      expect(outcome).toBeInstanceOf(StoreBusy)
      expect(String(outcome)).toContain('start the service again')
    }
    expect(await count(other)).toBe(0)
    await other.close()
    await service.close()
  },
)
