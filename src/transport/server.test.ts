import { afterAll, expect, test } from 'bun:test'
import { dial, get, LAST, type Talk, withoutDate } from '../../test/support/talk.ts'
import { until } from '../../test/support/until.ts'
import { readyBytes } from './answer.ts'
import type { Asked } from './host.ts'
import { listen } from './server.ts'

/** Signals of requests, and answers that wait. */
const signals: AbortSignal[] = []
const doors = new Map<string, () => void>()
/** Lets an answer go that waits, once it does. */
async function open(door: string): Promise<void> {
  await until(() => doors.has(door))
  doors.get(door)?.()
}

async function answer(asked: Asked): Promise<Response> {
  const { method, target } = asked.head
  if (target === '/wait') {
    signals.push(asked.request().signal)
    await new Promise<void>((resolve) => doors.set(asked.head.get('x-door') ?? '', resolve))
    return new Response('waited', { headers: { 'content-length': '6' } })
  }
  if (target === '/echo') return new Response(await asked.request().text(), { headers: { 'content-length': '0' } })
  if (target === '/late') {
    await Bun.sleep(30)
    const said = await asked.request().text()
    return new Response(said, { headers: { 'content-length': String(said.length) } })
  }
  if (target === '/unread') return new Response('no', { status: 413, headers: { 'content-length': '2' } })
  if (target === '/large') return new Response(LARGE, { headers: { 'content-length': String(LARGE.length) } })
  if (target === '/stream') return new Response(pieces(['one ', '', 'two']))
  if (target === '/broken') return new Response(pieces(['one '], new Error('a secret')))
  if (target.startsWith('/stated')) {
    const halves = ['x', 'y'].map((letter) => letter.repeat(1_000_000))
    return new Response(pieces(halves), { headers: { 'content-length': target.slice('/stated'.length) } })
  }
  if (target === '/fault') throw new Error('a secret')
  if (target === '/204') return new Response(null, { status: 204 })
  if (target === '/304') return new Response(null, { status: 304, headers: { etag: '"x"' } })
  return new Response(`${method} ${target}`, { headers: { 'content-length': '5' } })
}

const LARGE = Buffer.alloc(8_000_000, 'x')

const pieces = (all: string[], error?: Error): ReadableStream =>
  new ReadableStream({
    async pull(controller) {
      await Bun.sleep(1)
      const piece = all.shift()
      if (piece !== undefined) controller.enqueue(Buffer.from(piece))
      else if (error) controller.error(error)
      else controller.close()
    },
  })

const ready = {
  status: 200,
  head: Buffer.from('HTTP/1.1 200 OK\r\ncontent-length: 5\r\n'),
  lines: 'x-a: b\r\n',
  body: Buffer.from('ready'),
}
const options = {
  hostname: '127.0.0.1',
  port: 0,
  host: {
    answer: (asked: Asked) => {
      const { target } = asked.head
      if (target === '/ready') return ready
      return target.startsWith('/mine') ? readyBytes(200, {}, Buffer.from(`<${target}>`)) : answer(asked)
    },
    refuse: ({ code }: { code: string }) => new Response(code, { status: 400, headers: { 'content-length': '15' } }),
  },
}
const server = listen(options)
afterAll(() => server.stop())

const talk = (texts: readonly string[], port = server.port): Promise<Talk> => dial(port, texts)
const said = async (...texts: string[]): Promise<string> => withoutDate(await (await talk(texts)).closed)

test('an answer has a date, a length and its bytes; the connection stays open for the next one', async () => {
  const { heard, socket } = await talk([get('/a')])
  const got = await heard((text) => text.endsWith('GET /a'))
  expect(got).toMatch(/^HTTP\/1\.1 200 OK\r\n/)
  expect(got).toMatch(/\r\ndate: \w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT\r\n/)
  expect(got).toContain('\r\ncontent-length: 6\r\n')
  expect(got).not.toContain('connection:')
  socket.write(get('/b', LAST))
  expect(await heard((text) => text.endsWith('GET /b'))).toContain('connection: close\r\n')
})

test('pipelined requests are answered in their order, ready-made or not, however they are cut', async () => {
  const all = get('/ready') + get('/a') + get('/ready') + get('/echo', 'Content-Length: 3\r\n', 'POST')
  const text = `${all}abc${get('/b')}${get('/ready', LAST)}`
  const cut = [text.slice(0, 7), text.slice(7, 90), text.slice(90, 91), text.slice(91)]
  for (const texts of [[text], cut]) {
    const got = await said(...texts)
    expect(got.split(/HTTP\/1\.1 200 OK\r\n(?:[^\r]+\r\n)+\r\n/)).toEqual([
      '',
      'ready',
      'GET /a',
      'ready',
      'abc',
      'GET /b',
      'ready',
    ])
  }
})

test('of a hundred who ask at the same moment, each gets its own answers', async () => {
  const talks = await Promise.all(Array.from({ length: 100 }, () => talk([])))
  // All are written before the server, which is in this process, reads the first of them. They are short and long, and some come in pieces.
  const asked = talks.map((_, i) =>
    [0, 1, 2].map((turn) => `/mine-${i}-${turn}-${'x'.repeat((i * 37 + turn) % 4_000)}`),
  )
  for (const turn of [0, 1, 2])
    talks.forEach(({ socket }, i) => {
      const text = get(asked[i]?.[turn] as string, turn === 2 ? LAST : '')
      const cut = i % 3 === 0 ? text.length >> 1 : 0
      socket.write(text.slice(0, cut))
      socket.write(text.slice(cut))
    })
  for (const [i, { closed }] of talks.entries())
    expect([...(await closed).matchAll(/<[^>]*>/g)].map(([text]) => text)).toEqual(
      (asked[i] as string[]).map((target) => `<${target}>`),
    )
})

test('a request behind one that is still being answered keeps its answer', async () => {
  const { heard, closed } = await talk([get('/wait', 'X-Door: behind\r\n') + get('/ready'), get('/a', LAST)])
  await open('behind')
  await heard((text) => text.includes('waited') && text.includes('ready'))
  expect(await closed).toEndWith('GET /a')
})

test('thousands of pipelined requests are answered while others are too', async () => {
  const { heard, socket } = await talk([get('/ready').repeat(5_000)])
  const began = performance.now()
  expect(await said(get('/a', LAST))).toEndWith('GET /a')
  expect(performance.now() - began).toBeLessThan(20_000)
  await heard((text) => text.length > 0 && text.split('\r\n\r\nready').length === 5_001)
  socket.destroy()
})

test('HEAD, 204 and 304 have no body, and HTTP/1.0 is spoken too', async () => {
  expect(await said(get('/a', LAST, 'HEAD'))).toEndWith('content-length: 5\r\nconnection: close\r\n\r\n')
  expect(await said(get('/204', LAST))).toBe('HTTP/1.1 204 No Content\r\nconnection: close\r\n\r\n')
  expect(await said(get('/304', LAST))).toBe('HTTP/1.1 304 Not Modified\r\netag: "x"\r\nconnection: close\r\n\r\n')
  expect(await said('GET /a HTTP/1.0\r\n\r\n')).toContain('connection: close\r\n\r\nGET /a')
  const kept = await said('GET /a HTTP/1.0\r\nConnection: keep-alive\r\n\r\n', 'GET /b HTTP/1.0\r\n\r\n')
  expect(kept).toContain('connection: keep-alive\r\n\r\nGET /a')
  expect(kept).toEndWith('connection: close\r\n\r\nGET /b')
})

test('a body without a length comes in chunks, and one that fails is cut short', async () => {
  expect(await said(get('/stream', LAST))).toEndWith(
    'transfer-encoding: chunked\r\nconnection: close\r\n\r\n4\r\none \r\n3\r\ntwo\r\n0\r\n\r\n',
  )
  expect(await said('GET /stream HTTP/1.0\r\n\r\n')).toEndWith('connection: close\r\n\r\none two')
  expect(await said(get('/broken', LAST))).toEndWith('\r\n\r\n4\r\none \r\n')
  expect(await said(get('/fault', LAST))).toBe(
    'HTTP/1.1 500 Internal Server Error\r\ncontent-length: 0\r\nconnection: close\r\n\r\n',
  )
})

test('a large body with a length is sent as it comes, and one that has another length is cut', async () => {
  const right = await said(get('/stated2000000') + get('/a', LAST))
  expect(right).toContain('content-length: 2000000\r\n\r\nxxx')
  expect(right).toEndWith('yyyHTTP/1.1 200 OK\r\ncontent-length: 6\r\nconnection: close\r\n\r\nGET /a')
  for (const wrong of ['1500000', '2500000']) {
    const got = await said(get(`/stated${wrong}`) + get('/a', LAST))
    expect(got.slice(0, 200)).toContain(`content-length: ${wrong}\r\n`)
    expect(got.split('HTTP/1.1 200 OK')).toHaveLength(2)
  }
})

test('bodies are read with a length and in chunks, whole and in pieces, and after a go-ahead', async () => {
  const length = `Content-Length: 6\r\n${LAST}`
  const chunked = `Transfer-Encoding: chunked\r\n${LAST}`
  expect(await said(`${get('/echo', length, 'POST')}abcdef`)).toEndWith('\r\n\r\nabcdef')
  expect(await said(get('/echo', length, 'POST'), 'abc', 'def')).toEndWith('\r\n\r\nabcdef')
  expect(await said(get('/echo', chunked, 'POST'), '3\r\nab', 'c\r\n3;x\r\ndef\r\n0', '\r\n\r\n')).toEndWith(
    '\r\n\r\nabcdef',
  )
  const goAhead = await said(get('/echo', `Expect: 100-continue\r\n${length}`, 'POST'), 'abcdef')
  expect(goAhead).toStartWith('HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK')
  expect(goAhead).toEndWith('abcdef')
})

test('a body that has come before anyone asked for it is not lost', async () => {
  for (const [length, body] of [
    ['Content-Length: 4', 'four'],
    ['Transfer-Encoding: chunked', '4\r\nfour\r\n0\r\n\r\n'],
  ]) {
    const { heard, socket } = await talk([`POST /late HTTP/1.1\r\nHost: a\r\n${length}\r\n\r\n`, body as string])
    expect(await heard((got) => got.includes('\r\n\r\n'))).toEndWith('\r\n\r\nfour')
    socket.destroy()
  }
})

test('a body that nobody reads is not waited for: the answer comes at once, and is the last', async () => {
  const begun = get('/unread', 'Content-Length: 900000\r\nExpect: 100-continue\r\n', 'POST')
  const got = await said(begun, 'x'.repeat(500_000), get('/a'))
  expect(got).toStartWith('HTTP/1.1 413 Content Too Large')
  expect(got).toEndWith('connection: close\r\n\r\nno')
})

test('what cannot be read is refused in the words of the host, and nothing after it is read', async () => {
  const refused = /^HTTP\/1\.1 400 Bad Request\r\n[\s\S]+connection: close\r\n\r\ninvalid_request$/
  expect(await said(get('/a', 'Content-Length: 5\r\nTransfer-Encoding: chunked\r\n', 'POST') + get('/b'))).toMatch(
    refused,
  )
  expect(await said('nonsense\r\n\r\n', get('/b'))).toMatch(refused)
  const badly = get('/echo', 'Transfer-Encoding: chunked\r\n', 'POST')
  expect(await said(`${badly}zz\r\n`, get('/b'))).toMatch(refused)
  expect(await said(badly, '3\r\nab', 'cd\r\n', get('/b'))).toMatch(refused)
  expect(await said(get('/a') + get('/../b'))).toMatch(/GET \/aHTTP\/1\.1 400 Bad Request/)
})

test('who has closed one side gets the answer, and who hangs up ends the work', async () => {
  const half = await talk([])
  half.socket.end(get('/a'))
  expect(await half.closed).toEndWith('GET /a')
  const late = await talk([])
  late.socket.end(get('/wait', 'X-Door: late\r\n'))
  await open('late')
  expect(await late.closed).toEndWith('waited')
  const gone = await talk([get('/wait', 'X-Door: gone\r\n')])
  await until(() => doors.has('gone'))
  const signal = signals.at(-1)
  expect(signal?.aborted).toBe(false)
  gone.socket.destroy()
  await until(() => signal?.aborted === true)
  await open('gone')
})

test('a slow reader gets all of a large answer, and holds up nobody', async () => {
  const { socket, heard } = await talk([])
  socket.pause()
  socket.write(get('/large') + get('/a', LAST))
  await Bun.sleep(50)
  expect(await said(get('/a', LAST))).toEndWith('GET /a')
  socket.resume()
  expect(await heard((text) => text.endsWith('GET /a'))).toSatisfy((text) => text.length > LARGE.length)
})

test('past the limits connections are closed at once, and the others go on', async () => {
  const told: { connections: number; closed: number }[] = []
  const limits = { most: 100, perAddress: 3, blockOf: (address: string) => address, isExempt: () => false }
  const small = listen({ ...options, limits, tell: (closed) => told.push(closed) })
  for (let i = 0; i < 3; i++) await (await talk([get('/a')], small.port)).heard((text) => text.endsWith('GET /a'))
  for (let i = 0; i < 5; i++) expect(await (await talk([get('/a')], small.port)).closed).toBe('')
  await until(() => told.reduce((sum, { closed }) => sum + closed, 0) === 5)
  expect(told.every(({ connections }) => connections === 3)).toBe(true)
  await small.stop()
})

test('a server that stops finishes what is under way, and closes what is idle', async () => {
  const stopping = listen(options)
  const idle = await talk([get('/a')], stopping.port)
  const begun = await talk(['GET /a HT'], stopping.port)
  const busy = await talk([get('/wait', 'X-Door: busy\r\n')], stopping.port)
  const sending = await talk([`${get('/echo', 'Content-Length: 6\r\n', 'POST')}abc`], stopping.port)
  await until(() => doors.has('busy'))
  const stopped = stopping.stop()
  await Promise.all([idle.closed, begun.closed])
  await open('busy')
  expect(await busy.closed).toEndWith('connection: close\r\n\r\nwaited')
  sending.socket.write('def')
  expect(await sending.closed).toEndWith('\r\n\r\nabcdef')
  await stopped
  expect(await (await talk([get('/a')], stopping.port)).closed).toBe('')
})
