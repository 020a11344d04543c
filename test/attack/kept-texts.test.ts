// A text that was cut out of a longer one can keep all of it in memory. What a service remembers of a request must not
// keep its headers: bounds on what is remembered would be wrong by a factor of a thousand.

import { heapStats } from 'bun:jsc'
import { expect, test } from 'bun:test'
import { listen } from '../../src/listen.ts'
import { callerAddress } from '../../src/surfaces/http/caller-address.ts'
import { remembered } from '../../src/surfaces/http/remembered.ts'
import { targetText } from '../../src/surfaces/http/request.ts'

const PADDING = 12_000
const REQUESTS = 200

function usedBytes(): number {
  Bun.gc(true)
  const { heapSize, extraMemorySize } = heapStats()
  return heapSize + extraMemorySize
}

const WAYS: Record<string, () => (request: Request) => unknown> = {
  'the target of a request': () => {
    const kept: string[] = []
    return (request) => kept.push(targetText(request))
  },
  'the address that a proxy passes on': () => {
    const kept = new Map<string, number>()
    return ({ headers }) => {
      const forwarded = headers.get('x-forwarded-for')
      const address = callerAddress('192.0.2.1', forwarded, (hop) => hop === '192.0.2.1')
      kept.set(address, 1)
    }
  },
  'the headers of which a form was worked out': () => {
    const work = remembered((text) => text.length)
    return ({ headers }) => work(headers.get('accept') ?? '')
  },
}

test.each(Object.entries(WAYS))('%s is kept without the headers that it came with', async (_, way) => {
  const keep = way()
  const server = listen({
    hostname: '127.0.0.1',
    port: 0,
    answer(request) {
      keep(request)
      return new Response(null)
    },
  })
  const ask = (i: number) =>
    fetch(`http://127.0.0.1:${server.port}/reference?cpt=${10_000 + i}&region=US-CA-05`, {
      headers: {
        accept: `application/json;n=${i}`,
        'x-forwarded-for': `${String(i % 10).repeat(PADDING)}, 198.51.100.${i % 200}`,
      },
    })
  for (let i = 0; i < 20; i++) await ask(i)
  const before = usedBytes()
  for (let i = 20; i < 20 + REQUESTS; i++) await ask(i)
  expect(usedBytes() - before).toBeLessThan((REQUESTS * PADDING) / 3)
  await ask(0)
  await server.stop()
})
