import { expect, spyOn, test } from 'bun:test'
import type { Call } from '../operation.ts'
import { refusal as replyTo } from '../surfaces/http/response.ts'
import { makeAgentKey, makeRailsToken } from './credential.ts'
import { BASE_URL, seen, testRails } from './fixture.ts'
import { revokeKey } from './keys.ts'

type Rails = Awaited<ReturnType<typeof testRails>>

/** One of each kind of credential. */
async function credentials(rails: Rails) {
  const expiring = await rails.key()
  const expired = await rails.token(expiring.key)
  const { key: expiredKey } = await rails.key({ ttlSeconds: 60 })
  rails.passSeconds(900)
  const agent = await rails.key({ scopes: ['registry:read'] })
  const token = await rails.token(agent.key)
  const revoked = await rails.key()
  const orphan = await rails.token(revoked.key)
  await revokeKey(rails.parts, revoked.key_id)
  const stranger = makeAgentKey(rails.parts.random).text
  const forged = agent.key_id + makeAgentKey(rails.parts.random).text.slice(16)
  return { key: agent.key, token, expired, expiredKey, revokedKey: revoked.key, orphan, stranger, forged }
}

test('each credential gives access to its routes, and is refused elsewhere by its own code', async () => {
  await using rails = await testRails()
  const c = await credentials(rails)
  const strangeToken = makeRailsToken(rails.parts.random).text
  // credentials -> public, agent_key, a scope the token has, a scope it lacks
  const table: [Partial<Call>, string, string, string, string][] = [
    [{}, 'in', 'agent_key_missing', 'rails_token_missing', 'rails_token_missing'],
    [{ railsToken: '', agentKey: '' }, 'in', 'agent_key_missing', 'rails_token_missing', 'rails_token_missing'],
    [{ agentKey: c.key }, 'in', 'in', 'rails_token_required', 'rails_token_required'],
    [{ agentKey: c.stranger }, 'in', 'agent_key_invalid', 'rails_token_required', 'rails_token_required'],
    [{ agentKey: `atk_${c.forged}` }, 'in', 'agent_key_invalid', 'rails_token_required', 'rails_token_required'],
    [{ agentKey: c.revokedKey }, 'in', 'agent_key_invalid', 'rails_token_required', 'rails_token_required'],
    [{ agentKey: c.expiredKey }, 'in', 'agent_key_invalid', 'rails_token_required', 'rails_token_required'],
    [{ agentKey: c.token }, 'in', 'agent_key_invalid', 'rails_token_required', 'rails_token_required'],
    [{ railsToken: c.token }, 'in', 'agent_key_missing', 'in', 'insufficient_scope'],
    [{ bearer: c.token }, 'in', 'agent_key_missing', 'in', 'insufficient_scope'],
    [{ railsToken: c.token, bearer: c.token }, 'in', 'agent_key_missing', 'in', 'insufficient_scope'],
    [{ railsToken: c.token, agentKey: c.key }, 'in', 'in', 'in', 'insufficient_scope'],
    [{ railsToken: c.token, agentKey: 'nonsense' }, 'in', 'agent_key_invalid', 'in', 'insufficient_scope'],
    [{ railsToken: 'nonsense' }, 'in', 'agent_key_missing', 'rails_token_invalid', 'rails_token_invalid'],
    [{ railsToken: c.key }, 'in', 'agent_key_missing', 'rails_token_invalid', 'rails_token_invalid'],
    [{ railsToken: strangeToken }, 'in', 'agent_key_missing', 'rails_token_invalid', 'rails_token_invalid'],
    [{ railsToken: c.orphan }, 'in', 'agent_key_missing', 'rails_token_invalid', 'rails_token_invalid'],
    [{ bearer: c.expired }, 'in', 'agent_key_missing', 'rails_token_expired', 'rails_token_expired'],
    [{ railsToken: c.token, bearer: c.orphan }, ...four('conflicting_credentials')],
  ]
  for (const [call, ...expected] of table) {
    const verdicts = [
      await rails.verdict(call, 'public'),
      await rails.verdict(call, 'agent_key'),
      await rails.verdict(call, 'registry:read'),
      await rails.verdict(call, 'audit:read'),
    ]
    expect(verdicts).toEqual(expected as typeof verdicts)
  }
})

const four = (code: string): [string, string, string, string] => [code, code, code, code]

test('a revoked, an expired and an unknown key get the same refusal', async () => {
  await using rails = await testRails()
  const c = await credentials(rails)
  const refusals = await Promise.all(
    [c.stranger, `atk_${c.forged}`, c.revokedKey, c.expiredKey, 'nonsense'].map(
      async (agentKey) => (await rails.enter({ agentKey }, 'agent_key')).refusal,
    ),
  )
  const [first] = refusals
  for (const refusal of refusals) expect(refusal && seen(refusal)).toEqual(first && seen(first))
})

test('only the holder learns that a token has expired', async () => {
  await using rails = await testRails()
  const { key } = await rails.key()
  const railsToken = await rails.token(key)
  rails.passSeconds(899)
  expect(await rails.verdict({ railsToken }, 'audit:read')).toBe('in')
  rails.passSeconds(1)
  expect(await rails.verdict({ railsToken }, 'audit:read')).toBe('rails_token_expired')
  // A token with the same public id, another secret, and the right checksum for it.
  const made = makeRailsToken(rails.parts.random)
  await rails.db.query('UPDATE rails_token SET token_id = $1', [made.id])
  expect(await rails.verdict({ railsToken: made.text }, 'audit:read')).toBe('rails_token_invalid')
})

test('every 401 and 403 says how to authenticate', async () => {
  await using rails = await testRails()
  const { key } = await rails.key({ scopes: ['registry:read'] })
  const railsToken = await rails.token(key)
  const header = async (call: Partial<Call>, access: 'agent_key' | 'audit:read') => {
    const { refusal } = await rails.enter(call, access)
    return refusal && replyTo(refusal, { baseUrl: BASE_URL, requestId: '' }).headers['www-authenticate']
  }
  const policy = 'policy="https://registry.example/api/agent-rails/policy"'
  const metadata = 'resource_metadata="https://registry.example/.well-known/oauth-protected-resource"'
  const challenges = (error: string, bearerError = ''): string =>
    `Bearer realm="agent-trust-registry", ${metadata}, ${bearerError}scope="audit:read", ` +
    `AgentRails realm="agent-trust-registry", header="X-Agent-Rails", ${policy}, error="${error}", scope="audit:read"`
  expect(await header({}, 'audit:read')).toBe(challenges('token_missing'))
  expect(await header({ agentKey: key }, 'audit:read')).toBe(challenges('token_required'))
  expect(await header({ railsToken }, 'audit:read')).toBe(
    challenges('insufficient_scope', 'error="insufficient_scope", '),
  )
  expect(await header({}, 'agent_key')).toBe(
    `AgentKey realm="agent-trust-registry", header="X-Agent-Key", ${policy}, error="key_missing"`,
  )
  const { refusal } = await rails.enter({ railsToken }, 'audit:read')
  expect(refusal?.extra.members).toEqual({ required_scopes: ['audit:read'], granted_scopes: ['registry:read'] })
  rails.passSeconds(900)
  expect(await header({ railsToken }, 'audit:read')).toBe(challenges('token_expired', 'error="invalid_token", '))
})

test('revoking a key, or letting it expire, ends its tokens at once', async () => {
  await using rails = await testRails()
  const [one, two] = [await rails.key(), await rails.key()]
  const [first, second] = [await rails.token(one.key), await rails.token(two.key)]
  await revokeKey(rails.parts, one.key_id)
  await rails.db.query('UPDATE agent_key SET expires_at = $2 WHERE key_id = $1', [two.key_id, rails.clock.ms])
  expect(await rails.verdict({ railsToken: first }, 'audit:read')).toBe('rails_token_invalid')
  expect(await rails.verdict({ railsToken: second }, 'audit:read')).toBe('rails_token_invalid')
})

test('a caller with a valid credential is identified by its key, also on public routes', async () => {
  await using rails = await testRails()
  const { key, key_id } = await rails.key({ scopes: ['registry:read'] })
  const railsToken = await rails.token(key)
  const agent = { key_id, scopes: ['registry:read' as const] }
  expect((await rails.enter({ railsToken }, 'public')).agent).toEqual(agent)
  expect((await rails.enter({ bearer: railsToken }, 'public')).agent).toEqual(agent)
  expect((await rails.enter({ railsToken }, 'registry:read')).agent).toEqual(agent)
  expect((await rails.enter({ agentKey: key }, 'agent_key')).agent).toEqual(agent)
  expect((await rails.enter({ agentKey: key }, 'registry:read')).agent).toBeUndefined()
  expect((await rails.enter({}, 'public')).agent).toBeUndefined()
})

test('a quota belongs to the key, whatever its address, and to the address without a key', async () => {
  await using rails = await testRails({ limits: true })
  const { key } = await rails.key()
  for (let i = 0; i < 119; i++)
    expect((await rails.enter({ agentKey: key, address: `198.51.100.${i}` }, 'public')).quota?.remaining).toBe(119 - i)
  await rails.enter({ agentKey: key }, 'agent_key')
  const over = await rails.enter({ agentKey: key, address: '203.0.113.9' }, 'public')
  expect(over.quota).toEqual({ bucket: 'default', limit: 120, windowSeconds: 60, remaining: 0, resetSeconds: 60 })
  expect(over.refusal && seen(over.refusal)).toMatchObject({
    code: 'rate_limited',
    extra: { retryAfterSeconds: 60, members: { 'violated-policies': ['default'] } },
  })
  expect((await rails.enter({ agentKey: key }, 'public', 'reference')).quota?.remaining).toBe(299)
  expect((await rails.enter({ address: '203.0.113.9' }, 'public')).quota?.remaining).toBe(119)
  rails.passSeconds(60)
  expect(await rails.verdict({ agentKey: key }, 'public')).toBe('in')
})

test('a request without a credential counts its cost, and a cost above the quota has its own refusal', async () => {
  await using rails = await testRails({ limits: true })
  const ask = (cost: number) => rails.enter({}, 'public', 'reference', () => cost)
  expect((await ask(5)).quota?.remaining).toBe(295)
  expect((await ask(1)).quota?.remaining).toBe(294)
  rails.passSeconds(10)
  const late = await ask(296)
  expect(late.refusal?.extra).toMatchObject({ retryAfterSeconds: 50 })
  expect([late.quota?.remaining, late.refusal?.detail]).toEqual([293, expect.not.stringContaining('whole quota')])
  const never = await ask(301)
  expect(never.refusal?.extra).toMatchObject({ retryAfterSeconds: 60 })
  expect(never.refusal?.detail).toContain('more than the whole quota')
  rails.passSeconds(60)
  expect((await ask(300)).quota?.remaining).toBe(0)
})

test('a text without the form of a credential is refused without a lookup', async () => {
  await using rails = await testRails()
  const query = spyOn(rails.db, 'query')
  expect(await rails.verdict({ agentKey: 'atk_nonsense' }, 'agent_key')).toBe('agent_key_invalid')
  expect(await rails.verdict({ railsToken: 'atr_nonsense' }, 'registry:read')).toBe('rails_token_invalid')
  expect(query).not.toHaveBeenCalled()
})

test('a token and its key share one quota', async () => {
  await using rails = await testRails({ limits: true })
  const { key } = await rails.key()
  const railsToken = await rails.token(key)
  expect((await rails.enter({ railsToken }, 'audit:read')).quota?.remaining).toBe(117)
  expect((await rails.enter({ agentKey: key }, 'audit:read')).quota?.remaining).toBe(116)
})

test('changing the address inside an IPv6 /64, or the spelling of an IPv4 address, gives no new quota', async () => {
  await using rails = await testRails({ limits: true })
  for (let i = 0; i < 120; i++) await rails.enter({ address: `2001:db8::${i.toString(16)}` }, 'public')
  expect(await rails.verdict({ address: '2001:db8::ffff' }, 'public')).toBe('rate_limited')
  expect(await rails.verdict({ address: '2001:db8:0:1::1' }, 'public')).toBe('in')
  await rails.enter({ address: '192.0.2.8' }, 'public')
  expect((await rails.enter({ address: '::ffff:192.0.2.8' }, 'public')).quota?.remaining).toBe(118)
})

test('the eleventh failed authentication in a minute is refused, and a credential that was valid before passes', async () => {
  await using rails = await testRails({ limits: true })
  const { key } = await rails.key()
  const { key: other } = await rails.key()
  await rails.enter({ agentKey: key }, 'public')
  const bad = () => rails.enter({ agentKey: makeAgentKey(rails.parts.random).text }, 'agent_key')
  for (let i = 0; i < 10; i++) expect((await bad()).refusal?.code).toBe('agent_key_invalid')
  const { quota, refusal } = await bad()
  expect(quota).toEqual({
    bucket: 'failed-authentication',
    limit: 10,
    windowSeconds: 60,
    remaining: 0,
    resetSeconds: 60,
  })
  expect(refusal && seen(refusal)).toMatchObject({
    code: 'rate_limited',
    extra: { retryAfterSeconds: 60, members: { 'violated-policies': ['failed-authentication'] } },
  })
  expect(await rails.verdict({ railsToken: 'nonsense' }, 'audit:read')).toBe('rate_limited')
  expect(await rails.verdict({ railsToken: 'nonsense' }, 'public')).toBe('in')
  expect(await rails.verdict({}, 'audit:read')).toBe('rails_token_missing')
  expect(await rails.verdict({ agentKey: key }, 'agent_key')).toBe('in')
  expect(await rails.verdict({ agentKey: other }, 'agent_key')).toBe('rate_limited')
  expect(await rails.verdict({ agentKey: other, address: '203.0.113.9' }, 'agent_key')).toBe('in')
  expect((await rails.enter({ agentKey: 'nonsense', address: '203.0.113.9' }, 'agent_key')).refusal?.code).toBe(
    'agent_key_invalid',
  )
  rails.passSeconds(60)
  expect((await bad()).refusal?.code).toBe('agent_key_invalid')
})

test('failed authentication never uses up the quota of the key it names', async () => {
  await using rails = await testRails({ limits: true })
  const { key, key_id } = await rails.key()
  const made = makeAgentKey(rails.parts.random)
  await rails.db.query('UPDATE agent_key SET key_id = $1 WHERE key_id = $2', [made.id, key_id])
  for (let i = 0; i < 10; i++) await rails.enter({ agentKey: made.text, address: '203.0.113.9' }, 'agent_key')
  await rails.db.query('UPDATE agent_key SET key_id = $2 WHERE key_id = $1', [made.id, key_id])
  expect((await rails.enter({ agentKey: key }, 'agent_key')).quota?.remaining).toBe(119)
})

test('with limits off nothing is counted and visits have no quota', async () => {
  await using rails = await testRails()
  for (let i = 0; i < 150; i++) expect((await rails.enter({}, 'public')).refusal).toBeUndefined()
  for (let i = 0; i < 20; i++) expect(await rails.verdict({ agentKey: 'x' }, 'agent_key')).toBe('agent_key_invalid')
  expect((await rails.enter({}, 'public')).quota).toBeUndefined()
})
