import { expect, test } from 'bun:test'
import { connect } from 'node:net'
import { until } from '../test/support/until.ts'
import { type ListenOptions, listen } from './listen.ts'

const listening = (answer: ListenOptions['answer'], more: Partial<ListenOptions> = {}) =>
  listen({ hostname: '127.0.0.1', port: 0, answer, ...more })

test('a request comes with the address of its caller, and the answer goes back to it', async () => {
  const server = listening(async (request, address) => new Response(`${address} ${await request.text()}`))
  const url = `http://127.0.0.1:${server.port}/`
  const asked = Array.from({ length: 100 }, async (_, i) => (await fetch(url, { method: 'POST', body: `${i}` })).text())
  expect(await Promise.all(asked)).toEqual(asked.map((_, i) => `127.0.0.1 ${i}`))
  await server.stop()
})

test('a fault is told, and its caller gets an empty 500', async () => {
  const faults: unknown[] = []
  const server = listening(
    ({ url }) => {
      if (url.endsWith('/later')) return Promise.reject(new Error('later'))
      throw new Error('at once')
    },
    { fault: (error) => faults.push(error) },
  )
  for (const path of ['/now', '/later']) {
    const response = await fetch(`http://127.0.0.1:${server.port}${path}`)
    expect([response.status, await response.text()]).toEqual([500, ''])
  }
  expect(faults.map(String)).toEqual(['Error: at once', 'Error: later'])
  await server.stop()
})

test('a server that stops finishes what is under way, takes nothing new, and closes idle connections', async () => {
  const { promise, resolve } = Promise.withResolvers<void>()
  let begun = false
  const server = listening(async ({ url }) => {
    if (url.endsWith('/slow')) {
      begun = true
      await promise
    }
    return new Response('done')
  })
  const url = `http://127.0.0.1:${server.port}`
  await fetch(`${url}/quick`)
  const slow = fetch(`${url}/slow`).then((response) => response.text())
  await until(() => begun)
  const stopped = server.stop()
  await expect(fetch(`${url}/quick`, { keepalive: false })).rejects.toThrow()
  resolve()
  expect(await slow).toBe('done')
  await stopped
})

test('a body that stalls, one that trickles and a caller who never reads are cut, and the work for them is told to end', async () => {
  const ended: string[] = []
  const server = listening(
    async (request) => {
      const { pathname } = new URL(request.url)
      request.signal.addEventListener('abort', () => ended.push(pathname))
      if (pathname === '/large') return new Response(new Uint8Array(50_000_000))
      return new Response(await request.text())
    },
    { idleSeconds: 2 },
  )
  const body = (path: string): string => `POST ${path} HTTP/1.1\r\nHost: a\r\nContent-Length: 5000\r\n\r\n`
  const talk = (beginning: string, drip = '') => {
    const socket = connect({ host: '127.0.0.1', port: server.port })
    socket.on('error', () => undefined)
    socket.pause()
    socket.write(beginning)
    const timer = setInterval(() => drip !== '' && socket.write(drip), 200)
    return {
      [Symbol.dispose]: () => {
        clearInterval(timer)
        socket.destroy()
      },
    }
  }
  using _stalls = talk(body('/stalls'))
  using _trickles = talk(body('/trickles'), 'x')
  using _unread = talk('GET /large HTTP/1.1\r\nHost: a\r\n\r\n')
  await until(() => ended.length === 3, 'all three are cut')
  expect(ended.sort()).toEqual(['/large', '/stalls', '/trickles'])
  await server.stop()
})

test('a slow reader gets all of a large answer, and of a stream no more is made than it takes', async () => {
  let made = 0
  const server = listening(({ url }) => {
    if (url.endsWith('/whole')) return new Response(new Uint8Array(20_000_000))
    made = 0
    const stream = new ReadableStream<Uint8Array>(
      {
        pull(controller) {
          if (made++ < 2_000) controller.enqueue(new Uint8Array(64 * 1024))
          else controller.close()
        },
      },
      { highWaterMark: 0 },
    )
    return new Response(stream)
  })
  const whole = await fetch(`http://127.0.0.1:${server.port}/whole`)
  await Bun.sleep(200)
  expect((await whole.bytes()).length).toBe(20_000_000)
  const stream = await fetch(`http://127.0.0.1:${server.port}/stream`)
  const reader = stream.body?.getReader()
  await reader?.read()
  await Bun.sleep(300)
  expect(made).toBeLessThan(1_000)
  await reader?.cancel()
  await server.stop()
})
