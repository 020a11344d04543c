import { expect, test } from 'bun:test'
import { readyBytes } from './answer.ts'
import { Connection } from './connection.ts'
import type { House, Wire } from './host.ts'

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
  answer,
  refuse: () => new Response(null, { status: 400 }),
})
const UNREADABLE = {
  get length(): number {
    throw new Error('unreadable')
  },
} as never
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
    expect(connection.deadline).toBeGreaterThan(house.seconds + 60)
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
