// Ready-made answers beside the same service without them: every byte, header, quota and log line must be the same.

import { afterAll, expect, test } from 'bun:test'
import { listen } from '../../src/listen.ts'
import { Queue } from '../../src/queue.ts'
import { makeGate } from '../../src/rails/admission.ts'
import { revokeKey } from '../../src/rails/keys.ts'
import { makeLimiter } from '../../src/rails/limit/limits.ts'
import { type HttpSurface, httpSurface, type RequestLine } from '../../src/surfaces/http/router.ts'
import { aPrice, aRelease } from '../support/builders.ts'
import { effort } from '../support/effort.ts'
import { BASE_URL, type TestApp, testApp } from '../support/harness.ts'
import { until } from '../support/until.ts'

/** Most of these tests only read, so they share a store. */
const sample = testApp({ sample: true })
afterAll(async () => (await sample)[Symbol.asyncDispose]())

interface Twin extends HttpSurface {
  lines: RequestLine[]
  /** How often an operation was run. */
  runs: () => number
}

interface Setting {
  stamp?: () => string | undefined
  rpm?: number
  clock?: { ms: number }
}

/** The same operations and resources, with or without a memory for answers, and with counts of their own. */
function twin(
  app: TestApp,
  cacheBytes: number,
  { stamp = () => 'head', rpm = 100_000, clock = { ms: 0 } }: Setting,
): Twin {
  const { db, pepper } = app.installation
  const lines: RequestLine[] = []
  let runs = 0
  let requests = 0
  const stamped = <Part extends { name: string }>(part: Part): Part =>
    part.name.includes('health') || part.name.includes('readiness') ? part : { ...part, stamp }
  const limits = { default_rpm: rpm, reference_rpm: rpm, log_rpm: rpm, enabled: true }
  const surface = httpSurface({
    operations: app.app.operations.map((op) => ({
      ...stamped(op),
      run: (...asked: Parameters<typeof op.run>) => {
        runs++
        return op.run(...asked)
      },
    })),
    resources: app.app.resources.map(stamped),
    gate: makeGate(
      { db, pepper, now: async () => app.clock.now },
      makeLimiter(limits, () => clock.ms),
    ),
    baseUrl: () => BASE_URL,
    observe: (line) => lines.push(line),
    randomId: () => `id-${String(++requests).padStart(8, '0')}`,
    cacheBytes,
  })
  return { ...surface, lines, runs: () => runs }
}

const twins = (app: TestApp, setting: Setting = {}) => ({
  ready: twin(app, 16 * 1024 * 1024, setting),
  plain: twin(app, 0, setting),
})

async function seen(surface: HttpSurface, path: string, init: RequestInit, address: string) {
  const response = await surface.fetch(new Request(`${BASE_URL}${path}`, init), address)
  const headers = Object.fromEntries(response.headers)
  return { status: response.status, headers, body: Buffer.from(await response.bytes()).toString('base64') }
}

/** Asks both, and expects the same of both. */
async function ask(pair: { ready: Twin; plain: Twin }, path: string, init: RequestInit = {}, address = '192.0.2.1') {
  const [ready, plain] = [await seen(pair.ready, path, init, address), await seen(pair.plain, path, init, address)]
  expect([path, init.method, init.headers, ready]).toEqual([path, init.method, init.headers, plain])
  const [one, other] = [pair.ready.lines.at(-1), pair.plain.lines.at(-1)]
  expect({ ...one, ms: 0 }).toEqual({ ...other, ms: 0 } as RequestLine)
  return { ...ready, text: Buffer.from(ready.body, 'base64').toString() }
}

const PATHS = [
  '/reference?cpt=99213',
  '/reference?cpt=99213&proof=ref',
  '/reference?cpt=99999',
  '/reference?cpt=nonsense',
  '/reference?cpt=99213&cpt=99213',
  '/reference?cpt=99213&region=',
  '/reference?cpt=%39%39213',
  '/reference?cpt=99213#fragment',
  '/reference',
  '/reference/sheet?cpt=99213',
  '/reference/history?cpt=99213',
  '/api/registry?limit=5',
  '/api/coverage',
  '/api/releases?limit=1',
  '/api/figures',
  '/api/readme',
  '/api/readme?x=1',
  '/api/agent-rails/policy',
  '/api/agent-rails/challenge',
  '/',
  '/?utm_source=mail',
  '/api/openapi.json',
  '/problems/invalid_cpt',
  '/problems/invalid_cpt?x=%ff',
  '/problems/nothing',
  '/log/policy',
  '/log/registry/checkpoint',
  '/log/registry/tile/0/000.p/1',
  '/log/registry/tile/0/999',
  '/logo.svg',
  '/feed.atom',
  '/healthz',
  '/nowhere',
  '/./reference?cpt=99213',
  `/reference?cpt=99213&region=${'x'.repeat(5000)}`,
]

/** They take long to make, and are asked less often. */
const SLOW = /openapi|coverage|sheet|history|^\/(\?.*)?$/

const HEADERS: Record<string, string>[] = [
  {},
  { accept: '*/*', 'accept-encoding': 'gzip, deflate, br, zstd' },
  { accept: 'application/json', 'accept-encoding': 'gzip' },
  { accept: 'text/markdown, */*;q=0.1', 'accept-encoding': 'br;q=1, gzip;q=0.5' },
  { accept: 'image/png' },
  { accept: 'text/html;q=0.2, application/problem+json' },
  { 'if-none-match': '*' },
  { 'if-none-match': '"other", W/"one"' },
  { 'if-match': '*' },
  { 'if-match': '"other"' },
  { 'content-length': '3' },
  { 'transfer-encoding': 'chunked' },
  { 'x-agent-key': 'nonsense' },
  { 'x-agent-rails': 'atr_nonsense' },
  { authorization: 'Bearer atr_nonsense' },
  { authorization: 'Bearer one', 'x-agent-rails': 'two' },
  { 'x-large': 'x'.repeat(17_000) },
]

test('every route gives the same bytes ready-made, to every method and odd header', async () => {
  const app = await sample
  const pair = twins(app)
  const token = await app.railsHeaders()
  for (const path of PATHS) {
    // The third time it is ready-made: a target is kept when it comes for the second time.
    for (let i = 0; i < 3; i++) await ask(pair, path)
    const odd = SLOW.test(path) ? HEADERS.slice(1, 4) : HEADERS
    for (const headers of [...odd, token]) await ask(pair, path, { headers })
    for (const headers of odd.slice(0, 2)) await ask(pair, path, { method: 'HEAD', headers })
    for (const method of ['OPTIONS', 'DELETE']) await ask(pair, path, { method })
  }
  const { hits, bytes } = pair.ready.cacheFigures()
  expect(hits).toBeGreaterThan(200)
  expect(bytes).toBeGreaterThan(100_000)
  expect(pair.plain.cacheFigures()).toMatchObject({ hits: 0, bytes: 0, targets: 0 })
})

test('over a socket the answers are the same bytes, ready-made or not', async () => {
  const app = await sample
  const { ready, plain } = twins(app)
  const of = ({ fetch }: Twin) =>
    listen({ hostname: '127.0.0.1', port: 0, answer: (request) => fetch(request, '192.0.2.1') })
  const [warm, cold] = [of(ready), of(plain)]
  const token = await app.railsHeaders()
  const over = async (port: number, path: string, init: RequestInit) => {
    const response = await fetch(`http://127.0.0.1:${port}${path}`, { ...init, decompress: false, redirect: 'manual' })
    const { date: _, ...headers } = Object.fromEntries(response.headers)
    return { status: response.status, headers, body: Buffer.from(await response.bytes()).toString('base64') }
  }
  // What a client adds by itself, so that all three are asked the same.
  const base = { accept: '*/*', 'accept-encoding': 'identity' }
  for (const path of PATHS.filter((each) => !SLOW.test(each) && !/[#.]/.test(each.split('?', 1)[0] ?? '')))
    for (const headers of [base, base, { ...base, ...token }, { ...base, 'if-none-match': '*' }])
      for (const method of ['GET', 'HEAD']) {
        const asked = { method, headers }
        const wanted = await seen(plain, path, asked, '192.0.2.1')
        const found = [await over(warm.port, path, asked), await over(cold.port, path, asked)]
        const bare = (one: typeof wanted): object => {
          const { 'x-request-id': id = '', ratelimit: _, ...rest } = one.headers
          return { ...one, headers: rest, body: Buffer.from(one.body, 'base64').toString('latin1').replace(id, '') }
        }
        expect([path, method, ...found.map(bare)]).toEqual([path, method, bare(wanted), bare(wanted)])
      }
  expect(ready.cacheFigures().hits).toBeGreaterThan(50)
  await Promise.all([warm.stop(), cold.stop()])
})

test('a caller who has the bytes is told so, in each coding, before anything is made', async () => {
  const app = await sample
  const pair = twins(app)
  for (const path of ['/reference?cpt=99213', '/problems/invalid_cpt', '/']) {
    const tags = new Set<string>()
    for (const coding of ['identity', 'gzip', 'br', 'zstd']) {
      const headers = { 'accept-encoding': coding }
      for (let i = 0; i < 2; i++) await ask(pair, path, { headers })
      const { headers: given } = await ask(pair, path, { headers })
      const etag = given['etag'] ?? ''
      tags.add(etag)
      const runs = pair.ready.runs()
      const again = await ask(pair, path, { headers: { ...headers, 'if-none-match': `"x", ${etag}` } })
      expect([path, coding, again.status, again.text, pair.ready.runs()]).toEqual([path, coding, 304, '', runs])
    }
    expect(tags.size).toBe(path.startsWith('/reference') ? 1 : 4)
  }
})

test('a document that If-Match names is ready-made, and one that it does not name is not compressed', async () => {
  const app = await sample
  const pair = twins(app)
  const page = await ask(pair, '/verify', { headers: { accept: 'text/html' } })
  const path = /\/assets\/js\/[^"]+/.exec(page.text)?.[0] ?? ''
  const gzip = { 'accept-encoding': 'gzip' }
  await ask(pair, path, { headers: gzip })
  const etag = (await ask(pair, path, { headers: gzip })).headers['etag'] ?? ''
  const { hits } = pair.ready.cacheFigures()
  for (const named of ['*', `"other", ${etag}`])
    expect((await ask(pair, path, { headers: { ...gzip, 'if-match': named } })).status).toBe(200)
  expect(pair.ready.cacheFigures().hits).toBe(hits + 2)
  const br = { 'accept-encoding': 'br', 'if-match': '"other"' }
  await ask(pair, path, { headers: br })
  const spent = effort()
  for (let i = 0; i < 20; i++) await seen(pair.ready, path, { headers: br }, '192.0.2.1')
  expect(spent() / 20).toBeLessThan(5) // milliseconds each; compressing takes 20 and more
})

test('nobody gets an answer of yesterday: a new stamp, or none, and the answer is made anew', async () => {
  await using app = await testApp()
  await app.publish(aRelease({ rows: [aPrice({ code: '99213', price: { amount: '10.00', currency: 'USD' } })] }))
  let stamp: string | undefined = 'one'
  const pair = twins(app, { stamp: () => stamp })
  const path = '/reference?cpt=99213'
  for (let i = 0; i < 3; i++) expect((await ask(pair, path)).text).toContain('"10.00"')
  expect(pair.ready.runs()).toBe(2)
  await app.publish(
    aRelease({ edition: 'LATER', rows: [aPrice({ code: '99213', price: { amount: '20.00', currency: 'USD' } })] }),
  )
  stamp = undefined
  for (let i = 0; i < 2; i++) expect((await ask(pair, path)).text).toContain('"20.00"')
  expect(pair.ready.runs()).toBe(4)
  stamp = 'two'
  for (let i = 0; i < 3; i++) expect((await ask(pair, path)).text).toContain('"20.00"')
  expect(pair.ready.runs()).toBe(5)
})

test('what grows old while a credential is checked is not sent: the answer is made anew, and counted once', async () => {
  const app = await sample
  const headers = await app.railsHeaders()
  for (const path of ['/reference?cpt=99213', '/log/registry/checkpoint']) {
    let stamp = 'one'
    const { ready } = twins(app, { stamp: () => stamp })
    const ask = async (): Promise<unknown[]> => {
      const { status, headers: given } = await seen(ready, path, { headers }, '192.0.2.1')
      return [status, given['ratelimit']?.split(';')[1], ready.cacheFigures().hits]
    }
    for (let i = 0; i < 3; i++) await ask()
    const { hits } = ready.cacheFigures()
    expect([path, await ask()]).toEqual([path, [200, 'r=99996', hits + 1]])
    const asked = ask()
    stamp = 'two'
    expect([path, await asked]).toEqual([path, [200, 'r=99995', hits + 1]])
  }
})

test('an answer that was made while the stamp changed is not kept', async () => {
  const app = await sample
  let asked = 0
  const pair = twins(app, { stamp: () => `stamp ${++asked}` })
  for (let i = 0; i < 4; i++) await ask(pair, '/reference?cpt=99213')
  expect(pair.ready.cacheFigures()).toMatchObject({ hits: 0, targets: 0 })
})

test('ready-made answers count against the quota, and are refused past it', async () => {
  const app = await sample
  const clock = { ms: 0 }
  const pair = twins(app, { rpm: 10, clock })
  const left: unknown[] = []
  for (let i = 0; i < 14; i++) {
    clock.ms += 700
    const { status, headers } = await ask(pair, '/reference?cpt=99213', { method: i % 3 === 2 ? 'HEAD' : 'GET' })
    left.push([status, headers['ratelimit']?.split(';')[1]])
  }
  expect(left.slice(8)).toEqual([[200, 'r=1'], [200, 'r=0'], ...Array.from({ length: 4 }, () => [429, 'r=0'])])
  expect((await ask(pair, '/reference?cpt=99213', {}, '192.0.2.2')).status).toBe(200)
  // A history counts as the editions that it lists, ready-made or not.
  for (let i = 0; i < 8; i++) await ask(pair, '/reference/history?cpt=99213', {}, '192.0.2.3')
})

test('a revoked token gets no ready-made answer, and nobody gets one without a token', async () => {
  const app = await sample
  const pair = twins(app)
  const { key, key_id } = await app.createKey()
  const attested = await app.attest(key, { nonce: await app.challenge(key) })
  const { rails_token } = (await attested.json()) as { rails_token: string }
  const headers = { 'x-agent-rails': rails_token }
  const path = '/api/registry?limit=5'
  for (let i = 0; i < 3; i++) expect((await ask(pair, path, { headers })).status).toBe(200)
  expect(pair.ready.cacheFigures().hits).toBe(1)
  expect((await ask(pair, path)).status).toBe(401)
  expect((await ask(pair, path, { headers: await app.railsHeaders(['figures:read']) })).status).toBe(403)
  const { db } = app.installation
  await revokeKey({ db, now: async () => app.clock.now } as Parameters<typeof revokeKey>[0], key_id)
  expect((await ask(pair, path, { headers })).status).toBe(401)
})

test('a ready-made refusal has the id of its own request, and its proof', async () => {
  const app = await sample
  const pair = twins(app)
  const ids = new Set<string>()
  for (let i = 0; i < 4; i++) {
    const { status, headers, text } = await ask(pair, '/reference?cpt=99999')
    const problem = JSON.parse(text) as Record<string, unknown>
    expect([status, problem['request_id']]).toEqual([404, headers['x-request-id']])
    expect(problem).toHaveProperty('proof.state')
    ids.add(String(problem['request_id']))
  }
  expect([ids.size, pair.ready.runs()]).toEqual([4, 2])
})

test('a document that many ask for at once is made once, and a failure is forgotten', async () => {
  let [renders, entered, isBroken] = [0, 0, true]
  const render = async (): Promise<string> => {
    renders++
    await until(() => entered >= 20)
    if (isBroken) throw new Error('not yet')
    return 'x'.repeat(1000)
  }
  const { fetch } = httpSurface({
    operations: [],
    resources: [
      {
        name: 'page',
        path: '/',
        summary: '',
        tag: 'discovery',
        cache: 'no-cache',
        stamp: () => 'x',
        forms: [{ type: 'text/plain', render }],
      },
    ],
    gate: {
      enter: async () => {
        entered++
        return {}
      },
      queue: new Queue(),
    },
    baseUrl: () => BASE_URL,
    observe: () => undefined,
    randomId: () => 'id',
    cacheBytes: 1_000_000,
  })
  const many = (): Promise<Response[]> =>
    Promise.all(Array.from({ length: 20 }, async () => fetch(new Request(`${BASE_URL}/`), '192.0.2.1')))
  expect(new Set((await many()).map(({ status }) => status))).toEqual(new Set([500]))
  expect(renders).toBe(1)
  isBroken = false
  entered = 0
  for (const response of [...(await many()), ...(await many())]) expect((await response.text()).length).toBe(1000)
  expect(renders).toBe(2)
})

test('what cannot be read is never kept', async () => {
  const app = await sample
  const pair = twins(app)
  for (const path of ['/reference?cpt=x', '/reference?cpt=99213&y=1', '/nowhere', '/log/registry/tile/0/999'])
    for (let i = 0; i < 3; i++) await ask(pair, path)
  expect(pair.ready.cacheFigures()).toMatchObject({ hits: 0, targets: 0 })
})

test('a caller with many connections who asks for ready answers, and is refused them, lets another caller in between', async () => {
  const { fetch, cacheFigures } = twin(await sample, 1_000_000, { rpm: 10_000 })
  const answered: string[] = []
  const ask = async (address: string): Promise<number> => {
    const { status } = await fetch(new Request(`${BASE_URL}/reference?cpt=99213&proof=ref`), address)
    answered.push(address)
    return status
  }
  for (let i = 0; i < 3; i++) await ask('192.0.2.9')
  const MANY = 12_000
  // All of it is read from the sockets before the first answer is written.
  const flood = Array.from({ length: MANY }, () => ask('192.0.2.9'))
  const bystander = ask('198.51.100.1')
  expect(new Set(await Promise.all(flood))).toEqual(new Set([200, 429]))
  expect(await bystander).toBe(200)
  expect(cacheFigures().hits).toBeGreaterThan(9_000)
  expect(answered.indexOf('198.51.100.1')).toBeLessThan(MANY / 2)
})
