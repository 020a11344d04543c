import { expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { temporaryFolder } from '../support/folder.ts'
import { freePort } from '../support/port.ts'
import { atr, DemoService } from '../support/service.ts'
import { isSkipped } from '../support/skipping.ts'
import { aroundPrism } from '../support/through-prism.ts'
import { until } from '../support/until.ts'
import { findValkey, ValkeyServer } from '../support/valkey.ts'

const valkey = findValkey()
isSkipped(
  'quotas of several workers',
  valkey ? undefined : 'there is no server of Valkey or Redis here and none can be installed',
)

/** On a connection of its own, so that any worker may answer it. */
const ask = (url: string, init: RequestInit = {}): Promise<Response> => fetch(url, { ...init, keepalive: false })

const childrenOf = (pid: number): number[] =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number)

const isRunning = (pid: number): boolean => {
  try {
    return !readFileSync(`/proc/${pid}/stat`, 'utf8').includes(') Z ')
  } catch {
    return false
  }
}

/** The log lines of the service, read while it runs. */
function linesOf({ child }: DemoService): { [member: string]: unknown }[] {
  const lines: { [member: string]: unknown }[] = []
  const decoder = new TextDecoder()
  let rest = ''
  void (async () => {
    for await (const chunk of child.stderr) {
      const parts = (rest + decoder.decode(chunk, { stream: true })).split('\n')
      rest = parts.pop() ?? ''
      for (const line of parts) if (line.startsWith('{')) lines.push(JSON.parse(line) as object as (typeof lines)[0])
    }
  })()
  return lines
}

/** Sends the first half of a request. What is returned sends the rest and reads the answer. */
async function halfABatch(port: string): Promise<() => Promise<string>> {
  const body = JSON.stringify({ lines: [{ cpt: '99213' }] })
  const headers = ['host: test', 'content-type: application/json', `content-length: ${body.length}`]
  const head = ['POST /reference/batch HTTP/1.1', ...headers, 'x-forwarded-for: 203.0.113.7', 'connection: close']
  const socket = connect(Number(port), '127.0.0.1')
  let answer = ''
  socket.on('data', (bytes) => {
    answer += bytes.toString()
  })
  const ended = new Promise((resolve) => socket.on('close', resolve))
  socket.write(`${head.join('\r\n')}\r\n\r\n${body.slice(0, 9)}`)
  await Bun.sleep(300)
  return async () => {
    socket.write(body.slice(9))
    await ended
    return answer
  }
}

test.skipIf(!valkey)(
  'two workers answer on one port; quotas and revocations hold for both; one that dies is started again',
  async () => {
    await using server = await ValkeyServer.start(valkey ?? '')
    const around = aroundPrism('which worker has a connection, and half a request, are not what a proxy passes on')
    const settings = { WORKERS: '2', LOG_LEVEL: 'info', TRUSTED_PROXIES: '127.0.0.1', VALKEY_URL: server.url }
    await using service = await DemoService.start({ ...settings, ...around })
    const lines = linesOf(service)
    const answeredBy = (): Set<unknown> => new Set(lines.flatMap(({ worker, route }) => (route ? [worker] : [])))

    const prices = await Promise.all(Array.from({ length: 330 }, () => ask(`${service.url}/reference?cpt=99213`)))
    const statuses = prices.map(({ status }) => status)
    expect(statuses.filter((status) => status === 200)).toHaveLength(300)
    expect(statuses.filter((status) => status === 429)).toHaveLength(30)
    await until(() => answeredBy().size === 2, 'both workers have answered')
    expect([...answeredBy()].sort()).toEqual([1, 2])

    const headers = { 'x-agent-key': service.demoKey, 'content-type': 'application/json' }
    const post = async (path: string, body: object = {}) =>
      (await ask(`${service.url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) })).json()
    const { nonce } = (await post('/api/agent-rails/challenge')) as { nonce: string }
    const { rails_token } = (await post('/api/agent-rails/attest', { nonce })) as { rails_token: string }
    const browse = async () =>
      (await ask(`${service.url}/api/registry?limit=1`, { headers: { 'x-agent-rails': rails_token } })).status
    const several = () => Promise.all(Array.from({ length: 4 }, browse))
    expect(await several()).toEqual(Array(4).fill(200))
    expect((await service.atr(['keys', 'revoke', service.demoKey.slice(4, 16)])).code).toBe(0)
    expect(await several()).toEqual(Array(4).fill(401))

    const [victim = 0, other = 0] = childrenOf(service.child.pid)
    process.kill(victim, 'SIGKILL')
    expect((await ask(`${service.url}/healthz`).catch(() => ask(`${service.url}/healthz`))).status).toBe(200)
    await until(() => childrenOf(service.child.pid).length === 2, 'the worker is started again')
    expect(childrenOf(service.child.pid)).toContain(other)
    await until(
      () => lines.some(({ signal, restart_ms }) => signal === 'SIGKILL' && restart_ms === 100),
      'the end is told',
    )
    const again = childrenOf(service.child.pid)

    const halfAsked = await halfABatch(new URL(service.url).port)
    const stopped = service.stop()
    await Bun.sleep(300)
    expect(await halfAsked()).toStartWith('HTTP/1.1 200 OK')
    expect(await stopped).toBe(0)
    expect(again.filter(isRunning)).toEqual([])
  },
)

test('several workers without a Valkey that counts for all of them are refused before anything is created', async () => {
  using folder = temporaryFolder()
  const refused = await atr(['serve', '--demo'], { DATA_DIR: join(folder.path, 'data'), WORKERS: '2' })
  expect([refused.code, refused.out]).toEqual([3, ''])
  expect(refused.err).toContain('WORKERS above 1 needs VALKEY_URL')
  expect(readdirSync(folder.path)).toEqual([])
})

test('workers end with their parent, and a port that somebody listens on is refused, shareable or not', async () => {
  const service = await DemoService.start({ WORKERS: '2', RATE_LIMITS: 'off' })
  const { port } = new URL(service.url)
  const taken = await atr(['serve'], { ...service.environment, PORT: port, WORKERS: '2' })
  expect([taken.code, taken.err]).toEqual([3, expect.stringContaining('is in use')])
  expect((await atr(['serve'], { ...service.environment, PORT: port })).code).toBe(3)
  const workers = childrenOf(service.child.pid)
  expect(workers).toHaveLength(2)
  service.child.kill('SIGKILL')
  await until(() => !workers.some(isRunning), 'the workers are gone')

  const stranger = Bun.serve({ port: 0, hostname: '127.0.0.1', reusePort: true, fetch: () => new Response() })
  const shared = await atr(['serve'], { ...service.environment, PORT: String(stranger.port), WORKERS: '2' })
  expect([shared.code, shared.err]).toEqual([3, expect.stringContaining('is in use')])
  await stranger.stop(true)
  service.folder[Symbol.dispose]()
})

test.skipIf(!valkey)('the metrics of all workers are in one answer, with the number of each', async () => {
  await using counts = await ValkeyServer.start(valkey ?? '')
  const port = await freePort()
  await using service = await DemoService.start({
    WORKERS: '2',
    VALKEY_URL: counts.url,
    ADMIN_PORT: String(port),
    ...aroundPrism('the workers are asked on connections of their own'),
  })
  const metrics = async (): Promise<string> => (await fetch(`http://127.0.0.1:${port}/metrics`)).text()
  for (let i = 0; i < 40; i++) await (await ask(`${service.url}/api/readme`)).bytes()
  const text = await metrics()
  for (const worker of [1, 2]) expect(text).toContain(`atr_ready{worker="${worker}"} 1\n`)
  const requests = [
    ...text.matchAll(/^atr_requests_total\{route="\/api\/readme",status="200",worker="[12]"\} ([0-9]+)$/gm),
  ]
  expect(requests.reduce((sum, [, count]) => sum + Number(count), 0)).toBe(40)
  // What is the same for all is said once, by the first.
  expect(text.match(/^atr_database_up\{/gm)).toHaveLength(1)
  expect(text.match(/^# TYPE atr_ready gauge$/gm)).toHaveLength(1)
})
