import { expect, test } from 'bun:test'
import { fetchText } from './answer-source.ts'

test('an address that never stops answering is given up', async () => {
  const part = new Uint8Array(4 * 1024 ** 2)
  using server = Bun.serve({
    port: 0,
    fetch: () => new Response(new ReadableStream({ pull: (controller) => controller.enqueue(part) })),
  })
  await expect(fetchText(`http://127.0.0.1:${server.port}/`)).rejects.toThrow('more than an answer can have')
})
