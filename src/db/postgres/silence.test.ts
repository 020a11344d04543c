import { expect } from 'bun:test'
import { testOnPostgres, testStore } from '../../../test/support/engines.ts'
import { Line } from '../../../test/support/line.ts'
import { type Db, StoreBusy } from '../db.ts'
import { openStoreAt } from '../store-place.ts'

/** The result of work, and after how many seconds it came. */
async function timed(work: Promise<unknown>): Promise<{ outcome: unknown; seconds: number }> {
  const started = performance.now()
  const outcome = await work.catch((error: unknown) => error)
  return { outcome, seconds: (performance.now() - started) / 1_000 }
}

const count = (db: Db): Promise<unknown[]> => db.query('SELECT COUNT(*) AS n FROM provider')

testOnPostgres(
  'callers learn within seconds that a server was cut off, and it is used again when it can be reached',
  async () => {
    await using store = await testStore('postgres')
    if ('file' in store.place) throw new Error('not a database')
    const address = new URL(store.place.url)
    using line = await Line.to(Number(address.port))
    address.port = String(line.port)
    const db = await openStoreAt({ ...store.place, url: address.href }, { files: store.db.files })
    for (let i = 0; i < 8; i++) await Promise.all([count(db), count(db), count(db)])
    line.cut()
    const waiting = await Promise.all(
      [
        count(db),
        count(db),
        db.snapshot(count),
        db.transaction(count, { writers: 'many' }),
        db.transaction(count),
        // There are more of these than connections.
        ...Array.from({ length: 6 }, () => db.now()),
      ].map(timed),
    )
    for (const { outcome, seconds } of waiting) {
      expect(outcome).toBeInstanceOf(StoreBusy)
      expect(seconds).toBeLessThan(13)
    }
    // Only the fifth, which is the only writer, waits for a lock.
    for (const { seconds } of waiting.toSpliced(4, 1)) expect(seconds).toBeLessThan(8)
    line.mend()
    for (const again of [
      count(db),
      db.snapshot(count),
      db.transaction(count),
      db.transaction(count, { writers: 'many' }),
    ])
      expect(await timed(again)).toMatchObject({ outcome: [{ n: 0 }] })
    await db.close()
  },
)
