import { expect, test } from 'bun:test'
import { SignJWT } from 'jose'
import { perform } from '../../operation.ts'
import { anEd25519Key, BASE_URL, CONSTANT_SIGNATURE, testRails, UNSOUND_KEYS } from '../fixture.ts'
import { revokeKey } from '../keys.ts'
import { agentOfAssertion } from './assertion.ts'
import { clientCall, tokenOperation } from './client-credentials.ts'

type Rails = Awaited<ReturnType<typeof testRails>>

const NO_CLAIM = {
  authorization: undefined,
  client_secret: undefined,
  client_assertion: undefined,
  client_assertion_type: undefined,
}

/** A client whose key signs, and a function that says whether its assertion is accepted. */
async function signer(rails: Rails) {
  const pair = anEd25519Key()
  const { key, key_id } = await rails.key({ publicKey: pair.raw })
  const seconds = rails.clock.ms / 1000
  const assertion = (payload: Record<string, unknown> = {}, header: Record<string, unknown> = {}): Promise<string> =>
    new SignJWT({ iss: key_id, sub: key_id, aud: BASE_URL, exp: seconds + 60, jti: 'one', ...payload })
      .setProtectedHeader({ alg: 'EdDSA', ...header })
      .sign(pair.privateKey)
  const agentOf = (text: string) =>
    agentOfAssertion({ ...rails.parts, audiences: () => [BASE_URL, `${BASE_URL}/token`] }, text)
  const isTaken = async (payload: Record<string, unknown> = {}, header: Record<string, unknown> = {}) =>
    (await agentOf(await assertion(payload, header))) !== undefined
  return { key, key_id, pair, seconds, assertion, agentOf, isTaken }
}

test('an assertion is valid for five minutes before and after its use, plus half a minute for clocks', async () => {
  await using rails = await testRails()
  const { isTaken, seconds } = await signer(rails)
  const taken = await Promise.all([
    isTaken({ exp: seconds - 29 }),
    isTaken({ exp: seconds - 30 }),
    isTaken({ exp: seconds + 330 }),
    isTaken({ exp: seconds + 331 }),
    isTaken({ iat: seconds - 330 }),
    isTaken({ iat: seconds - 331 }),
    isTaken({ iat: seconds + 30 }),
    isTaken({ iat: seconds + 331 }),
  ])
  expect(taken).toEqual([true, false, true, false, true, false, true, false])
})

test('an assertion must have one audience, an id, and a header without keys', async () => {
  await using rails = await testRails()
  const { isTaken, key_id } = await signer(rails)
  const good = [{}, { aud: `${BASE_URL}/token` }, { aud: [BASE_URL] }, { jti: 'x'.repeat(256) }]
  for (const payload of good) expect([payload, await isTaken(payload)]).toEqual([payload, true])
  const bad = [
    { aud: [BASE_URL, `${BASE_URL}/token`] },
    { aud: 'https://other.example' },
    { jti: '' },
    { jti: 'x'.repeat(257) },
    { jti: 7 },
    { jti: undefined },
    { iss: 'nobody000000' },
    { iss: `${key_id}0` },
    { sub: 'nobody000000' },
    { exp: undefined },
  ]
  for (const payload of bad) expect([payload, await isTaken(payload)]).toEqual([payload, false])
  const headers: [Record<string, unknown>, boolean][] = [
    [{ typ: 'JWT' }, true],
    [{ typ: 'at+jwt' }, false],
    [{ kid: key_id }, true],
    [{ kid: 'another' }, false],
    [{ jwk: {} }, false],
  ]
  for (const [header, taken] of headers) expect([header, await isTaken({}, header)]).toEqual([header, taken])
})

test('the assertion of a revoked key, or of a key without a public key, is nobody’s', async () => {
  await using rails = await testRails()
  const client = await signer(rails)
  const text = await client.assertion()
  expect(await client.agentOf(text)).toMatchObject({ key_id: client.key_id, assertion: { id: 'one' } })
  const plain = await rails.key()
  expect(await client.isTaken({ iss: plain.key_id, sub: plain.key_id })).toBe(false)
  await revokeKey(rails.parts, client.key_id)
  expect(await client.agentOf(text)).toBeUndefined()
  for (const nonsense of ['', 'a.b.c', text.slice(0, -1)]) expect(await client.agentOf(nonsense)).toBeUndefined()
})

test('an assertion under a public key of small order proves nothing', async () => {
  await using rails = await testRails()
  const client = await signer(rails)
  const [header, payload] = (await client.assertion()).split('.')
  for (const old of UNSOUND_KEYS) {
    await rails.db.query('UPDATE agent_key SET public_key = $2 WHERE key_id = $1', [client.key_id, old])
    expect(await client.agentOf(`${header}.${payload}.${CONSTANT_SIGNATURE}`)).toBeUndefined()
  }
})

test('the secret of a client is read from its header only if the whole header has the right form', async () => {
  await using rails = await testRails()
  const { key, key_id } = await rails.key()
  const parts = { ...rails.parts, resources: [] }
  const keyOf = (pair: string, after = '') =>
    clientCall(parts, { ...NO_CLAIM, authorization: `Basic ${Buffer.from(pair).toString('base64')}${after}` }).agentKey
  expect([keyOf(`${key_id}:${key}`), keyOf(`${key_id}:${key.replace('_', '%5F')}`)]).toEqual([key, key])
  expect([
    keyOf(`${key_id}:${key}`, ' more'),
    keyOf(`${key_id}:${key}:`),
    keyOf(`${key_id}:%zz`),
    keyOf(`%zz:${key}`),
    keyOf(`another00000:${key}`),
    keyOf(key_id),
  ]).toEqual(Array(6).fill('malformed'))
  expect(clientCall(parts, NO_CLAIM)).toEqual({})
})

test('a caller with only the secret of a key that signs gets no token', async () => {
  await using rails = await testRails()
  const [client, plain] = [await signer(rails), await rails.key({ scopes: ['registry:read'] })]
  const operation = tokenOperation({ ...rails.parts, resources: ['/mcp'] })
  const ask = async (agentKey: string, more: Record<string, unknown> = {}) => {
    const outcome = await perform(operation, { address: '192.0.2.1', agentKey }, rails.gate, async () => ({
      grant_type: 'client_credentials',
      ...more,
    }))
    return outcome.ok ? outcome.output : outcome.problem.code
  }
  expect(await ask(client.key)).toBe('proof_required')
  expect(await ask(plain.key)).toMatchObject({ token_type: 'Bearer', expires_in: 300, scope: 'registry:read' })
  expect(await ask(plain.key, { client_id: plain.key_id, resource: [BASE_URL, `${BASE_URL}/mcp`] })).toBeObject()
  expect(await ask(plain.key, { client_id: client.key_id })).toBe('agent_key_invalid')
  expect(await ask(plain.key, { resource: [`${BASE_URL}/mcp`, `${BASE_URL}/other`] })).toBe('invalid_target')
  expect(await ask(plain.key, { scope: 'registry:read nonsense' })).toBe('invalid_scope')
  expect(await ask(plain.key, { scope: 'audit:read' })).toBe('insufficient_scope')
})
