import { expect, test } from 'bun:test'
import { makeLimiter } from './limits.ts'
import { valkeyLimiter } from './valkey-limiter.ts'

const LIMITS = { default_rpm: 20, reference_rpm: 300, log_rpm: 6_000, enabled: true }
const ADDRESS = { name: 'address 192.0.2.1', networks: [{ kind: 'network' as const, name: '192.0.2.0/24' }] }

/** A limiter whose server says what it is told to say, or nothing; and what it was asked. */
function scripted(limits = LIMITS) {
  const server = { says: [0, 1, 1, 60_000_000, 0] as number[] | undefined, asked: [] as unknown[][], clock: 0 }
  const told: boolean[] = []
  const run = async (_: unknown, keys: readonly string[], args: readonly (string | number)[]): Promise<unknown> => {
    server.asked.push([...keys, ...args])
    if (!server.says) throw new Error('away')
    return server.says
  }
  const limiter = valkeyLimiter(limits, {
    valkey: { run },
    pepper: new Uint8Array(32),
    own: makeLimiter(limits, () => server.clock),
    clockMs: () => server.clock,
    tell: (isAway) => told.push(isAway),
  })
  return { server, told, limiter }
}

test('what the server says is told in whole seconds, of which there is at least one', async () => {
  const { server, limiter } = scripted()
  expect(await limiter.take('default', { name: 'a' })).toEqual({
    allowed: true,
    quota: { bucket: 'default', limit: 20, windowSeconds: 60, remaining: 19, resetSeconds: 60 },
    waitSeconds: 1,
  })
  server.says = [0, 0, 18, 1_000_001, 2_500_000]
  expect(await limiter.take('default', { name: 'a' }, 20)).toMatchObject({
    allowed: false,
    quota: { remaining: 2, resetSeconds: 2 },
    waitSeconds: 3,
  })
  expect((await limiter.take('default', { name: 'a' }, 21))?.waitSeconds).toBe(Infinity)
})

test('the server gets the window in microseconds, the cost, and the limit of each network', async () => {
  const { server, limiter } = scripted()
  await limiter.take('default', ADDRESS, 3)
  await limiter.findRefusal('default', { name: 'key k' })
  const [address = [], key = []] = server.asked
  expect(address.slice(3)).toEqual([20, 60_000_000, 3, '1', 320, 600_000])
  // Asking whether there is room counts nothing, and a key is in no network.
  expect(key.slice(1)).toEqual([20, 60_000_000, 1, '0'])
  expect(new Set([...address.slice(0, 3), key[0]]).size).toBe(4)
})

test('a network without room is named, and a request is told how long to wait', async () => {
  const { server, limiter } = scripted()
  server.says = [1, 300, 40, 30_000_000]
  expect(await limiter.take('default', ADDRESS, 20)).toEqual({
    allowed: false,
    quota: { bucket: 'default-network', limit: 320, windowSeconds: 60, remaining: 0, resetSeconds: 30 },
    waitSeconds: 30,
  })
  server.says = [2, 600_000, 0, 0]
  expect((await limiter.take('default', ADDRESS))?.quota.bucket).toBe('default-anonymous')
})

test('who has room is not refused, and who has none is refused as the server says', async () => {
  const { server, limiter } = scripted()
  expect(await limiter.findRefusal('default', ADDRESS)).toBeUndefined()
  server.says = [0, 0, 20, 5_000_000, 5_000_000]
  expect(await limiter.findRefusal('default', ADDRESS)).toMatchObject({ allowed: false, waitSeconds: 5 })
})

test('a server that is away is asked once a second, by one request, and both changes are told once', async () => {
  const { server, told, limiter } = scripted()
  const take = () => limiter.take('default', { name: 'a' })
  server.says = undefined
  expect((await take())?.quota.remaining).toBe(19)
  expect([server.asked.length, told]).toEqual([1, [true]])
  server.clock = 999
  expect((await take())?.quota.remaining).toBe(18)
  expect((await limiter.findRefusal('default', { name: 'a' }))?.allowed).toBeUndefined()
  expect(server.asked).toHaveLength(1)
  server.clock = 1_000
  await Promise.all([take(), take(), take()])
  expect([server.asked.length, told]).toEqual([2, [true]])
  server.clock = 2_000
  server.says = [0, 1, 5, 1, 1]
  expect((await take())?.quota.remaining).toBe(15)
  await Promise.all([take(), take()])
  expect([server.asked.length, told]).toEqual([5, [true, false]])
})

test('with limits off nobody is asked', async () => {
  const { server, limiter } = scripted({ ...LIMITS, enabled: false })
  expect([await limiter.take('default', ADDRESS), server.asked]).toEqual([undefined, []])
})
