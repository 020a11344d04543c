import { afterAll, beforeAll, expect, test } from 'bun:test'
import { createHmac, generateKeyPairSync } from 'node:crypto'
import { auth, ClientCredentialsProvider, PrivateKeyJwtProvider } from '@modelcontextprotocol/client'
import { SignJWT, UnsecuredJWT } from 'jose'
import * as oauth from 'oauth4webapi'
import { makeApp } from '../../src/app.ts'
import { openInstallation } from '../../src/installation.ts'
import { SCOPE_NAMES, type Scope } from '../../src/operation.ts'
import { anEd25519Key } from '../../src/rails/fixture.ts'
import { createKey, type IssuedKey, revokeKey } from '../../src/rails/keys.ts'
import { thumbprintOf } from '../../src/rails/possession.ts'
import { ENGINES } from '../support/engines.ts'
import { BASE_URL, type TestApp, testApp } from '../support/harness.ts'
import { DemoService } from '../support/service.ts'

const ASSERTION_TYPE = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer'
type KeyPair = ReturnType<typeof anEd25519Key>
type Form = Record<string, string> | [string, string][]

interface TokenAnswer {
  status: number
  headers: Headers
  body: { access_token: string; scope: string; expires_in: number; error?: string; error_description?: string }
}

/** Token requests as raw forms, for what a well-behaved client would never send. */
async function post(
  app: TestApp,
  form: Form | string,
  headers: HeadersInit = {},
  address?: string,
): Promise<TokenAnswer> {
  const body = typeof form === 'string' ? form : new URLSearchParams(form).toString()
  const type = { 'content-type': 'application/x-www-form-urlencoded' }
  const init = { method: 'POST', headers: { ...type, ...Object.fromEntries(new Headers(headers)) }, body }
  const response = await app.app.fetch(new Request(`${BASE_URL}/token`, init), address ?? '192.0.2.1')
  expect(response.headers.get('cache-control')).toBe('no-store')
  return { status: response.status, headers: response.headers, body: (await response.json()) as TokenAnswer['body'] }
}

const basic = ({ key_id, key }: Pick<IssuedKey, 'key_id' | 'key'>): HeadersInit => ({
  authorization: `Basic ${Buffer.from(`${key_id}:${key}`).toString('base64')}`,
})
const GRANT = { grant_type: 'client_credentials' }
const asserted = (client_assertion: string): Record<string, string> => ({
  ...GRANT,
  client_assertion,
  client_assertion_type: ASSERTION_TYPE,
})

const keyParts = ({ installation, clock }: TestApp) => ({
  db: installation.db,
  pepper: installation.pepper,
  now: async () => clock.now,
  random: (n: number) => crypto.getRandomValues(new Uint8Array(n)),
})

async function signingClient(app: TestApp, scopes: readonly Scope[] = SCOPE_NAMES) {
  const pair = anEd25519Key()
  const issued = await createKey(keyParts(app), { name: 'signing', scopes, publicKey: pair.raw })
  return { ...issued, pair }
}

interface Claims {
  header?: Record<string, unknown>
  payload?: Record<string, unknown>
  by?: KeyPair
}

/** A valid assertion but for what a test says. */
function assertion(
  app: TestApp,
  { key_id, pair }: { key_id: string; pair: KeyPair },
  given: Claims = {},
): Promise<string> {
  const seconds = Math.floor(app.clock.now / 1000)
  const payload = {
    iss: key_id,
    sub: key_id,
    aud: BASE_URL,
    iat: seconds,
    exp: seconds + 60,
    jti: crypto.randomUUID(),
    ...given.payload,
  }
  return new SignJWT(payload).setProtectedHeader({ alg: 'EdDSA', ...given.header }).sign((given.by ?? pair).privateKey)
}

/** The service of the tests that need no other. Each has keys of its own. */
let app: TestApp
beforeAll(async () => {
  app = await testApp()
})
afterAll(() => app[Symbol.asyncDispose]())

const registry = (app: TestApp, token: string) =>
  app.request('/api/registry?limit=1', { headers: { authorization: `Bearer ${token}` } })

/** Another last letter, whichever it has. */
const misspelt = (key: string): string => `${key.slice(0, -1)}${key.endsWith('x') ? 'y' : 'x'}`

test('an OAuth client finds the token endpoint and gets in, by its secret and by its signature, on a real service', async () => {
  await using service = await DemoService.start()
  const url = new URL(service.url)
  const http = { [oauth.allowInsecureRequests]: true }
  const server = await oauth.processDiscoveryResponse(
    url,
    await oauth.discoveryRequest(url, { algorithm: 'oauth2', ...http }),
  )
  const resource = await oauth.processResourceDiscoveryResponse(url, await oauth.resourceDiscoveryRequest(url, http))
  expect(resource.authorization_servers).toEqual([service.url])
  const mcp = new URL(`${service.url}/mcp`)
  const part = await oauth.processResourceDiscoveryResponse(mcp, await oauth.resourceDiscoveryRequest(mcp, http))
  expect(part.resource).toBe(`${service.url}/mcp`)

  const key = service.demoKey
  const pair = (await crypto.subtle.generateKey('Ed25519', true, ['sign', 'verify'])) as CryptoKeyPair
  const raw = Buffer.from(await crypto.subtle.exportKey('raw', pair.publicKey)).toString('base64')
  const args = ['keys', 'create', '--name', 'signer', '--scopes', 'registry:read', '--public-key', raw, '--json']
  const signer = JSON.parse((await service.atr(args)).out) as IssuedKey

  const clients = [
    { id: key.slice(4, 16), auth: oauth.ClientSecretBasic(key) },
    { id: signer.key_id, auth: oauth.PrivateKeyJwt(pair.privateKey) },
  ]
  for (const { id, auth } of clients) {
    const client = { client_id: id }
    const asked = new URLSearchParams({ scope: 'registry:read', resource: `${service.url}/mcp` })
    const answer = await oauth.clientCredentialsGrantRequest(server, client, auth, asked, http)
    const token = await oauth.processClientCredentialsResponse(server, client, answer)
    expect(token).toMatchObject({ token_type: 'bearer', expires_in: 300, scope: 'registry:read' })
    const read = (path: string) =>
      oauth.protectedResourceRequest(token.access_token, 'GET', new URL(`${service.url}${path}`), undefined, null, http)
    expect((await read('/api/registry?limit=1')).status).toBe(200)
    const refused = await read('/api/data-integrity').catch((error: unknown) => error)
    expect(refused).toBeInstanceOf(oauth.WWWAuthenticateChallengeError)
  }
  // Half of the credential is not enough: this key has a public key, so its secret alone gives nothing.
  const half = await oauth.clientCredentialsGrantRequest(
    server,
    { client_id: signer.key_id },
    oauth.ClientSecretBasic(signer.key),
    {},
    http,
  )
  expect(half.status).toBe(401)
  const [challenge] = (await oauth
    .processClientCredentialsResponse(server, { client_id: signer.key_id }, half)
    .catch((error: oauth.WWWAuthenticateChallengeError) => error.cause)) as oauth.WWWAuthenticateChallenge[]
  expect(challenge?.scheme).toBe('basic')
})

test('clients of MCP get in without a person, by the secret and by the signature', async () => {
  const fetchFn = ((target: string | URL, init?: RequestInit) =>
    app.app.fetch(new Request(target, init), '192.0.2.1')) as typeof fetch
  const then = app.clock.now
  app.clock.now = Date.now() // the client asks the real clock
  const expectedIssuer = BASE_URL
  const [plain, signer] = [await app.createKey(), await signingClient(app)]
  const privateKey = { ...signer.pair.privateKey.export({ format: 'jwk' }) }
  for (const provider of [
    new ClientCredentialsProvider({ clientId: plain.key_id, clientSecret: plain.key, expectedIssuer }),
    new PrivateKeyJwtProvider({ clientId: signer.key_id, privateKey, algorithm: 'EdDSA', expectedIssuer }),
  ]) {
    expect(await auth(provider, { serverUrl: `${BASE_URL}/mcp`, fetchFn })).toBe('AUTHORIZED')
    expect((await registry(app, provider.tokens()?.access_token ?? '')).status).toBe(200)
  }
  app.clock.now = then
  // Who is sent to the authorization endpoint by mistake finds a page that says why.
  const asked = await app.request('/problems/unsupported_grant_type?response_type=code', {
    headers: { accept: 'text/html' },
  })
  expect(asked.status).toBe(200)
})

test('two processes on one store: an assertion is good at one of them, and both see a revocation', async () => {
  for (const engine of ENGINES) {
    await using app = await testApp({ engine })
    const installation = await openInstallation(app.config)
    const options = { baseUrl: () => BASE_URL, now: () => app.clock.now, railsClock: async () => app.clock.now }
    const limits = { default_rpm: 120, reference_rpm: 300, log_rpm: 6_000, enabled: false }
    const other = makeApp(installation, { ...options, limits, observe: () => undefined })
    const second = { app: other, clock: app.clock } as TestApp
    const client = await signingClient(app)
    for (let round = 0; round < 5; round++) {
      const signed = asserted(await assertion(app, client))
      const answers = await Promise.all([app, second, app, second].map((each) => post(each, signed)))
      expect([engine, answers.filter(({ status }) => status === 200).length]).toEqual([engine, 1])
    }
    const { access_token } = (await post(second, asserted(await assertion(app, client)))).body
    expect((await registry(app, access_token)).status).toBe(200)
    await revokeKey(keyParts(app), client.key_id)
    expect((await post(second, asserted(await assertion(app, client)))).status).toBe(401)
    await installation.db.close()
  }
})

test('a token lives five minutes, has the scopes asked for, and ends with its key', async () => {
  const client = await app.createKey(['registry:read', 'audit:read'])
  const { status, body } = await post(app, { ...GRANT, scope: 'registry:read provider:read' }, basic(client))
  expect(status).toBe(200)
  expect(body).toEqual({
    access_token: expect.stringMatching(/^atr_/),
    token_type: 'Bearer',
    expires_in: 300,
    scope: 'registry:read',
  } as never)
  expect((await registry(app, body.access_token)).status).toBe(200)
  app.clock.now += 300_000
  expect(await (await registry(app, body.access_token)).json()).toMatchObject({ code: 'rails_token_expired' })

  const second = (await post(app, GRANT, basic(client))).body
  expect(second.scope).toBe('registry:read audit:read')
  await revokeKey(keyParts(app), client.key_id)
  expect(await (await registry(app, second.access_token)).json()).toMatchObject({ code: 'rails_token_invalid' })
  expect((await post(app, GRANT, basic(client))).body.error).toBe('invalid_client')
})

test('tokens of both ways are counted together: twenty live ones for each key', async () => {
  const client = await app.createKey()
  const attested = await app.attest(client.key, { nonce: await app.challenge(client.key) })
  const { rails_token } = (await attested.json()) as { rails_token: string }
  for (let i = 0; i < 19; i++) {
    app.clock.now += 1
    await post(app, GRANT, basic(client))
  }
  expect((await registry(app, rails_token)).status).toBe(200)
  app.clock.now += 1
  await post(app, GRANT, basic(client))
  expect((await registry(app, rails_token)).status).toBe(401)
})

test('what a client asks for wrongly is refused in the words of OAuth', async () => {
  const client = await app.createKey(['registry:read'])
  const cases: [Form | string, HeadersInit, number, string][] = [
    [{}, basic(client), 400, 'invalid_request'],
    [{ grant_type: '' }, basic(client), 400, 'invalid_request'],
    [{ grant_type: 'authorization_code' }, basic(client), 400, 'unsupported_grant_type'],
    [{ grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer' }, basic(client), 400, 'unsupported_grant_type'],
    [{ ...GRANT, scope: 'registry:write' }, basic(client), 400, 'invalid_scope'],
    [{ ...GRANT, scope: 'registry:read  audit:read' }, basic(client), 400, 'invalid_scope'],
    [{ ...GRANT, scope: 'audit:read' }, basic(client), 400, 'invalid_scope'],
    [{ ...GRANT, resource: 'https://elsewhere.example' }, basic(client), 400, 'invalid_target'],
    [{ ...GRANT, resource: `${BASE_URL}.evil.example` }, basic(client), 400, 'invalid_target'],
    [
      `grant_type=client_credentials&resource=${BASE_URL}&resource=https://elsewhere.example`,
      basic(client),
      400,
      'invalid_target',
    ],
    ['grant_type=client_credentials&grant_type=client_credentials', basic(client), 400, 'invalid_request'],
    [`${'x'.repeat(17_000)}=1`, basic(client), 413, 'invalid_request'],
    [GRANT, { ...basic(client), 'content-type': 'application/json' }, 415, 'invalid_request'],
    [{ ...GRANT, client_secret: client.key }, basic(client), 400, 'invalid_request'],
    [asserted('x'), basic(client), 400, 'invalid_request'],
    [{ ...asserted('x'), client_assertion_type: 'urn:other' }, {}, 400, 'invalid_request'],
    [GRANT, {}, 401, 'invalid_client'],
    // The secret in the form is a way that the metadata does not offer.
    [{ ...GRANT, client_id: client.key_id, client_secret: client.key }, {}, 401, 'invalid_client'],
    [{ ...GRANT, client_id: 'another' }, basic(client), 401, 'invalid_client'],
    [GRANT, { authorization: `Bearer ${client.key}` }, 401, 'invalid_client'],
    [GRANT, basic({ key_id: 'another12345', key: client.key }), 401, 'invalid_client'],
    [GRANT, basic({ key_id: client.key_id, key: misspelt(client.key) }), 401, 'invalid_client'],
  ]
  for (const [index, [form, headers, status, error]] of cases.entries()) {
    const answer = await post(app, form, headers, `198.51.100.${index}`)
    expect([index, answer.status, answer.body.error]).toEqual([index, status, error])
    expect(answer.body.error_description).toMatch(/^[\x20\x21\x23-\x5b\x5d-\x7e]+$/)
    expect(answer.headers.get('www-authenticate')).toBe(status === 401 ? 'Basic realm="agent-trust-registry"' : null)
    expect(JSON.stringify(answer.body)).not.toContain(client.key)
  }
  // RFC 6749 3.2: what is unknown is ignored, and what is empty is not there.
  const lenient = await post(app, { ...GRANT, scope: '', resource: `${BASE_URL}/a2a`, other: '1' }, basic(client))
  expect(lenient.status).toBe(200)
})

test('failed authentication at the token endpoint is limited by address, and does not touch the key', async () => {
  await using app = await testApp({ limits: { enabled: true } })
  const client = await app.createKey()
  expect((await post(app, GRANT, basic(client))).status).toBe(200)
  const wrong = basic({ key_id: client.key_id, key: misspelt(client.key) })
  for (let i = 0; i < 10; i++) expect((await post(app, GRANT, wrong)).status).toBe(401)
  const limited = await post(app, GRANT, wrong)
  expect([limited.status, limited.body.error]).toEqual([429, 'temporarily_unavailable'])
  expect(Number(limited.headers.get('retry-after'))).toBeGreaterThan(0)
  expect((await post(app, GRANT, basic(client))).status).toBe(200)
})

test('a key that was proved here before gets in by a new assertion, whatever a neighbour sends; a forged one in its name ends that', async () => {
  await using app = await testApp({ limits: { enabled: true } })
  const [client, newcomer] = [await signingClient(app), await signingClient(app)]
  const sent = async (who: typeof client, by?: KeyPair, address?: string): Promise<number> =>
    (await post(app, asserted(await assertion(app, who, by && { by })), {}, address)).status
  const fails = async (): Promise<void> => {
    for (let i = 0; i < 10; i++) expect((await post(app, GRANT, basic({ ...client, key: 'wrong' }))).status).toBe(401)
  }
  expect(await sent(client)).toBe(200)
  await fails()
  expect([await sent(newcomer), await sent(client), await sent(client)]).toEqual([429, 200, 200])
  // What is forged elsewhere changes nothing here. What is forged here is looked at once.
  expect(await sent(client, anEd25519Key(), '198.51.100.7')).toBe(401)
  expect(await sent(client)).toBe(200)
  const forged = await Promise.all(Array.from({ length: 20 }, () => sent(client, anEd25519Key())))
  expect(forged.sort()).toEqual([401, ...Array<number>(19).fill(429)])
  expect(await sent(client)).toBe(429)
})

test('a signed assertion is good once; sent again, it also revokes the token that it made', async () => {
  const client = await signingClient(app)
  const signed = await assertion(app, client)
  const first = await post(app, asserted(signed))
  expect(first.status).toBe(200)
  expect((await registry(app, first.body.access_token)).status).toBe(200)

  const again = await post(app, asserted(signed))
  expect([again.status, again.body.error]).toEqual([401, 'invalid_client'])
  expect(await (await registry(app, first.body.access_token)).json()).toMatchObject({ code: 'rails_token_invalid' })
  const { db } = app.installation
  const events = 'SELECT kind FROM rails_event WHERE key_id = $1 ORDER BY event_no'
  expect(await db.query(events, [client.key_id])).toEqual([{ kind: 'key_created' }, { kind: 'nonce_reused' }])
  // Another key may use the same id: ids are the client's own business.
  const other = await signingClient(app)
  const payload = { jti: 'one' }
  expect((await post(app, asserted(await assertion(app, client, { payload })))).status).toBe(200)
  expect((await post(app, asserted(await assertion(app, other, { payload })))).status).toBe(200)
  // Even when the assertion is no longer valid, and a new one with its id is made.
  app.clock.now += 200_000
  expect((await post(app, asserted(await assertion(app, client, { payload })))).status).toBe(401)
})

test('of fifty requests at once with one assertion, one gets a token', async () => {
  const client = await signingClient(app)
  const signed = await assertion(app, client)
  const answers = await Promise.all(Array.from({ length: 50 }, () => post(app, asserted(signed))))
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
})

test('assertions of a liar get nothing', async () => {
  const client = await signingClient(app)
  const stranger = anEd25519Key()
  const plain = await app.createKey()
  const seconds = Math.floor(app.clock.now / 1000)
  const from = (given: Claims) => assertion(app, client, given)
  const { publicKey } = client.pair
  const jwk = stranger.publicKey.export({ format: 'jwk' })
  const segments = (await from({})).split('.')
  const encoded = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url')
  const hmac = (secret: string | Buffer, alg = 'HS256'): string => {
    const text = `${encoded({ alg })}.${segments[1]}`
    return `${text}.${createHmac('sha256', secret).update(text).digest('base64url')}`
  }
  const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const claims = { iss: client.key_id, sub: client.key_id, aud: BASE_URL, exp: seconds + 60, jti: 'none' }
  const lies: Record<string, string> = {
    'another key': await from({ by: stranger }),
    'alg none': new UnsecuredJWT(claims).encode(),
    'alg none, signature kept': `${encoded({ alg: 'none' })}.${segments[1]}.${segments[2]}`,
    'HMAC under the public key': hmac(publicKey.export({ format: 'der', type: 'spki' })),
    'HMAC under the raw public key': hmac(Buffer.from(client.pair.raw)),
    'HMAC under the agent key': hmac(client.key),
    'EdDSA claimed for an HMAC': hmac(client.key, 'EdDSA'),
    RS256: await new SignJWT(claims).setProtectedHeader({ alg: 'RS256' }).sign(rsa.privateKey),
    'an embedded key': await from({ by: stranger, header: { jwk } }),
    'an embedded key that is not used': await from({ header: { jwk: publicKey.export({ format: 'jwk' }) } }),
    'an address of keys': await from({ header: { jku: `${BASE_URL}/.well-known/jwks.json` } }),
    'a certificate': await from({ header: { x5c: ['MIIB'] } }),
    'the id of another key': await from({ header: { kid: plain.key_id } }),
    'a critical extension': await from({ header: { crit: ['b64'], b64: true } }),
    'another type': await from({ header: { typ: 'at+jwt' } }),
    'a type that is a number': await from({ header: { typ: 5 as unknown as string } }),
    'a type that is a list': await from({ header: { typ: ['jwt'] as unknown as string } }),
    'another audience': await from({ payload: { aud: 'https://elsewhere.example' } }),
    'several audiences': await from({ payload: { aud: [BASE_URL, 'https://elsewhere.example'] } }),
    'no audience': await from({ payload: { aud: undefined } }),
    'an audience that only begins like ours': await from({ payload: { aud: `${BASE_URL}.evil.example` } }),
    'another subject': await from({ payload: { sub: plain.key_id } }),
    'another issuer': await from({ payload: { iss: plain.key_id, sub: plain.key_id } }),
    'an unknown issuer': await from({ payload: { iss: 'unknown12345', sub: 'unknown12345' } }),
    'an issuer of another type': await from({ payload: { iss: 7, sub: 7 } }),
    'no expiry': await from({ payload: { exp: undefined } }),
    'an expiry that is past': await from({ payload: { exp: seconds - 60 } }),
    'an expiry that is far away': await from({ payload: { exp: seconds + 3_600 } }),
    'an expiry of another type': await from({ payload: { exp: String(seconds + 60) } }),
    'made long ago': await from({ payload: { iat: seconds - 3_600 } }),
    'made in the future': await from({ payload: { iat: seconds + 3_600 } }),
    'not valid yet': await from({ payload: { nbf: seconds + 120 } }),
    'no id': await from({ payload: { jti: undefined } }),
    'an empty id': await from({ payload: { jti: '' } }),
    'an id of another type': await from({ payload: { jti: 1 } }),
    'a very long id': await from({ payload: { jti: 'x'.repeat(257) } }),
    'an altered payload': `${segments[0]}.${encoded({ ...claims, scope: 'all' })}.${segments[2]}`,
    'no signature': `${segments[0]}.${segments[1]}.`,
    garbage: 'x.y.z',
    'five parts': 'a.b.c.d.e',
  }
  for (const [index, [what, lie]] of Object.entries(lies).entries()) {
    const { status, body } = await post(app, asserted(lie), {}, `198.51.100.${index}`)
    expect([what, status, body.error]).toEqual([what, 401, 'invalid_client'])
  }
  const truths: Record<string, Claims> = {
    plain: {},
    'the token endpoint as audience': { payload: { aud: [`${BASE_URL}/token`] } },
    'the key named by its thumbprint': { header: { kid: thumbprintOf(client.pair.raw), typ: 'JWT', alg: 'Ed25519' } },
    'the key named by its id': { header: { kid: client.key_id, typ: 'client-authentication+jwt' } },
    'a clock that is a little ahead': { payload: { iat: seconds + 20, nbf: seconds + 20, exp: seconds + 80 } },
  }
  for (const [what, truth] of Object.entries(truths))
    expect([what, (await post(app, asserted(await from(truth)))).status]).toEqual([what, 200])
  await revokeKey(keyParts(app), client.key_id)
  expect((await post(app, asserted(await from({})))).status).toBe(401)
})
