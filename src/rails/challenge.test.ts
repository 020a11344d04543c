import { expect, test } from 'bun:test'
import { issueNonce } from './challenge.ts'
import { refusal, testRails } from './fixture.ts'
import { revokeKey } from './keys.ts'

test('a challenge is answered with a nonce and the path that takes it', async () => {
  await using rails = await testRails()
  const { key } = await rails.key()
  expect(await rails.answer('request_challenge', { agentKey: key })).toEqual({
    nonce: expect.stringMatching(/^atn_[0-9A-Za-z]{49}$/),
    expires_in: 120,
    expires_at: '2026-07-02T00:02:00.000Z',
    rails: 'service_agent_rails_v1',
    policy_version: '1.1.0',
    attest: '/api/agent-rails/attest',
  })
})

test('a challenge takes no input', async () => {
  await using rails = await testRails()
  const { key } = await rails.key()
  expect((await rails.problem('request_challenge', { agentKey: key }, { scopes: [] })).code).toBe('unknown_parameter')
})

test('a ninth nonce drops the oldest live one, and only that', async () => {
  await using rails = await testRails()
  const { key } = await rails.key()
  const nonces: string[] = []
  for (let i = 0; i < 9; i++) {
    nonces.push(await rails.nonce(key))
    rails.passSeconds(1)
  }
  const [first, ...others] = nonces
  expect((await rails.problem('attest', { agentKey: key }, { nonce: first })).code).toBe('nonce_invalid')
  for (const nonce of others) await rails.answer('attest', { agentKey: key }, { nonce })
})

test('nonces that were spent leave room for others', async () => {
  await using rails = await testRails()
  const { key } = await rails.key()
  const first = await rails.nonce(key)
  for (let i = 0; i < 10; i++) {
    rails.passSeconds(1)
    await rails.token(key)
  }
  await rails.answer('attest', { agentKey: key }, { nonce: first })
})

test('many challenges at once leave eight nonces, and those of other keys stay', async () => {
  await using rails = await testRails()
  const [busy, quiet] = [await rails.key(), await rails.key()]
  const kept = await rails.nonce(quiet.key)
  await Promise.all(Array.from({ length: 40 }, () => rails.nonce(busy.key)))
  const rows = await rails.rows<{ key_id: string }>('nonce', 'issued_at')
  expect(rows.filter(({ key_id }) => key_id === busy.key_id)).toHaveLength(8)
  await rails.answer('attest', { agentKey: quiet.key }, { nonce: kept })
})

test('a challenge deletes the old nonces of its key', async () => {
  await using rails = await testRails()
  const { key } = await rails.key()
  await rails.token(key)
  await rails.nonce(key)
  const count = async () => (await rails.rows('nonce', 'issued_at')).length
  rails.passSeconds(120)
  await rails.nonce(key)
  expect(await count()).toBe(2) // the spent one and the new one
  rails.passSeconds(899)
  await rails.nonce(key)
  expect(await count()).toBe(2)
  rails.passSeconds(1)
  await rails.nonce(key)
  expect(await count()).toBe(2) // the spent one is gone; the last two are live
})

test('a key that is revoked after the gate admitted it gets no nonce', async () => {
  await using rails = await testRails()
  const { key_id } = await rails.key()
  await revokeKey(rails.parts, key_id)
  for (const id of [key_id, 'nobody'])
    expect((await refusal(issueNonce(rails.parts, id))).code).toBe('agent_key_invalid')
  expect(await rails.rows('nonce', 'issued_at')).toEqual([])
})
