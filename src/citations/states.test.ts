import { afterAll, expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import { createServer, type Socket } from 'node:net'
import { testStore } from '../../test/support/engines.ts'
import type { Resolver } from '../outgoing/outgoing.ts'
import { type CheckParts, checkCitations } from './check.ts'
import type { CitationState } from './judgement.ts'
import { listChecks } from './store.ts'

// The behaviours of a publisher's server, as bytes on a socket, and the state that each gives.

const FILE = 'code,amount\n99213,95.19\n'
const OTHER = 'code,amount\n99213,96.00\n'
const DAY = 86_400_000
const PATIENCE = { headMs: 400, wholeMs: 800 }

type Behaviour = (socket: Socket, request: string) => void

const respond =
  (status: string, body: string, headers: readonly string[] = []): Behaviour =>
  (socket, request) => {
    const head = [`HTTP/1.1 ${status}`, `content-length: ${body.length}`, 'connection: close', ...headers, '', '']
    socket.end(head.join('\r\n') + (request.startsWith('HEAD') ? '' : body))
  }
const good = respond('200 OK', FILE, ['etag: "one"'])
/** Good headers, and then another behaviour for the body. */
const onGet =
  (pour: (socket: Socket) => void): Behaviour =>
  (socket, request) =>
    request.startsWith('HEAD') ? good(socket, request) : pour(socket)

let behave: Behaviour = good
let asked: string[] = []
const server = createServer((socket) => {
  socket.on('error', () => undefined)
  socket.once('data', (data) => {
    asked.push(String(data))
    behave(socket, String(data))
  })
})
await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
const { port } = server.address() as { port: number }
afterAll(() => server.close())

const source = (url: string) => ({
  chart: 'cms-pfs',
  release_id: 'cms-pfs:TEST1:1',
  file: 'fees.csv',
  rows: 1,
  url,
  sha256: createHash('sha256').update(FILE).digest('hex'),
  bytes: FILE.length,
  media_type: 'text/csv',
})

/** Looks at the source on each of these days. If `before` is set, the server behaves well at a first look. */
async function stateAfter(
  now: Behaviour,
  { before = false, days = [30], ...more }: { before?: boolean; days?: number[]; url?: string; resolve?: Resolver },
): Promise<CitationState | undefined> {
  await using store = await testStore()
  const look = async (day: number) => {
    const parts: CheckParts = {
      db: store.db,
      now: () => day * DAY,
      cited: async () => [source(more.url ?? `http://127.0.0.1:${port}/fees.csv`)],
      isSuccessor: () => false,
      outgoing: { loopback: more.url === undefined, ...(more.resolve && { resolve: more.resolve }) },
      patience: PATIENCE,
    }
    await checkCitations(parts, true, () => undefined)
    // The stored state counts, because the report and the next look use it.
    return (await listChecks(store.db))[0]?.state
  }
  behave = good
  if (before) expect(await look(1)).toBe('ok')
  behave = now
  asked = []
  let state: CitationState | undefined
  for (const day of days) state = await look(day)
  return state
}

const moved: Behaviour = (socket, request) =>
  request.includes(' /new.csv ')
    ? good(socket, request)
    : respond('301 Moved Permanently', '<html>moved</html>', ['location: /new.csv'])(socket, request)

const SERVERS: Record<string, [CitationState, Behaviour, { before?: boolean; days?: number[] }?]> = {
  'the same bytes': ['ok', good],
  '304 to what it said before': ['not_modified', respond('304 Not Modified', ''), { before: true }],
  '304 where nothing was ever read': ['unreachable', respond('304 Not Modified', '')],
  'the same headers': ['not_modified', good, { before: true }],
  '301 and the same bytes there': ['redirected_permanent', moved],
  'other bytes': ['changed', respond('200 OK', OTHER, ['etag: "two"']), { before: true }],
  'other bytes from the beginning': ['changed', respond('200 OK', OTHER)],
  '404 once': ['unreachable', respond('404 Not Found', 'no'), { before: true }],
  '404 on three days': ['gone', respond('404 Not Found', 'no'), { before: true, days: [30, 31, 34] }],
  '403': ['blocked', respond('403 Forbidden', 'no'), { before: true }],
  'a page for people in place of data': [
    'blocked',
    respond('200 OK', '<html>log in</html>', ['content-type: text/html']),
  ],
  'a page for people under the name of data': [
    'blocked',
    respond('200 OK', '<!doctype html><p>', ['content-type: text/csv']),
  ],
  'nothing at all': ['unreachable', () => undefined],
  'a body that drips': [
    'unreachable',
    onGet((socket) => {
      socket.write(`HTTP/1.1 200 OK\r\ncontent-length: ${FILE.length}\r\n\r\n`)
      const timer = setInterval(() => socket.write('x'), 100)
      socket.on('close', () => clearInterval(timer))
    }),
  ],
  'a body without end': [
    'unreachable',
    onGet((socket) => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n')
      const pour = (): void => {
        while (!socket.destroyed && socket.write('x'.repeat(262_144)));
      }
      socket.on('drain', pour)
      pour()
    }),
  ],
  'a body that is cut off': [
    'unreachable',
    onGet((socket) => socket.end(`HTTP/1.1 200 OK\r\ncontent-length: ${FILE.length}\r\n\r\n${FILE.slice(0, 9)}`)),
  ],
  'a length that is too large': [
    'unreachable',
    onGet((socket) => socket.end(`HTTP/1.1 200 OK\r\ncontent-length: 5000\r\n\r\n${FILE}`)),
  ],
  'a length that is no number': [
    'unreachable',
    onGet((socket) => socket.end(`HTTP/1.1 200 OK\r\ncontent-length: many\r\n\r\n${FILE}`)),
  ],
  '503': ['unreachable', respond('503 Service Unavailable', 'later')],
  'a way to a private address': ['unreachable', respond('302 Found', '', ['location: http://10.0.0.1/fees.csv'])],
  'a way to the metadata of a cloud': ['unreachable', respond('302 Found', '', ['location: http://169.254.169.254/'])],
  'a way round in circles': ['unreachable', respond('302 Found', '', ['location: /fees.csv'])],
  'another protocol': ['unreachable', (socket) => socket.end('SSH-2.0-OpenSSH_9.2\r\n')],
}

test.each(Object.entries(SERVERS))('a server that answers with %s', async (_, [expected, behaviour, how = {}]) => {
  expect(await stateAfter(behaviour, how)).toBe(expected)
})

test('a name that leads to this machine, at once or at the second look, is not asked', async () => {
  const url = `https://files.example.com:${port}/fees.csv`
  const answering =
    (...addresses: string[]): Resolver =>
    (_, __, done) =>
      done(null, [
        { address: addresses.length > 1 ? (addresses.shift() as string) : (addresses[0] as string), family: 4 },
      ])
  for (const resolve of [answering('127.0.0.1'), answering('192.0.2.1', '127.0.0.1')])
    expect(await stateAfter(good, { url, resolve })).toBe('unreachable')
  expect(asked).toEqual([])
})

test('a look sends the stored entity tag, so that a server need not send the file again', async () => {
  await stateAfter(respond('304 Not Modified', ''), { before: true })
  expect(asked).toHaveLength(1)
  expect(asked[0]?.toLowerCase()).toContain('if-none-match: "one"')
})

test('an entity tag that would be a second header is not sent back', async () => {
  behave = good
  const hostile = respond('200 OK', FILE, [`etag: "${'x'.repeat(300)}"`, 'last-modified: yesterday'])
  await stateAfter(hostile, { days: [1, 2] })
  expect(asked.join('\n').toLowerCase()).not.toMatch(/if-none-match|if-modified-since/)
})
