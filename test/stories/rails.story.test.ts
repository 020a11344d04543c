import { expect, test } from 'bun:test'
import { generateKeyPairSync, sign } from 'node:crypto'
import { SCOPE_NAMES } from '../../src/operation.ts'
import { createKey, revokeKey } from '../../src/rails/keys.ts'
import { BASE_URL, testApp } from '../support/harness.ts'

const PROTECTED = {
  '/api/registry': 'registry:read',
  '/api/provider/1234567893': 'provider:read',
  '/api/data-integrity': 'integrity:read',
  '/api/figure-changes': 'audit:read',
} as const

test('an agent is let in by key, challenge, nonce and attest, to what its scopes allow', async () => {
  await using app = await testApp({ sample: true })
  for (const scope of SCOPE_NAMES) {
    const headers = await app.railsHeaders([scope])
    for (const [path, needed] of Object.entries(PROTECTED)) {
      const response = await app.request(path, { headers })
      expect(response.status).toBe(needed === scope ? 200 : 403)
      expect(response.headers.get('cache-control')).toMatch(needed === scope ? /private/ : /no-store/)
      expect(response.headers.get('vary')).toContain('X-Agent-Rails')
      if (needed !== scope)
        expect(await response.json()).toMatchObject({ code: 'insufficient_scope', required_scopes: [needed] })
    }
  }
})

test('without a good token a protected route says what is missing, and how to get it', async () => {
  await using app = await testApp({ sample: true })
  const { key } = await app.createKey()
  const cases = [
    [{}, 'rails_token_missing'],
    [{ 'x-agent-key': key }, 'rails_token_required'],
    [{ 'x-agent-rails': 'nonsense' }, 'rails_token_invalid'],
    [{ authorization: 'Bearer nonsense' }, 'rails_token_invalid'],
  ] as const
  for (const [headers, code] of cases)
    for (const path of Object.keys(PROTECTED)) {
      const response = await app.request(path, { headers: { ...headers } })
      expect(response.status).toBe(401)
      expect(response.headers.get('www-authenticate')).toContain('header="X-Agent-Rails"')
      expect(await response.json()).toMatchObject({ code })
    }
})

test('the bearer form carries the same token; two different tokens are refused', async () => {
  await using app = await testApp()
  const one = (await app.railsHeaders())['x-agent-rails'] as string
  const two = (await app.railsHeaders())['x-agent-rails'] as string
  const get = (headers: Record<string, string>) => app.request('/api/registry', { headers })
  expect((await get({ authorization: `Bearer ${one}` })).status).toBe(200)
  expect((await get({ authorization: `Bearer ${one}`, 'x-agent-rails': one })).status).toBe(200)
  const both = await get({ authorization: `Bearer ${one}`, 'x-agent-rails': two })
  expect(await both.json()).toMatchObject({ status: 400, code: 'conflicting_credentials' })
})

test('one nonce sent by 200 attests at once makes one token, and the repeats revoke it', async () => {
  await using app = await testApp()
  const { key } = await app.createKey()
  const nonce = await app.challenge(key)
  const answers = await Promise.all(Array.from({ length: 200 }, () => app.attest(key, { nonce })))
  const won = answers.filter(({ status }) => status === 200)
  expect(won).toHaveLength(1)
  const codes = await Promise.all(
    answers.filter(({ status }) => status !== 200).map(async (answer) => (await answer.json()) as { code: string }),
  )
  // Who waits too long for the store of a busy machine is told to come back.
  const said = new Set(codes.map(({ code }) => code))
  said.delete('unavailable')
  expect(said).toEqual(new Set(['nonce_already_used']))
  const { rails_token } = (await (won[0] as Response).json()) as { rails_token: string }
  expect(await app.problemCode('/api/registry', { headers: { 'x-agent-rails': rails_token } })).toBe(
    'rails_token_invalid',
  )
})

test('bad nonces cannot be told apart', async () => {
  await using app = await testApp()
  const [mine, other] = [await app.createKey(), await app.createKey()]
  const expired = await app.challenge(mine.key)
  app.clock.now += 121_000
  const foreign = await app.challenge(other.key)
  const malformed = [
    `${foreign.slice(0, -1)}${foreign.endsWith('0') ? '1' : '0'}`,
    'x',
    5,
    null,
    {},
    'a'.repeat(10_000),
  ]
  const bodies = []
  for (const nonce of [foreign, expired, '', ...malformed]) {
    const answer = await app.attest(mine.key, { nonce })
    const { request_id: _, ...body } = (await answer.json()) as { request_id: string }
    bodies.push({ ...body, headers: [...answer.headers.keys()] })
  }
  for (const body of bodies) expect(body).toEqual(bodies[0] as never)
  expect(bodies[0]).toMatchObject({ status: 400, code: 'nonce_invalid' })
})

test('a token dies after 900 seconds, and with its key at once', async () => {
  await using app = await testApp()
  const { db } = app.installation
  const now = async () => app.clock.now
  const headers = await app.railsHeaders()
  app.clock.now += 899_000
  expect((await app.request('/api/registry', { headers })).status).toBe(200)
  app.clock.now += 1_000
  expect(await app.problemCode('/api/registry', { headers })).toBe('rails_token_expired')

  const { key, key_id } = await app.createKey()
  const attested = await app.attest(key, { nonce: await app.challenge(key) })
  const { rails_token } = (await attested.json()) as { rails_token: string }
  await revokeKey({ db, now }, key_id)
  expect(await app.problemCode('/api/registry', { headers: { 'x-agent-rails': rails_token } })).toBe(
    'rails_token_invalid',
  )
  expect(await app.problemCode('/api/agent-rails/challenge', { method: 'POST', headers: { 'x-agent-key': key } })).toBe(
    'agent_key_invalid',
  )
})

test('a key registered with a public key must also sign the nonce', async () => {
  await using app = await testApp()
  const { publicKey, privateKey } = generateKeyPairSync('ed25519')
  const raw = new Uint8Array(Buffer.from(publicKey.export({ format: 'jwk' }).x ?? '', 'base64url'))
  const { db, pepper } = app.installation
  const parts = {
    db,
    pepper,
    now: async () => app.clock.now,
    random: (n: number) => crypto.getRandomValues(new Uint8Array(n)),
  }
  const { key, key_id } = await createKey(parts, { name: 'signing', scopes: ['registry:read'], publicKey: raw })
  const nonce = await app.challenge(key)
  expect(await (await app.attest(key, { nonce })).json()).toMatchObject({ status: 401, code: 'proof_required' })
  const proofOf = (base: string) =>
    sign(null, Buffer.from(`service_agent_rails_v1\nattest\n${base}\n${key_id}\n${nonce}`), privateKey).toString(
      'base64url',
    )
  const wrong = await app.attest(key, { nonce, proof: proofOf('https://elsewhere.example') })
  expect(await wrong.json()).toMatchObject({ status: 401, code: 'proof_invalid' })
  expect((await app.attest(key, { nonce, proof: proofOf(BASE_URL) })).status).toBe(200)
})

test('no credential reaches the log', async () => {
  await using app = await testApp()
  const { key } = await app.createKey()
  const nonce = await app.challenge(key)
  const { rails_token } = (await (await app.attest(key, { nonce })).json()) as { rails_token: string }
  await app.request('/api/registry?cpt=99213', { headers: { 'x-agent-rails': rails_token } })
  await app.request(`/api/${nonce}?name=Jane+Doe`, {})
  const logged = JSON.stringify(app.lines)
  for (const secret of [key, nonce, rails_token, 'Jane', '99213']) expect(logged).not.toContain(secret)
})
