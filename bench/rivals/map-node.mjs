// Node's own http: answers from a Map, without limits, checks, proofs or any header but type and length.
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'

const [port, file] = process.argv.slice(2)
const answers = new Map(JSON.parse(readFileSync(file, 'utf8')).map(([path, text]) => [path, Buffer.from(text)]))
createServer((request, response) => {
  const body = answers.get(request.url)
  if (!body) return response.writeHead(404).end()
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length }).end(body)
}).listen(Number(port), '127.0.0.1')
