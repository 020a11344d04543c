import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { attest } from './attest.ts'
import { makeNonce } from './credential.ts'
import { anEd25519Key, BASE_URL, CONSTANT_SIGNATURE, refusal, seen, testRails, UNSOUND_KEYS } from './fixture.ts'
import { revokeKey } from './keys.ts'
import { KEPT_EVENTS } from './store.ts'

interface TokenRow {
  token_id: string
  issued_at: number
  revoked_at: number | null
}
interface EventRow {
  kind: string
  key_id: string
}

test('a nonce is exchanged for a token that gives access to the routes of its scopes', async () => {
  await using rails = await testRails()
  const { key, key_id } = await rails.key({ scopes: ['registry:read', 'audit:read'] })
  const answer = await rails.answer('attest', { agentKey: key }, { nonce: await rails.nonce(key) })
  expect(answer).toEqual({
    rails_token: expect.stringMatching(/^atr_[0-9A-Za-z]{12}_[0-9A-Za-z]{49}$/),
    header: 'X-Agent-Rails',
    expires_in: 900,
    expires_at: '2026-07-02T00:15:00.000Z',
    scopes: ['registry:read', 'audit:read'],
    key_id,
    rails: 'service_agent_rails_v1',
    policy_version: '1.1.0',
  })
  const railsToken = answer['rails_token'] as string
  expect(await rails.verdict({ railsToken }, 'audit:read')).toBe('in')
  expect(await rails.verdict({ bearer: railsToken }, 'registry:read')).toBe('in')
  expect(await rails.verdict({ railsToken }, 'provider:read')).toBe('insufficient_scope')
})

test('200 attests of one nonce at once make one token, and the replays revoke it', async () => {
  await using rails = await testRails()
  const { key, key_id } = await rails.key()
  const nonce = await rails.nonce(key)
  const outcomes = await Promise.all(
    Array.from({ length: 200 }, () => rails.call('attest', { agentKey: key }, { nonce })),
  )
  const made = outcomes.flatMap((outcome) => (outcome.ok ? [outcome.output as { rails_token: string }] : []))
  const codes = outcomes.flatMap((outcome) => (outcome.ok ? [] : [outcome.problem.code]))
  expect(made).toHaveLength(1)
  expect(new Set(codes)).toEqual(new Set(['nonce_already_used']))

  const tokens = await rails.rows<TokenRow>('rails_token', 'token_id')
  expect(tokens).toHaveLength(1)
  expect(tokens[0]?.revoked_at).not.toBeNull()
  expect(await rails.verdict({ railsToken: made[0]?.rails_token }, 'audit:read')).toBe('rails_token_invalid')
  const reuses = (await rails.rows<EventRow>('rails_event', 'event_no')).filter(({ kind }) => kind === 'nonce_reused')
  expect(reuses).toHaveLength(199)
  expect(reuses.every((event) => event.key_id === key_id)).toBe(true)
})

test('a reuse is noticed for as long as the token could live, also after the nonce has expired', async () => {
  await using rails = await testRails()
  const { key } = await rails.key()
  const nonce = await rails.nonce(key)
  rails.passSeconds(119)
  const railsToken = (await rails.answer('attest', { agentKey: key }, { nonce }))['rails_token'] as string
  rails.passSeconds(899)
  await rails.nonce(key) // deletes in passing what can be forgotten
  expect(await rails.verdict({ railsToken }, 'audit:read')).toBe('in')
  expect((await rails.problem('attest', { agentKey: key }, { nonce })).code).toBe('nonce_already_used')
  expect(await rails.verdict({ railsToken }, 'audit:read')).toBe('rails_token_invalid')
  rails.passSeconds(2)
  expect((await rails.problem('attest', { agentKey: key }, { nonce })).code).toBe('nonce_invalid')
})

test('every nonce that cannot be used gets the same refusal', async () => {
  await using rails = await testRails()
  const [mine, other] = [await rails.key(), await rails.key()]
  const expired = await rails.nonce(mine.key)
  rails.passSeconds(120)
  const good = await rails.nonce(mine.key)
  const spentByOther = await rails.nonce(other.key)
  await rails.answer('attest', { agentKey: other.key }, { nonce: spentByOther })
  const bad = [
    expired,
    await rails.nonce(other.key),
    spentByOther,
    makeNonce(rails.parts.random),
    `${good.slice(0, -1)}_`,
    `${good} `,
    '',
    'x'.repeat(10_000),
    mine.key,
    null,
    7,
    true,
    [good],
    { nonce: good },
  ]
  const problems = await Promise.all(bad.map((nonce) => rails.problem('attest', { agentKey: mine.key }, { nonce })))
  const first = problems[0]
  if (!first) throw new Error('there are none')
  expect(first.code).toBe('nonce_invalid')
  for (const problem of problems) expect(seen(problem)).toEqual(seen(first))
  expect(await rails.rows('rails_token', 'token_id')).toHaveLength(1)
  await rails.answer('attest', { agentKey: mine.key }, { nonce: good })
})

test('a nonce is good until its 120 seconds are over, and not at that moment', async () => {
  await using rails = await testRails()
  const { key } = await rails.key()
  const [used, late] = [await rails.nonce(key), await rails.nonce(key)]
  rails.clock.ms += 119_999
  await rails.answer('attest', { agentKey: key }, { nonce: used })
  rails.clock.ms += 1
  expect((await rails.problem('attest', { agentKey: key }, { nonce: late })).code).toBe('nonce_invalid')
})

test('another key that replays a spent nonce learns nothing and revokes nothing', async () => {
  await using rails = await testRails()
  const [mine, other] = [await rails.key(), await rails.key()]
  const nonce = await rails.nonce(mine.key)
  const railsToken = (await rails.answer('attest', { agentKey: mine.key }, { nonce }))['rails_token'] as string
  expect((await rails.problem('attest', { agentKey: other.key }, { nonce })).code).toBe('nonce_invalid')
  expect(await rails.verdict({ railsToken }, 'audit:read')).toBe('in')
})

test('a body without a nonce, or with an unknown member, is refused', async () => {
  await using rails = await testRails()
  const { key } = await rails.key()
  const nonce = await rails.nonce(key)
  const code = async (body: Record<string, unknown>) => (await rails.problem('attest', { agentKey: key }, body)).code
  expect(await code({})).toBe('missing_parameter')
  expect(await code({ nonce, role: 'admin' })).toBe('unknown_parameter')
  expect(await code({ nonce, scopes: ['registry:write'] })).toBe('invalid_parameter')
  expect(await code({ nonce, scopes: [] })).toBe('invalid_parameter')
  expect(await code({ nonce, scopes: 'audit:read' })).toBe('invalid_parameter')
  expect(await code({ nonce, proof: 5 })).toBe('invalid_parameter')
  await rails.answer('attest', { agentKey: key }, { nonce })
})

test('a token can be asked for with fewer scopes, never with more', async () => {
  await using rails = await testRails()
  const { key } = await rails.key({ scopes: ['registry:read', 'audit:read'] })
  const scopes = async (...asked: string[]) =>
    (await rails.answer('attest', { agentKey: key }, { nonce: await rails.nonce(key), scopes: asked }))['scopes']
  expect(await scopes('audit:read')).toEqual(['audit:read'])
  expect(await scopes('provider:read', 'audit:read', 'audit:read')).toEqual(['audit:read'])

  const nonce = await rails.nonce(key)
  const problem = await rails.problem('attest', { agentKey: key }, { nonce, scopes: ['provider:read'] })
  expect(problem.code).toBe('insufficient_scope')
  expect(problem.extra.members).toEqual({
    required_scopes: ['provider:read'],
    granted_scopes: ['registry:read', 'audit:read'],
  })
  expect(problem.extra.authenticate).toEqual({ scheme: 'AgentKey', scopes: ['provider:read'] })
  await rails.answer('attest', { agentKey: key }, { nonce }) // it was not spent
  // A key that may read nothing gets a token that reads nothing.
  const none = await rails.key({ scopes: [] })
  const answer = await rails.answer('attest', { agentKey: none.key }, { nonce: await rails.nonce(none.key) })
  expect(answer['scopes']).toEqual([])
})

test('a token never has a scope that its key lacks or that was not requested', async () => {
  await using rails = await testRails()
  const all = ['figures:read', 'registry:read', 'provider:read', 'integrity:read', 'audit:read'] as const
  const some = fc.subarray([...all])
  await fc.assert(
    fc.asyncProperty(some, fc.subarray([...all], { minLength: 1 }), some, async (held, asked, later) => {
      const { key, key_id } = await rails.key({ scopes: held })
      const body = { nonce: await rails.nonce(key), scopes: asked }
      const outcome = await rails.call('attest', { agentKey: key }, body)
      if (!outcome.ok) return expect(held.filter((scope) => asked.includes(scope))).toEqual([])
      const { rails_token: railsToken } = outcome.output as { rails_token: string }
      await rails.db.query('UPDATE agent_key SET scopes = $2 WHERE key_id = $1', [key_id, later.join(' ')])
      for (const scope of all) {
        const allowed = held.includes(scope) && asked.includes(scope) && later.includes(scope)
        expect(await rails.verdict({ railsToken }, scope)).toBe(allowed ? 'in' : 'insufficient_scope')
      }
    }),
    { numRuns: 30 },
  )
})

test('a 21st token revokes the oldest', async () => {
  await using rails = await testRails()
  const { key } = await rails.key()
  const tokens: string[] = []
  for (let i = 0; i < 21; i++) {
    tokens.push(await rails.token(key))
    rails.passSeconds(1)
  }
  const verdicts = await Promise.all(tokens.map((railsToken) => rails.verdict({ railsToken }, 'audit:read')))
  expect(verdicts).toEqual(['rails_token_invalid', ...new Array(20).fill('in')])
})

test('tokens are forgotten a day after they expired', async () => {
  await using rails = await testRails()
  const { key } = await rails.key()
  const railsToken = await rails.token(key)
  rails.passSeconds(900 + 24 * 3600 - 1)
  await rails.token(key)
  expect(await rails.verdict({ railsToken }, 'audit:read')).toBe('rails_token_expired')
  rails.passSeconds(1)
  await rails.token(key)
  expect(await rails.verdict({ railsToken }, 'audit:read')).toBe('rails_token_invalid')
  expect(await rails.rows('rails_token', 'token_id')).toHaveLength(2)
})

test('a token does not state an expiry later than that of its key', async () => {
  await using rails = await testRails()
  const { key } = await rails.key({ ttlSeconds: 300 })
  const answer = await rails.answer('attest', { agentKey: key }, { nonce: await rails.nonce(key) })
  expect(answer['expires_in']).toBe(300)
})

test('a key that is revoked after the gate admitted it gets no token and spends no nonce', async () => {
  await using rails = await testRails()
  const { key, key_id } = await rails.key()
  const nonce = await rails.nonce(key)
  await revokeKey(rails.parts, key_id)
  for (const id of [key_id, 'nobody'])
    expect((await refusal(attest(rails.parts, id, { nonce }))).code).toBe('agent_key_invalid')
  expect(await rails.rows<object>('nonce', 'issued_at')).toMatchObject([{ spent_at: null }])
})

test('a key with a public key must also sign the nonce, and a bad signature spends no nonce', async () => {
  await using rails = await testRails()
  const { raw, sign: over } = anEd25519Key()
  const { key, key_id } = await rails.key({ publicKey: raw })
  const nonce = await rails.nonce(key)
  const message = (base: string, id: string, about: string) =>
    `service_agent_rails_v1\nattest\n${base}\n${id}\n${about}`
  const good = over(message(BASE_URL, key_id, nonce))

  const problem = await rails.problem('attest', { agentKey: key }, { nonce })
  expect(problem.code).toBe('proof_required')
  expect(problem.extra.authenticate).toEqual({ scheme: 'AgentKey', scopes: [] })
  const bad = [
    '',
    'x',
    `${good}==`,
    `${good.slice(0, -1)}${good.endsWith('A') ? 'B' : 'A'}`,
    over(message('https://look-alike.example', key_id, nonce)),
    over(message(BASE_URL, 'anotherkey12', nonce)),
    over(message(BASE_URL, key_id, await rails.nonce(key))),
    over(nonce),
  ]
  for (const proof of bad) {
    const { code, extra } = await rails.problem('attest', { agentKey: key }, { nonce, proof })
    expect(code).toBe('proof_invalid')
    expect(extra.authenticate).toEqual({ scheme: 'AgentKey', scopes: [] })
  }
  await rails.answer('attest', { agentKey: key }, { nonce, proof: good })

  // A caller without the private key cannot find out that a nonce is spent, and cannot revoke the token made from it.
  expect((await rails.problem('attest', { agentKey: key }, { nonce })).code).toBe('proof_required')
  const events = await rails.rows<EventRow>('rails_event', 'event_no')
  expect(events.map(({ kind }) => kind)).toEqual(['key_created'])
  expect((await rails.problem('attest', { agentKey: key }, { nonce, proof: good })).code).toBe('nonce_already_used')
})

test('reuses of nonces without end do not fill the store, and what operators did stays', async () => {
  await using rails = await testRails()
  const { key, key_id } = await rails.key()
  const nonce = await rails.nonce(key)
  await rails.answer('attest', { agentKey: key }, { nonce })
  for (let i = 0; i < 3; i++) await rails.problem('attest', { agentKey: key }, { nonce })
  await rails.db.query('UPDATE rails_event_number SET last_no = last_no + $1', [KEPT_EVENTS])
  await rails.problem('attest', { agentKey: key }, { nonce })
  const events = await rails.rows<EventRow & { key_id: string }>('rails_event', 'event_no')
  expect(events.map(({ kind }) => kind)).toEqual(['key_created', 'nonce_reused'])
  expect(events.every((event) => event.key_id === key_id)).toBe(true)
})

test('a public key of small order, registered before they were refused, proves nothing', async () => {
  await using rails = await testRails()
  const { key, key_id } = await rails.key({ publicKey: anEd25519Key().raw })
  for (const old of UNSOUND_KEYS) {
    await rails.db.query('UPDATE agent_key SET public_key = $2 WHERE key_id = $1', [key_id, old])
    const nonce = await rails.nonce(key)
    const problem = await rails.problem('attest', { agentKey: key }, { nonce, proof: CONSTANT_SIGNATURE })
    expect(problem.code).toBe('proof_invalid')
  }
})

test('no refusal repeats what was sent', async () => {
  await using rails = await testRails()
  const { key } = await rails.key()
  const nonce = await rails.nonce(key)
  await rails.token(key)
  const bodies = [
    { nonce: `${nonce}x` },
    { nonce, proof: 'canary'.repeat(50) },
    { nonce, scopes: ['canary'] },
    { canary: 1 },
  ]
  for (const body of bodies) {
    const text = JSON.stringify(seen(await rails.problem('attest', { agentKey: key }, body)))
    for (const secret of ['canary', nonce, key]) expect(text).not.toContain(secret)
  }
})
