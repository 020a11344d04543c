// Bare Bun.serve: answers from a Map, without limits, checks, proofs or any header but the type.
import { readFileSync } from 'node:fs'

const [port, file] = process.argv.slice(2) as [string, string]
const answers = new Map<string, string>(JSON.parse(readFileSync(file, 'utf8')))
const headers = { 'content-type': 'application/json' }
Bun.serve({
  hostname: '127.0.0.1',
  port: Number(port),
  fetch({ url }) {
    const body = answers.get(url.slice(url.indexOf('/', 8)))
    return body === undefined ? new Response(null, { status: 404 }) : new Response(body, { headers })
  },
})
