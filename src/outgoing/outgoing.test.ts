import { afterAll, expect, test } from 'bun:test'
import { createServer, type Socket } from 'node:net'
import { BYPASSES } from './bypass-fixture.ts'
import { ask, OutgoingFault, type OutgoingRequest, type Resolver } from './outgoing.ts'

const LIMITS: OutgoingRequest = { timeoutMs: 2_000, mostBytes: 1_000, loopback: true }

/** The behaviour of a server for each path. */
const served: Record<string, (socket: Socket) => void> = {
  '/same': (socket) => socket.end(answer('200 OK', 'here')),
  '/slow': () => {},
  '/drip': (socket) => {
    socket.write('HTTP/1.1 200 OK\r\ncontent-length: 900\r\n\r\n')
    const timer = setInterval(() => socket.write('x'), 50)
    socket.on('close', () => clearInterval(timer))
  },
  '/endless': (socket) => {
    socket.write('HTTP/1.1 200 OK\r\n\r\n')
    const pour = (): void => {
      while (!socket.destroyed && socket.write('x'.repeat(65_536)));
    }
    socket.on('drain', pour)
    pour()
  },
  '/short': (socket) => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 900\r\n\r\nabc'),
  '/once': (socket) => socket.end(answer('301 Moved', '<html>moved</html>', 'location: /same')),
  '/loop': (socket) => socket.end(answer('302 Found', '', 'location: /loop')),
  '/to-metadata': (socket) => socket.end(answer('302 Found', '', 'location: http://169.254.169.254/latest')),
  '/to-neighbour': (socket) => socket.end(answer('302 Found', '', `location: http://127.0.0.1:${port + 1}/same`)),
  '/to-file': (socket) => socket.end(answer('302 Found', '', 'location: file:///etc/passwd')),
  '/nonsense': (socket) => socket.end('SSH-2.0-OpenSSH_9.2\r\n'),
}
const answer = (status: string, body: string, ...headers: string[]): string =>
  [`HTTP/1.1 ${status}`, `content-length: ${body.length}`, 'connection: close', ...headers, '', body].join('\r\n')

const asked: string[] = []
const server = createServer((socket) => {
  socket.on('error', () => {})
  socket.once('data', (data) => {
    asked.push(String(data))
    served[String(data).split(' ')[1] as string]?.(socket)
  })
})
await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
const { port } = server.address() as { port: number }
const base = `http://127.0.0.1:${port}`
afterAll(() => server.close())

const faultOf = async (url: string, more: Partial<OutgoingRequest> = {}): Promise<string> => {
  try {
    await ask(url, { ...LIMITS, ...more })
    return 'answered'
  } catch (error) {
    expect(error).toBeInstanceOf(OutgoingFault)
    if (url !== '') expect((error as Error).message).not.toContain(url)
    return (error as OutgoingFault).code
  }
}

test('an answer is read whole, and the request names its sender and accepts no compressed body', async () => {
  const { status, bytes, path } = await ask(`${base}/same`, LIMITS)
  expect([status, String(Buffer.from(bytes)), path]).toEqual([200, 'here', []])
  expect(asked.at(-1)?.toLowerCase()).toContain('accept-encoding: identity')
  expect(asked.at(-1)).toContain('agent-trust-registry')
})

test('an answer that is late, endless, cut off or not HTTP is a fault', async () => {
  expect(await faultOf(`${base}/slow`, { timeoutMs: 300 })).toBe('too_slow')
  expect(await faultOf(`${base}/drip`, { timeoutMs: 500 })).toBe('too_slow')
  expect(await faultOf(`${base}/endless`)).toBe('too_large')
  expect(await faultOf(`${base}/short`)).toBe('cut_off')
  expect(await faultOf(`${base}/nonsense`)).toBe('unreachable')
})

test('redirections are followed up to the limit, and their statuses are reported', async () => {
  expect((await ask(`${base}/once`, LIMITS)).status).toBe(301)
  const { status, path } = await ask(`${base}/once`, { ...LIMITS, redirects: 3 })
  expect([status, path]).toEqual([200, [{ status: 301, to: `${base}/same` }]])
  expect(await faultOf(`${base}/loop`, { redirects: 3 })).toBe('redirected')
  // The body of a redirection is not part of the file.
  const pieces: Uint8Array[] = []
  await ask(`${base}/once`, { ...LIMITS, redirects: 3, each: (piece) => void pieces.push(piece) })
  expect(Buffer.concat(pieces).toString()).toBe('here')
})

test('a redirection to a private address, another port of this machine or a file is refused', async () => {
  for (const path of ['/to-metadata', '/to-neighbour', '/to-file'])
    expect([path, await faultOf(base + path, { redirects: 3 })]).toEqual([path, 'redirected'])
})

test('a host that is not on the list is not asked', async () => {
  expect(await faultOf(`${base}/same`, { hosts: (host) => host === 'www.cms.gov' })).toBe('address_refused')
})

const resolving =
  (...turns: string[][]): Resolver =>
  (_, __, done) =>
    done(
      null,
      (turns.length > 1 ? (turns.shift() as string[]) : (turns[0] as string[])).map((address) => ({
        address,
        family: address.includes(':') ? 6 : 4,
      })),
    )

test('a public name with a private address is refused, and a second lookup of the name changes nothing', async () => {
  const name = `https://files.example.com:${port}/same`
  const before = asked.length
  for (const addresses of [['127.0.0.1'], ['10.0.0.1'], ['::1'], ['::ffff:127.0.0.1'], ['8.8.8.8', '127.0.0.1']])
    expect(await faultOf(name, { resolve: resolving(addresses) })).toBe('address_refused')
  // DNS rebinding: public when it is checked, private when it is connected to. There is one lookup, whose result is used.
  let looks = 0
  const rebinding: Resolver = (_, __, done) =>
    done(null, [{ address: looks++ === 0 ? '8.8.8.8' : '127.0.0.1', family: 4 }])
  expect(['unreachable', 'too_slow']).toContain(await faultOf(name, { resolve: rebinding, timeoutMs: 500 }))
  expect(looks).toBe(1)
  expect(asked.length).toBe(before)
})

test('sixty ways to name this machine or its network are refused', async () => {
  const before = asked.length
  for (const address of BYPASSES) {
    const url = address.replaceAll('PORT', String(port))
    expect([url, await faultOf(url, { loopback: false, redirects: 3 })]).toEqual([url, 'address_refused'])
  }
  expect(BYPASSES.length).toBeGreaterThanOrEqual(60)
  expect(asked.length).toBe(before)
})
