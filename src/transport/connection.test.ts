import { expect, test } from 'bun:test'
import { Connection } from './connection.ts'
import type { House, Wire } from './host.ts'

const wire: Wire = {
  write: (_bytes, _from, length) => length,
  pause: () => undefined,
  resume: () => undefined,
  shutdown: () => undefined,
  end: () => undefined,
  terminate: () => undefined,
}

test('an answer that takes long is not cut while pieces of it go out', async () => {
  const body = new TransformStream<Uint8Array, Uint8Array>()
  const house = {
    seconds: 0,
    date: 'date: x\r\n',
    isStopping: false,
    answer: () => new Response(body.readable),
    refuse: () => new Response(null, { status: 400 }),
  } satisfies House
  const connection = new Connection(house, wire, '127.0.0.1')
  connection.receive(Buffer.from('GET / HTTP/1.1\r\nHost: a\r\n\r\n'))
  const writer = body.writable.getWriter()
  for (house.seconds = 100; house.seconds <= 300; house.seconds += 100) {
    await writer.write(Buffer.from('piece'))
    await Bun.sleep(1)
    expect(connection.deadline).toBeGreaterThan(house.seconds + 60)
  }
})
