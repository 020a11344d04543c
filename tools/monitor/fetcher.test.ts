import { afterAll, expect, test } from 'bun:test'
import { createServer } from 'node:http'
import { Fetcher } from './fetcher.ts'

/** The answers, one after the other: status and body. */
let answers: [status: number, body: string][] = []
const server = createServer((_request, response) => {
  const [status, body] = answers.shift() ?? [500, '']
  response.writeHead(status, status === 200 ? {} : { 'retry-after': '1' }).end(body)
})
await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
const { port } = server.address() as { port: number }
afterAll(() => server.close())

test('what comes with a refusal is no part of a file, and the file is asked for again', async () => {
  answers = [
    [429, '{"code":"rate_limited"}'],
    [503, '{"code":"unavailable"}'],
    [200, 'the file'],
  ]
  let got = ''
  const status = await new Fetcher(`http://127.0.0.1:${port}`).download('/file', 1_000, (piece) => {
    got += Buffer.from(piece)
  })
  expect([status, got, answers.length]).toEqual([200, 'the file', 0])
})
