// A text that was cut out of a longer one can keep all of it in memory. What a service remembers of a request must not
// keep its head: bounds on what is remembered would be wrong by a factor of a thousand.

import { heapStats } from 'bun:jsc'
import { expect, test } from 'bun:test'
import { remembered } from '../../src/surfaces/http/remembered.ts'
import { callerAddress } from '../../src/transport/forwarded.ts'
import type { Head } from '../../src/transport/head.ts'
import { HeadReader } from '../../src/transport/head-reader.ts'

const PADDING = 15_000
const REQUESTS = 200

function headOf(i: number): Head {
  const reader = new HeadReader()
  const lines = [
    `GET /reference?cpt=${10_000 + i}&region=US-CA-05 HTTP/1.1`,
    'host: x',
    `accept: application/json;n=${i}`,
    `x-forwarded-for: 198.51.100.${100 + (i % 100)}`,
    `x-padding: ${String(i % 10).repeat(PADDING)}`,
  ]
  reader.read(Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), 0)
  return reader.take()
}

function usedBytes(): number {
  Bun.gc(true)
  const { heapSize, extraMemorySize } = heapStats()
  return heapSize + extraMemorySize
}

const WAYS: Record<string, () => (head: Head) => unknown> = {
  'the target of a request': () => {
    const kept: string[] = []
    return ({ target }) => kept.push(target)
  },
  'the address that a proxy passes on': () => {
    const kept = new Map<string, number>()
    return (head) =>
      kept.set(
        callerAddress('192.0.2.1', head.get('x-forwarded-for'), (hop) => hop === '192.0.2.1'),
        1,
      )
  },
  'the headers of which a form was worked out': () => {
    const work = remembered((text) => text.length)
    return (head) => work(head.get('accept') ?? '')
  },
}

test.each(Object.entries(WAYS))('%s is kept without the head that it came in', (_, way) => {
  const keep = way()
  keep(headOf(0))
  const before = usedBytes()
  for (let i = 1; i < REQUESTS; i++) keep(headOf(i))
  expect(usedBytes() - before).toBeLessThan((REQUESTS * PADDING) / 3)
  keep(headOf(0))
})
