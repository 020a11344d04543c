import { expect, test } from 'bun:test'
import { z } from 'zod'
import { listen } from '../../src/listen.ts'
import { operation } from '../../src/operation.ts'
import { ourTurn, Queue } from '../../src/queue.ts'
import { httpSurface } from '../../src/surfaces/http/router.ts'
import { until } from '../support/until.ts'

test('a caller who hangs up ends the work, and the next one has the place', async () => {
  const queue = new Queue({ atOnce: 1, waiting: 1 })
  const work = { begun: 0, pieces: 0 }
  const endless = operation({
    name: 'never_done',
    summary: 'Work without end',
    description: 'For a test',
    tag: 'agent-tools',
    http: { method: 'GET', path: '/endless' },
    access: 'public',
    limit: 'default',
    heavy: true,
    cache: 'no-store',
    input: z.strictObject({}),
    output: z.strictObject({}),
    problems: [],
    async run() {
      work.begun++
      for (;;) {
        work.pieces++
        await Bun.sleep(3)
        await ourTurn()
      }
    },
  })
  const surface = httpSurface({
    operations: [endless],
    resources: [],
    gate: { enter: async () => ({}), queue },
    baseUrl: () => 'http://127.0.0.1',
    observe: () => undefined,
    randomId: () => crypto.randomUUID(),
  })
  const server = listen({ port: 0, hostname: '127.0.0.1', answer: surface.fetch })
  const ask = (caller: AbortController) =>
    fetch(`http://127.0.0.1:${server.port}/endless`, { signal: caller.signal }).catch((error: Error) => error.name)

  const [first, second] = [new AbortController(), new AbortController()]
  const answers = [ask(first), ask(second)]
  await until(() => queue.size === 2 && work.begun === 1)
  first.abort()
  await until(() => queue.size === 1 && work.begun === 2)
  second.abort()
  await until(() => queue.size === 0)
  const { pieces } = work
  await Bun.sleep(30)
  expect(work.pieces).toBe(pieces)
  expect(await Promise.all(answers)).toEqual(['AbortError', 'AbortError'])
  await server.stop()
})
