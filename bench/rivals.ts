// The servers that ours is measured beside. Each answers the same questions with the same bytes, and does less.

import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { SQL, type Subprocess } from 'bun'
import { freePort } from '../test/support/port.ts'
import { PostgresServer } from '../test/support/postgres.ts'
import { type Ask, outputOf, pinned, ready, SERVER_CORE, type Target, writeRequests } from './wrk.ts'

const RIVALS = join(import.meta.dir, 'rivals')
const NODE = 'node'

export type RivalName = 'nginx' | 'bun' | 'node' | 'fastify' | 'postgraphile' | 'json-server'

/** What a rival is, and what it does not do. */
export const RIVALS_SAY: Record<RivalName, string> = {
  nginx: 'nginx, one worker, the same bytes as files: no questions, no quotas, no proofs made',
  bun: 'bare Bun.serve with a Map of the same bytes: no quotas, no checks, one header',
  node: 'Node http with a Map of the same bytes: no quotas, no checks, two headers',
  fastify: 'Fastify with pg: one SELECT by key for each request; no quotas, no checks, no ETag',
  postgraphile: 'PostGraphile over the same table: GraphQL parsed for each request; no quotas',
  'json-server': 'json-server with the same answers in its db.json',
}

interface RivalParts {
  folder: string
  /** By path, the answer that ours gave. */
  answers: readonly (readonly [path: string, body: string])[]
}

export interface Rivals {
  targets: Partial<Record<RivalName, Target>>
  stop: () => Promise<void>
}

export async function startRivals(names: readonly RivalName[], { folder, answers }: RivalParts): Promise<Rivals> {
  const children: Subprocess[] = []
  const targets: Rivals['targets'] = {}
  const json = join(folder, 'answers.json')
  writeFileSync(json, JSON.stringify(answers))
  let database: PostgresServer | undefined
  let address = ''
  if (names.includes('fastify') || names.includes('postgraphile')) {
    database = await PostgresServer.start()
    address = await database.database()
    await fillTable(address, answers)
  }
  if (names.some((name) => ['fastify', 'postgraphile', 'json-server'].includes(name))) await installRivals()

  const asked: Ask[] = answers.map(([path]) => ({ path }))
  const start = async (name: RivalName, command: (port: number) => string[], asks: readonly Ask[]): Promise<void> => {
    const port = await freePort()
    const child = Bun.spawn(pinned(SERVER_CORE, command(port)), { cwd: RIVALS, stdout: 'ignore', stderr: 'ignore' })
    children.push(child)
    await ready(`http://127.0.0.1:${port}${asks[0]?.path}`, child)
    const requests = writeRequests(join(folder, `${name}.requests`), asks)
    const headers = name === 'postgraphile' ? ['Content-Type: application/json'] : []
    targets[name] = { port, pids: await family(child.pid), requests, headers }
  }
  const starts: Record<RivalName, () => Promise<void>> = {
    nginx: () =>
      start(
        'nginx',
        (port) => nginx(folder, port, answers),
        asked.map((_, i) => ({ path: `/${i}.json` })),
      ),
    bun: () => start('bun', (port) => [process.execPath, join(RIVALS, 'map-bun.ts'), String(port), json], asked),
    node: () => start('node', (port) => [NODE, join(RIVALS, 'map-node.mjs'), String(port), json], asked),
    fastify: () => start('fastify', (port) => [NODE, join(RIVALS, 'fastify-pg.mjs'), String(port), address], asked),
    postgraphile: () =>
      start(
        'postgraphile',
        (port) => [NODE, join(RIVALS, 'postgraphile.mjs'), String(port), address],
        answers.map(([path]) => ({
          method: 'POST',
          path: '/graphql',
          body: JSON.stringify({ query: `{answerByQuestion(question:${JSON.stringify(path)}){body}}` }),
        })),
      ),
    'json-server': () =>
      start(
        'json-server',
        (port) => [
          NODE,
          ...[join(RIVALS, 'node_modules/json-server/lib/cli/bin.js'), '--quiet', '--port', String(port)],
          jsonServerFile(folder, answers),
        ],
        asked.map((_, i) => ({ path: `/answers/${i}` })),
      ),
  }
  for (const name of names) await starts[name]()
  return {
    targets,
    async stop() {
      for (const child of children) child.kill()
      await Promise.all(children.map(({ exited }) => exited))
      await database?.remove()
    },
  }
}

/** The options that its manual gives for many small files. */
function nginx(folder: string, port: number, answers: RivalParts['answers']): string[] {
  const root = join(folder, 'static')
  mkdirSync(root)
  for (const [i, [, body]] of answers.entries()) writeFileSync(join(root, `${i}.json`), body)
  const config = join(folder, 'nginx.conf')
  writeFileSync(
    config,
    `daemon off; master_process off; worker_processes 1; pid ${folder}/nginx.pid; error_log stderr crit;
events { worker_connections 1024; }
http {
  access_log off; sendfile on; tcp_nopush on; keepalive_requests 1000000000;
  open_file_cache max=10000 inactive=60s; open_file_cache_valid 60s; etag on;
  types { application/json json; }
  client_body_temp_path ${folder}/body; proxy_temp_path ${folder}/proxy; fastcgi_temp_path ${folder}/fastcgi;
  uwsgi_temp_path ${folder}/uwsgi; scgi_temp_path ${folder}/scgi;
  server { listen 127.0.0.1:${port}; root ${root}; }
}
`,
  )
  return [Bun.which('nginx', { PATH: `${process.env['PATH']}:/usr/sbin` }) ?? 'nginx', '-c', config, '-p', folder]
}

function jsonServerFile(folder: string, answers: RivalParts['answers']): string {
  const file = join(folder, 'db.json')
  writeFileSync(file, JSON.stringify({ answers: answers.map(([, body], id) => ({ id, ...JSON.parse(body) })) }))
  return file
}

async function fillTable(address: string, answers: RivalParts['answers']): Promise<void> {
  const sql = new SQL(address)
  await sql`CREATE TABLE answer (question TEXT PRIMARY KEY, body TEXT NOT NULL)`
  for (const [question, body] of answers) await sql`INSERT INTO answer VALUES (${question}, ${body})`
  await sql`ANALYZE answer`
  await sql.end()
}

async function installRivals(): Promise<void> {
  if (existsSync(join(RIVALS, 'node_modules/fastify'))) return
  console.log('installing the rivals (bench/rivals) …')
  await outputOf(['npm', 'ci', '--prefix', RIVALS, '--no-audit', '--no-fund', '--ignore-scripts'])
}

/** A process and its children. */
export async function family(pid: number): Promise<number[]> {
  const listed = (await Bun.file(`/proc/${pid}/task/${pid}/children`).text()).trim()
  const children = listed === '' ? [] : listed.split(' ').map(Number)
  return [pid, ...(await Promise.all(children.map(family))).flat()]
}
