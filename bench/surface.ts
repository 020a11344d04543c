// Ready-made answers beside nginx and bare servers that send the same bytes. Servers on one core, the load on another.

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Subprocess, spawn, which } from 'bun'
import { temporaryFolder } from '../test/support/folder.ts'
import { type Line, perSecond, times } from './measure.ts'

const ROOT = join(import.meta.dir, '..')
const BUN = join(ROOT, 'node_modules/.bin/bun')
const [SERVERS_CORE, LOAD_CORE] = ['0', '1']
const QUESTION = '/reference?cpt=99213'
const ROUNDS = 3
const SECONDS = Number(process.env['BENCH_SECONDS'] ?? 3)
const TICKS_PER_SECOND = 100

interface Server {
  name: string
  /** What it leaves out of what the service does. */
  lacks: string
  child: Subprocess
  url: string
}

interface Figures {
  rate: number
  /** Microseconds of processor time a request, of all threads of the server. */
  cpu: number
}

export async function surface(): Promise<Line[]> {
  const missing = ['nginx', 'wrk', 'taskset'].filter((tool) => !which(tool))
  if (missing.length > 0) return [{ what: 'skipped', figure: `install ${missing.join(', ')}`, beside: '' }]
  using folder = temporaryFolder()
  const servers: Server[] = []
  try {
    const service = await ourService(folder.path)
    servers.push(service)
    const bytes = await readyMade(service.url)
    servers.push(...(await rivals(folder.path, bytes)))
    const pages = ['/api/openapi.json', '/', '/api/readme'].map((path) => ({
      path,
      url: service.url.replace(QUESTION, path),
    }))
    const found = await inTurn([
      ...servers.map((server) => ({ key: server.name, server, url: server.url })),
      ...pages.map(({ path, url }) => ({ key: path, server: service, url })),
    ])
    const nginx = found.get('nginx, a static file') as Figures
    return [...found].map(([what, { rate, cpu }]) => ({
      what: `${what}${lack(servers, what)}`,
      figure: `${perSecond(rate)}, ${cpu.toFixed(1)} us of processor time`,
      beside: `${times(rate, nginx.rate)} nginx, ${times(nginx.cpu, cpu)} by processor time`,
    }))
  } finally {
    for (const { child } of servers) child.kill()
    await Promise.all(servers.map(({ child }) => child.exited))
  }
}

const lack = (servers: readonly Server[], name: string): string => {
  const { lacks = '' } = servers.find((server) => server.name === name) ?? {}
  return lacks && ` (${lacks})`
}

const pinned = (core: string, command: readonly string[], env: Record<string, string> = {}): Subprocess =>
  spawn(['taskset', '-c', core, ...command], {
    cwd: ROOT,
    env: { ...process.env, ...env },
    stdout: 'ignore',
    stderr: 'ignore',
  })

const NO_LIMIT = '10000000'

/** The service as it is, with limits that one caller does not reach. */
async function ourService(folder: string): Promise<Server> {
  const port = freePort()
  const child = pinned(SERVERS_CORE, [BUN, '--max-http-header-size=262144', 'src/cli/atr.ts', 'serve', '--demo'], {
    DATA_DIR: join(folder, 'data'),
    PORT: String(port),
    DEFAULT_RPM: NO_LIMIT,
    REFERENCE_RPM: NO_LIMIT,
    LOG_LEVEL: 'info',
  })
  const url = `http://127.0.0.1:${port}${QUESTION}`
  await answering(url)
  return { name: 'Agent Trust Registry', lacks: '', child, url }
}

/** The bytes of the answer, once it is kept. */
async function readyMade(url: string): Promise<Uint8Array> {
  let bytes = new Uint8Array()
  for (let i = 0; i < 5; i++) bytes = await (await fetch(url, { headers: { 'accept-encoding': 'identity' } })).bytes()
  return bytes
}

const MAP_IN_BUN = (port: number, file: string): string => `
  const answers = new Map([['${QUESTION}', await Bun.file('${file}').bytes()]])
  Bun.serve({ port: ${port}, hostname: '127.0.0.1', fetch: (request) =>
    new Response(answers.get(request.url.slice(request.url.indexOf('/', 8))), { headers: { 'content-type': 'application/json' } }) })`
const MAP_IN_NODE = (port: number, file: string): string => `
  const answers = new Map([['${QUESTION}', require('fs').readFileSync('${file}')]])
  require('http').createServer((request, response) => {
    const bytes = answers.get(request.url)
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': bytes.length }).end(bytes)
  }).listen(${port}, '127.0.0.1')`

async function rivals(folder: string, bytes: Uint8Array): Promise<Server[]> {
  const file = join(folder, 'answer.json')
  writeFileSync(file, bytes)
  const [forNginx, forBun, forNode] = [freePort(), freePort(), freePort()]
  const settings = join(folder, 'nginx.conf')
  mkdirSync(join(folder, 'nginx'))
  writeFileSync(settings, nginxSettings(folder, forNginx))
  const nothing = 'no limits, checks or headers'
  const servers: Server[] = [
    {
      name: 'nginx, a static file',
      lacks: nothing,
      child: pinned(SERVERS_CORE, ['nginx', '-c', settings]),
      url: `http://127.0.0.1:${forNginx}/answer.json`,
    },
    {
      name: 'Bun.serve with a Map',
      lacks: nothing,
      child: pinned(SERVERS_CORE, [BUN, '-e', MAP_IN_BUN(forBun, file)]),
      url: `http://127.0.0.1:${forBun}${QUESTION}`,
    },
    {
      name: 'Node http with a Map',
      lacks: nothing,
      child: pinned(SERVERS_CORE, ['node', '-e', MAP_IN_NODE(forNode, file)]),
      url: `http://127.0.0.1:${forNode}${QUESTION}`,
    },
  ]
  for (const { url } of servers) await answering(url)
  return servers
}

const nginxSettings = (folder: string, port: number): string => `
daemon off; master_process off; worker_processes 1; pid ${folder}/nginx/pid; error_log ${folder}/nginx/errors;
events { worker_connections 1024; }
http {
  access_log off; sendfile on; tcp_nopush on; keepalive_requests 100000000; open_file_cache max=100;
  types { application/json json; }
  client_body_temp_path ${folder}/nginx/body; proxy_temp_path ${folder}/nginx/proxy; fastcgi_temp_path ${folder}/nginx/fastcgi;
  uwsgi_temp_path ${folder}/nginx/uwsgi; scgi_temp_path ${folder}/nginx/scgi;
  server { listen 127.0.0.1:${port}; root ${folder}; }
}`

interface Target {
  key: string
  server: Server
  url: string
}

/** Each in turn, several times, so that a busy minute of the machine falls on all. The medians count. */
async function inTurn(targets: readonly Target[]): Promise<Map<string, Figures>> {
  for (const { url } of targets) await load(url, SECONDS)
  const rounds = new Map(targets.map(({ key }) => [key, [] as Figures[]]))
  for (let round = 0; round < ROUNDS; round++)
    for (const { key, server, url } of targets) {
      const before = processorSeconds(server.child.pid)
      const { requests, rate } = await load(url, SECONDS)
      rounds.get(key)?.push({ rate, cpu: ((processorSeconds(server.child.pid) - before) / requests) * 1e6 })
    }
  return new Map(
    [...rounds].map(([key, figures]) => [key, { rate: median(figures, 'rate'), cpu: median(figures, 'cpu') }]),
  )
}

const median = (figures: readonly Figures[], of: keyof Figures): number =>
  figures.map((each) => each[of]).sort((a, b) => a - b)[figures.length >> 1] as number

async function load(url: string, seconds: number): Promise<{ requests: number; rate: number }> {
  const child = spawn(['taskset', '-c', LOAD_CORE, 'wrk', '-t1', '-c32', `-d${seconds}s`, url], { stdout: 'pipe' })
  const text = await new Response(child.stdout).text()
  if (/Non-2xx|Socket errors/.test(text)) throw new Error(`${url} failed under load: ${text}`)
  const [, requests] = /(\d+) requests in/.exec(text) ?? []
  const [, rate] = /Requests\/sec:\s+([\d.]+)/.exec(text) ?? []
  return { requests: Number(requests), rate: Number(rate) }
}

/** User and system time of a process, from proc(5). */
function processorSeconds(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /s, '')
    .split(' ')
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND
}

function freePort(): number {
  const server = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => new Response() })
  const { port = 0 } = server
  server.stop(true)
  return port
}

async function answering(url: string): Promise<void> {
  for (let i = 0; i < 300; i++) {
    const response = await fetch(url).catch(() => undefined)
    if (response?.ok) return
    await Bun.sleep(200)
  }
  throw new Error(`nothing answers at ${url}`)
}
