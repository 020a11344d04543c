import { afterAll, expect, test } from 'bun:test'
import { dial, get, LAST, type Talk, withoutDate } from '../../test/support/talk.ts'
import type { CrowdLimits } from './crowd.ts'
import type { Asked } from './host.ts'
import { type ListenOptions, listen, type Server } from './server.ts'

const signals: AbortSignal[] = []
const LARGE = Buffer.alloc(32_000_000, 'x')

async function answer(asked: Asked): Promise<Response> {
  const { target } = asked.head
  if (target === '/never') {
    signals.push(asked.request().signal)
    return new Promise<Response>(() => undefined)
  }
  if (target === '/read') return new Response(await asked.request().text())
  if (target === '/large') return new Response(LARGE, { headers: { 'content-length': String(LARGE.length) } })
  if (target === '/endless') return new Response(new ReadableStream({ pull: (to) => to.enqueue(LARGE) }))
  return new Response('ok', { headers: { 'content-length': '2' } })
}

const LONG = { head: 900, idle: 900, answer: 900, linger: 900, stop: 900, tick: 0.01 }
const SHORT = 0.08
const servers: Server[] = []
afterAll(async () => {
  for (const server of servers) await server.stop()
})

/** A server that has all the time in the world, but for what is said. */
function serverWith(patience: Partial<typeof LONG>, more: Partial<ListenOptions> = {}): Server {
  const refuse = (): Response => new Response('refused', { status: 400, headers: { 'content-length': '7' } })
  const options = { hostname: '127.0.0.1', port: 0, host: { answer, refuse }, ...more }
  const server = listen({ ...options, patience: { ...LONG, stop: SHORT, ...patience } })
  servers.push(server)
  return server
}

/** Whoever says a little again and again until there is nobody who hears it. */
function trickle({ socket, closed }: Talk, text: string): void {
  const timer = setInterval(() => socket.write(text), 10)
  void closed.then(() => clearInterval(timer))
}

/** Counts who is in: each has its block looked up when it comes and when it leaves, and its exemption when it comes. */
function aDoor() {
  const seen: string[] = []
  let entered = 0
  const limits: CrowdLimits = {
    most: 99,
    perAddress: 99,
    blockOf(address) {
      seen.push(address)
      return address
    },
    isExempt() {
      entered++
      return false
    },
  }
  const haveLeft = async (count: number): Promise<boolean> => {
    const left = (): number => seen.length - entered
    for (let i = 0; i < 300 && left() < count; i++) await Bun.sleep(10)
    return left() === count
  }
  return { limits, seen, haveLeft }
}

test('a head that never ends is cut, however its bytes trickle in, and one who says nothing yet is not', async () => {
  const { port } = serverWith({ head: SHORT })
  const quiet = await dial(port)
  const [silent, trickling] = [await dial(port, ['GET / HT']), await dial(port, ['GET / HTTP/1.1\r\nX: '])]
  trickle(trickling, 'x')
  expect(await Promise.all([silent.closed, trickling.closed])).toEqual(['', ''])
  quiet.socket.write(get('/a', LAST))
  expect(await quiet.closed).toEndWith('ok')
})

test('a connection with nothing to say is cut, and so is a body that stalls', async () => {
  const { port } = serverWith({ idle: SHORT })
  const [silent, stalled] = [await dial(port), await dial(port, [get('/read', 'Content-Length: 6\r\n', 'POST'), 'abc'])]
  expect(await Promise.all([silent.closed, stalled.closed])).toEqual(['', ''])
})

test('a body that trickles in for too long is cut, though it never stalls', async () => {
  const { port } = serverWith({ answer: SHORT })
  const slow = await dial(port, [`${get('/read', 'Content-Length: 9000\r\n', 'POST')}abc`])
  trickle(slow, 'x')
  expect(await slow.closed).toBe('')
})

test('an answer that is never made is cut, and whoever makes it is told', async () => {
  const { port } = serverWith({ answer: SHORT })
  expect(await (await dial(port, [get('/never')])).closed).toBe('')
  expect(signals.map(({ aborted }) => aborted)).toEqual([true])
})

test('who does not read an answer is cut, whether it is there whole or comes in pieces', async () => {
  const { limits, haveLeft } = aDoor()
  const { port } = serverWith({ idle: SHORT }, { limits })
  for (const [i, target] of ['/large', '/endless'].entries()) {
    const { socket } = await dial(port)
    socket.pause()
    socket.write(get(target))
    expect([target, await haveLeft(i + 1)]).toEqual([target, true])
    socket.destroy()
  }
})

test('what comes after a refusal is thrown away for a while, or up to a megabyte, and then not even read', async () => {
  const refused = 'connection: close\r\n\r\nrefused'
  const brief = await dial(serverWith({ linger: SHORT }).port, ['nonsense\r\n\r\n'], true)
  trickle(brief, 'x')
  expect(withoutDate(await brief.closed)).toEndWith(refused)
  const loud = await dial(serverWith({}).port, ['nonsense\r\n\r\n'], true)
  trickle(loud, 'x'.repeat(100_000))
  expect(withoutDate(await loud.closed)).toEndWith(refused)
})

test('a server that stops does not wait for ever for what is under way', async () => {
  const server = serverWith({ stop: SHORT })
  const waiting = await dial(server.port, [get('/never')])
  await server.stop()
  expect(await waiting.closed).toBe('')
})

test('a connection that was reset before anyone took it has no address, and leaves nothing behind', async () => {
  const { limits, seen, haveLeft } = aDoor()
  const faults: unknown[] = []
  const server = serverWith({}, { limits, fault: (error) => faults.push(error) })
  const script = `const socket = require('net').connect(${server.port}, '127.0.0.1', () =>
    socket.write('GET / HTTP/1.1\\r\\nHost: a\\r\\n\\r\\n', () => socket.resetAndDestroy()))`
  // Nobody takes a connection while this process waits for another one to end.
  Bun.spawnSync([process.execPath, '-e', script])
  expect(await haveLeft(1)).toBe(true)
  expect([seen, faults]).toEqual([['', ''], []])
  expect(await (await dial(server.port, [get('/a', LAST)])).closed).toEndWith('ok')
})
