import { expect, test } from 'bun:test'
import type { Db } from '../../src/db/db.ts'
import { makeGate } from '../../src/rails/admission.ts'
import { makeAgentKey, makeRailsToken } from '../../src/rails/credential.ts'
import { testRails } from '../../src/rails/fixture.ts'
import { type Limits, makeLimiter } from '../../src/rails/limit/limits.ts'

const LIMITS: Limits = { default_rpm: 120, reference_rpm: 300, log_rpm: 6_000, enabled: true }

/** The rails, and how many statements the store got. */
async function gateOf(limits: Partial<Limits> = {}) {
  const rails = await testRails()
  const asked = { statements: 0 }
  const query: Db['query'] = (...given) => {
    asked.statements++
    return rails.db.query(...given)
  }
  const db: Db = new Proxy(rails.db, {
    get: (target, name) => (name === 'query' ? query : Reflect.get(target, name).bind?.(target)),
  })
  const limiter = makeLimiter({ ...LIMITS, ...limits }, () => rails.clock.ms)
  const gate = makeGate({ ...rails.parts, db }, limiter)
  const knock = async (address: string, more: { agentKey?: string; railsToken?: string } = {}) =>
    gate.enter({ address, ...more }, 'public', 'default')
  return { rails, asked, gate, knock, [Symbol.asyncDispose]: () => rails[Symbol.asyncDispose]() }
}

/** Address `i` of a /48, each in a /64 of its own. */
const inOneNetwork = (i: number): string => `2001:db8:7:${i.toString(16)}::1`

test('50,100 knocks from one /48 make nobody forget a key, an address, or who failed', async () => {
  await using attacked = await gateOf()
  const { rails, knock, gate } = attacked
  const { key } = await rails.key()
  for (let i = 0; i < 120; i++) await knock('198.51.100.1', { agentKey: key })
  for (let i = 0; i < 120; i++) await knock('192.0.2.1')
  for (let i = 0; i < 10; i++)
    await gate.enter({ address: '203.0.113.1', agentKey: 'nonsense' }, 'agent_key', 'default')
  let accepted = 0
  for (let i = 0; i < 50_100; i++) {
    rails.clock.ms += 0.5
    if (!(await knock(inOneNetwork(i))).refusal) accepted++
  }
  expect(accepted).toBeLessThanOrEqual(16 * 120)
  expect((await knock('198.51.100.1', { agentKey: key })).refusal?.code).toBe('rate_limited')
  expect((await knock('192.0.2.1')).refusal?.code).toBe('rate_limited')
  const failed = await gate.enter({ address: '203.0.113.1', agentKey: 'nonsense' }, 'agent_key', 'default')
  expect(failed.quota?.bucket).toBe('failed-authentication')
  expect((await knock('2001:db8:8::1')).refusal).toBeUndefined()
})

test('30,000 names from everywhere do not free an address that used up its quota', async () => {
  await using attacked = await gateOf()
  const { rails, knock } = attacked
  for (let i = 0; i < 120; i++) await knock('192.0.2.1')
  for (let i = 0; i < 30_000; i++) {
    rails.clock.ms += 1
    await knock(`2001:db8:${i.toString(16)}::1`)
  }
  expect((await knock('192.0.2.1')).refusal?.code).toBe('rate_limited')
})

test('a /56 has four times the quota of an address, a /48 and a /24 sixteen times', async () => {
  await using attacked = await gateOf()
  const { knock } = attacked
  const accepted = async (times: number, address: (i: number) => string) => {
    let count = 0
    for (let i = 0; i < times; i++) if (!(await knock(address(i))).refusal) count++
    return count
  }
  expect(await accepted(1_000, (i) => `2001:db8:1:${(i % 256).toString(16)}::${i.toString(16)}`)).toBe(4 * 120)
  expect(await accepted(4_000, (i) => `2001:db8:2:${i.toString(16)}::1`)).toBe(16 * 120)
  expect(await accepted(4_000, (i) => `192.0.2.${i % 256}`)).toBe(16 * 120)
  const { refusal, quota } = await knock('192.0.2.77')
  expect(quota).toMatchObject({ bucket: 'default-network', limit: 16 * 120, remaining: 0 })
  expect(refusal?.extra).toMatchObject({ members: { 'violated-policies': ['default-network'] } })
  expect((await knock('192.0.3.77')).refusal).toBeUndefined()
})

test('all callers without a credential have one quota together, and keys are not part of it', async () => {
  await using attacked = await gateOf({ anonymous_rpm: 3_000 })
  const { rails, knock } = attacked
  const { key } = await rails.key()
  let accepted = 0
  for (let i = 0; i < 4_000; i++) if (!(await knock(`10.${i % 200}.${i >> 8}.1`)).refusal) accepted++
  expect(accepted).toBe(3_000)
  expect((await knock('172.16.0.1')).quota).toMatchObject({ bucket: 'default-anonymous', limit: 3_000 })
  expect((await knock('172.16.0.1', { agentKey: key })).refusal).toBeUndefined()
  rails.passSeconds(121)
  expect((await knock('172.16.0.1')).refusal).toBeUndefined()
})

test('one address that is refused uses up nothing of its network', async () => {
  await using attacked = await gateOf()
  for (let i = 0; i < 5_000; i++) await attacked.knock('192.0.2.1')
  expect((await attacked.knock('192.0.2.2')).refusal).toBeUndefined()
})

test('of 3,000 wrong keys sent at once, ten are looked up', async () => {
  await using attacked = await gateOf()
  const { rails, asked, gate } = attacked
  const [{ key }, token] = [await rails.key(), makeRailsToken(rails.parts.random).text]
  await gate.enter({ address: '192.0.2.1', agentKey: key }, 'agent_key', 'default')
  asked.statements = 0
  const visits = await Promise.all(
    Array.from({ length: 3_000 }, (_, i) =>
      gate.enter(
        i % 2
          ? { address: '192.0.2.1', agentKey: makeAgentKey(rails.parts.random).text }
          : { address: '192.0.2.1', railsToken: token },
        i % 2 ? 'agent_key' : 'registry:read',
        'default',
      ),
    ),
  )
  expect(asked.statements).toBe(10)
  expect(visits.filter(({ refusal }) => refusal?.code === 'rate_limited')).toHaveLength(2_990)
  // Who was here before is not held up by what a neighbour sends.
  const known = await gate.enter({ address: '192.0.2.1', agentKey: key }, 'agent_key', 'default')
  expect(known.agent).toBeDefined()
})
