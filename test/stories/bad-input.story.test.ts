import { expect, test } from 'bun:test'
import { testApp } from '../support/harness.ts'

const CANARY = 'Jane-Doe-1970-01-01'

test('every bad parameter has its status and code, and is not repeated in the answer', async () => {
  await using app = await testApp({ sample: true })
  const cases: [string, number, string][] = [
    ['/reference', 400, 'missing_parameter'],
    ['/reference?', 400, 'missing_parameter'],
    ['/reference?cpt=', 400, 'missing_parameter'],
    ['/reference?cpt=9921', 400, 'invalid_cpt'],
    [`/reference?cpt=${CANARY}`, 400, 'invalid_cpt'],
    [`/reference?cpt=${'9'.repeat(3000)}`, 400, 'invalid_cpt'],
    ['/reference?cpt=99213%00', 400, 'invalid_cpt'],
    ['/reference?cpt=99%0d%0a213', 400, 'invalid_cpt'],
    ['/reference?cpt=99213%0A', 400, 'invalid_cpt'],
    ['/reference?cpt=%0999213', 400, 'invalid_cpt'],
    ['/reference?cpt=%C2%A099213', 400, 'invalid_cpt'],
    ['/reference?cpt=%E2%80%AE99213', 400, 'invalid_cpt'],
    ['/reference?cpt=９９２１３', 400, 'invalid_cpt'],
    ['/reference?cpt=%ff', 400, 'invalid_request'],
    ['/reference?cpt=%', 400, 'invalid_request'],
    ['/reference?cpt=99213&cpt=99213', 400, 'duplicate_parameter'],
    [`/reference?cpt=99213&${CANARY}=1`, 400, 'unknown_parameter'],
    ['/reference?cpt=99213&__proto__=1', 400, 'unknown_parameter'],
    ['/reference?cpt=99213&constructor=1', 400, 'unknown_parameter'],
    ['/reference?cpt[]=99213', 400, 'unknown_parameter'],
    [`/reference?cpt=99213&region=${CANARY}`, 400, 'invalid_region'],
    ['/reference?cpt=99213&region=ZZ', 400, 'invalid_region'],
    ['/reference?cpt=99213&region=US-ZZ', 400, 'invalid_region'],
    ['/reference?cpt=99213&region=60611-12', 400, 'invalid_region'],
    ['/reference?cpt=99213&region=%2060611', 400, 'invalid_region'],
    ['/reference?cpt=99213&region=60611%0A', 400, 'invalid_region'],
    ['/reference?cpt=99213&npi=1234567890', 400, 'invalid_npi'],
    ['/reference?cpt=99213&npi=12345', 400, 'invalid_npi'],
    ['/reference?cpt=99213&as_of=2026-02-31', 400, 'invalid_parameter'],
    ['/reference?cpt=99213&as_of=yesterday', 400, 'invalid_parameter'],
    ['/reference?cpt=99213&modifier=toolong', 400, 'invalid_parameter'],
    ['/reference?cpt=99213&modifier=26,59', 400, 'invalid_parameter'],
    ['/reference?cpt=99213&modifier=26%0A', 400, 'invalid_parameter'],
    ['/reference?cpt=99213&modifier=24-25-57-58-59', 400, 'invalid_parameter'],
    ['/reference?cpt=99213&setting=home', 400, 'invalid_parameter'],
    ['/reference?cpt=99213&setting=inpatient', 404, 'not_on_schedule'],
    ['/reference?cpt=99213&setting=inpatient&kind=equipment', 400, 'invalid_parameter'],
    ['/reference?cpt=99213&setting=super_rural', 400, 'invalid_parameter'],
    ['/reference?cpt=99213&proof=half', 400, 'invalid_parameter'],
    ['/reference/sheet?cpt=99213&modifier=26', 400, 'unknown_parameter'],
    ['/rows/cms-pfs:SAMPLE26D:1/-1', 400, 'invalid_parameter'],
    ['/rows/cms-pfs:SAMPLE26D:1/999999', 404, 'row_not_found'],
    ['/rows/cms-pfs:NONE:1/0', 404, 'release_not_found'],
    ['/reference?cpt=99213&basis=guess', 400, 'invalid_parameter'],
    ['/api/figures?region=US-CA', 400, 'unknown_parameter'],
    ['/api/readme?x', 400, 'unknown_parameter'],
    ['/api/openapi.json?v=1', 400, 'unknown_parameter'],
    [`/${CANARY}`, 404, 'route_not_found'],
    ['/api/registry/', 404, 'route_not_found'],
    ['/REFERENCE?cpt=99213', 404, 'route_not_found'],
    ['/api/%2e%2e/%2e%2e/etc/passwd', 404, 'route_not_found'],
    [`/problems/${CANARY}`, 404, 'route_not_found'],
    [`/reference?cpt=99213&x=${'y'.repeat(5000)}`, 414, 'uri_too_long'],
  ]
  for (const [path, status, code] of cases) {
    const response = await app.request(path)
    const text = await response.text()
    const where = `${path.slice(0, 80)}: ${text.slice(0, 200)}`
    expect(response.headers.get('content-type'), where).toBe('application/problem+json')
    expect(JSON.parse(text), where).toMatchObject({ status, code, type: `https://registry.example/problems/${code}` })
    expect(response.status, where).toBe(status)
    expect(text, where).not.toContain('Jane')
    expect(text, where).not.toContain('yyyyy')
  }
})

test('a request without a sensible host is answered like any other', async () => {
  await using app = await testApp()
  for (const url of ['http://a:99999/api/figures', 'http://[::1/api/figures', 'http://%/api/figures', '/api/figures']) {
    const request = { url, method: 'GET', headers: new Headers(), body: null } as unknown as Request
    expect([url, (await app.app.fetch(request, '192.0.2.1')).status]).toEqual([url, 200])
  }
})

test('limits and offsets outside their range are refused, never clamped', async () => {
  await using app = await testApp({ sample: true })
  const headers = await app.railsHeaders()
  for (const query of [
    'limit=0',
    'limit=201',
    'limit=-1',
    'limit=1e9',
    'limit=5.5',
    'limit=%2050',
    'offset=-1',
    'offset=100001',
    'offset=99999999999',
    'after=!',
    'after=AAAA',
    'offset=1&after=YQ',
  ])
    for (const path of query.includes('after=') ? ['/api/registry'] : ['/api/registry', '/api/figure-changes']) {
      const problem = await app.problem(`${path}?${query}`, { headers })
      expect([query, problem.status, problem.code]).toEqual([query, 400, 'invalid_parameter'])
    }
  expect(await app.problemCode('/api/provider/1234567890', { headers })).toBe('invalid_npi')
  expect(await app.problemCode('/api/provider/1245319599', { headers })).toBe('provider_not_found')
})

test('a body must be one small, plain JSON object', async () => {
  await using app = await testApp()
  const { key } = await app.createKey()
  const json = { 'x-agent-key': key, 'content-type': 'application/json' }
  const post = (body: BodyInit, headers: Record<string, string> = json) =>
    app.problem('/api/agent-rails/attest', { method: 'POST', headers, body })
  const nested = `{"nonce":${'['.repeat(40)}${']'.repeat(40)}}`
  const cases: [BodyInit, Record<string, string>, number, string][] = [
    ['', json, 400, 'missing_parameter'],
    ['{}', json, 400, 'missing_parameter'],
    ['{', json, 400, 'invalid_json'],
    ['{"nonce":"a"}x', json, 400, 'invalid_json'],
    ['{"nonce":"a","nonce":"b"}', json, 400, 'invalid_json'],
    [nested, json, 400, 'invalid_json'],
    [new Uint8Array([0x22, 0xff, 0x22]), json, 400, 'invalid_json'],
    ['"\\ud800"', json, 400, 'invalid_json'],
    ['[]', json, 400, 'invalid_request'],
    ['null', json, 400, 'invalid_request'],
    ['5', json, 400, 'invalid_request'],
    [`{"nonce":"a","${CANARY}":1}`, json, 400, 'unknown_parameter'],
    ['{"nonce":"a","__proto__":{"scopes":[]}}', json, 400, 'unknown_parameter'],
    ['{"nonce":"a","scopes":"registry:read"}', json, 400, 'invalid_parameter'],
    ['{"nonce":"a","scopes":["everything"]}', json, 400, 'invalid_parameter'],
    ['{"nonce":"a"}', { ...json, 'content-type': 'text/plain' }, 415, 'unsupported_media_type'],
    ['nonce=a', { ...json, 'content-type': 'application/x-www-form-urlencoded' }, 415, 'unsupported_media_type'],
    [`{"nonce":"${'a'.repeat(20_000)}"}`, json, 413, 'payload_too_large'],
  ]
  for (const [body, headers, status, code] of cases) {
    const problem = await post(body, headers)
    expect([String(body).slice(0, 60), problem.status, problem.code]).toEqual([String(body).slice(0, 60), status, code])
    expect(JSON.stringify(problem)).not.toContain('Jane')
  }
  const challenge = await app.problem('/api/agent-rails/challenge', { method: 'POST', headers: json, body: '{"x":1}' })
  expect(challenge).toMatchObject({ status: 400, code: 'unknown_parameter' })
})

test('methods, forms and headers that a route does not take are refused', async () => {
  await using app = await testApp({ sample: true })
  for (const method of ['POST', 'PUT', 'DELETE', 'PATCH']) {
    const response = await app.request('/reference?cpt=99213', { method })
    expect(await response.json()).toMatchObject({ status: 405, code: 'method_not_allowed' })
    expect(response.headers.get('allow')).toBe('GET, HEAD, OPTIONS')
  }
  const get = await app.request('/api/agent-rails/challenge')
  expect([get.status, get.headers.get('allow')]).toEqual([405, 'POST, OPTIONS'])
  expect(await app.problemCode('/api/figures', { headers: { accept: 'text/html' } })).toBe('not_acceptable')
  expect(await app.problemCode('/', { headers: { accept: 'image/png' } })).toBe('not_acceptable')
})

test('HEAD, OPTIONS, ETag and CORS work on every public route', async () => {
  await using app = await testApp({ sample: true })
  for (const path of [
    '/',
    '/api/readme',
    '/api/figures',
    '/reference?cpt=99213',
    '/reference/history?cpt=99213',
    '/api/coverage',
    '/api/releases',
    '/api/releases/diff?from=cms-pfs:SAMPLE26A:1&to=cms-pfs:SAMPLE26D:1',
    '/feed.atom',
    '/api/agent-rails/policy',
    '/api/openapi.json',
    '/.well-known/ai-plugin.json',
    '/.well-known/agent-card.json',
  ]) {
    const got = await app.request(path)
    expect([path, got.status]).toEqual([path, 200])
    const etag = got.headers.get('etag') ?? ''
    expect(etag).toMatch(/^"[0-9a-f]{16}"$/)
    const again = await app.request(path, { headers: { 'if-none-match': etag } })
    expect([path, again.status, await again.text()]).toEqual([path, 304, ''])
    const head = await app.request(path, { method: 'HEAD' })
    expect([head.status, await head.text(), head.headers.get('etag')]).toEqual([200, '', etag])
    for (const response of [got, again, head]) {
      expect(response.headers.get('access-control-allow-origin')).toBe('*')
      expect(response.headers.get('access-control-allow-credentials')).toBeNull()
      expect(response.headers.get('x-content-type-options')).toBe('nosniff')
      expect(response.headers.get('strict-transport-security')).toBe('max-age=31536000')
    }
    const options = await app.request(path, { method: 'OPTIONS' })
    expect([options.status, options.headers.get('access-control-allow-methods')]).toEqual([204, 'GET, HEAD, OPTIONS'])
  }
})
