import { afterAll, expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { zip } from '../files/zip-fixture.ts'
import type { Observation } from './judgement.ts'
import { type CitedSource, lookAt, NO_FINGERPRINT } from './look.ts'

const FILE = new TextEncoder().encode('code,amount\n99213,95.19\n')
const LARGE = new Uint8Array(6 * 1024 * 1024).map((_, i) => i % 251)
const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')

/** The answer of the publisher's server, set by each test. */
let answer: (request: Request) => Response | Promise<Response> = () => new Response(FILE)
const asked: string[] = []
const server = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  fetch: (request) => {
    asked.push(`${request.method} ${new URL(request.url).pathname}${request.headers.has('range') ? ' part' : ''}`)
    return answer(request)
  },
})
afterAll(() => server.stop(true))

const source = (bytes = FILE, path = '/file.csv'): CitedSource => ({
  url: `http://127.0.0.1:${server.port}${path}`,
  sha256: sha256(bytes),
  bytes: bytes.length,
  media_type: 'text/csv',
})
const look = async (cited = source(), before = NO_FINGERPRINT, whole = false) => {
  asked.length = 0
  const result = await lookAt(cited, before, { now: () => 1, whole, outgoing: { loopback: true } })
  result.file?.done()
  return result
}
const observe = async (...how: Parameters<typeof look>): Promise<Observation['kind']> =>
  (await look(...how)).look.observation.kind

test('the same bytes are the same, alone or as a member of an archive', async () => {
  answer = () => new Response(FILE)
  expect(await observe()).toBe('same_bytes')
  answer = () => new Response(Buffer.from(zip([{ name: 'file.csv', data: FILE }])))
  const { look: seen, file } = await lookAt(source(), NO_FINGERPRINT, {
    now: () => 1,
    whole: false,
    outgoing: { loopback: true },
  })
  expect(seen.observation.kind).toBe('same_bytes')
  expect(new Uint8Array(readFileSync(file?.path as string))).toEqual(FILE)
  file?.done()
})

test('other bytes are reported with their digest', async () => {
  const other = new TextEncoder().encode('code,amount\n99213,96.00\n')
  answer = () => new Response(other)
  expect((await look()).look.observation).toEqual({ kind: 'other_bytes', sha256: sha256(other) })
})

test('if validators have not changed, nothing else is requested', async () => {
  answer = () => new Response(FILE, { headers: { etag: '"one"', 'last-modified': 'Wed, 01 Jul 2026 00:00:00 GMT' } })
  const { fingerprint } = await look()
  expect(await observe(source(), fingerprint)).toBe('same_fingerprint')
  expect(asked).toEqual(['HEAD /file.csv'])
  expect(await observe(source(), fingerprint, true)).toBe('same_bytes')
  answer = () => new Response('other', { headers: { etag: '"two"' } })
  expect(await observe(source(), fingerprint)).toBe('other_bytes')
})

test('without validators five samples of a large file are compared', async () => {
  let bytes = LARGE
  answer = (request) => {
    const [, from = '0', to = '0'] = /bytes=(\d+)-(\d+)/.exec(request.headers.get('range') ?? '') ?? []
    return request.headers.has('range')
      ? new Response(bytes.slice(Number(from), Number(to) + 1), { status: 206 })
      : new Response(bytes)
  }
  const { fingerprint } = await look(source(LARGE))
  expect(await observe(source(LARGE), fingerprint)).toBe('same_fingerprint')
  expect(asked).toEqual(['HEAD /file.csv', ...Array.from({ length: 5 }, () => 'GET /file.csv part')])
  bytes = LARGE.slice()
  bytes[LARGE.length - 1] = 1
  expect(await observe(source(LARGE), fingerprint)).toBe('other_bytes')
})

test('redirections are followed, and a permanent one is reported', async () => {
  answer = ({ url }) =>
    url.endsWith('/new.csv')
      ? new Response(FILE)
      : new Response(null, { status: 301, headers: { location: '/new.csv' } })
  expect((await look()).look).toMatchObject({ observation: { kind: 'same_bytes' }, moved: true })
  answer = ({ url }) =>
    url.endsWith('/new.csv')
      ? new Response(FILE)
      : new Response(null, { status: 302, headers: { location: '/new.csv' } })
  expect((await look()).look).toMatchObject({ observation: { kind: 'same_bytes' }, moved: false })
})

test('a missing file, a refusal, a page, a server fault and a redirection to a private address are distinguished', async () => {
  const cases: [Response | (() => Response), Observation['kind']][] = [
    [() => new Response(null, { status: 404 }), 'missing'],
    [() => new Response(null, { status: 410 }), 'missing'],
    [() => new Response(null, { status: 403 }), 'blocked'],
    [() => new Response(null, { status: 401 }), 'blocked'],
    [() => new Response(null, { status: 429 }), 'blocked'],
    [
      () =>
        new Response('<!doctype html><title>Are you a robot?</title>', { headers: { 'content-type': 'text/html' } }),
      'blocked',
    ],
    [() => new Response('<html><body>sign in</body></html>', { headers: { 'content-type': 'text/csv' } }), 'blocked'],
    [() => new Response(null, { status: 500 }), 'no_answer'],
    [() => new Response(null, { status: 503 }), 'no_answer'],
    [() => new Response(null, { status: 302, headers: { location: 'http://169.254.169.254/' } }), 'no_answer'],
    [() => new Response(null, { status: 302, headers: { location: '/file.csv' } }), 'no_answer'],
  ]
  for (const [given, expected] of cases) {
    answer = typeof given === 'function' ? given : () => given
    expect(await observe()).toBe(expected)
  }
})

test('a server that takes no HEAD is asked for the file', async () => {
  answer = ({ method }) => (method === 'HEAD' ? new Response(null, { status: 405 }) : new Response(FILE))
  expect(await observe()).toBe('same_bytes')
})

test('a closed port and a private address give no answer', async () => {
  expect(await observe({ ...source(), url: 'http://127.0.0.1:9/file.csv' })).toBe('no_answer')
  expect(await observe({ ...source(), url: 'https://10.0.0.1/file.csv' })).toBe('no_answer')
})
