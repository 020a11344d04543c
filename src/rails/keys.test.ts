import { expect, test } from 'bun:test'
import { anEd25519Key, refusal, testRails, UNSOUND_KEYS } from './fixture.ts'
import { createKey, listKeys, revokeKey, rotateKey } from './keys.ts'
import { checkPepper, sealPepper } from './pepper.ts'

test('a key is shown once and stored as a digest', async () => {
  await using rails = await testRails()
  const issued = await rails.key({ name: 'Claims agent 7', scopes: ['audit:read', 'registry:read'] })
  expect(issued).toEqual({
    key: expect.stringMatching(/^atk_/),
    key_id: issued.key.slice(4, 16),
    name: 'Claims agent 7',
    scopes: ['registry:read', 'audit:read'],
    expires_at: '2027-07-02T00:00:00.000Z',
  })
  const stored = JSON.stringify(await rails.rows('agent_key', 'key_id'))
  expect(stored).not.toContain(issued.key.slice(17))
  expect(await rails.rows<object>('rails_event', 'event_no')).toEqual([
    { event_no: 1, at: rails.clock.ms, kind: 'key_created', key_id: issued.key_id },
  ])
})

test('malformed names, scopes, lifetimes and public keys are refused without being repeated', async () => {
  await using rails = await testRails()
  const good = { name: 'agent', scopes: ['registry:read'] }
  const bad = [
    { ...good, name: '' },
    { ...good, name: ' agent' },
    { ...good, name: 'a'.repeat(65) },
    { ...good, name: 'agent\n' },
    { ...good, name: 'zürich' },
    { ...good, scopes: ['registry:write'] },
    { ...good, scopes: ['registry:read', ''] },
    { ...good, ttlSeconds: 0 },
    { ...good, ttlSeconds: 100 * 365 * 86_400 + 1 },
    { ...good, ttlSeconds: 1.5 },
    { ...good, ttlSeconds: Number.POSITIVE_INFINITY },
    { ...good, publicKey: new Uint8Array(31) },
    ...UNSOUND_KEYS.map((publicKey) => ({ ...good, publicKey })),
  ]
  for (const wanted of bad) {
    const { code, detail } = await refusal(createKey(rails.parts, wanted))
    expect(code).toBe('invalid_parameter')
    for (const word of ['zürich', 'registry:write']) expect(detail).not.toContain(word)
  }
  expect(await listKeys(rails.parts)).toEqual([])
  for (const ttlSeconds of [1, 100 * 365 * 86_400]) await createKey(rails.parts, { ...good, ttlSeconds })
  expect((await listKeys(rails.parts)).map(({ signs_nonces }) => signs_nonces)).toEqual([false, false])
})

test('a list says which keys work, and nothing secret', async () => {
  await using rails = await testRails()
  const kept = await rails.key({ name: 'kept', publicKey: anEd25519Key().raw })
  const short = await rails.key({ name: 'short', ttlSeconds: 60 })
  rails.passSeconds(1)
  const old = await rails.key({ name: 'old' })
  const gone = await rails.key({ name: 'gone' })
  const next = await rotateKey(rails.parts, old.key_id)
  await revokeKey(rails.parts, gone.key_id)
  rails.passSeconds(59)

  const keys = await listKeys(rails.parts)
  expect(new Map(keys.map(({ key_id, state }) => [key_id, state]))).toEqual(
    new Map([
      [kept.key_id, 'active'],
      [short.key_id, 'expired'],
      [old.key_id, 'rotating'],
      [gone.key_id, 'revoked'],
      [next.key_id, 'active'],
    ]),
  )
  expect(keys.find(({ key_id }) => key_id === kept.key_id)?.signs_nonces).toBe(true)
  expect(keys.find(({ key_id }) => key_id === old.key_id)?.replaced_by).toBe(next.key_id)
  expect(Object.keys(keys[0] ?? {})).not.toContain('digest')
})

test('rotation overlaps by a day and never gives the old key more time', async () => {
  await using rails = await testRails()
  const old = await rails.key({ scopes: ['audit:read'] })
  const next = await rotateKey(rails.parts, old.key_id)
  expect(next).toMatchObject({ name: 'test agent', scopes: ['audit:read'] })
  expect(next.key_id).not.toBe(old.key_id)

  rails.passSeconds(24 * 3600 - 1)
  expect(await rails.verdict({ agentKey: old.key }, 'agent_key')).toBe('in')
  rails.passSeconds(1)
  expect(await rails.verdict({ agentKey: old.key }, 'agent_key')).toBe('agent_key_invalid')
  expect(await rails.verdict({ agentKey: next.key }, 'agent_key')).toBe('in')

  const brief = await rails.key({ ttlSeconds: 3600 })
  await rotateKey(rails.parts, brief.key_id)
  rails.passSeconds(3600)
  expect(await rails.verdict({ agentKey: brief.key }, 'agent_key')).toBe('agent_key_invalid')
})

test('a key that is rotated out, revoked or unknown cannot be rotated', async () => {
  await using rails = await testRails()
  const old = await rails.key()
  const next = await rotateKey(rails.parts, old.key_id)
  await revokeKey(rails.parts, next.key_id)
  expect((await refusal(rotateKey(rails.parts, old.key_id))).code).toBe('invalid_parameter')
  expect((await refusal(rotateKey(rails.parts, next.key_id))).code).toBe('unknown_key')
  expect((await refusal(rotateKey(rails.parts, 'nobody'))).code).toBe('unknown_key')
  expect((await refusal(revokeKey(rails.parts, 'nobody'))).code).toBe('unknown_key')
  expect(await listKeys(rails.parts)).toHaveLength(2)
})

test('revoking twice is recorded once', async () => {
  await using rails = await testRails()
  const { key_id } = await rails.key()
  const first = await revokeKey(rails.parts, key_id)
  rails.passSeconds(10)
  expect(await revokeKey(rails.parts, key_id)).toEqual(first)
  const events = await rails.rows<{ kind: string }>('rails_event', 'event_no')
  expect(events.map(({ kind }) => kind)).toEqual(['key_created', 'key_revoked'])
})

test('a store opens with its own pepper, and with no other', async () => {
  await using rails = await testRails()
  const { db, pepper } = rails.parts
  await db.query('DELETE FROM pepper_check')
  await expect(checkPepper(db, pepper)).rejects.toThrow('PEPPER_FILE')
  await sealPepper(db, pepper)
  await checkPepper(db, pepper)
  await expect(checkPepper(db, new Uint8Array(32).fill(8))).rejects.toThrow('PEPPER_FILE')
})
