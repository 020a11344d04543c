// The proxies of deploy/, with the configuration that operators copy. Only the lines that they change are changed here too.

import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFolder } from './folder.ts'
import { freePort } from './port.ts'
import { endingWithThis, findProgram } from './program.ts'
import { isSkipped } from './skipping.ts'
import { until } from './until.ts'

const DEPLOY = join(import.meta.dir, '../../deploy')

const found = new Map<string, string | undefined>()

/** The path of a proxy; undefined where there is none to be had: its tests are skipped. */
export function findProxy(name: 'nginx' | 'caddy'): string | undefined {
  if (!found.has(name)) found.set(name, findProgram([name, `/usr/sbin/${name}`], [name]))
  const path = found.get(name)
  isSkipped(`tests behind ${name}`, path ? undefined : 'it is not here and cannot be installed')
  return path
}

/** Replaces a part of a file that must be there. */
function replaced(text: string, ...changes: readonly (readonly [string | RegExp, string])[]): string {
  return changes.reduce((made, [part, other]) => {
    if (typeof part === 'string' ? !made.includes(part) : !part.test(made))
      throw new Error(`the configuration does not say ${part}`)
    return made.replaceAll(part, other)
  }, text)
}

/** A request as nginx understood it. */
export interface LoggedRequest {
  method: string
  /** Without a query, decoded, without dots. */
  path: string
  status: number
  /** The status that the service gave; empty if nginx answered itself. */
  upstream: string
}

const LOG_FORMAT = `log_format test escape=json '{"method":"$request_method","path":"$uri","status":$status,"upstream":"$upstream_status"}';`

interface NginxOptions {
  /** The ports of the service, one for each machine. */
  service: number | readonly number[]
  /** Files of a certificate and its key: then nginx speaks TLS, as the configuration says. */
  tls?: { certificate: string; key: string }
  /** Waits two seconds for slow callers, in place of 15 and 30. */
  isHasty?: boolean
}

export class Nginx {
  private constructor(
    readonly port: number,
    readonly folder: { path: string; [Symbol.dispose](): void },
    private readonly child: ReturnType<typeof Bun.spawn>,
  ) {}

  static async start(path: string, { service, tls, isHasty = false }: NginxOptions): Promise<Nginx> {
    const folder = temporaryFolder()
    const port = await freePort()
    const site = replaced(
      readFileSync(join(DEPLOY, 'nginx/registry.conf'), 'utf8'),
      [
        'server 127.0.0.1:8787 max_fails=0;',
        [service]
          .flat()
          .map((each) => `server 127.0.0.1:${each} max_fails=0;`)
          .join(' '),
      ],
      ...(tls
        ? ([
            ['listen 443 ssl;', `listen 127.0.0.1:${port} ssl;`],
            ['/etc/ssl/certs/registry.example.pem', tls.certificate],
            ['/etc/ssl/private/registry.example.key', tls.key],
          ] as const)
        : ([
            ['listen 443 ssl;', `listen 127.0.0.1:${port};`],
            [/ +ssl_certificate.*\n/g, ''],
          ] as const)),
      ...(isHasty
        ? ([
            [/client_(header|body)_timeout 15s;/g, 'client_$1_timeout 2s;'],
            ['keepalive_timeout 30s;', 'keepalive_timeout 2s;'],
          ] as const)
        : []),
    )
    const main = replaced(
      readFileSync(join(DEPLOY, 'nginx/nginx.conf'), 'utf8'),
      ['worker_processes auto;', `worker_processes 1; daemon off;${process.getuid?.() === 0 ? ' user root;' : ''}`],
      ['/run/nginx.pid', join(folder.path, 'pid')],
      ['/var/log/nginx/error.log', join(folder.path, 'error.log')],
      [
        'access_log /var/log/nginx/access.log;',
        `${LOG_FORMAT} access_log access.log test; ${temporaryPaths(folder.path)}`,
      ],
      ['/etc/nginx/conf.d/registry.conf', join(folder.path, 'registry.conf')],
    )
    writeFileSync(join(folder.path, 'registry.conf'), site)
    writeFileSync(join(folder.path, 'nginx.conf'), main)
    appendFileSync(join(folder.path, 'access.log'), '')
    const command = [
      path,
      '-p',
      folder.path,
      '-c',
      join(folder.path, 'nginx.conf'),
      '-e',
      join(folder.path, 'error.log'),
    ]
    const child = Bun.spawn(endingWithThis(command), { stdin: 'ignore', stdout: 'inherit', stderr: 'inherit' })
    const nginx = new Nginx(port, folder, child)
    await until(() => {
      if (child.exitCode !== null) throw new Error(`nginx does not start: ${nginx.#read('error.log')}`)
      return isListening(port)
    }, 'nginx listens')
    return nginx
  }

  #read(name: string): string {
    return readFileSync(join(this.folder.path, name), 'utf8')
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`
  }

  /** Every request that has ended. */
  requests(): LoggedRequest[] {
    return this.#read('access.log')
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as LoggedRequest)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.child.kill('SIGTERM')
    await this.child.exited
    this.folder[Symbol.dispose]()
  }
}

const BODIES = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']

function temporaryPaths(folder: string): string {
  return BODIES.map((name) => {
    const path = join(folder, name)
    mkdirSync(path)
    return `${name}_temp_path ${path};`
  }).join(' ')
}

const isListening = (port: number): Promise<boolean> =>
  Bun.connect({ hostname: '127.0.0.1', port, socket: { data() {} } }).then(
    (socket) => {
      socket.end()
      return true
    },
    () => false,
  )

/** The Caddyfile of deploy/, as it is. */
export const CADDYFILE = join(DEPLOY, 'caddy/Caddyfile')

/** Caddy before a service, without TLS. */
export async function startCaddy(path: string, service: number): Promise<{ port: number } & AsyncDisposable> {
  const folder = temporaryFolder()
  const port = await freePort()
  const file = join(folder.path, 'Caddyfile')
  writeFileSync(
    file,
    replaced(
      readFileSync(CADDYFILE, 'utf8'),
      ['registry.example {', `http://127.0.0.1:${port} {`],
      ['reverse_proxy 127.0.0.1:8787', `reverse_proxy 127.0.0.1:${service}`],
      ['{\n\tservers {', '{\n\tadmin off\n\tservers {'],
    ),
  )
  const child = Bun.spawn(endingWithThis([path, 'run', '--config', file, '--adapter', 'caddyfile']), {
    env: { ...process.env, XDG_DATA_HOME: folder.path, XDG_CONFIG_HOME: folder.path },
    stdin: 'ignore',
    stdout: 'ignore',
    stderr: 'ignore',
  })
  await until(() => isListening(port), 'Caddy listens')
  return {
    port,
    async [Symbol.asyncDispose]() {
      child.kill('SIGTERM')
      await child.exited
      folder[Symbol.dispose]()
    },
  }
}
