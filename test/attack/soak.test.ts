import { expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { temporaryFolder } from '../support/folder.ts'
import { isLong } from '../support/long.ts'
import { DemoService } from '../support/service.ts'

/** Ten minutes in the long form, a few seconds otherwise. */
const SOAK_MS = isLong ? 600_000 : 4_000
const QUIET_MS = isLong ? 20_000 : 1_500

const pick = <T>(list: readonly T[]): T => list[Math.floor(Math.random() * list.length)] as T
const anyone = (): string => `198.51.${Math.floor(Math.random() * 256)}.${Math.floor(Math.random() * 256)}`
const LINES = Array.from({ length: 40 }, () => ({ cpt: pick(['99213', '99214', '70551', '00000']) }))
const WRONG_KEY = 'atk_000000000000_0000000000000000000000000000000000000000000000000'

/** What came back: statuses, those that must not be, and all that was said. */
class Answers {
  readonly statuses = new Map<number, number>()
  readonly wrong: string[] = []
  said = ''

  async add(response: Response): Promise<void> {
    const { status, headers } = response
    this.statuses.set(status, (this.statuses.get(status) ?? 0) + 1)
    const text = await response.text()
    if (status >= 500 && status !== 501 && (status !== 503 || !headers.has('retry-after')))
      this.wrong.push(`${status} ${text.slice(0, 200)}`)
    if (status >= 400 && this.said.length < 1_000_000) this.said += `${JSON.stringify([...headers])}${text}`
  }
}

/** One of the things that a hostile or a clumsy caller does. */
async function trouble(url: string, key: string, answers: Answers): Promise<void> {
  const from = { 'x-forwarded-for': anyone() }
  const json = { ...from, 'content-type': 'application/json' }
  const batch = { method: 'POST', headers: json, body: JSON.stringify({ lines: LINES }) }
  const deeds: (() => Promise<Response | undefined>)[] = [
    () => fetch(`${url}/reference?cpt=${pick(['99213', 'zzzzz', '%00', '99999'])}`, { headers: from }),
    () => fetch(`${url}/reference/batch`, batch),
    () => fetch(`${url}/api/coverage`, { headers: from }),
    () => fetch(`${url}/api/registry`, { headers: { ...from, 'x-agent-key': WRONG_KEY } }),
    () => fetch(`${url}/api/registry`, { headers: { ...from, 'x-agent-rails': key } }),
    () => fetch(`${url}/api/agent-rails/challenge`, { method: 'POST', headers: { ...from, 'x-agent-key': key } }),
    () => fetch(`${url}/nowhere`, { method: 'PROPFIND', headers: from }),
    () => fetch(`${url}/reference/batch`, { ...batch, body: 'x'.repeat(200_000) }),
    () => fetch(`${url}/healthz`, { headers: { ...from, 'x-a': 'a'.repeat(17_000) } }),
    async () => {
      const gone = new AbortController()
      const asked = fetch(`${url}/reference/batch`, { ...batch, signal: gone.signal })
      setTimeout(() => gone.abort(), Math.random() * 5)
      return asked.catch(() => undefined)
    },
    async () => {
      const { hostname, port } = new URL(url)
      const socket = connect({ host: hostname, port: Number(port) })
      socket.on('error', () => undefined)
      socket.resume()
      socket.write('GET /reference HTTP/1.1\r\nHost: x\r\nX-A: ')
      await Bun.sleep(200)
      socket.destroy()
      return undefined
    },
  ]
  const response = await pick(deeds)().catch(() => undefined)
  if (response) await answers.add(response)
}

const p99 = (times: readonly number[]): number =>
  times.toSorted((a, b) => a - b)[Math.floor(times.length * 0.99)] ?? Number.NaN

/** Someone who asks for one price now and then, and how long each answer took. */
async function bystander(url: string, until: number, answers: Answers): Promise<number[]> {
  const times: number[] = []
  while (performance.now() < until) {
    const began = performance.now()
    const response = await fetch(`${url}/reference?cpt=99213`, { headers: { 'x-forwarded-for': '203.0.113.7' } })
    times.push(performance.now() - began)
    await answers.add(response)
    await Bun.sleep(250)
  }
  return times
}

test(
  'under a mixed hostile load memory and descriptors stay flat, nothing fails, and no secret is said',
  async () => {
    using folder = temporaryFolder()
    const settings = { TRUSTED_PROXIES: '127.0.0.1', LOG_LEVEL: 'info' }
    const service = await DemoService.start(settings, folder)
    const { pid } = service.child
    let log = ''
    const reading = (async () => {
      for await (const chunk of service.child.stderr)
        if (log.length < 20_000_000) log += new TextDecoder().decode(chunk)
    })()
    const megabytes = (): number =>
      Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024
    const descriptors = (): number => readdirSync(`/proc/${pid}/fd`).length
    const answers = new Answers()
    const before = await bystander(service.url, performance.now() + QUIET_MS, answers)
    const until = performance.now() + SOAK_MS
    const crowd = Array.from({ length: 8 }, async () => {
      while (performance.now() < until) await trouble(service.url, service.demoKey, answers)
    })
    const watching = bystander(service.url, until, answers)
    // What is kept ready fills up in the first third.
    await Bun.sleep(SOAK_MS / 3)
    const [memory, open] = [megabytes(), descriptors()]
    await Promise.all(crowd)
    const during = await watching
    await Bun.sleep(1_000)
    expect(answers.wrong).toEqual([])
    expect(answers.statuses.get(200) ?? 0).toBeGreaterThan(10)
    const [memoryAfter, openAfter] = [megabytes(), descriptors()]
    expect(memoryAfter - memory).toBeLessThan(isLong ? 64 : 150)
    expect(openAfter - open).toBeLessThan(20)
    await service.stop()
    await reading
    const errors = log.split('\n').filter((line) => line.includes('"level":"error"'))
    expect(errors).toEqual([])
    for (const secret of [service.demoKey, WRONG_KEY])
      expect([log.includes(secret), answers.said.includes(secret)]).toEqual([false, false])
    // Other programs run on this machine: a short look proves nothing about times.
    if (!isLong) return
    const ms = (times: readonly number[]): string => `${p99(times).toFixed(1)} ms`
    const asked = [...answers.statuses].map(([status, count]) => `${count} x ${status}`).join(', ')
    console.log(
      `soak: ${asked}; memory ${memory.toFixed(0)} to ${memoryAfter.toFixed(0)} MB, descriptors ${open} to ${openAfter}, ` +
        `p99 of a bystander ${ms(before)} before and ${ms(during)} during`,
    )
    expect(p99(during)).toBeLessThan(Math.max(50, 2 * p99(before)))
  },
  SOAK_MS + QUIET_MS + 60_000,
)
