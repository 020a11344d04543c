// The service behind the proxies of deploy/: no request may mean one thing to the proxy and another to the service.

import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { connect } from 'node:net'
import { join } from 'node:path'
import { loadSample } from '../../src/cli/sample.ts'
import { readConfig } from '../../src/config.ts'
import { createInstallation, openInstallation } from '../../src/installation.ts'
import { type RunningService, start } from '../../src/main.ts'
import { targetText } from '../../src/surfaces/http/request.ts'
import { storeEnvironment } from '../support/engines.ts'
import { temporaryFolder } from '../support/folder.ts'
import { CADDYFILE, findProxy, Nginx, startCaddy } from '../support/proxy.ts'
import { until } from '../support/until.ts'
import { ODD_PATHS, PLAIN_TARGETS, SHAPES } from './smuggling.ts'

const [nginxPath, caddyPath] = [findProxy('nginx'), findProxy('caddy')]

/** A request as the service understood it. */
interface SeenRequest {
  method: string
  target: string
  /** The caller, as the service counts it. */
  address: string
  headers: Headers
}

const folder = temporaryFolder()
const seen: SeenRequest[] = []
let service: RunningService
let port: number

beforeAll(async () => {
  const store = await storeEnvironment(join(folder.path, 'data'))
  const settings = { PORT: '0', RATE_LIMITS: 'off', LOG_LEVEL: 'error', TRUSTED_PROXIES: '127.0.0.1' }
  const config = readConfig({ ...store, ...settings })
  await createInstallation(config, { origin: 'registry.example', now: Date.now() }, (made) =>
    loadSample(made, Date.now),
  )
  service = start(config, await openInstallation(config))
  port = Number(new URL(service.localUrl).port)
  const { fetch } = service.app
  service.app.fetch = (request, address) => {
    seen.push({ method: request.method, target: targetText(request), address, headers: new Headers(request.headers) })
    return fetch(request, address)
  }
})
afterAll(async () => {
  await service.stop()
  folder[Symbol.dispose]()
})

/** Sends text as it is from one address of this machine, and gives all that comes back within a while. */
function send(to: number, text: string, from = '127.0.0.1'): Promise<string> {
  return new Promise((resolve) => {
    let got = ''
    const socket = connect({ port: to, host: '127.0.0.1', localAddress: from, allowHalfOpen: true })
    socket.on('data', (bytes) => {
      got += bytes.toString('latin1')
      quiet.refresh()
    })
    socket.on('error', () => undefined)
    socket.on('end', () => socket.end())
    socket.on('close', () => resolve(got))
    socket.write(Buffer.from(text, 'latin1'))
    const quiet = setTimeout(() => socket.destroy(), 700)
  })
}

const statusesIn = (text: string): number[] =>
  [...text.matchAll(/HTTP\/1\.[01] (\d{3}) /g)].map(([, status]) => Number(status)).filter((status) => status !== 100)

const NEXT = (n: number): string => `GET /next/${n} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`

describe.skipIf(!nginxPath)('nginx', () => {
  let nginx: Nginx
  beforeAll(async () => {
    nginx = await Nginx.start(nginxPath ?? '', { service: port })
  })
  afterAll(() => nginx[Symbol.asyncDispose]())

  test('shapes of smuggling are refused, or mean the same to nginx and to the service', async () => {
    let [n, refused] = [0, 0]
    for (const [name, text] of Object.entries(SHAPES)) {
      n++
      const [before, seenBefore] = [nginx.requests().length, seen.length]
      const answer = await send(nginx.port, text + NEXT(n))
      const passedOn = () =>
        nginx
          .requests()
          .slice(before)
          .filter(({ upstream }) => upstream !== '')
      await until(() => passedOn().length >= seen.length - seenBefore, `nginx has logged what it passed on: ${name}`)
      const understood = seen.slice(seenBefore)
      // The service has seen what nginx has passed on, each as nginx understood it, and nothing between them.
      expect([name, passedOn().map(({ method, path }) => [method, path])]).toEqual([
        name,
        understood.map(({ method, target }) => [method, target.split(/[?#]/, 1)[0] as string]),
      ])
      for (const { address, headers } of understood) {
        expect([name, address, headers.get('x-forwarded-for')]).toEqual([name, '127.0.0.1', '127.0.0.1'])
        expect([name, headers.get('host')]).toEqual([name, 'registry.example'])
      }
      const answers = statusesIn(answer).length
      await until(() => nginx.requests().length - before >= answers, `nginx knows of what it has answered: ${name}`)
      if (understood.length === 0) refused++
    }
    expect(refused).toBeGreaterThan(45)
  })

  test('paths with two meanings are refused, whatever the query', async () => {
    for (const path of ODD_PATHS)
      for (const query of ['', '?cpt=99213', '?/../']) {
        const before = seen.length
        const answer = await send(nginx.port, `GET ${path}${query} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`)
        expect([path, query, statusesIn(answer), seen.length - before]).toEqual([path, query, [400], 0])
        expect(answer).toContain('application/problem+json')
      }
  })

  test('unusual targets with one meaning reach the service as they were sent', async () => {
    for (const target of PLAIN_TARGETS) {
      const before = seen.length
      const answer = await send(nginx.port, `GET ${target} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`)
      expect([target, statusesIn(answer).length]).toEqual([target, 1])
      const sent = targetText(new Request(`http://localhost${target}`))
      expect([target, seen.slice(before).map((each) => each.target)]).toEqual([target, [sent]])
    }
  })

  test('pipelined requests are answered in their order', async () => {
    const batch = '{"lines":[{"cpt":"99213"}]}'
    const post = `POST /reference/batch HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: ${batch.length}\r\n\r\n${batch}`
    const answer = await send(nginx.port, `${post}GET /healthz HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`)
    expect(answer).toMatch(/^HTTP\/1\.1 200[\s\S]*"lines"[\s\S]*HTTP\/1\.1 200[\s\S]*"ok"/)
  })

  test('the service learns the address that nginx saw, whatever a caller says of itself, and no header about the connection', async () => {
    const before = seen.length
    const lies = [
      'X-Forwarded-For: 203.0.113.7',
      'X-Forwarded-For: 203.0.113.8',
      'X_Forwarded_For: 203.0.113.9',
      'Forwarded: for=203.0.113.7',
      'X-Real-IP: 203.0.113.7',
      'Connection: X-Agent-Key, X-Forwarded-For, close',
      'Keep-Alive: timeout=5',
      'Proxy-Connection: keep-alive',
      'TE: trailers',
      'Trailer: X-Agent-Key',
      'Upgrade: h2c',
      'X-Agent-Key: kept',
    ]
    await send(nginx.port, `GET /healthz HTTP/1.1\r\nHost: a\r\n${lies.join('\r\n')}\r\n\r\n`, '127.0.0.44')
    const [request] = seen.slice(before)
    expect(request?.address).toBe('127.0.0.44')
    expect(Object.fromEntries(request?.headers ?? [])).toEqual({
      host: 'registry.example',
      'x-agent-key': 'kept',
      'x-forwarded-for': '127.0.0.44',
    })
  })

  test('what nginx refuses is a problem document with a code of the service', async () => {
    const refused: [number, string, string][] = [
      [400, 'invalid_request', 'GET /a/../b HTTP/1.1\r\nHost: a\r\n\r\n'],
      [400, 'invalid_request', 'GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n'],
      [413, 'payload_too_large', 'POST /mcp HTTP/1.1\r\nHost: a\r\nContent-Length: 200000\r\n\r\n'],
      [414, 'uri_too_long', `GET /${'a'.repeat(9_000)} HTTP/1.1\r\nHost: a\r\n\r\n`],
      [431, 'headers_too_large', `GET / HTTP/1.1\r\nHost: a\r\nX: ${'a'.repeat(9_000)}\r\n\r\n`],
      [431, 'headers_too_large', `GET / HTTP/1.1\r\nHost: a\r\n${`X: ${'a'.repeat(3_000)}\r\n`.repeat(7)}\r\n`],
      [501, 'method_not_implemented', 'PROPFIND / HTTP/1.1\r\nHost: a\r\n\r\n'],
      [405, 'method_not_allowed', 'TRACE / HTTP/1.1\r\nHost: a\r\n\r\n'],
    ]
    for (const [status, code, text] of refused) {
      const answer = await send(nginx.port, text)
      expect([text.slice(0, 40), statusesIn(answer)]).toEqual([text.slice(0, 40), [status]])
      expect(answer).toMatch(/\r\ncontent-type: application\/problem\+json\r\n/i)
      const body = JSON.parse(answer.slice(answer.indexOf('\r\n\r\n') + 4))
      expect(body).toMatchObject({ type: `https://registry.example/problems/${code}`, status, code })
    }
  })

  test('with a certificate in its place the configuration speaks TLS', async () => {
    const [key, certificate] = ['key.pem', 'cert.pem'].map((name) => join(folder.path, name)) as [string, string]
    const made = Bun.spawnSync([
      ...['openssl', 'req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'],
      ...['-days', '2', '-subj', '/CN=registry.example', '-keyout', key, '-out', certificate],
    ])
    expect(made.exitCode).toBe(0)
    await using secure = await Nginx.start(nginxPath ?? '', { service: port, tls: { certificate, key } })
    const response = await fetch(`https://127.0.0.1:${secure.port}/reference?cpt=99213`, {
      tls: { rejectUnauthorized: false },
    })
    expect([response.status, await response.json()]).toMatchObject([200, { code: '99213' }])
  })
})

describe.skipIf(!caddyPath)('Caddy', () => {
  test('takes the configuration, refuses paths with two meanings, and passes on one address', async () => {
    const checked = Bun.spawnSync([caddyPath ?? '', 'validate', '--config', CADDYFILE, '--adapter', 'caddyfile'])
    expect([checked.exitCode, checked.exitCode === 0 ? '' : checked.stderr.toString()]).toEqual([0, ''])
    await using caddy = await startCaddy(caddyPath ?? '', port)
    for (const path of ODD_PATHS) {
      const before = seen.length
      const answer = await send(
        caddy.port,
        `GET ${path}?cpt=99213 HTTP/1.1\r\nHost: 127.0.0.1:${caddy.port}\r\nConnection: close\r\n\r\n`,
      )
      expect([path, statusesIn(answer), seen.length - before]).toEqual([path, [400], 0])
    }
    const before = seen.length
    const lies = 'X-Forwarded-For: 203.0.113.7\r\nForwarded: for=203.0.113.7\r\nX-Real-IP: 203.0.113.7\r\n'
    await send(caddy.port, `GET /healthz HTTP/1.1\r\nHost: 127.0.0.1:${caddy.port}\r\n${lies}\r\n`, '127.0.0.44')
    const [request] = seen.slice(before)
    expect([request?.address, request?.headers.get('x-forwarded-for')]).toEqual(['127.0.0.44', '127.0.0.44'])
    expect([request?.headers.get('forwarded'), request?.headers.get('x-real-ip')]).toEqual([null, null])
  })

  test('shapes of smuggling are refused, or are one request to the service as to Caddy', async () => {
    await using caddy = await startCaddy(caddyPath ?? '', port)
    let n = 0
    for (const [name, text] of Object.entries(SHAPES)) {
      n++
      const before = seen.length
      const answer = await send(
        caddy.port,
        text.replaceAll('Host: a\r\n', `Host: 127.0.0.1:${caddy.port}\r\n`) + NEXT(n),
      )
      // The service has seen no more than was answered, and of the next request nothing but the whole.
      const understood = seen.slice(before)
      expect([name, understood.length <= statusesIn(answer).length]).toEqual([name, true])
      for (const { address } of understood) expect([name, address]).toEqual([name, '127.0.0.1'])
    }
  })
})
