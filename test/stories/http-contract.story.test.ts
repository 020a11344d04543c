import { expect, test } from 'bun:test'
import { connect } from 'node:net'
import { readConfig } from '../../src/config.ts'
import { callerAddress, trustedProxies } from '../../src/surfaces/http/caller-address.ts'
import { temporaryFolder, testApp } from '../support/harness.ts'
import { DemoService } from '../support/service.ts'
import { aroundPrism } from '../support/through-prism.ts'
import { until } from '../support/until.ts'

const JSON_BODY = { 'content-type': 'application/json' }

test('HEAD of an error says how long the error is, and If-Match is honoured', async () => {
  await using app = await testApp({ sample: true })
  for (const path of ['/nowhere', '/reference?cpt=9', '/api/registry', '/reference?cpt=99999']) {
    const length = (await (await app.request(path)).bytes()).length
    for (let i = 0; i < 3; i++) {
      const head = await app.request(path, { method: 'HEAD' })
      expect([path, head.headers.get('content-length'), (await head.bytes()).length]).toEqual([path, String(length), 0])
    }
  }
  const path = '/reference?cpt=99213'
  const etag = (await app.request(path)).headers.get('etag') ?? ''
  const matching = async (value: string, method = 'GET') =>
    (await app.request(path, { method, headers: { 'if-match': value } })).status
  for (let i = 0; i < 3; i++) {
    expect(await matching('"another"')).toBe(412)
    expect(await matching(`"another", ${etag}`)).toBe(200)
    expect(await matching('*')).toBe(200)
    expect(await matching('"another"', 'HEAD')).toBe(412)
    expect((await app.request(path)).status).toBe(200)
  }
  expect(await app.problem(path, { headers: { 'if-match': '"another"' } })).toMatchObject({
    code: 'precondition_failed',
  })
})

test('of the tags in If-Match and If-None-Match the first 64 are read', async () => {
  await using app = await testApp({ sample: true })
  const path = '/reference?cpt=99213'
  const etag = (await app.request(path)).headers.get('etag') ?? ''
  const status = async (name: string, others: number) =>
    (await app.request(path, { headers: { [name]: `${'"x",'.repeat(others)}${etag}` } })).status
  for (let i = 0; i < 2; i++) {
    expect([await status('if-match', 63), await status('if-match', 64)]).toEqual([200, 412])
    expect([await status('if-none-match', 63), await status('if-none-match', 64)]).toEqual([304, 200])
  }
})

test('what Accept excludes is not sent, and the refusal names the types that there are', async () => {
  await using app = await testApp({ sample: true })
  const asked = async (path: string, accept: string) => {
    const response = await app.request(path, { headers: { accept } })
    const { code, available_types } = response.ok
      ? {}
      : ((await response.json()) as { code?: string; available_types?: string[] })
    return [response.status, code, available_types]
  }
  for (let i = 0; i < 3; i++)
    expect(await asked('/reference?cpt=99213', 'application/json;q=0, */*')).toEqual([
      406,
      'not_acceptable',
      ['application/json'],
    ])
  expect((await asked('/reference?cpt=99213', 'application/problem+json'))[0]).toBe(200)
  expect((await asked('/reference?cpt=99213', '*/*'))[0]).toBe(200)
  expect((await asked('/log/registry/checkpoint', 'application/json'))[0]).toBe(200)
  expect(await asked('/', 'image/png')).toMatchObject([406, 'not_acceptable', expect.arrayContaining(['text/html'])])
})

test('a refusal has in its body what its headers say', async () => {
  await using app = await testApp({ sample: true, limits: { enabled: true, default_rpm: 5 } })
  expect(await app.problem('/api/figures', { method: 'DELETE' })).toMatchObject({
    allowed_methods: ['GET', 'HEAD', 'OPTIONS'],
  })
  expect(await app.problem('/reference?code=99213')).toMatchObject({
    code: 'unknown_parameter',
    allowed_parameters: expect.arrayContaining(['cpt', 'region']),
  })
  const batch = { method: 'POST', headers: JSON_BODY, body: '{"rows":[]}' }
  expect(await app.problem('/reference/batch', batch)).toMatchObject({ allowed_parameters: ['lines', 'proof'] })
  let refused = await app.request('/nowhere')
  for (let i = 0; i < 6; i++) refused = await app.request('/nowhere')
  expect(await refused.json()).toMatchObject({
    code: 'rate_limited',
    retry_after_seconds: Number(refused.headers.get('retry-after')),
  })
})

test('a trailing ampersand means nothing, a compressed body is not read, an unknown method is not known', async () => {
  await using app = await testApp({ sample: true })
  expect((await app.request('/reference?cpt=99213&')).status).toBe(200)
  expect((await app.request('/healthz?&')).status).toBe(200)
  const body = Bun.gzipSync('{"lines":[{"cpt":"99213"}]}')
  const headers = { ...JSON_BODY, 'content-encoding': 'gzip' }
  expect(await app.problem('/reference/batch', { method: 'POST', headers, body })).toMatchObject({
    status: 415,
    code: 'unsupported_media_type',
  })
  expect(await app.problem('/api/figures', { method: 'PROPFIND' })).toMatchObject({
    status: 501,
    code: 'method_not_implemented',
  })
})

test('what a browser may show as a page is kept from other windows, devices and frames', async () => {
  await using app = await testApp({ sample: true })
  for (const [path, type] of [
    ['/', 'text/html'],
    ['/feed.atom', 'application/atom+xml'],
    ['/problems/rate_limited', 'text/html'],
  ] as const)
    for (let i = 0; i < 3; i++) {
      const { status, headers } = await app.request(path, { headers: { accept: type } })
      expect([path, status, headers.get('content-security-policy')]).toEqual([
        path,
        200,
        expect.stringContaining("default-src 'none'"),
      ])
      expect(headers.get('cross-origin-opener-policy')).toBe('same-origin')
      expect(headers.get('cross-origin-resource-policy')).toBe('cross-origin')
      expect(headers.get('permissions-policy')).toContain('geolocation=()')
    }
})

test('OPTIONS and probes are counted', async () => {
  await using app = await testApp({ limits: { enabled: true, log_rpm: 5 } })
  for (let i = 0; i < 5; i++) expect((await app.request('/healthz')).status).toBe(200)
  expect((await app.request('/healthz')).status).toBe(429)
  for (let i = 0; i < 5; i++) expect((await app.request('/api/figures', { method: 'OPTIONS' })).status).toBe(204)
  expect((await app.request('/api/figures', { method: 'OPTIONS' })).status).toBe(429)
  expect((await app.request('/api/figures', { method: 'OPTIONS' }, '192.0.2.2')).status).toBe(204)
})

test('probes are answered while a crowd has used up the quota of all callers', async () => {
  await using app = await testApp({ limits: { enabled: true, log_rpm: 5, anonymous_rpm: 80 } })
  const from = (i: number): string => `198.18.${i}.1`
  const crowd = async (path: string): Promise<number[]> => {
    const statuses: number[] = []
    for (let i = 0; i < 90; i++) statuses.push((await app.request(path, {}, from(i))).status)
    return statuses
  }
  for (const path of ['/log/registry/checkpoint', '/healthz'])
    expect([path, (await crowd(path)).includes(429)]).toEqual([path, path !== '/healthz'])
  for (const path of ['/healthz', '/readyz']) expect((await app.request(path, {}, '192.0.2.7')).status).toBe(200)
})

test('a forwarded address may have a port', () => {
  const isTrusted = trustedProxies(['10.0.0.0/8'])
  expect(callerAddress('10.0.0.1', '1.2.3.4:5678', isTrusted)).toBe('1.2.3.4')
  expect(callerAddress('10.0.0.1', '[2001:db8::7]:443, 10.0.0.2:80', isTrusted)).toBe('2001:db8::7')
  expect(callerAddress('10.0.0.1', '[2001:db8::7]', isTrusted)).toBe('2001:db8::7')
  expect(callerAddress('10.0.0.1', '1.2.3.4:x', isTrusted)).toBe('10.0.0.1')
})

test('a public address with a path is refused, because every link would be wrong', () => {
  for (const url of ['https://registry.example/prices', 'https://registry.example/a/'])
    expect(() => readConfig({ PUBLIC_URL: url })).toThrow('PUBLIC_URL')
  expect(readConfig({ PUBLIC_URL: 'https://registry.example/' }).PUBLIC_URL).toBe('https://registry.example')
})

/** Sends text as it is, gives what came back with its head whole, and hangs up; after a while also without an answer. */
async function raw(url: string, text: string, isAnswered = true): Promise<string> {
  const { hostname, port } = new URL(url)
  let got = ''
  const socket = connect({ host: hostname, port: Number(port) })
  socket.on('data', (bytes) => {
    got += bytes
  })
  socket.on('error', () => undefined)
  socket.on('connect', () => socket.write(text))
  if (isAnswered) await until(() => /\r\n\r\n/.test(got))
  await Bun.sleep(400)
  socket.destroy()
  return got
}

test('an answer without a body says so, a caller who hangs up is no fault, and the log says who called and why it was refused', async () => {
  using folder = temporaryFolder()
  const around = aroundPrism('half a request is written to the socket')
  const service = await DemoService.start({ LOG_LEVEL: 'info', ...around }, folder)
  const read = new Response(service.child.stderr).text()
  const told = '{"jsonrpc":"2.0","method":"notifications/initialized"}'
  const types = 'Content-Type: application/json\r\nAccept: application/json, text/event-stream'
  const notification = `POST /mcp HTTP/1.1\r\nHost: a\r\n${types}\r\nContent-Length: ${told.length}\r\n\r\n${told}`
  const noBody = await raw(service.url, notification)
  // Without it a client would wait for a body, and take the next answer for one.
  expect([noBody.split('\r\n')[0], /\r\ncontent-length: 0\r\n/i.test(noBody)]).toEqual(['HTTP/1.1 202 Accepted', true])
  const begun =
    'POST /reference/batch HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 5000\r\n\r\n{'
  await raw(service.url, begun, false)
  await fetch(`${service.url}/reference?cpt=9`)
  await fetch(`${service.url}/api/registry`, { headers: { 'x-agent-rails': 'nonsense' } })
  const challenged = await fetch(`${service.url}/api/agent-rails/challenge`, {
    method: 'POST',
    headers: { 'x-agent-key': service.demoKey },
  })
  expect(challenged.status).toBe(200)
  await Bun.sleep(300)
  await service.stop()
  const lines = (await read)
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as Record<string, unknown>)
  expect(lines.filter(({ level }) => level === 'error')).toEqual([])
  expect(lines).toContainEqual(expect.objectContaining({ level: 'info', route: '/reference/batch', status: 499 }))
  expect(lines).toContainEqual(expect.objectContaining({ status: 400, code: 'invalid_cpt', caller: 'anonymous' }))
  expect(lines).toContainEqual(expect.objectContaining({ status: 401, code: 'rails_token_invalid' }))
  const key_id = service.demoKey.slice(4, 16)
  expect(lines).toContainEqual(expect.objectContaining({ status: 200, caller: 'agent', key_id }))
  expect(JSON.stringify(lines)).not.toContain(service.demoKey)
})

test('a reader of standard error that stalls does not stop the service', async () => {
  using folder = temporaryFolder()
  const service = await DemoService.start({ LOG_LEVEL: 'info', REFERENCE_RPM: '100000' }, folder)
  // Nobody reads `service.child.stderr`: the pipe holds 64 KiB, about 300 lines.
  for (let i = 0; i < 30; i++) {
    const asked = Array.from({ length: 50 }, () => fetch(`${service.url}/reference?cpt=99213`))
    for (const response of await Promise.all(asked)) expect(response.status).toBe(200)
  }
  service.child.kill('SIGKILL')
  await service.child.exited
})
