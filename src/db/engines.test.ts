import { describe, expect, test } from 'bun:test'
import { ENGINES, testOnPostgres, testStore } from '../../test/support/engines.ts'
import { postgresServer } from '../../test/support/postgres.ts'
import { type Db, StoreBusy, StoreFault } from './db.ts'
import { FileFolder } from './file-folder.ts'
import { openStoreAt } from './store-place.ts'

// The behaviour of `Db` that every engine must have.

const insert = (db: Db, npi: string): Promise<unknown> =>
  db.query('INSERT INTO provider (npi, entity_type) VALUES ($1, 2)', [npi])
const npis = async (db: Db): Promise<string[]> =>
  (await db.query<{ npi: string }>('SELECT npi FROM provider ORDER BY npi')).map(({ npi }) => npi)

describe.each(ENGINES.map((engine) => [engine]))('on %s', (engine) => {
  test('whole numbers are numbers, bytes are Uint8Array, and nothing is null', async () => {
    await using store = await testStore(engine)
    const { db } = store
    await db.query('INSERT INTO pepper_check (digest) VALUES ($1)', [Uint8Array.of(0, 255)])
    await db.query('UPDATE release_number SET last_no = $1', [Number.MAX_SAFE_INTEGER])
    const [row] = await db.query<Record<string, unknown>>(
      `SELECT last_no AS n, digest AS b, NULL AS none, COUNT(*) OVER () AS counted,
              CAST(SUM(last_no) OVER () AS BIGINT) AS summed FROM release_number, pepper_check`,
    )
    expect(row).toEqual({
      n: Number.MAX_SAFE_INTEGER,
      b: Uint8Array.of(0, 255),
      none: null,
      counted: 1,
      summed: Number.MAX_SAFE_INTEGER,
    })
    expect(row?.['b']?.constructor).toBe(Uint8Array)
  })

  test('a whole number that JavaScript cannot hold is a fault, not another number', async () => {
    await using store = await testStore(engine)
    for (const unsafe of ['9007199254740993', '-9007199254740993'])
      await expect(store.db.query(`SELECT 1 AS n UNION ALL SELECT ${unsafe}`)).rejects.toThrow(StoreFault)
    await expect(store.db.transaction((tx) => tx.query('SELECT 9007199254740993 AS n'))).rejects.toThrow(StoreFault)
  })

  test('text is ordered and compared by its bytes, whatever the language of the database', async () => {
    await using store = await testStore(engine)
    const { db } = store
    const codes = ['99213', 'a1', 'B1', 'A1', '0001F', 'a|', 'a-', 'a~']
    await db.insertMany(
      'log_witness',
      ['log', 'witness', 'size'],
      codes.map((code) => ['registry', code, 1]),
    )
    const select = async (where: string, params: unknown[] = []): Promise<string[]> =>
      (
        await db.query<{ witness: string }>(`SELECT witness FROM log_witness WHERE ${where} ORDER BY witness`, params)
      ).map(({ witness }) => witness)
    expect(await select('size = 1')).toEqual([...codes].sort())
    expect(await select("witness >= $1 AND witness < $1 || '~'", ['a'])).toEqual(['a-', 'a1', 'a|'])
    expect(await db.query('SELECT MIN(witness) AS least, MAX(witness) AS most FROM log_witness')).toEqual([
      { least: '0001F', most: 'a~' },
    ])
  })

  test('many rows keep their order, their bytes and their empty values', async () => {
    await using store = await testStore(engine)
    const { db } = store
    const rows = Array.from({ length: 12_001 }, (_, i) => [1, i, `"${i}\\`, i % 2 ? 'AL' : null, i % 3 ? null : 1])
    await db.insertMany('outcome_staged', ['staging_id', 'line', 'case_ref', 'state', 'closed'], rows)
    const stored = await db.query<Record<string, unknown>>(
      'SELECT staging_id, line, case_ref, state, closed FROM outcome_staged ORDER BY line',
    )
    expect(stored.map((row) => Object.values(row))).toEqual(rows)
    await db.insertMany('log_leaf', ['log', 'leaf_index', 'body'], [['registry', 0, Uint8Array.of(0, 34, 255)]])
    expect(await db.query('SELECT body FROM log_leaf')).toEqual([{ body: Uint8Array.of(0, 34, 255) }])
    await db.insertMany('log_leaf', ['log', 'leaf_index', 'body'], [])
  })

  test('a transaction that fails leaves nothing, and others see it only when it is done', async () => {
    await using store = await testStore(engine)
    const { db } = store
    const failed = db.transaction(async (tx) => {
      await insert(tx, '1000000001')
      expect(await npis(tx)).toEqual(['1000000001'])
      expect(await npis(db)).toEqual([])
      await tx.transaction((nested) => insert(nested, '1000000002'))
      throw new RangeError('no')
    })
    await expect(failed).rejects.toThrow(RangeError)
    expect(await npis(db)).toEqual([])
    const wrong = (tx: Db): Promise<unknown> =>
      tx.query('INSERT INTO provider (npi, entity_type) VALUES ($1, 1)', ['1'])
    await expect(db.transaction(wrong)).rejects.toThrow()
    await db.transaction((tx) => insert(tx, '1000000003'), { writers: 'many' })
    expect(await npis(db)).toEqual(['1000000003'])
  })

  test('of two transactions the second begins when the first is over, in this process and in others', async () => {
    await using store = await testStore(engine)
    const other = await openStoreAt(store.place, { files: store.db.files })
    const countUp = (db: Db): Promise<void> =>
      db.transaction(async (tx) => {
        const [row] = await tx.query<{ last_no: number }>('SELECT last_no FROM release_number')
        await Bun.sleep(1)
        await tx.query('UPDATE release_number SET last_no = $1', [(row?.last_no ?? 0) + 1])
      })
    await Promise.all(Array.from({ length: 40 }, (_, i) => countUp(i % 2 ? store.db : other)))
    expect(await store.db.query('SELECT last_no FROM release_number')).toEqual([{ last_no: 40 }])
    await other.close()
  })

  test('a snapshot shows one moment, whatever is committed meanwhile, and cannot write', async () => {
    await using store = await testStore(engine)
    const { db } = store
    await insert(db, '1000000001')
    await db.snapshot(async (tx) => {
      await insert(db, '1000000002')
      expect(await npis(tx)).toHaveLength(1)
      expect(await tx.snapshot((nested) => npis(nested))).toHaveLength(1)
      await expect(insert(tx, '1000000003')).rejects.toThrow()
    })
    expect(await npis(db)).toHaveLength(2)
  })

  test('a named lock has one holder at a time, in this process and in others, until it is released', async () => {
    await using store = await testStore(engine)
    const other = await openStoreAt(store.place, { files: store.db.files })
    const lock = await store.db.takeLock('loading cms-pfs A')
    expect(await store.db.takeLock('loading cms-pfs A')).toBeUndefined()
    expect(await other.takeLock('loading cms-pfs A')).toBeUndefined()
    const another = await other.takeLock('loading cms-pfs B')
    expect(another).toBeDefined()
    await lock?.release()
    await another?.release()
    const next = await other.takeLock('loading cms-pfs A')
    expect(next).toBeDefined()
    await next?.release()
    await other.close()
  })

  test('the clock is that of the database, in milliseconds', async () => {
    await using store = await testStore(engine)
    expect(Math.abs((await store.db.now()) - Date.now())).toBeLessThan(2_000)
    await store.db.transaction(async (tx) => {
      const before = await tx.now()
      await Bun.sleep(20)
      expect((await tx.now()) - before).toBeGreaterThan(10)
    })
  })
})

testOnPostgres('a missing database and a missing server are reported in one sentence', async () => {
  const server = await postgresServer()
  const open = (url: string): Promise<unknown> =>
    openStoreAt({ url, schema: 'atr' }, { files: new FileFolder('/nowhere') })
  await expect(open(server.url('nowhere'))).rejects.toThrow('the database that DATABASE_URL names does not exist')
  await expect(open(await server.database())).rejects.toThrow('there is no registry store in this database')
  const refused = open('postgres://atr@127.0.0.1:1/store').catch((error: unknown) => error)
  expect(await refused).toBeInstanceOf(StoreBusy)
  expect(String(await refused)).toContain('the database of the registry does not answer')
})

testOnPostgres(
  'after its connection is lost a transaction sends nothing more, and nothing of it is stored',
  async () => {
    await using store = await testStore('postgres')
    const { db } = store
    const lost = db.transaction(async (tx) => {
      await insert(tx, '1000000001')
      const [row] = await tx.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')
      await db.query('SELECT pg_terminate_backend($1)', [row?.pid])
      // Every further statement is refused.
      for (const npi of ['1000000002', '1000000003']) await insert(tx, npi).catch(() => undefined)
    })
    await expect(lost).rejects.toThrow(StoreBusy)
    expect(await npis(db)).toEqual([])
    await db.transaction((tx) => insert(tx, '1000000004'))
    expect(await npis(db)).toEqual(['1000000004'])
  },
)

testOnPostgres('a failed statement that someone ignores is not followed by a commit of the rest', async () => {
  await using store = await testStore('postgres')
  const half = store.db.transaction(async (tx) => {
    await insert(tx, '1000000001')
    await insert(tx, '1000000001').catch(() => undefined)
  })
  await expect(half).rejects.toThrow('so nothing was stored')
  expect(await npis(store.db)).toEqual([])
})

testOnPostgres(
  'a writer that waits for another is refused after ten seconds, and writers that lock rows do not wait',
  async () => {
    await using store = await testStore('postgres')
    const other = await openStoreAt(store.place, { files: store.db.files })
    let letGo = (): void => undefined
    const held = Promise.withResolvers<void>()
    const holder = store.db.transaction(async () => {
      held.resolve()
      await new Promise<void>((resolve) => {
        letGo = resolve
      })
    })
    await held.promise
    const started = performance.now()
    // The second waits in the queue behind the first, and no longer than the first.
    const waiting = [1, 2].map(() => other.transaction(npis).catch((error: unknown) => error))
    await other.transaction((tx) => insert(tx, '1000000001'), { writers: 'many' })
    expect(performance.now() - started).toBeLessThan(5_000)
    for (const error of await Promise.all(waiting)) expect(error).toBeInstanceOf(StoreBusy)
    expect(performance.now() - started).toBeLessThan(15_000)
    letGo()
    await holder
    expect(await other.transaction(npis)).toEqual(['1000000001'])
    await other.close()
  },
)
