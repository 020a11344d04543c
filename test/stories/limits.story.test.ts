import { expect, test } from 'bun:test'
import { callerAddress, trustedProxies } from '../../src/surfaces/http/caller-address.ts'
import { testApp } from '../support/harness.ts'

const limits = { enabled: true }

test('the 121st request of a minute on a default route is refused, whatever X-Forwarded-For says', async () => {
  await using app = await testApp({ limits })
  for (let i = 1; i <= 120; i++) {
    const response = await app.request('/api/figures', { headers: { 'x-forwarded-for': `198.51.100.${i}` } })
    expect(response.status).toBe(200)
    expect(response.headers.get('ratelimit-policy')).toBe('"default";q=120;w=60')
    expect(response.headers.get('ratelimit')).toMatch(new RegExp(`^"default";r=${120 - i};t=\\d+$`))
  }
  const refused = await app.request('/api/figures', { headers: { 'x-forwarded-for': '203.0.113.9' } })
  expect(refused.status).toBe(429)
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
  expect(refused.headers.get('ratelimit')).toMatch(/^"default";r=0;t=\d+$/)
  expect(await refused.json()).toMatchObject({ code: 'rate_limited', 'violated-policies': ['default'] })
  // Other addresses, and the other bucket of this one, are not touched by it.
  expect((await app.request('/api/figures', {}, '192.0.2.2')).status).toBe(200)
  expect((await app.request('/reference?cpt=99213')).status).toBe(404)
})

test('/reference allows 300 a minute', async () => {
  await using app = await testApp({ limits })
  for (let i = 0; i < 300; i++) expect((await app.request('/reference?cpt=99213')).status).toBe(404)
  const refused = await app.request('/reference?cpt=99213')
  expect([refused.status, refused.headers.get('ratelimit-policy')]).toEqual([429, '"reference";q=300;w=60'])
})

test('an agent has a quota of its own, wherever it calls from', async () => {
  await using app = await testApp({ limits: { enabled: true, default_rpm: 5 } })
  const headers = await app.railsHeaders()
  const statuses = []
  for (let i = 0; i < 5; i++)
    statuses.push((await app.request('/api/registry', { headers }, `192.0.2.${10 + i}`)).status)
  expect(statuses).toEqual([200, 200, 200, 429, 429]) // challenge and attest were the first two
})

test('unknown routes and refusals count, and carry the quota too', async () => {
  await using app = await testApp({ limits: { enabled: true, default_rpm: 3 } })
  expect((await app.request('/nowhere')).headers.get('ratelimit')).toStartWith('"default";r=2')
  expect((await app.request('/api/registry')).headers.get('ratelimit')).toStartWith('"default";r=1')
  expect((await app.request('/api/figures', { method: 'DELETE' })).headers.get('ratelimit')).toStartWith(
    '"default";r=0',
  )
  expect((await app.request('/nowhere')).status).toBe(429)
  expect((await app.request('/api/figures', { method: 'OPTIONS' })).status).toBe(204)
})

test('the eleventh bad credential of a minute is refused for that', async () => {
  await using app = await testApp({ limits })
  const headers = await app.railsHeaders()
  expect((await app.request('/api/registry', { headers })).status).toBe(200)
  const bad = { 'x-agent-rails': 'wrong' }
  for (let i = 0; i < 10; i++) expect((await app.request('/api/registry', { headers: bad })).status).toBe(401)
  expect((await app.request('/api/registry', { headers: bad })).status).toBe(429)
  expect((await app.request('/api/registry', { headers })).status).toBe(200)
})

test('a forwarded address is believed only from a trusted proxy, and only its last untrusted hop', () => {
  const behind = (peer: string, forwarded: string | null, ...proxies: string[]) =>
    callerAddress(peer, forwarded, trustedProxies(proxies))
  expect(behind('10.0.0.1', '1.2.3.4')).toBe('10.0.0.1')
  expect(behind('10.0.0.1', '1.2.3.4', '10.0.0.1')).toBe('1.2.3.4')
  expect(behind('10.9.9.9', '1.2.3.4', '10.0.0.0/8')).toBe('1.2.3.4')
  expect(behind('11.0.0.1', '1.2.3.4', '10.0.0.0/8')).toBe('11.0.0.1')
  expect(behind('fd00::1', '2001:db8::7', 'fd00::/8')).toBe('2001:db8::7')
  expect(behind('::ffff:10.0.0.1', '6.6.6.6, 1.2.3.4, 10.0.0.2', '10.0.0.1', '10.0.0.2')).toBe('1.2.3.4')
  expect(behind('10.0.0.1', 'nonsense', '10.0.0.1')).toBe('10.0.0.1')
  expect(behind('10.0.0.1', null, '10.0.0.1')).toBe('10.0.0.1')
})
