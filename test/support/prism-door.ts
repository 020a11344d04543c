// The door in front of the service at a port of this machine: lets pass what Prism agrees to, and prints its own address.

import { prismFor, throughPrism } from './through-prism.ts'

const service = `http://127.0.0.1:${process.argv[2]}`
const documentOf = async (): Promise<string> => (await fetch(`${service}/api/openapi.json`)).text()
let proxy: ReturnType<typeof prismFor> | undefined

function forward(request: Request): Promise<Response> {
  const target = request.url.replace(/^https?:\/\/[^/?#]*/, '')
  const { method, headers, body } = request
  return fetch(`${service}${target}`, { method, headers, body, redirect: 'manual', decompress: false })
}

const door = Bun.serve({
  hostname: '127.0.0.1',
  port: 0,
  idleTimeout: 120,
  async fetch(request) {
    try {
      proxy ??= documentOf().then(prismFor)
      return await throughPrism(await proxy, request, forward)
    } catch (error) {
      // A status that no service has: whatever asked fails.
      console.error(error)
      return new Response(String(error), { status: 599 })
    }
  },
})
console.log(`http://127.0.0.1:${door.port}`)
