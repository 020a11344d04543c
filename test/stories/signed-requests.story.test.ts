import { afterAll, beforeAll, expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import { signatureHeaders } from 'web-bot-auth'
import { signerFromJWK } from 'web-bot-auth/crypto'
import { anEd25519Key } from '../../src/rails/fixture.ts'
import { createKey } from '../../src/rails/keys.ts'
import { BASE_URL, type TestApp, testApp } from '../support/harness.ts'

// The signer is that of Web Bot Auth, written by others.

const PATH = '/api/agent-rails/attest'
const COMPONENTS = ['@method', '@authority', '@path', 'content-digest']
const digestOf = (body: string): string => `sha-256=:${createHash('sha256').update(body).digest('base64')}:`

interface Signing {
  components?: string[]
  created?: number
  expires?: number
  url?: string
  method?: string
  /** What the digest is made of, where it is not the body. */
  digested?: string
  by?: ReturnType<typeof anEd25519Key>
  keyid?: string
}

async function agent(app: TestApp) {
  const pair = anEd25519Key()
  const { db, pepper } = app.installation
  const now = async () => app.clock.now
  const random = (n: number) => crypto.getRandomValues(new Uint8Array(n))
  const issued = await createKey(
    { db, pepper, now, random },
    { name: 'bot', scopes: ['registry:read'], publicKey: pair.raw },
  )
  const sign = async (body: string, given: Signing = {}): Promise<Record<string, string>> => {
    const headers = {
      'content-type': 'application/json',
      'content-digest': digestOf(given.digested ?? body),
      'x-agent-key': issued.key,
    }
    const message = new Request(given.url ?? `${BASE_URL}${PATH}`, { method: given.method ?? 'POST', headers })
    const jwk = (given.by ?? pair).privateKey.export({ format: 'jwk' })
    const signer = await signerFromJWK(jwk as JsonWebKey)
    if (given.keyid !== undefined) signer.keyid = given.keyid
    const created = app.clock.now + (given.created ?? 0) * 1000
    const signature = await signatureHeaders(message, signer, {
      created: new Date(created),
      expires: new Date(created + (given.expires ?? 60) * 1000),
      components: given.components ?? COMPONENTS,
    })
    return { ...headers, signature: signature['Signature'], 'signature-input': signature['Signature-Input'] }
  }
  const send = (body: string, headers: Record<string, string>) => app.request(PATH, { method: 'POST', headers, body })
  const fresh = async (): Promise<string> => {
    app.clock.now += 1 // only the newest nonces are live
    return JSON.stringify({ nonce: await app.challenge(issued.key) })
  }
  return { ...issued, pair, sign, send, fresh }
}

let app: TestApp
beforeAll(async () => {
  app = await testApp()
})
afterAll(() => app[Symbol.asyncDispose]())

test('a signed request takes the place of the signature over the nonce', async () => {
  const bot = await agent(app)
  for (const given of [
    {},
    { keyid: bot.key_id },
    { components: ['@method', '@target-uri', 'content-digest'] },
    { components: [...COMPONENTS, 'content-type', 'x-agent-key', '@scheme', '@request-target'] },
  ] as Signing[]) {
    const body = await bot.fresh()
    const answer = await bot.send(body, await bot.sign(body, given))
    expect(answer.status).toBe(200)
    const { rails_token } = (await answer.json()) as { rails_token: string }
    const read = await app.request('/api/registry?limit=1', { headers: { 'x-agent-rails': rails_token } })
    expect(read.status).toBe(200)
  }
})

test('a signed request is good once: sent again, it revokes the token that it made', async () => {
  const bot = await agent(app)
  const body = await bot.fresh()
  const headers = await bot.sign(body)
  const { rails_token } = (await (await bot.send(body, headers)).json()) as { rails_token: string }
  expect(await (await bot.send(body, headers)).json()).toMatchObject({ code: 'nonce_already_used' })
  const read = await app.request('/api/registry?limit=1', { headers: { 'x-agent-rails': rails_token } })
  expect(await read.json()).toMatchObject({ code: 'rails_token_invalid' })
})

test('a signature that covers too little, or is old, moved or by another key, proves nothing', async () => {
  const bot = await agent(app)
  const lies: Record<string, Signing> = {
    'only the authority, as a crawler signs': { components: ['@authority'] },
    'not the body': { components: ['@method', '@authority', '@path'] },
    'not the method': { components: ['@authority', '@path', 'content-digest'] },
    'not the path': { components: ['@method', '@authority', 'content-digest'] },
    'not the authority': { components: ['@method', '@path', 'content-digest'] },
    'another service': { url: `https://look-alike.example${PATH}` },
    'another port': { url: `${BASE_URL}:8443${PATH}` },
    'another path': { url: `${BASE_URL}/api/agent-rails/challenge` },
    'another method': { method: 'PUT' },
    'another body': { digested: '{}' },
    'another key': { by: anEd25519Key() },
    'another key under our name': { by: anEd25519Key(), keyid: bot.key_id },
    'another name': { keyid: 'unknown12345' },
    'an old signature': { created: -120 },
    'a signature of tomorrow': { created: 86_400 },
    'a signature for a day': { expires: 86_400 },
    'a field that is not there': { components: [...COMPONENTS, 'signature-agent'] },
  }
  for (const [what, given] of Object.entries(lies)) {
    const body = await bot.fresh()
    const answer = await bot.send(body, await bot.sign(body, given))
    expect([what, await answer.json()]).toMatchObject([what, { status: 401, code: 'proof_invalid' }])
  }
  const body = await bot.fresh()
  const headers = await bot.sign(body)
  const swaps: Record<string, [string, Record<string, string>]> = {
    'another nonce under the same signature': [await bot.fresh(), headers],
    'the digest of the other body too': [
      JSON.stringify({ nonce: 'x' }),
      { ...headers, 'content-digest': digestOf(JSON.stringify({ nonce: 'x' })) },
    ],
    'a digest of an unknown kind': [body, { ...headers, 'content-digest': 'md5=:AAAA:' }],
    'a second signature of the same key': [
      body,
      { ...headers, 'signature-input': `${headers['signature-input']}, x${headers['signature-input']}` },
    ],
    'another tag': [
      body,
      { ...headers, 'signature-input': (headers['signature-input'] ?? '').replace('web-bot-auth', 'other') },
    ],
    'no signature at all': [body, { ...headers, signature: '' }],
    garbage: [body, { ...headers, 'signature-input': 'x' }],
  }
  for (const [what, [sent, with_]] of Object.entries(swaps))
    expect([what, await (await bot.send(sent, with_)).json()]).toMatchObject([what, { code: 'proof_invalid' }])
  // Nothing of this has spent the nonce.
  expect((await bot.send(body, headers)).status).toBe(200)
})

test('the signature of a key that needs none is not looked at', async () => {
  const bot = await agent(app)
  const plain = await app.createKey()
  const body = JSON.stringify({ nonce: await app.challenge(plain.key) })
  const headers = { ...(await bot.sign(body)), 'x-agent-key': plain.key, signature: 'x' }
  expect((await bot.send(body, headers)).status).toBe(200)
})
