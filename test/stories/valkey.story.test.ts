import { expect, test } from 'bun:test'
import { Valkey } from '../../src/db/valkey.ts'
import { type Limiter, makeLimiter } from '../../src/rails/limit/limits.ts'
import { valkeyLimiter } from '../../src/rails/limit/valkey-limiter.ts'
import { Replicas } from '../support/replicas.ts'
import { isSkipped } from '../support/skipping.ts'
import { aroundPrism } from '../support/through-prism.ts'
import { findValkey, ValkeyServer } from '../support/valkey.ts'

const found = findValkey()
const isMissing = isSkipped(
  'limits in Valkey',
  found === undefined ? 'there is no server of Valkey or Redis here and none can be installed' : undefined,
)

const started = (): Promise<ValkeyServer> => {
  if (!found) throw new Error('there is no Valkey or Redis here, and none can be installed')
  return ValkeyServer.start(found)
}

const LIMITS = { default_rpm: 20, reference_rpm: 300, log_rpm: 6_000, enabled: true }

/** A machine that counts in Valkey, and what it says of it. */
function machine(url: string, clockMs = () => performance.now()) {
  const told: boolean[] = []
  const valkey = new Valkey(url)
  const own = makeLimiter(LIMITS, clockMs)
  const pepper = new Uint8Array(32).fill(7)
  const limiter = valkeyLimiter(LIMITS, { valkey, pepper, own, clockMs, tell: (isAway) => told.push(isAway) })
  return { limiter, told, valkey, [Symbol.dispose]: () => valkey.close() }
}

const count = async (takes: readonly ReturnType<Limiter['take']>[]): Promise<number> =>
  (await Promise.all(takes)).filter((taken) => taken?.allowed).length

test.skipIf(isMissing)('machines that count in one Valkey accept exactly the quota together', async () => {
  await using server = await started()
  using one = machine(server.url)
  using two = machine(server.url)
  const takes = Array.from({ length: 50 }, (_, i) =>
    (i % 2 ? one : two).limiter.take('default', { name: 'address 192.0.2.1' }),
  )
  expect(await count(takes)).toBe(20)
  expect(await one.limiter.take('default', { name: 'address 192.0.2.1' })).toMatchObject({
    allowed: false,
    quota: { bucket: 'default', limit: 20, windowSeconds: 60, remaining: 0, resetSeconds: 60 },
    waitSeconds: 60,
  })
  expect(await two.limiter.take('default', { name: 'address 192.0.2.2' }, 20)).toMatchObject({ allowed: true })
  expect(await two.limiter.take('default', { name: 'address 192.0.2.3' }, 21)).toMatchObject({
    allowed: false,
    waitSeconds: Infinity,
  })
  expect(await two.limiter.take('reference', { name: 'address 192.0.2.1' })).toMatchObject({
    allowed: true,
    quota: { remaining: 299 },
  })
  // The networks are counted there too, beside what each address may have.
  const crowd = Array.from({ length: 400 }, (_, i) => {
    const networks = [{ kind: 'network' as const, name: '198.51.100.0/24' }]
    return (i % 2 ? one : two).limiter.take('default', { name: `address 198.51.100.${i % 256}`, networks })
  })
  expect(await count(crowd)).toBe(16 * 20)
  expect(await crowd.at(-1)).toMatchObject({ quota: { bucket: 'default-network', limit: 320, remaining: 0 } })
  const keys = (await new Bun.RedisClient(server.url).keys('*')).join(' ')
  expect([keys.includes('192.0.2'), keys.includes('atr:limit:default:')]).toEqual([false, true])
})

test.skipIf(isMissing)('what leaves the window comes back, whole or not at all, and nothing stays behind', async () => {
  await using server = await started()
  using one = machine(server.url)
  const client = new Bun.RedisClient(server.url)
  expect(await one.limiter.take('default', { name: 'a' }, 15)).toMatchObject({ allowed: true })
  const [key = ''] = await client.keys('*')
  expect(await client.pttl(key)).toBeGreaterThan(59_000)
  // As if ten of them had been made 59 seconds ago, and five 61 seconds ago.
  const now = Date.now() * 1000
  const ago = (seconds: number, times: number) => Array<string>(times).fill(String(now - seconds * 1e6))
  await client.del(key)
  await client.send('RPUSH', [key, ...ago(61, 5), ...ago(59, 10)])
  expect(await one.limiter.take('default', { name: 'a' }, 11)).toMatchObject({
    allowed: false,
    quota: { remaining: 10 },
    waitSeconds: 1,
  })
  expect(await one.limiter.take('default', { name: 'a' }, 10)).toMatchObject({
    allowed: true,
    quota: { remaining: 0, resetSeconds: 1 },
  })
  // A clock that was set back does not freeze a caller's quota.
  await client.del(key)
  await client.send('RPUSH', [key, ...ago(-3600, 20)])
  expect(await one.limiter.take('default', { name: 'a' })).toMatchObject({ allowed: true, quota: { remaining: 19 } })
})

test.skipIf(isMissing)(
  'while Valkey is away or silent, each machine counts for itself; when it is back, it counts again',
  async () => {
    await using server = await started()
    let skipped = 0
    using one = machine(server.url, () => performance.now() + skipped)
    const take = () => one.limiter.take('default', { name: 'a' })
    expect(await take()).toMatchObject({ allowed: true, quota: { remaining: 19 } })
    for (const goAway of [() => server.stop(), async () => server.freeze(true)]) {
      await goAway()
      const began = performance.now()
      expect(await count(Array.from({ length: 30 }, take))).toBe(20)
      expect(performance.now() - began).toBeLessThan(8_000)
      if (goAway.toString().includes('freeze')) server.freeze(false)
      else await server.start()
      skipped += 61_000
      // Another caller: what a silent server has read meanwhile, it counts when it wakes up.
      const again = () => one.limiter.take('default', { name: 'b' })
      let back = await again()
      for (let i = 0; i < 50 && one.told.at(-1); i++) {
        skipped += 1_001
        await Bun.sleep(20)
        back = await again()
      }
      expect(back).toMatchObject({ allowed: true })
      expect(one.told.splice(0)).toEqual([true, false])
    }
  },
)

test.skipIf(isMissing)('two services that share a Valkey share the quota of an address', async () => {
  await using server = await started()
  const around = aroundPrism('each request counts, those for the document of the service too')
  const settings = { VALKEY_URL: server.url, RATE_LIMITS: 'on', DEFAULT_RPM: '30', ...around }
  await using replicas = await Replicas.start(2, settings)
  const ask = async (i: number) => (await fetch(`${replicas.urls[i % 2]}/api/readme`)).status
  const statuses = await Promise.all(Array.from({ length: 40 }, (_, i) => ask(i)))
  expect(statuses.filter((status) => status === 200)).toHaveLength(30)
  expect(statuses.filter((status) => status === 429)).toHaveLength(10)
})
