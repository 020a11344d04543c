// Who may use which tool over MCP, how often, and what hostile callers get.

import { afterAll, beforeAll, expect, test } from 'bun:test'
import { revokeKey } from '../../src/rails/keys.ts'
import { BASE_URL, type TestApp, testApp } from '../support/harness.ts'
import { call, connect, message, post } from '../support/mcp.ts'

type Members = Record<string, unknown>

/** For the tests that neither stop the service nor move its clock. */
let app: TestApp
beforeAll(async () => {
  app = await testApp({ sample: true })
})
afterAll(() => app[Symbol.asyncDispose]())

interface RpcError {
  id: unknown
  error: { code: number; message: string; data?: Members }
}

const PROTECTED = [
  ['browse_registry', { limit: 1 }, 'registry:read'],
  ['provider_stats', { npi: '1234567893' }, 'provider:read'],
  ['data_integrity', {}, 'integrity:read'],
  ['figures', { view: 'changes' }, 'audit:read'],
] as const

test('a tool that needs a scope is refused over HTTP, so that a client can fetch a credential', async () => {
  const weak = await app.railsHeaders(['figures:read'])
  const strong = await app.railsHeaders()
  for (const [tool, args, scope] of PROTECTED) {
    const missing = await call(app, tool, args)
    expect(missing.status).toBe(401)
    expect(missing.headers.get('www-authenticate')).toContain(`scope="${scope}"`)
    expect(missing.headers.get('www-authenticate')).toContain(`policy="${BASE_URL}/api/agent-rails/policy"`)
    expect((await missing.json()) as RpcError).toMatchObject({
      id: 1,
      error: { data: { code: 'rails_token_missing' } },
    })

    const lacking = await call(app, tool, args, weak)
    expect(lacking.status).toBe(403)
    expect(lacking.headers.get('www-authenticate')).toContain('error="insufficient_scope"')
    expect((await lacking.json()) as RpcError).toMatchObject({ error: { data: { required_scopes: [scope] } } })

    for (const headers of [strong, { authorization: `Bearer ${strong['x-agent-rails']}` }])
      expect((await call(app, tool, args, headers)).status).toBe(200)
    const forged = await call(app, tool, args, { 'x-agent-rails': `atr_${'a'.repeat(12)}_${'b'.repeat(49)}` })
    expect([forged.status, ((await forged.json()) as RpcError).error.data?.['code']]).toEqual([
      401,
      'rails_token_invalid',
    ])
  }
  // Public tools work whatever is sent with them, and the figures themselves are public.
  for (const tool of ['lookup_price', 'figures'])
    expect((await call(app, tool, tool === 'figures' ? {} : { cpt: '99213' }, weak)).status).toBe(200)
})

test('a revoked key stops its calls at once', async () => {
  const { key, key_id } = await app.createKey()
  const attested = await app.attest(key, { nonce: await app.challenge(key) })
  const headers = { 'x-agent-rails': ((await attested.json()) as { rails_token: string }).rails_token }
  expect((await call(app, 'data_integrity', {}, headers)).status).toBe(200)
  await revokeKey({ db: app.installation.db, now: async () => app.clock.now }, key_id)
  expect((await call(app, 'data_integrity', {}, headers)).status).toBe(401)
})

test('a call counts as its operation, a bill as its lines, and anything else as one request', async () => {
  await using app = await testApp({ sample: true, limits: { enabled: true, default_rpm: 5, reference_rpm: 8 } })
  const line = { cpt: '99213' }
  const left = async (response: Response) => {
    await response.text()
    return response.headers.get('ratelimit')?.split(';').slice(0, 2).join(';')
  }
  expect(await left(await call(app, 'lookup_price', line))).toBe('"reference";r=7')
  expect(await left(await call(app, 'price_bill', { lines: [line, line, line] }))).toBe('"reference";r=4')
  expect(await left(await post(app, message('tools/list')))).toBe('"default";r=4')
  expect(await left(await call(app, 'coverage', {}))).toBe('"default";r=3')
  expect(await left(await post(app, message('resources/read', { uri: `${BASE_URL}/reference?cpt=99213` })))).toBe(
    '"reference";r=3',
  )
  // More lines than are left: refused whole, and the model is told when to call again.
  const over = await call(app, 'price_bill', { lines: Array.from({ length: 4 }, () => line) })
  const { result } = (await over.json()) as { result: { isError: boolean; content: { text: string }[] } }
  expect(result.isError).toBe(true)
  expect(result.content[0]?.text).toMatch(/^rate_limited: .* Next: call price_bill again after \d+ seconds\.$/)
  for (let i = 0; i < 3; i++) await post(app, message('tools/list'))
  const refused = await post(app, message('tools/list'))
  expect([refused.status, refused.headers.has('retry-after')]).toEqual([429, true])
  expect((await refused.json()) as RpcError).toMatchObject({ id: 1, error: { data: { code: 'rate_limited' } } })
})

test('messages that the protocol refuses are counted too', async () => {
  await using app = await testApp({ limits: { enabled: true, default_rpm: 3 } })
  const wrong = [
    message('tools/call', { name: 'no_such_tool' }),
    message('tools/call', { name: 'figures' }, { 'mcp-name': 'coverage' }),
    message('resources/read', { uri: 'file:///etc/passwd' }),
    message('tools/call', { name: 'no_such_tool' }),
  ]
  const statuses: number[] = []
  for (const init of wrong) statuses.push((await post(app, init)).status)
  expect(statuses.at(-1)).toBe(429)
  expect(statuses.slice(0, 3)).not.toContain(429)
})

test('pages of other origins are refused, and only allowed ones may read an answer', async () => {
  for (const origin of ['https://evil.example', 'null', `${BASE_URL}.evil.example`, 'http://registry.example']) {
    const refused = await post(app, message('tools/list', {}, { origin }))
    expect([refused.status, refused.headers.get('access-control-allow-origin')]).toEqual([403, BASE_URL])
    expect((await refused.json()) as Members).toMatchObject({ code: 'origin_not_allowed' })
    const asked = await post(app, { method: 'OPTIONS', headers: { origin } })
    expect(asked.status).toBe(403)
  }
  const allowed = await post(app, message('tools/list', {}, { origin: BASE_URL }))
  expect([allowed.status, allowed.headers.get('access-control-allow-origin')]).toEqual([200, BASE_URL])
  const asked = await post(app, { method: 'OPTIONS', headers: { origin: BASE_URL } })
  expect([asked.status, asked.headers.get('allow')]).toEqual([204, 'POST, OPTIONS'])
  expect(asked.headers.get('access-control-allow-headers')).toContain('Mcp-Method')
  for (const method of ['GET', 'DELETE', 'PUT']) {
    const refused = await post(app, { method })
    expect([refused.status, refused.headers.get('allow')]).toEqual([405, 'POST, OPTIONS'])
  }
})

const deep = (levels: number): string => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`
const withBody = (body: string, headers: Record<string, string> = {}): RequestInit => ({
  ...message('tools/list', {}, headers),
  body,
})

test('hostile messages are refused with a typed error, and nothing of them is repeated', async () => {
  const huge = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: { a: 'a'.repeat(70_000) } })
  const cases: [RequestInit, number, string][] = [
    [withBody('{'), 400, 'invalid_json'],
    [withBody(''), 400, 'invalid_request'],
    [withBody('[]'), 400, 'invalid_request'],
    [withBody('null'), 400, 'invalid_request'],
    [withBody('{"jsonrpc":"2.0","id":1,"id":2,"method":"tools/list"}'), 400, 'invalid_json'],
    [withBody(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":${deep(40)}}`), 400, 'invalid_json'],
    [withBody(huge), 413, 'payload_too_large'],
    [withBody('{}', { 'content-type': 'text/plain' }), 415, 'unsupported_media_type'],
  ]
  for (const [init, status, code] of cases) {
    const response = await post(app, init)
    expect([response.status, code]).toEqual([
      status,
      ((await response.json()) as RpcError).error.data?.['code'] as string,
    ])
  }
  const secret = 'x7hostile'
  for (const args of [
    { cpt: secret },
    { cpt: '99213', [secret]: 1 },
    { cpt: { toString: secret } },
    { cpt: ['99213'] },
    { cpt: '99213', include: secret },
    { cpt: '99213', proof: 'full' },
    { cpt: '99213', constructor: secret },
    { cpt: '99213', region: `<script>${secret}` },
    { cpt: `99213\u0000${secret}` },
  ]) {
    const text = await (await call(app, 'lookup_price', args)).text()
    expect(text).not.toContain(secret)
    expect(JSON.parse(text)).toMatchObject({ result: { isError: true, structuredContent: { status: 400 } } })
  }
  for (const name of ['lookup_reference', 'constructor', '__proto__', secret]) {
    const text = await (await call(app, name)).text()
    expect(text).not.toContain(`no such tool ${secret}`)
    expect(JSON.parse(text)).toMatchObject({ error: { code: -32602 } })
  }
  expect(app.lines.every(({ error }) => error === undefined)).toBe(true)
})

test('errors of the protocol repeat nothing that was sent: no address, version, method or header', async () => {
  const secret = 'x7hostile'
  const asked = (params: Members, headers: Record<string, string> = {}, method = 'resources/read'): RequestInit => ({
    ...message(method, {}, headers),
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  })
  const meta = (version: string): Members => ({
    _meta: {
      'io.modelcontextprotocol/protocolVersion': version,
      'io.modelcontextprotocol/clientCapabilities': {},
    },
  })
  const cases: [RequestInit, number, number][] = [
    [message('resources/read', { uri: `https://${secret}.example/` }), 200, -32602],
    [message('resources/read', { uri: `${BASE_URL}/${secret}` }), 200, -32602],
    [message('resources/read', { uri: 7, [secret]: secret }), 200, -32603],
    [message(secret), 404, -32601],
    [message('tools/list', {}, { 'mcp-method': secret }), 400, -32020],
    [message('tools/call', { name: 'figures' }, { 'mcp-name': secret }), 400, -32020],
    [message('tools/list', {}, { 'mcp-protocol-version': secret }), 400, -32020],
    [asked({}, { 'mcp-protocol-version': secret }, 'tools/list'), 400, -32602],
    [asked({}, { 'mcp-protocol-version': `1${secret}` }, 'tools/list'), 400, -32000],
    [asked(meta(secret), { 'mcp-protocol-version': secret }, 'tools/list'), 400, -32022],
    [asked({ uri: secret }, { 'mcp-protocol-version': '2025-11-25' }), 200, -32602],
    [asked({ [secret]: { [secret]: 1 } }, { 'mcp-protocol-version': '2025-11-25' }), 200, -32603],
    [asked({}, { accept: `text/${secret}`, 'mcp-protocol-version': '2025-11-25' }, 'tools/list'), 406, -32000],
  ]
  for (const [index, [init, status, code]] of cases.entries()) {
    const response = await post(app, init)
    const text = await response.text()
    expect(text, `case ${index}`).not.toContain(secret)
    expect([index, response.status, Number(/"code":(-\d+)/.exec(text)?.[1])], text).toEqual([index, status, code])
  }
})

/** The store breaks under the service. */
async function broken(app: TestApp): Promise<TestApp> {
  await app.installation.db.query('DROP TABLE log_head')
  return app
}

test('a fault of the service is logged, and its words do not reach the caller', async () => {
  await using app = await broken(await testApp())
  const response = await call(app, 'figures')
  expect(response.status).toBe(500)
  expect((await response.json()) as Members).toMatchObject({ code: 'internal_error' })
  expect(app.lines.at(-1)?.error).toBeInstanceOf(Error)
})

test('a client that listens for changes is told that there are none, and holds no stream open', async () => {
  await using app = await testApp()
  const response = await post(app, message('subscriptions/listen', { notifications: { toolsListChanged: true } }))
  expect(response.status).toBe(200)
  const text = await response.text()
  expect(text).toContain('"method":"notifications/subscriptions/acknowledged","params":{"notifications":{}')
  expect(text).toContain('"resultType":"complete"')
})

test('clients of the old line can call for the whole life of a token', async () => {
  await using app = await testApp()
  const client = await connect(app, 'legacy', await app.railsHeaders())
  app.clock.now += 899_000
  expect((await client.callTool({ name: 'data_integrity' })).isError).toBeUndefined()
  app.clock.now += 2_000
  const expired = await client.callTool({ name: 'data_integrity' }).catch((error: Error) => error)
  expect(String(expired)).toContain('rails_token_expired')
})
