import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { request } from 'node:http'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { temporaryFolder } from '../support/folder.ts'
import { ATR, DemoService } from '../support/service.ts'
import { until } from '../support/until.ts'

/** Connections that send the beginning of a request and nothing more, from addresses of this machine. */
class HalfSent {
  readonly sockets: Socket[] = []
  open = 0

  constructor(
    url: string,
    count: number,
    from: (i: number) => string,
    text = 'GET /healthz HTTP/1.1\r\nHost: x\r\nX-A: ',
  ) {
    const { hostname, port } = new URL(url)
    for (let i = 0; i < count; i++) {
      const socket = connect({ host: hostname, port: Number(port), localAddress: from(i) })
      this.open++
      socket.on('error', () => undefined)
      socket.on('close', () => this.open--)
      socket.on('connect', () => socket.write(text))
      socket.resume() // otherwise nobody notices that it was closed
      this.sockets.push(socket)
    }
  }

  [Symbol.dispose](): void {
    for (const socket of this.sockets) socket.destroy()
  }
}

/** The status of a request from an address of this machine; undefined if there is no answer. */
const statusFrom = (url: string, localAddress: string): Promise<number | undefined> =>
  new Promise((resolve) => {
    const sent = request(`${url}/healthz`, { localAddress, agent: false, timeout: 5_000 }, (response) => {
      response.resume()
      resolve(response.statusCode)
    })
    sent.on('error', () => resolve(undefined))
    sent.on('timeout', () => sent.destroy())
    sent.end()
  })

/** Processor time of a process, in milliseconds. */
function cpuMs(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
  return (Number(fields[11]) + Number(fields[12])) * 10
}

const isLinux = process.platform === 'linux'

test.skipIf(!isLinux)(
  '3,000 half-sent requests of one address are cut to its limit, and hold little memory',
  async () => {
    await using service = await DemoService.start({ CONNECTIONS_PER_ADDRESS: '100' })
    const header = `GET /healthz HTTP/1.1\r\nHost: x\r\nX-A: ${'a'.repeat(19_000)}`
    const rss = () =>
      Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${service.child.pid}/status`, 'utf8'))?.[1]) / 1024
    const before = rss()
    using half = new HalfSent(service.url, 3_000, () => '127.0.0.9', header)
    await until(() => half.open <= 100)
    expect(half.open).toBeLessThanOrEqual(100)
    expect(await statusFrom(service.url, '127.0.0.1')).toBe(200)
    expect(rss() - before).toBeLessThan(200)
  },
)

test.skipIf(!isLinux)('a service that runs out of descriptors neither spins nor stops answering', async () => {
  using folder = temporaryFolder()
  const child = Bun.spawn(['sh', '-c', `ulimit -n 160; exec "$@"`, 'sh', ...ATR, 'serve', '--demo'], {
    cwd: join(import.meta.dir, '../..'),
    env: { ...process.env, DATA_DIR: join(folder.path, 'data'), PORT: '0' },
    stdout: 'pipe',
    stderr: 'ignore',
  })
  try {
    let greeting = ''
    for await (const chunk of child.stdout) {
      greeting += new TextDecoder().decode(chunk)
      if (greeting.includes('challenge\n')) break
    }
    const url = /^ {2}(http:\/\/\S+)$/m.exec(greeting)?.[1] ?? ''
    using half = new HalfSent(url, 400, (i) => `127.0.0.${2 + (i % 5)}`)
    await until(() => half.open <= 160)
    const [began, at] = [cpuMs(child.pid), performance.now()]
    await Bun.sleep(1_500)
    expect((cpuMs(child.pid) - began) / (performance.now() - at)).toBeLessThan(0.5)
    expect(half.open).toBeLessThan(160)
    expect(await statusFrom(url, '127.0.0.1')).toBe(200)
  } finally {
    child.kill('SIGKILL')
    await child.exited
  }
})

test('headers past the limit are refused in our words, however large they are', async () => {
  await using service = await DemoService.start({})
  const sent = async (bytes: number) => {
    const response = await fetch(`${service.url}/healthz`, { headers: { 'x-a': 'a'.repeat(bytes) } })
    return [response.status, response.headers.get('content-type')]
  }
  expect(await sent(15_000)).toEqual([200, expect.stringContaining('json')])
  expect(await sent(18_000)).toEqual([431, 'application/problem+json'])
  expect(await sent(40_000)).toEqual([431, 'application/problem+json'])
})
