import { expect, test } from 'bun:test'
import { readyBytes } from './answer.ts'
import { Connection } from './connection.ts'
import type { Asked, House, Wire } from './host.ts'
import { sendReady } from './output.ts'
import { PATIENCE } from './patience.ts'

/** A socket that takes everything. */
function aWire() {
  const seen = { text: '', isCut: false }
  const wire: Wire = {
    write(bytes, from, length) {
      seen.text += Buffer.from(bytes).toString('latin1', from, from + length)
      return length
    },
    pause: () => undefined,
    resume: () => undefined,
    shutdown: () => undefined,
    end: () => undefined,
    terminate: () => {
      seen.isCut = true
    },
  }
  return { wire, seen }
}

const houseOf = (answer: House['answer']) => ({
  seconds: 0,
  date: 'date: x\r\n',
  isStopping: false,
  patience: PATIENCE,
  fault: () => undefined,
  answer,
  refuse: () => new Response(null, { status: 400 }),
})
const UNREADABLE = {
  get length(): number {
    throw new Error('unreadable')
  },
} as never
const roundEnd = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))
const GET = Buffer.from('GET / HTTP/1.1\r\nHost: a\r\n\r\n')

test('an answer that takes long is not cut while pieces of it go out', async () => {
  const body = new TransformStream<Uint8Array, Uint8Array>()
  const house = houseOf(() => new Response(body.readable))
  const connection = new Connection(house, aWire().wire, '127.0.0.1')
  connection.receive(GET)
  const writer = body.writable.getWriter()
  for (house.seconds = 100; house.seconds <= 300; house.seconds += 100) {
    await writer.write(Buffer.from('piece'))
    await Bun.sleep(1)
    expect(connection.deadline.at).toBeGreaterThan(house.seconds + 60)
  }
})

test('what one connection has left behind by a fault is never sent on another', async () => {
  const [victim, other] = [aWire(), aWire()]
  // A body that is none: the head is put together, and then it fails.
  const broken = { ...readyBytes(200, { secret: 'x' }, null), body: UNREADABLE }
  const failing = new Connection(
    houseOf(() => broken),
    victim.wire,
    '127.0.0.1',
  )
  expect(() => failing.receive(GET)).toThrow()
  const sound = new Connection(
    houseOf(() => readyBytes(200, {}, null)),
    other.wire,
    '127.0.0.2',
  )
  sound.receive(GET)
  await roundEnd()
  expect(other.seen.text).toStartWith('HTTP/1.1 200')
  expect(other.seen.text).not.toContain('secret')
  expect(other.seen.text.split('HTTP/1.1')).toHaveLength(2)
})

test('a fault after a wait ends the connection, and nothing else', async () => {
  const { wire, seen } = aWire()
  const broken = { ...readyBytes(200, {}, null), body: UNREADABLE }
  new Connection(
    houseOf(async () => broken),
    wire,
    '127.0.0.1',
  ).receive(GET)
  await Bun.sleep(1)
  expect(seen.isCut).toBe(true)
})

test('a body that turns out to be malformed cuts the answer that has begun', async () => {
  const { wire, seen } = aWire()
  const body = new TransformStream<Uint8Array, Uint8Array>()
  const connection = new Connection(
    houseOf(() => new Response(body.readable)),
    wire,
    '127.0.0.1',
  )
  connection.receive(Buffer.from('POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab'))
  await Bun.sleep(1)
  connection.receive(Buffer.from('cdeX'))
  expect([seen.isCut, seen.text.split('HTTP/1.1').length]).toEqual([true, 2])
})

test('answers that wait for nothing leave others their turn, though one connection has sent thousands of requests', async () => {
  const { wire, seen } = aWire()
  let answered = 0
  const house = houseOf(async () => {
    answered++
    return readyBytes(200, {}, null)
  })
  const many = 5_000
  new Connection(house, wire, '127.0.0.1').receive(Buffer.concat(Array<Buffer>(many).fill(GET)))
  await new Promise(setImmediate)
  expect(answered).toBeLessThan(100)
  while (answered < many) await new Promise(setImmediate)
  await new Promise(setImmediate)
  expect(seen.text.split('HTTP/1.1 200')).toHaveLength(many + 1)
})

test('requests of someone who has gone are not answered', async () => {
  const { wire, seen } = aWire()
  let answered = 0
  const house = houseOf(() => {
    answered++
    return readyBytes(200, {}, null)
  })
  const gone = { ...wire, write: () => -1 }
  new Connection(house, gone, '127.0.0.1').receive(Buffer.concat(Array<Buffer>(5_000).fill(GET)))
  for (let i = 0; i < 20; i++) await new Promise(setImmediate)
  expect([seen.isCut, answered]).toEqual([true, 32])
})

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

test('each step has its own time: the first byte of a head begins it, and no later byte makes it longer', () => {
  const house = houseOf(() => readyBytes(200, {}, null))
  const connection = new Connection(house, aWire().wire, '127.0.0.1')
  const left = (): number => connection.deadline.at - house.seconds
  expect(left()).toBe(PATIENCE.idle)
  house.seconds = 10
  connection.receive(GET.subarray(0, 5))
  expect(left()).toBe(PATIENCE.head)
  house.seconds = 20
  connection.receive(GET.subarray(5, 9))
  expect(left()).toBe(PATIENCE.head - 10)
  connection.receive(GET.subarray(9))
  expect(left()).toBe(PATIENCE.idle)
})

test('a body has time for each piece and for the whole, an answer from the end of the body on', async () => {
  let give: (answer: Response) => void = () => undefined
  const promised = new Promise<Response>((resolve) => {
    give = resolve
  })
  const house = houseOf(() => promised)
  const { wire, seen } = aWire()
  const connection = new Connection(house, wire, '127.0.0.1')
  const left = (): number => connection.deadline.at - house.seconds
  connection.receive(Buffer.from('POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\na'))
  expect(left()).toBe(PATIENCE.idle)
  for (house.seconds = 20; house.seconds < PATIENCE.answer; house.seconds += 20) {
    connection.receive(Buffer.from('b'))
    expect(left()).toBe(Math.min(PATIENCE.idle, PATIENCE.answer - house.seconds))
  }
  connection.receive(Buffer.from('bcd'))
  expect(left()).toBe(PATIENCE.answer)
  give(new Response(null))
  await settled()
  expect([seen.text.split('HTTP/1.1 200').length, left()]).toEqual([2, PATIENCE.idle])
})

test('who does not read has the time of one who says nothing, from each byte on that is taken', () => {
  const house = houseOf(() => readyBytes(200, {}, Buffer.alloc(100_000)))
  let room = 10
  const slow = { ...aWire().wire, write: (_: Uint8Array, __: number, length: number) => Math.min(room, length) }
  const connection = new Connection(house, slow, '127.0.0.1')
  house.seconds = 100
  connection.receive(GET)
  expect(connection.deadline.at).toBe(100 + PATIENCE.idle)
  house.seconds = 120
  connection.drained()
  expect(connection.deadline.at).toBe(120 + PATIENCE.idle)
  room = 200_000
  house.seconds = 130
  connection.drained()
  expect(connection.deadline.at).toBe(130 + PATIENCE.idle)
})

const failing: [string, House['answer']][] = [
  [
    'fails at once',
    () => {
      throw new TypeError('a secret')
    },
  ],
  [
    'fails after a wait',
    async () => {
      await settled()
      throw new TypeError('a secret')
    },
  ],
  ['breaks off', () => new Response(new ReadableStream({ pull: (to) => to.error(new TypeError('a secret')) }))],
  ['cannot be sent', async () => ({ ...readyBytes(200, {}, null), body: UNREADABLE })],
]

test.each(failing)('an answer that %s is told of once, and nothing of the fault is sent', async (_, answer) => {
  const told: unknown[] = []
  const { wire, seen } = aWire()
  const house = { ...houseOf(answer), fault: (error: unknown) => void told.push(error) }
  new Connection(house, wire, '127.0.0.1').receive(GET)
  for (let i = 0; i < 5; i++) await settled()
  expect(told).toEqual([expect.any(Error)])
  expect(seen.text).not.toContain('secret')
})

test.each(failing.slice(1))('an answer that %s is no fault where its caller has left', async (_, answer) => {
  const told: unknown[] = []
  const house = { ...houseOf(answer), fault: (error: unknown) => void told.push(error) }
  const connection = new Connection(house, aWire().wire, '127.0.0.1')
  connection.receive(GET)
  connection.closed()
  for (let i = 0; i < 5; i++) await settled()
  expect(told).toEqual([])
})

test('an answer that nobody waits for any more, because the rest of its body was malformed, is no fault', async () => {
  const told: unknown[] = []
  const { wire, seen } = aWire()
  const failing = async (asked: Asked): Promise<Response> => new Response(await asked.request().text())
  const house = { ...houseOf(failing), fault: (error: unknown) => void told.push(error) }
  const connection = new Connection(house, wire, '127.0.0.1')
  connection.receive(Buffer.from('POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab'))
  connection.receive(Buffer.from('cdeX'))
  for (let i = 0; i < 5; i++) await settled()
  expect([told, seen.text.split('HTTP/1.1 400').length]).toEqual([[], 2])
})

test('an answer that fails because its caller has closed one side and waited in vain is no fault', async () => {
  const told: unknown[] = []
  const { wire, seen } = aWire()
  const until = (asked: Asked): Promise<never> => {
    const { signal } = asked.request()
    return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
  }
  const house = { ...houseOf(until), fault: (error: unknown) => void told.push(error) }
  const connection = new Connection(house, wire, '127.0.0.1')
  connection.receive(GET)
  connection.ended()
  for (let i = 0; i < 300 && seen.text === ''; i++) await Bun.sleep(10)
  expect([told, seen.text.startsWith('HTTP/1.1 500')]).toEqual([[], true])
})

test('an answer leaves at the end of the round, and before the connection is closed', async () => {
  const [kept, last] = [aWire(), aWire()]
  const house = houseOf(() => readyBytes(200, {}, null))
  const connections = [kept, last].map(({ wire }, i) => new Connection(house, wire, `127.0.0.${i}`))
  connections[0]?.receive(GET)
  expect(kept.seen.text).toBe('')
  connections[1]?.receive(Buffer.from('GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n'))
  expect(last.seen.text).toStartWith('HTTP/1.1 200')
  expect(kept.seen.text).toStartWith('HTTP/1.1 200') // in the order in which they were made
  connections[0]?.receive(GET)
  await roundEnd()
  expect(kept.seen.text.split('HTTP/1.1')).toHaveLength(3)
})

test('longer work begins after what is ready was sent', () => {
  const { wire, seen } = aWire()
  new Connection(
    houseOf(() => readyBytes(200, {}, null)),
    wire,
    '127.0.0.1',
  ).receive(GET)
  expect(seen.text).toBe('')
  sendReady()
  expect(seen.text).toStartWith('HTTP/1.1 200')
})

test('an answer is whole, also if longer work for the next request on the connection begins before it has left', async () => {
  const { wire, seen } = aWire()
  let asked = 0
  const house = houseOf(() => {
    asked++
    if (asked === 2) sendReady()
    return readyBytes(200, {}, Buffer.from(`<answer ${asked}>`))
  })
  new Connection(house, wire, '127.0.0.1').receive(Buffer.concat([GET, GET, GET]))
  await roundEnd()
  expect(seen.text.match(/<[^>]*>/g)?.join('')).toBe('<answer 1><answer 2><answer 3>')
  expect(seen.text.split('HTTP/1.1 200')).toHaveLength(4)
})

/** A socket that takes no more than there is room for. */
function aSlowWire(room: number) {
  const { wire, seen } = aWire()
  const slow = { ...seen, room, isEnded: false }
  const write: Wire['write'] = (bytes, from, length) => {
    const size = Math.min(slow.room, length)
    slow.room -= size
    slow.text += Buffer.from(bytes).toString('latin1', from, from + size)
    return size
  }
  const end = (): void => {
    slow.isEnded = true
  }
  return { wire: { ...wire, write, end, shutdown: end }, seen: slow }
}

const LAST = Buffer.from('GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n')

test.each([
  ['asked to', [GET, LAST]],
  ['sent more', [GET, LAST, GET]],
])('who %s and reads slowly gets the last answers whole before the connection is closed', async (_, chunks) => {
  const { wire, seen } = aSlowWire(30)
  const house = houseOf(() => readyBytes(200, {}, Buffer.from('<answer>')))
  const connection = new Connection(house, wire, '127.0.0.1')
  house.seconds = 20
  connection.receive(Buffer.concat(chunks))
  await roundEnd()
  expect([seen.isEnded, connection.deadline.at]).toEqual([false, 20 + PATIENCE.idle])
  while (!seen.isEnded) {
    seen.room += 30
    connection.drained()
  }
  expect(seen.text.match(/<answer>/g)).toHaveLength(2)
})

test('a fault in a later turn of many requests ends the connection, and nothing else', async () => {
  const { wire, seen } = aWire()
  let asked = 0
  const house = houseOf(() => ({ ...readyBytes(200, {}, null), body: ++asked > 40 ? UNREADABLE : undefined }))
  new Connection(house, wire, '127.0.0.1').receive(Buffer.concat(Array<Buffer>(50).fill(GET)))
  for (let i = 0; i < 5; i++) await roundEnd()
  expect([asked, seen.isCut]).toEqual([41, true])
})

test.each([{}, { 'content-length': '3' }])('a go-ahead never stands in an answer, of headers %o', async (headers) => {
  const { wire, seen } = aWire()
  const house = houseOf((asked) => new Response(asked.request().body, { headers }))
  const connection = new Connection(house, wire, '127.0.0.1')
  connection.receive(Buffer.from('POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nExpect: 100-continue\r\n\r\n'))
  for (let i = 0; i < 3; i++) await roundEnd()
  connection.receive(Buffer.from('abc'))
  for (let i = 0; i < 3; i++) await roundEnd()
  const said = [...seen.text.matchAll(/HTTP\/1\.1 \d+|abc/g)].map(([text]) => text)
  // An answer with a length is sent when all of it is there, and the body it waits for must come.
  const goAhead = 'content-length' in headers ? ['HTTP/1.1 100'] : []
  expect(said).toEqual([...goAhead, 'HTTP/1.1 200', 'abc'])
})

test('a body that was cut short behind other requests is refused, and not waited for', async () => {
  const { wire, seen } = aSlowWire(Infinity)
  let asked = 0
  const house = houseOf(async () => {
    asked++
    await roundEnd()
    return readyBytes(200, {}, null)
  })
  const connection = new Connection(house, wire, '127.0.0.1')
  connection.receive(Buffer.concat([GET, Buffer.from('POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nab')]))
  connection.ended()
  for (let i = 0; i < 5; i++) await roundEnd()
  expect(seen.text.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 400'])
  expect([asked, seen.isEnded]).toEqual([1, true])
})

test('a body whose pieces are all there leaves others their turn', async () => {
  const { wire, seen } = aWire()
  const many = 1_000
  let left = many
  const pull = (to: ReadableStreamDefaultController): void => (left-- > 0 ? to.enqueue(Buffer.from('x')) : to.close())
  const house = houseOf(() => new Response(new ReadableStream({ pull })))
  new Connection(house, wire, '127.0.0.1').receive(GET)
  for (let i = 0; i < 10; i++) await roundEnd()
  expect(left).toBeGreaterThan(many - 20)
  while (!seen.text.endsWith('\r\n0\r\n\r\n')) await roundEnd()
  expect(seen.text.match(/\r\n1\r\nx(?=\r\n)/g)).toHaveLength(many)
})

test('who has read a piece of an answer at last does not take its time from the next piece', async () => {
  const { wire, seen } = aSlowWire(0)
  const body = new TransformStream<Uint8Array, Uint8Array>()
  const house = houseOf(() => new Response(body.readable))
  const connection = new Connection(house, wire, '127.0.0.1')
  connection.receive(GET)
  void body.writable.getWriter().write(Buffer.from('piece'))
  await roundEnd()
  expect(connection.deadline.at).toBe(PATIENCE.idle)
  seen.room = 1_000
  connection.drained()
  await roundEnd()
  expect(connection.deadline.at).toBe(PATIENCE.answer)
})

test.each([{}, { 'content-length': '5' }])(
  'an answer has its own time also where its body is late, with headers %o',
  (headers) => {
    const house = houseOf(() => new Response(new ReadableStream(), { headers }))
    const connection = new Connection(house, aWire().wire, '127.0.0.1')
    house.seconds = 20
    connection.receive(GET)
    expect(connection.deadline.at).toBe(20 + PATIENCE.answer)
  },
)
