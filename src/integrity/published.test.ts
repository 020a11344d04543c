import { expect, test } from 'bun:test'
import { aPrice, aRelease } from '../../test/support/builders.ts'
import { ENGINES } from '../../test/support/engines.ts'
import { type TestApp, testApp } from '../../test/support/harness.ts'
import { until } from '../../test/support/until.ts'
import { type Db, StoreBusy } from '../db/db.ts'
import { openInstallation } from '../installation.ts'
import { overrideAll } from '../registry/release/breaker.ts'
import { publish } from '../registry/release/publish.ts'
import { stage } from '../registry/release/staging.ts'
import { Published } from './published.ts'

/** Follows the heads of the service as `atr serve` does. */
async function followed(app: TestApp): Promise<AsyncDisposable> {
  const heads = app.app.followHeads(() => undefined)
  await until(() => stampOf(app) !== undefined)
  return { [Symbol.asyncDispose]: () => heads.stop() }
}

const stampOf = ({ app }: TestApp): string | undefined =>
  app.operations.find(({ name }) => name === 'lookup_reference')?.stamp?.()

/** Records every statement from now on. It goes to the store too, or to `instead`. */
function watch(db: Db, instead?: () => never): string[] {
  const statements: string[] = []
  const query = db.query.bind(db)
  db.query = (sql, params) => {
    statements.push(sql)
    return instead ? instead() : query(sql, params)
  }
  return statements
}

const PATHS = [
  '/reference?cpt=99213',
  '/reference?cpt=99213&proof=ref',
  '/reference?cpt=99999',
  '/reference/sheet?cpt=99213',
  '/reference/history?cpt=99213',
  '/rows/cms-pfs:A:1/0',
  '/api/coverage?cpt=99213',
  '/api/coverage?prefix=99',
  '/api/figures',
  '/log/registry/checkpoint',
  '/log/releases/cms-pfs:A:1/tile/0/000.p/2',
]

const twoPrices = (amount: string) =>
  aRelease({ rows: [aPrice({ code: '99213', price: { amount, currency: 'USD' } }), aPrice({ code: '99214' })] })

for (const engine of ENGINES)
  test(`on ${engine}, public data is served without a statement, and while the database is away`, async () => {
    await using app = await testApp({ engine })
    await app.publish(twoPrices('10.00'))
    const before = await Promise.all(PATHS.map(async (path) => (await app.request(path)).text()))
    await using _ = await followed(app)
    const statements = watch(app.installation.db, () => {
      throw new StoreBusy('the database is away')
    })
    for (const [i, path] of PATHS.entries()) {
      const body = await (await app.request(path)).text()
      expect([path, withoutId(body)]).toEqual([path, withoutId(before[i] as string)])
    }
    const batch = { lines: [{ cpt: '99213' }, { cpt: '99999' }] }
    const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(batch) }
    expect((await app.request('/reference/batch', init)).status).toBe(200)
    // The timer looks once a second; no request does.
    expect(statements.filter((sql) => !/FROM (log_head|verified_part|citation_check)/.test(sql))).toEqual([])
  })

const withoutId = (body: string): string => body.replace(/"request_id":"[^"]*"/, '')

test('a publication of this process is served at once, whole, and under another stamp', async () => {
  await using app = await testApp()
  await app.publish(twoPrices('10.00'))
  await using _ = await followed(app)
  const stamps = [stampOf(app)]
  for (const [i, amount] of ['11.00', '12.00'].entries()) {
    await app.publish({ ...twoPrices(amount), edition: `B${i}` })
    const row = (await app.getJson('/reference?cpt=99213')) as { price: object; proof: { log: { index: number } } }
    expect(row.price).toMatchObject({ amount })
    // The last entry is the state: each release adds an entry and a state.
    expect(row.proof.log.index).toBe(4 + 2 * i)
    await until(() => stampOf(app) !== undefined)
    stamps.push(stampOf(app))
  }
  expect(new Set(stamps).size).toBe(3)
  expect(await app.problemCode('/rows/cms-pfs:C:1/0')).toBe('release_not_found')
})

test('a publication of another process is seen within a second or so', async () => {
  await using app = await testApp()
  await app.publish(twoPrices('10.00'))
  await using _ = await followed(app)
  const stamp = stampOf(app)
  const { db, registryLog: log, cosign } = await openInstallation(app.config)
  const { rows, ...release } = { ...twoPrices('11.00'), edition: 'B' }
  const { release_id } = (await stage(db, release, rows, new Map(), app.clock.now)).release
  await publish({ db, log, cosign }, release_id, app.clock.now, overrideAll('sample_data'))
  await db.close()
  const amount = async () => ((await app.getJson('/reference?cpt=99213')) as { price: { amount: string } }).price.amount
  await until(async () => (await amount()) === '11.00')
  expect(stampOf(app)).not.toBe(stamp)
})

test('without following, every answer asks the store, and there is no stamp', async () => {
  await using app = await testApp()
  await app.publish(twoPrices('10.00'))
  const statements = watch(app.installation.db)
  await app.getJson('/reference?cpt=99213')
  expect(statements.filter((sql) => sql.includes('FROM log_head')).length).toBeGreaterThan(0)
  expect(stampOf(app)).toBeUndefined()
})

test('the last view is served for five minutes without the store, and no longer', async () => {
  await using app = await testApp()
  const { db, registryLog: log } = app.installation
  let isAway = false
  let now = 0
  const head = await log.head(db)
  const published = new Published(
    log,
    async () => {
      if (isAway) throw new StoreBusy('the database is away')
      return { head }
    },
    () => now,
  )
  const faults: unknown[] = []
  const job = published.follow(({ fault }) => faults.push(fault))
  await until(() => published.current() !== undefined)
  isAway = true
  now = 299_000
  expect(await published.at()).toEqual({ head })
  await until(() => faults.length > 0)
  expect(published.stamp()).toStartWith(`${head.size}.`)
  now = 301_000
  expect(published.current()).toBeUndefined()
  expect(published.stamp()).toBeUndefined()
  await expect(published.look()).rejects.toThrow(StoreBusy)
  isAway = false
  await until(() => published.current() !== undefined)
  expect(faults).toHaveLength(1)
  await job.stop()
})

test('a view that was read before a publication is not served after it', async () => {
  await using app = await testApp()
  const { db, registryLog: log } = app.installation
  const head = await log.head(db)
  const released = Promise.withResolvers<void>()
  let reads = 0
  const published = new Published(log, async () => {
    if (reads++ === 0) await released.promise
    return { head, reads }
  })
  const job = published.follow(() => undefined)
  log.announce()
  released.resolve()
  await Bun.sleep(0)
  expect(published.current()).toBeUndefined()
  expect(await published.at()).toMatchObject({ reads: 2 })
  expect(published.current()).toMatchObject({ reads: 2 })
  await job.stop()
})
